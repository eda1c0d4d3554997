"""Payouts of a wheel of fortune. Pure."""

from msgspec import Struct

from events.errors import Invalid, Refused
from events.rules import loading_and_pinning_rulesets
from events.rules.taken_ruleset_version_struct import Numbers


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """`rulesets/bigsix.json`: for each symbol, its number of places on the wheel and its payout to one."""

    name: str
    version: str
    title: str
    source: str
    wheel: dict[str, int]
    pays: dict[str, int]
    least_turns: int
    readings: dict[str, str]


def rules(ruleset: Numbers) -> Rules:
    """The numbers of a ruleset. Raises Unknown, or Invalid for data that does not fit."""
    loaded: Rules = loading_and_pinning_rulesets.load(ruleset, Rules)
    if loaded.wheel.keys() != loaded.pays.keys():
        raise Invalid(f"ruleset {loaded.name}", "every symbol of the wheel pays something")
    return loaded


def check_symbol(rules: Rules, symbol: str) -> None:
    """Raises Refused for what the wheel does not show."""
    if symbol not in rules.pays:
        raise Refused(f"{rules.name} B", f"the wheel has no {symbol}", source="NJ 8.2")


def check_turns(rules: Rules, turns: int) -> None:
    """Raises Refused for a spin of too few turns."""
    if turns < rules.least_turns:
        raise Refused(f"{rules.name} P.2", f"{turns} turns are no spin, {rules.least_turns} are", source="NJ 8.3")


def profit(rules: Rules, symbol: str, laid_on: str, stake: int) -> int:
    """Return the win of a stake on a symbol, or its loss below zero."""
    return stake * rules.pays[symbol] if laid_on == symbol else -stake
