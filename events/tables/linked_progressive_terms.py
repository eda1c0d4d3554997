"""A table's link: the data of the progressive's opening that the table needs.

A progressive is opened once, and its currency, stakes and basis never change. So it is read once, and an append of a
table's decision expects no version of its stream.
"""

import msgspec

from events.error_codes import coded
from events.errors import Refused
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.event_types.session import Basis

CLAUSE = "house link"


class LinkedProgressive(msgspec.Struct, frozen=True):
    """An open progressive: the currency it is in, its low and high stake, and how its fixed pays count.

    `plays`: the numbers by which its bets are played; None: those of the game, as before they were recorded.
    """

    progressive: str
    currency: str
    stakes_minor: tuple[int, int]
    basis: Basis
    plays: TakenRuleset | None = None


def require(name: str, currency: str, progressive: LinkedProgressive | None) -> LinkedProgressive:
    """The progressive that a table of this currency is linked to. Raises Refused where it may not be."""
    if progressive is None:
        raise Refused(
            CLAUSE,
            coded("progressive-not-open", name=name),
            field="data.progressive",
        )
    if progressive.currency != currency:
        raise Refused(
            CLAUSE,
            coded("progressive-currency-differs", name=name, theirs=progressive.currency, own=currency),
            field="data.progressive",
        )
    return progressive
