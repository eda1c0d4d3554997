"""`./manage.py par`: print the exact odds of a ruleset, and where the stakes of a progressive go."""

import json
from argparse import ArgumentTypeError
from fractions import Fraction
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from eventsourcing.persistence import ProgrammingError

from backoffice.management.house_command import HouseCommand, exit_code
from events.errors import Unknown
from events.games.par import WhatIf, sheet_for
from events.games.par import par_sheet_rendering as par
from events.progressives import history_reader
from events.rules import loading_and_pinning_rulesets
from events.rules.ruleset_adoption_and_recording import Recorded
from events.rules.taken_ruleset_version_struct import Numbers, taken_ruleset
from events.settings.settings_from_environment import settings
from events.store import open_store


def rate(text: str) -> Fraction:
    """A share from "10%", "1/10" or "0.1"."""
    try:
        share = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise ArgumentTypeError(f"{text!r} is no rate: 10%, 1/10 or 0.1") from None
    if not 0 <= share <= 1:
        raise ArgumentTypeError(f"{text} is no share of a stake")
    return share


def number(text: str) -> Fraction:
    """An exact number from "4", "3.5" or "7/2"."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentTypeError(f"{text!r} is no number") from None


def level_rate(text: str) -> tuple[str, Fraction]:
    """A level with a rate: "mega=10%"."""
    name, _, value = text.partition("=")
    return name, rate(value)


def level_amount(text: str) -> tuple[str, int]:
    """A level with an amount in minor units: "mega=2500000"."""
    name, _, value = text.partition("=")
    if not value.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not of the form LEVEL=CENTS")
    return name, int(value)


def numbers(ruleset: str) -> Numbers:
    """Return the numbers of a ruleset. A name alone is its present file; a version is as released, or as recorded
    here.
    """
    current = taken_ruleset(ruleset)
    if "@" not in ruleset or _is_released(current.stamp):
        return ruleset
    recorded = _recorded_rulesets().get(current.stamp)
    return (
        ruleset
        if recorded is None
        else msgspec.structs.replace(current, digest=loading_and_pinning_rulesets.cache_ruleset(recorded.data))
    )


def _is_released(stamp: str) -> bool:
    try:
        return bool(loading_and_pinning_rulesets.released(stamp))
    except Unknown:
        return False


def _recorded_rulesets() -> Recorded:
    """Return the rulesets that this house has recorded; empty without a house."""
    store = open_store(settings().store)
    try:
        return history_reader.recorded_rulesets(store, settings().property_)
    except ProgrammingError:  # no table
        return {}
    finally:
        store.close()


class Command(HouseCommand):
    """Computed by enumeration, each time, through the functions that settle the bets."""

    help = (
        "Print the exact house edge of every bet of RULESET, as a fraction and in percent. For blazing7s also "
        "print the odds of each hand and the funding check, with a warning if 100 % of the stake is not accounted "
        "for. A name alone means the file of today. NAME@VERSION means a released version, or a version that this "
        "house has recorded. Exit code 2: a ruleset or setting does not exist."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ruleset", help="craps-gr, craps-by, roulette-french, baccarat, blazing7s, ... or your own")
        parser.add_argument(
            "--packs", type=int, help="only for this many packs (baccarat, blackjack-trilux, blazing7s)"
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print every figure as an exact fraction and in percent")
        form.add_argument(
            "--markdown", action="store_true", help="print the page of docs/par, with published figures beside ours"
        )
        other = parser.add_argument_group("blazing7s under other settings", "rates are written 10%, 1/10 or 0.1")
        other.add_argument("--basis", choices=("to", "for"), help="fixed pays are N to 1 or N for 1")
        other.add_argument("--stakes", nargs=2, type=int, metavar=("LOW", "HIGH"), help="low and high stake in cents")
        other.add_argument("--withhold", type=rate, metavar="RATE", help="the share that the house keeps")
        other.add_argument("--feed", type=level_rate, action="append", default=[], metavar="LEVEL=RATE")
        other.add_argument("--reserve", type=level_rate, action="append", default=[], metavar="LEVEL=RATE")
        other.add_argument("--seed", type=level_amount, action="append", default=[], metavar="LEVEL=CENTS")
        other.add_argument(
            "--envy-to-winner", action="store_true", default=None, help="the winner also gets the envy bonus"
        )
        other.add_argument("--bets-a-round", type=number, metavar="N", help="progressive bets per round (default: 4)")
        other.add_argument(
            "--high-share", type=rate, metavar="RATE", help="share of bets at the high stake (default: 1/2)"
        )

    def handle(self, *, ruleset: str, packs: int | None, markdown: bool, **options: Any) -> None:
        what_if = WhatIf(
            basis=options["basis"],
            stakes=tuple(options["stakes"]) if options["stakes"] else None,
            withhold=options["withhold"],
            feed=dict(options["feed"]),
            reserve=dict(options["reserve"]),
            seed=dict(options["seed"]),
            envy_to_winner=options["envy_to_winner"],
            bets_a_round=options["bets_a_round"],
            high_share=options["high_share"],
        )
        with exit_code(2):
            par_sheet = sheet_for(numbers(ruleset), packs, what_if)
        if options["json"]:
            text = json.dumps(par.as_json(par_sheet), indent=2)
        elif markdown:
            text = par.as_markdown(par_sheet, published=packs is None and what_if == WhatIf())
        else:
            text = par.as_text(par_sheet)
        self.stdout.write(text.rstrip())
