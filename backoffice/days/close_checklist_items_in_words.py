"""The checklist of a gaming day as people read it: each item with its state, and the place where it is corrected."""

from collections.abc import Callable, Iterator

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.days.day_report_from_rows import DayFigures
from backoffice.kit.due_action_and_link_structs import PageLink
from backoffice.wording.error_code_sentences import text_sentence
from events.accounting.report.canonical_report_from_ledger import slips_of
from events.accounting.report.closing_checklist import NEVER, CheckedItem, uncounted
from events.accounting.table_shifts_fold import TableShifts

TITLES: dict[str, "str | Promise"] = {
    "sessions_closed": gettext_lazy("Tables are closed"),
    "boxes_counted": gettext_lazy("Boxes are counted"),
    "slips_settled": gettext_lazy("Slips are received or void"),
    "discrepancies_explained": gettext_lazy("Discrepancies are explained"),
    "hits_locked": gettext_lazy("Hits are awarded or void"),
    "variances_closed": gettext_lazy("Reading variances are closed"),
    "no_rest": gettext_lazy("No difference without a known cause"),
    "cage_closed": gettext_lazy("Cage is closed"),
    "nothing_aside": gettext_lazy("No unprocessed events"),
    "journal_balanced": gettext_lazy("Journal balances"),
    "readers_beyond": gettext_lazy("Reports are up to date"),
    "heads_beyond": gettext_lazy("Day is sealed (signed)"),
}
SHOWN = 12  # ways of one item


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """An item: `state` is its colour, `ways` lead to where it is corrected."""

    item: str
    title: "str | Promise"
    state: str
    words: str
    detail: str
    ways: tuple[PageLink, ...]
    may_be_overridden: bool


def checks(report: DayFigures) -> tuple[Check, ...]:
    """Return all checks, in their order."""
    overridden = report.ledger.closings.overridden.get(report.day, {})
    return tuple(_check(report, checked, is_overridden=checked.item in overridden) for checked in report.checks)


def _check(report: DayFigures, item: CheckedItem, *, is_overridden: bool) -> Check:
    fails = item.holds is False
    state, words = _state(item, is_overridden=is_overridden)
    ways = _WAYS.get(item.item, _to_integrity)(report) if fails else iter(())
    return Check(
        item=item.item,
        title=TITLES[item.item],
        state=state,
        words=words,
        detail=text_sentence(item.text, report.currency),
        ways=tuple(ways)[:SHOWN],
        may_be_overridden=fails and not is_overridden and item.item not in NEVER and report.status == "open",
    )


def _state(checked: CheckedItem, *, is_overridden: bool) -> tuple[str, str]:
    if checked.holds is None:
        return "grey", _("checked at close")
    if checked.holds:
        return "green", _("Done")
    return ("amber", _("Overridden")) if is_overridden else ("red", _("Blocking"))


def _to_tables(report: DayFigures) -> Iterator[PageLink]:
    """Yield links to the open tables."""
    for table in _days(report):
        if not table.is_closed:
            yield PageLink(table.table, "table", {"name": table.table, "gaming_day": report.day})


def _to_boxes(report: DayFigures) -> Iterator[PageLink]:
    for table in _days(report):
        for name in uncounted(table):
            yield PageLink(f"{table.table} {name}".rstrip(), "boxes", {"gaming_day": report.day})


def _to_slips(report: DayFigures) -> Iterator[PageLink]:
    for slip in slips_of(report.ledger, report.day):
        if slip.status == "open":
            words = f"{slip.kind} {slip.number}"
            yield PageLink(words, "slip", {"kind": slip.kind, "year": slip.year, "number": slip.number})


def _to_discrepancies(report: DayFigures) -> Iterator[PageLink]:
    for row in report.rows.discrepancies:
        if row.band != "recorded" and row.explained_at is None:
            places: dict[str, str | int] = {"gaming_day": report.day, "position": row.position}
            yield PageLink(f"{row.kind} {row.table}".strip(), "discrepancy", places)


def _to_hits(report: DayFigures) -> Iterator[PageLink]:
    for hit in report.other_rows.hits:
        yield PageLink(hit.hit, "progressive-matters", {"name": hit.stream.rpartition("/")[2]})


def _to_variances(report: DayFigures) -> Iterator[PageLink]:
    for variance in report.other_rows.variances:
        yield PageLink(variance.case, "progressive-matters", {"name": variance.stream.rpartition("/")[2]})


def _to_rests(report: DayFigures) -> Iterator[PageLink]:
    for table in report.tables:
        if table.day.parts.rest_minor:
            yield PageLink(table.table, "day-table", {"gaming_day": report.day, "table": table.table})


def _to_integrity(report: DayFigures) -> Iterator[PageLink]:
    yield PageLink(_("Open integrity"), "integrity")


def _days(report: DayFigures) -> list[TableShifts]:
    tables = [table for table in report.ledger.tables.values() if table.gaming_day == report.day]
    return sorted(tables, key=lambda table: table.table)


_WAYS: dict[str, Callable[[DayFigures], Iterator[PageLink]]] = {
    "sessions_closed": _to_tables,
    "boxes_counted": _to_boxes,
    "slips_settled": _to_slips,
    "discrepancies_explained": _to_discrepancies,
    "hits_locked": _to_hits,
    "variances_closed": _to_variances,
    "no_rest": _to_rests,
    "cage_closed": lambda _report: iter([PageLink(_("Open cage"), "cage")]),
}
