"""A report of our own, as docs/howto/add-a-report.md adds one: the players of the day, and how many events each has."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.db.models import Count

from backoffice.days.reports import catalogue, pages
from backoffice.days.reports.report_and_column_structs import Report, ReportColumn
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from backoffice.deliveries import news_sources_for_subscribers
from backoffice.people.roles_allowed_per_page import DAYS
from projections.eventlog.models import EventLog


def players(of: ReportSubject) -> Iterable[Row]:
    """Return a row for each player of the day, by name, with one query."""
    events = EventLog.objects.filter(gaming_day=of.day).exclude(player=None).exclude(player="")
    counts = events.values_list("player", "table").annotate(n=Count("position")).order_by("player", "table")
    for player, table, count in counts:
        yield {"player": player, "table": table, "events": count}


PLAYERS = Report(
    name="players",
    title="Players of the day",
    meaning="the players at each table, with the number of their events",
    open_to=DAYS,
    columns=(
        ReportColumn("player", "Player"),
        ReportColumn("table", "Table"),
        ReportColumn("events", "Events", "number"),
    ),
    rows=players,
    signed=("Accounting",),
)


def install(patch: pytest.MonkeyPatch) -> None:
    """Add the report to the catalogue, and to the modules that have imported the list."""
    declared: Any = catalogue.BY_NAME
    patch.setitem(declared, PLAYERS.name, PLAYERS)
    for module in (catalogue, pages, news_sources_for_subscribers):
        patch.setattr(module, "REPORTS", (*catalogue.BY_NAME.values(),))
