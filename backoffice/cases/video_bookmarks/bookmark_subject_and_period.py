"""Defaults of a bookmark: the cameras of the table, and the time around the event or the alert."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from django.utils.translation import gettext

from backoffice.days import caught_up_cage_and_count_books
from backoffice.event_log import figures_hidden_before_counts
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.people.roles_allowed_per_page import TABLES, WATCH
from backoffice.wording.code_to_word_translation import word
from events.error_codes import coded
from events.errors import Unknown
from events.house import cameras_by_table_setting
from events.house.alert_rules import RULES
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

MARGIN = timedelta(minutes=1)  # before the first event and after the last one
SPAN_MAX = timedelta(hours=1)  # of the events of an alert; over more, the raising event alone counts


class BookmarkSubject(msgspec.Struct, frozen=True):
    """The event or alert that is bookmarked, by id; its table and round ("": none), and the time of the recording."""

    event: str = ""
    alert: str = ""
    table: str = ""
    round: str = ""  # "BJ1/2026-11-20/17"
    title: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def cameras(self) -> Sequence[str]:
        """Return the cameras that cover the table."""
        return (
            cameras_by_table_setting.of_table(caught_up_cage_and_count_books.books().settings.cameras, self.table)
            if self.table
            else ()
        )


def subject_of(event: str, alert: str, reader: Reader) -> BookmarkSubject:
    """Return the subject of a bookmark. Raises Unknown for one that the reader may not see."""
    if alert:
        return _of_alert(alert, reader)
    return _of_event(event, reader) if event else BookmarkSubject()


def _of_event(event: str, reader: Reader) -> BookmarkSubject:
    row = EventLog.objects.named(event).first() if TABLES.admits(reader) else None
    if row is None or figures_hidden_before_counts.is_hidden_stream(
        row.stream, figures_hidden_before_counts.streams(reader.roles)
    ):
        raise Unknown(coded("event-unknown", event=event))
    table, day = row.table or "", row.gaming_day or ""
    name = f"{table}/{day}/{row.round}" if table and day and row.round else ""
    title = ", ".join(filter(None, (word(row.type), name or table)))
    return BookmarkSubject(event, "", table, name, _capitalised(title), *_period_around([row.time]))


def _of_alert(alert: str, reader: Reader) -> BookmarkSubject:
    row = Alert.objects.filter(id=alert).first() if WATCH.admits(reader) else None
    if row is None:
        raise Unknown(coded("alert-not-found", alert=alert))
    times = [*_times(msgspec.json.decode(row.events, type=tuple[str, ...])), datetime.fromisoformat(row.raised)]
    table, day = row.table or "", row.gaming_day or ""
    name = f"{table}/{day}/{row.round}" if table and day and row.round else ""
    kind = gettext(RULES[row.name].title) if row.name in RULES else row.name
    title = ", ".join(filter(None, (kind, *((name,) if name else (table, day)))))
    return BookmarkSubject("", alert, table, name, _capitalised(title), *_period_around(times))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _times(events: Iterable[str]) -> Iterable[datetime]:
    for event in events:
        yield from EventLog.objects.named(event).values_list("time", flat=True)


def _period_around(times: Sequence[datetime]) -> tuple[datetime, datetime]:
    """Return the time of a recording that shows all of this; `times` end with the raising event."""
    first, last = min(times), max(times)
    first = times[-1] if last - first > SPAN_MAX else first
    last = times[-1] if last - first > SPAN_MAX else last
    return first - MARGIN, last + MARGIN
