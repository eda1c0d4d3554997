"""Effects of an action on a gaming day before it is sent: figures before and after."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from backoffice.days.close_checklist_items_in_words import TITLES
from backoffice.days.day_report_from_rows import DayFigures, report
from backoffice.days.discrepancies_in_words import figure_words
from backoffice.days.figure_names import figure_name
from backoffice.days.table_and_recorded_win_lines import wins
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import text_sentence
from events.accounting.report.report_diff import ReportChange, changes
from events.errors import PitledgerError
from projections.accounts.day_accounts_from_rows import report_figures
from projections.accounts.day_closes_and_late_events import restated
from projections.accounts.models import FoundAccount, LateEvent

SHOWN = 60  # figures of a restatement
ActionFields = Mapping[str, Any]


class Effect(msgspec.Struct, frozen=True):
    """A figure or a fact; `unit` is the field whose unit it has. Without `before`, it is shown alone."""

    label: str
    after: Any
    before: Any = None
    unit: str = ""


def day_effects(action: str, gaming_day: str, data: ActionFields) -> list[Effect]:
    """Return the effects of an action on a gaming day; empty for other actions, and for an unknown day."""
    if action not in _OF or not gaming_day:
        return []
    try:
        return list(_OF[action](report(gaming_day), data))
    except PitledgerError:
        return []


def _close(day_report: DayFigures, _data: ActionFields) -> Iterator[Effect]:
    """Yield the figures that the day would be closed with."""
    lines = wins(day_report.tables, lambda table, shift: False)
    if lines is not None:
        yield Effect(_("table win"), lines.house.inventory_win_minor, unit="minor")
        yield Effect(_("recorded win"), lines.house.event_win_minor, unit="minor")
        yield Effect(_("difference"), lines.house.difference_minor, unit="minor")
        yield Effect(_("no known cause"), lines.house.rest_minor, unit="minor")
    yield Effect(
        _("unexplained discrepancies"), str(sum(row.explained_at is None for row in day_report.rows.discrepancies))
    )
    for item in day_report.ledger.closings.overridden.get(day_report.day, {}).values():
        yield Effect(_("overridden"), f"{TITLES[item.item]}: {item.reason}")


def _override(day_report: DayFigures, data: ActionFields) -> Iterator[Effect]:
    for check in day_report.checks:
        if check.item == data.get("item"):
            yield Effect(str(TITLES[check.item]), text_sentence(check.text, day_report.currency) or _("done"))


def _amend(day_report: DayFigures, data: ActionFields) -> Iterator[Effect]:
    """Yield every figure of the latest report that the events named now would change."""
    if not day_report.other_rows.reports:
        return
    named = [row for row in day_report.other_rows.late if row.named]
    named_now = set(data.get("events") or ())
    new = [row for row in day_report.other_rows.late if row.event in named_now and not row.named]
    for change in _changes(day_report, named, new):
        unit = "minor" if change.place.endswith("_minor") else ""
        yield Effect(figure_name(change.place), change.after, change.before, unit)


def _changes(day_report: DayFigures, named: list[LateEvent], new: list[LateEvent]) -> list[ReportChange]:
    """Return the differences between the last restated report and the next one."""
    first, property_ = day_report.other_rows.reports[0], new[0].stream.partition("/")[0] if new else ""
    before, _steps = restated(first, named, property_, day_report.ledger.layout)
    after, _all = restated(first, [*named, *new], property_, day_report.ledger.layout)
    return changes(report_figures(before, day_report.day, 0), report_figures(after, day_report.day, 0))[:SHOWN]


def _explain(_day_figures: DayFigures, data: ActionFields) -> Iterator[Effect]:
    row = FoundAccount.objects.filter(id=str(data.get("discrepancy"))).first()
    if row is not None:
        event = msgspec.json.decode(row.content)
        yield Effect(_("discrepancy"), f"{word(row.kind, 'kind')} {row.table}".strip())
        expected_name, actual_name = map(str, figure_words(row.kind))
        yield Effect(expected_name, event["expected_minor"], unit="minor")
        yield Effect(actual_name, event["found_minor"], unit="minor")
        yield Effect(_("difference"), event["found_minor"] - event["expected_minor"], unit="minor")


_OF: dict[str, Callable[[DayFigures, ActionFields], Iterator[Effect]]] = {
    "day.close": _close,
    "day.override": _override,
    "day.amend": _amend,
    "discrepancy.explain": _explain,
}
