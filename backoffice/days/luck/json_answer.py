"""Actual vs theoretical win for programs: amounts in minor units, chances as they are."""

from fractions import Fraction
from typing import Any

import msgspec

from backoffice.days.luck.actual_against_theoretical_win import LuckShown
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.luck.win_against_theory import Luck
from events.rules.chance_declaration_types import MICRO


class LuckLine(msgspec.Struct, frozen=True, kw_only=True):
    """Actual win of a name against its theoretical win, and the probabilities of at least and at most that much.

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
    """Actual against theoretical win of a gaming day, as of a position, the rarest first; null and no lines until
    calculated.

    `percent`: finished part of the calculation; `reason`: the cause of its failure in English, "" without one, with its
    `code` and `params`.
    """

    day: str
    by: str
    currency: str
    position: int | None
    lines: tuple[LuckLine, ...]
    percent: int = 0
    reason: str = ""
    code: str | None = None
    params: dict[str, Any] | None = None


def answer(page: LuckShown) -> LuckAnswer:
    """Return the results so far."""
    failure = page.job.failure if page.job else None
    return LuckAnswer(
        day=page.day,
        by=page.by,
        currency=page.currency,
        position=page.result.position if page.result else None,
        lines=tuple(map(_line, page.lines)),
        percent=page.job.percent if page.job else 0,
        reason=failure.detail if failure else "",
        code=failure.code if failure else None,
        params=failure.params if failure else None,
    )


def _line(luck: Luck) -> LuckLine:
    return struct_from(
        luck,
        LuckLine,
        theory_minor=round(Fraction(luck.theory_micro, MICRO)),
        deviation_minor=round(luck.deviation_minor),
        at_least=luck.tail.at_least,
        at_most=luck.tail.at_most,
        how=luck.tail.how,
        error=luck.tail.error,
    )
