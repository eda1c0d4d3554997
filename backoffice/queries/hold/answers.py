"""The hold for programs: amounts in minor units, shares in millionths; null where nothing is known."""

import msgspec

from backoffice.queries.hold.page import Held, Hold, Rule


class HeldLine(msgspec.Struct, frozen=True, kw_only=True):
    """A name in a period: day, month, or year to date. Hold is win by box and tray over the drop.

    `of_earlier_days`: what of the line before came for days that were closed without it.
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
    """What a rule says of a name, with the figures that it looks at; `lacks`: why it cannot say."""

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
    """As of a gaming day ("": nothing is counted yet). `uncounted`: tables' days that are in no figure."""

    day: str
    by: str
    lines: tuple[HeldLine, ...]
    rules: tuple[RuleLine, ...]
    uncounted: int


def answer(found: Hold) -> HoldAnswer:
    """The page's figures."""
    return HoldAnswer(
        day=found.day,
        by=found.by,
        lines=tuple(_held(one) for line in found.lines for one in line),
        rules=tuple(map(_rule, found.rules)),
        uncounted=found.uncounted,
    )


def _held(one: Held) -> HeldLine:
    return HeldLine(
        name=one.name,
        period=one.period,
        of_earlier_days=one.is_late,
        drop_minor=one.of.drop_minor,
        win_minor=one.of.win_minor,
        hold_millionths=one.hold,
        handle_minor=one.of.handle_minor,
        event_win_minor=one.of.event_win_minor,
        win_by_handle_millionths=one.win_by_handle,
    )


def _rule(one: Rule) -> RuleLine:
    hold, against, low, high = one.shares
    said = one.said
    return RuleLine(
        name=said.name,
        period=said.period,
        rule=said.rule,
        hold_millionths=hold,
        against_millionths=against,
        low_millionths=low,
        high_millionths=high,
        says=said.says,
        lacks=said.lacks,
    )
