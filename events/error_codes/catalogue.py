"""All codes of errors, by code. `codes.txt` in this folder lists them; a code that was released stays in that list."""

from collections.abc import Mapping

from events.error_codes import (
    alerts,
    baccarat,
    blackjack,
    cage,
    case_exports,
    cases,
    craps,
    day_checklist,
    days,
    deliveries,
    desk,
    devices,
    draws,
    fact_refusals,
    games,
    house_opening,
    house_system,
    interface,
    people,
    progressives,
    roulette,
    rulesets,
    search,
    settings,
    table_screen,
    tables,
)
from events.error_codes.entry import Entry

SUBJECTS = (
    cage,
    fact_refusals,
    tables,
    games,
    baccarat,
    blackjack,
    craps,
    roulette,
    rulesets,
    progressives,
    people,
    desk,
    days,
    alerts,
    devices,
    settings,
    house_system,
    house_opening,
    interface,
    table_screen,
    day_checklist,
    deliveries,
    search,
    case_exports,
    cases,
    draws,
)


def _by_code() -> Mapping[str, Entry]:
    codes: dict[str, Entry] = {}
    for subject in SUBJECTS:
        for entry in subject.ENTRIES:
            assert entry.code not in codes, f"the code {entry.code} is twice in the catalogue"
            codes[entry.code] = entry
    return codes


CODES = _by_code()


def listing() -> str:
    """Return all codes with the kinds of their parameters, a line each, as `codes.txt` has them."""
    return "".join(
        " ".join((code, *(f"{name}:{kind}" for name, kind in sorted(entry.kinds.items())))) + "\n"
        for code, entry in sorted(CODES.items())
    )
