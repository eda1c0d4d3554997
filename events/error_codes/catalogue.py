"""All codes of errors, by code, as `errors.tsv` in this folder has them.

A row has the subject, the code, the problem, the remedy and the kind of each parameter. Both sentences are marked for
translation by their place in the file, and are translated at the edge. `codes.txt` lists the codes; a code that was
released stays in that list.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast, get_args

from msgspec import Struct

SOURCE = Path(__file__).with_name("errors.tsv")
Kind = Literal["id", "money", "count", "day", "time", "card", "word", "text", "list", "codes", "names", "error"]
KINDS: tuple[str, ...] = get_args(Kind)
# By kind, for readers of the reference.
MEANINGS: dict[str, str] = {
    "id": "the id of a person, player, table, bet, hit, slip or event",
    "money": "an amount: an object of `amount_minor` and `currency`; without `currency` it is the property's",
    "count": "a whole number: of things, of a round, box or slip",
    "day": "a gaming day, as 2026-11-20",
    "time": "a moment in UTC, as 2026-11-20T20:15:00.000Z",
    "card": "a card, as KH",
    "word": "a term that the house declares: a bet, role, phase, action or setting",
    "text": "a text from outside, cut after 120 characters",
    "list": "several ids, words or texts",
    "codes": "several words of a file, a command or the API, which are never translated",
    "names": "the first of several names: an object of `names`, each with its `number` or `amount_minor`, and `count`",
    "error": "another error: an object of `code` and `params`, or of `text`",
}
# By the key in the file, in the order of the reference.
SUBJECTS: dict[str, str] = {
    "cage": "The cage and its slips",
    "fact_refusals": "Facts that are refused",
    "tables": "Tables: sessions, rounds, bets, payments, boxes, shifts and staff",
    "games": "Games in common: bets and limits of several games, cases and par sheets",
    "baccarat": "Baccarat: shoes, cards, bets and limits",
    "blackjack": "Blackjack, its Trilux bet and Blazing 7s: boxes, hands, insurance, the progressive bet",
    "craps": "Craps: dice, shooters, bets, odds and limits",
    "roulette": "Roulette: wheels, spins, bets, colour chips and prison",
    "rulesets": "Rulesets, cards and chips as the rules define them",
    "progressives": "Progressives: levels, hits, shares, readings and payments",
    "people": "People: roles, approvals, own matters",
    "desk": "Actions and streams: keys, times, names, fields and stored events",
    "days": "Gaming days: boxes, recounts, discrepancies, closing, figures at a position",
    "alerts": "Alerts and the people who work on them",
    "devices": "Devices of the tables and the floor",
    "settings": "Settings of the house: currency, zone, alert rules, posting rules, imported months",
    "house_system": "Store, relay, integrity, keys and settings",
    "house_opening": "Faults in the CSV files of a house that opens",
    "interface": "Interface: requests, badges, addresses and pages",
    "table_screen": "Table screen: its devices, badge sessions, queue and second person",
    "day_checklist": "Checklist of a gaming day: why an item does not hold",
    "deliveries": "Errors of subscriptions and their destinations",
    "search": "Search: a text that is not understood, with the column of the mistake",
    "case_exports": "Exports of cases and bookmarks of video",
    "cases": "Errors of cases: access, evidence, files, keys",
    "draws": "Draws of tables and times to inspect",
}


class CatalogueEntry(Struct, frozen=True):
    """An error of the catalogue. Both sentences have placeholders like `%(box)s`; `todo` may be empty."""

    code: str
    sentence: str
    todo: str
    kinds: dict[str, Kind]
    subject: str


def _by_code() -> Mapping[str, CatalogueEntry]:
    codes: dict[str, CatalogueEntry] = {}
    with SOURCE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            code, kinds = row["code"], dict(parameter.split(":") for parameter in row["parameters"].split())
            assert code not in codes, f"the code {code} is twice in the catalogue"
            codes[code] = CatalogueEntry(
                code, row["problem"], row["remedy"], cast(dict[str, Kind], kinds), row["subject"]
            )
    return codes


CODES = _by_code()


def listing() -> str:
    """Return all codes with the kinds of their parameters, a line each, as `codes.txt` has them."""
    return "".join(
        " ".join((code, *(f"{name}:{kind}" for name, kind in sorted(entry.kinds.items())))) + "\n"
        for code, entry in sorted(CODES.items())
    )
