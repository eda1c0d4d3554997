"""Hold by table, game, pit and kind of bet, and the findings of the regulators' rules.

Programs and sheets get amounts in minor units, shares in millionths; nothing where nothing is known.
"""

from collections.abc import Iterator

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.days.hold.hold_page_content import BY, HeldPeriod, Hold, RuleResult, hold
from backoffice.freshness.freshness import freshness
from backoffice.kit.csv_sheet_to_workbook import workbook_file
from backoffice.kit.page_declaration import CsvSheet, DownloadFile, Endpoint, Format, Page, PageRequest
from backoffice.people.roles_allowed_per_page import DAYS
from backoffice.wording.copy_row_into_page_struct import struct_from

_COLUMNS = (
    *("name", "period", "drop_minor", "win_minor", "hold_millionths", "handle_minor", "event_win_minor"),
    *("win_by_handle_millionths", "rule", "against_millionths", "low_millionths", "high_millionths", "says"),
)


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


def _sheet_rows(page: Hold) -> Iterator[tuple[object, ...]]:
    """Yield the hold by day, month and year, then the results of the rules."""
    for held_line in (held_line for line in page.lines for held_line in line):
        of = held_line.of
        figures = (
            of.drop_minor,
            of.win_minor,
            held_line.hold,
            of.handle_minor,
            of.event_win_minor,
            held_line.win_by_handle,
        )
        yield held_line.name, held_line.period_name, *figures, "", "", "", "", ""
    for rule in page.rules:
        hold, *shares = rule.shares
        finding = rule.finding
        yield (
            finding.name,
            finding.period,
            "",
            "",
            hold,
            "",
            "",
            "",
            finding.rule,
            *shares,
            f"{finding.says}: {finding.lacks}" if finding.lacks else finding.says,
        )


def _hold(request: PageRequest) -> Hold:
    return hold(request.text("day", 10), request.text("by", 10) or "table", request.text("name"))


def _sheet(request: PageRequest, hold: Hold) -> CsvSheet:
    return CsvSheet(_("Hold"), (_("Gaming day"), hold.day), _COLUMNS, _sheet_rows(hold))


def _workbook(request: PageRequest) -> DownloadFile:
    return workbook_file(_sheet(request, _hold(request)), freshness().position, "hold")


def _answer(page: Hold) -> HoldAnswer:
    """Return the page's figures."""
    return HoldAnswer(
        day=page.day,
        by=page.by,
        lines=tuple(_held_line(held) for line in page.lines for held in line),
        rules=tuple(map(_rule, page.rules)),
        uncounted=page.uncounted,
    )


def _held_line(hold_period: HeldPeriod) -> HeldLine:
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


HOLD = Page(
    name="hold",
    path="hold",
    title=gettext_lazy("Hold"),
    open_to=DAYS,
    template="pages/hold.html",
    query=_hold,
    shown_as="hold",
    add_context=lambda visit, _hold: {"query": visit.request.GET.urlencode()},
    under="days",
    sheet=_sheet,
    sheet_is_shared=True,
    formats=(Format("hold.xlsx", _workbook, is_shared=True),),
    endpoint=Endpoint(
        name="hold",
        path="hold",
        answer=HoldAnswer,
        meaning="Win by drop box and tray as a share of the drop, for day, month and "
        "year to date, judged by three rules.",
        query=lambda request: _answer(_hold(request)),
        parameters={
            "day": {"type": "string", "description": "As of this gaming day; by default the last counted one"},
            "by": {"type": "string", "enum": [*BY], "description": "Group the lines by this"},
        },
    ),
)
