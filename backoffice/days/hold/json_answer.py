"""The hold for programs: amounts in minor units, shares in millionths; null where nothing is known."""

import msgspec

from backoffice.days.hold.hold_page_content import HeldPeriod, Hold, RuleResult
from backoffice.wording.copy_row_into_page_struct import struct_from


class HeldLine(msgspec.Struct, frozen=True, kw_only=True):
    """A name in a period: day, month, or year to date. Hold is win by box and tray over the drop.

    `of_earlier_days`: the part of the line before that came for days that were closed without it.
    """

    name: str
    period: str
    of_earlier_days: bool
    drop_minor: int | None
    win_minor: int | None
    hold_millionths: int | None
    handle_minor: int | None
    event_win_minor: int | None
    win_by_handle_millionths: int | None


class RuleLine(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a rule for a name, with the figures it uses; `lacks`: the reason for no result."""

    name: str
    period: str
    rule: str
    hold_millionths: int | None
    against_millionths: int | None
    low_millionths: int | None
    high_millionths: int | None
    says: str
    lacks: str


class HoldAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Hold as of a gaming day ("": nothing is counted yet). `uncounted`: tables' days that are in no figure."""

    day: str
    by: str
    lines: tuple[HeldLine, ...]
    rules: tuple[RuleLine, ...]
    uncounted: int


def answer(page: Hold) -> HoldAnswer:
    """Return the page's figures."""
    return HoldAnswer(
        day=page.day,
        by=page.by,
        lines=tuple(_held(held) for line in page.lines for held in line),
        rules=tuple(map(_rule, page.rules)),
        uncounted=page.uncounted,
    )


def _held(hold_period: HeldPeriod) -> HeldLine:
    return HeldLine(
        name=hold_period.name,
        period=hold_period.period,
        of_earlier_days=hold_period.is_late,
        drop_minor=hold_period.of.drop_minor,
        win_minor=hold_period.of.win_minor,
        hold_millionths=hold_period.hold,
        handle_minor=hold_period.of.handle_minor,
        event_win_minor=hold_period.of.event_win_minor,
        win_by_handle_millionths=hold_period.win_by_handle,
    )


def _rule(rule: RuleResult) -> RuleLine:
    hold, against, low, high = rule.shares
    finding = rule.finding
    return struct_from(
        finding,
        RuleLine,
        hold_millionths=hold,
        against_millionths=against,
        low_millionths=low,
        high_millionths=high,
    )
