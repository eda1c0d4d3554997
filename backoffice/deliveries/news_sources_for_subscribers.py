"""Sources of news: new alerts, results of a saved search, closed days, reports of them. Each counts for one reader."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile

import msgspec
from django.db.models import Q
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.days.reports.catalogue import BY_NAME, REPORTS
from backoffice.event_log import figures_hidden_before_counts
from backoffice.kit.page_declaration import Words
from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule, answering
from backoffice.models import SavedSearch, Subscription
from backoffice.people.roles_allowed_per_page import DAYS, TABLES, WATCH
from backoffice.surveillance.search import alert_and_case_filters, search_question_from_query_string
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.wording.code_to_word_translation import word
from projections.accounts.models import DayReport
from projections.alerts.models import Alert

COUNT_MAX = 1_000  # results of a search that are counted
SEVERITIES = ("high", "medium", "low")
MASTER, ALL = "master", "all"  # reports beside those of the catalogue: that of the whole day, and every one


class Source(msgspec.Struct, frozen=True):
    """One kind of news. `count` returns how many are new for a reader between two positions, `path` its page."""

    name: str
    title: Words
    open_to: ReadRule
    count: Callable[[Subscription, Reader, int, int], int]
    path: Callable[[Subscription], str]
    choices: Callable[[Reader], Sequence[tuple[str, Words]]]


def _alerts(subscription: Subscription, _reader: Reader, after: int, upto: int) -> int:
    rows = Alert.objects.filter(raised_at_position__gt=after, raised_at_position__lte=upto)
    return (rows.filter(severity=subscription.choice) if subscription.choice else rows).count()


def _severities(_reader: Reader) -> Sequence[tuple[str, Words]]:
    return (("", _("all severities")), *((severity, word(severity, "severity")) for severity in SEVERITIES))


def _saved(subscription: Subscription, reader: Reader) -> SavedSearch | None:
    """Return the saved search, if it still exists and the reader may use it."""
    own = Q(person=reader.person) | Q(role__in=sorted(reader.roles))
    return SavedSearch.objects.filter(own, id=int(subscription.choice)).first()


def _results(subscription: Subscription, reader: Reader, after: int, upto: int) -> int:
    """Count events of these positions, and earlier ones that were added meanwhile to a case of the search."""
    saved = _saved(subscription, reader)
    if saved is None:
        return 0
    hidden_streams = figures_hidden_before_counts.sorted_streams(reader.roles)
    with answering(reader):
        search = search_question_from_query_string.read(QueryDict(saved.query)).to_search(hidden_streams)
        added = alert_and_case_filters.added_between(search.nodes, reader, after, upto)
        first = min((after, *(position - 1 for position in added)))
        events = takewhile(lambda event: event.position <= upto, all_matches(search, after=first))
        is_new = (event for event in events if event.position > after or event.position in added)
        return sum(1 for _event in islice(is_new, COUNT_MAX))


def _search_path(subscription: Subscription) -> str:
    """Return the address of the results. The id of a case is in no message: others may read it."""
    saved = SavedSearch.objects.filter(id=int(subscription.choice)).first()
    is_shown = saved is not None and "case:" not in QueryDict(saved.query).get("q", "")
    return reverse("events") + (f"?{saved.query}" if saved and is_shown else "")


def _searches(reader: Reader) -> Sequence[tuple[str, Words]]:
    rows = SavedSearch.objects.filter(Q(person=reader.person) | Q(role__in=sorted(reader.roles))).order_by("name", "id")
    return [(str(row.id), row.name) for row in rows]


def _closed(_subscription: Subscription, _reader: Reader, after: int, upto: int) -> int:
    return DayReport.objects.filter(position__gt=after, position__lte=upto).count()


def _report_path(subscription: Subscription) -> str:
    day = DayReport.objects.order_by("-position").values_list("gaming_day", flat=True).first()
    if day is None:
        return reverse("days")
    if subscription.choice == MASTER:
        return reverse("day", kwargs={"gaming_day": day})
    if subscription.choice == ALL:
        return reverse("day-reports", kwargs={"gaming_day": day})
    return reverse("report-of-day", kwargs={"gaming_day": day, "report": subscription.choice})


def _reports(reader: Reader) -> Sequence[tuple[str, Words]]:
    listed = [(report.name, report.title) for report in REPORTS if report.open_to.admits(reader)]
    return [(ALL, _("All reports")), (MASTER, _("Master game report")), *listed]


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source("alerts", _("New alerts"), WATCH, _alerts, lambda _row: reverse("alerts"), _severities),
        Source("search", _("New results of a saved search"), TABLES, _results, _search_path, _searches),
        Source(
            "day", _("Closed gaming days"), DAYS, _closed, lambda _row: reverse("days"), lambda _reader: (("", ""),)
        ),
        Source("report", _("A report of each closed day"), DAYS, _closed, _report_path, _reports),
    )
}


def may_receive(subscription: Subscription, reader: Reader) -> bool:
    """Return whether the reader's roles of now admit them to this news."""
    source = SOURCES.get(subscription.source)
    if source is None or not source.open_to.admits(reader):
        return False
    if subscription.source == "report" and subscription.choice not in (MASTER, ALL):
        report = BY_NAME.get(subscription.choice)
        return report is not None and report.open_to.admits(reader)
    return True


def open_sources(reader: Reader) -> list[Source]:
    """Return the sources that a reader may subscribe to."""
    return [source for source in SOURCES.values() if source.open_to.admits(reader)]
