"""Luck for programs: amounts in minor units, chances as they are."""

from fractions import Fraction

import msgspec

from backoffice.queries.luck.page import LuckShown
from events.chances import MICRO
from events.luck.theory import Luck


class LuckLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a name won beside what its bets had to bring, and the chances of so much or more, of so little or less.

    `how`: by which reckoning, `error`: how far off the chances may be; `basis`: exact, throw by throw, or estimate.
    """

    name: str
    decisions: int
    bets: int
    handle_minor: int
    win_minor: int
    theory_minor: int
    deviation_minor: int
    at_least: float
    at_most: float
    how: str
    error: float
    basis: str


class LuckAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of a gaming day, as of a position, the rarest first; null and no lines until it is calculated.

    `percent`: how much of the calculation is done; `reason`: why it has failed, "" where it has not.
    """

    day: str
    by: str
    currency: str
    position: int | None
    lines: tuple[LuckLine, ...]
    percent: int = 0
    reason: str = ""


def answer(found: LuckShown) -> LuckAnswer:
    """What was worked out so far."""
    return LuckAnswer(
        day=found.day,
        by=found.by,
        currency=found.currency,
        position=found.found.position if found.found else None,
        lines=tuple(map(_line, found.lines)),
        percent=found.job.percent if found.job else 0,
        reason=found.job.reason if found.job else "",
    )


def _line(one: Luck) -> LuckLine:
    return LuckLine(
        name=one.name,
        decisions=one.decisions,
        bets=one.bets,
        handle_minor=one.handle_minor,
        win_minor=one.win_minor,
        theory_minor=round(Fraction(one.theory_micro, MICRO)),
        deviation_minor=round(one.deviation_minor),
        at_least=one.tail.at_least,
        at_most=one.tail.at_most,
        how=one.tail.how,
        error=one.tail.error,
        basis=one.basis,
    )
