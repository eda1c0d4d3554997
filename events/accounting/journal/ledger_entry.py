"""An entry of the journal, and sums of entries."""

from typing import NamedTuple

import msgspec

MICRO = 1_000_000  # amounts are in millionths of a minor unit, as meters are: exact


class LedgerEntry(msgspec.Struct, frozen=True, gc=False):
    """One amount from the credited account to the debited account; more than zero.

    `rule` names the rule of the amount, `event` the event that made it. `day` is the gaming day it belongs to, `dated`
    the day on which it is posted: a later one where its own day was closed. `takes_back` names the event whose entry it
    reverses. `currency` is empty for the house's own entries, without table and progressive.
    """

    event: str
    position: int
    rule: str
    debit: str
    credit: str
    micro: int
    currency: str
    table: str
    shift: str
    day: str
    dated: str
    takes_back: str = ""


class JournalLine(NamedTuple):
    """The key by which entries are summed, together with the day of posting. The accounts are those of the rule.

    `place` is "PROGRESSIVE:LEVEL:REASON" where there is one of these.
    """

    day: str
    table: str
    shift: str
    rule: str
    place: str
    debit: str
    credit: str
    currency: str


Sums = dict[JournalLine, int]  # signed, in millionths: below zero the reverse
Held = tuple[str, str, str]  # rule, table and place


class NamedAmount(msgspec.Struct, frozen=True, gc=False):
    """An amount by its name, in millionths of a minor unit. `place`: a progressive's level, or a reason."""

    name: str
    micro: int
    progressive: str = ""
    level: str = ""
    reason: str = ""
    takes_back: str = ""


def minor(name: str, amount: int, takes_back: str = "") -> NamedAmount:
    """An amount of minor units."""
    return NamedAmount(name, amount * MICRO, "", "", "", takes_back)
