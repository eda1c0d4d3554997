"""The list of cases and one case, as the reader may see them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import get_args

import msgspec

from backoffice.case_files.case_queries import (
    CaseReader,
    CaseRequest,
    case_for,
    cases_of,
    cases_with_evidence,
    requests_of,
)
from backoffice.event_log import figures_hidden_before_counts
from backoffice.surveillance.replay.event_details_and_sentence import sentence_of
from backoffice.wording import stream_currencies
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.cases.access import READERS, may_work
from events.cases.action_structs import Category, Severity
from events.cases.case_key_and_file_vault import vault
from events.cases.decrypted_case import CaseFile, CaseLink, CaseTask, EvidenceKind
from events.error_codes import coded
from events.errors import Invalid
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

PAGE, PAGE_MAX = 100, 1_000
STATUSES = ("open", "closed")


class CaseSummary(msgspec.Struct, frozen=True):
    """A case in a list. `due` is the day of its next open task."""

    id: str
    title: str
    category: str
    severity: str
    status: str
    opened: str
    opener: str
    occurred: str | None
    reported: str | None
    people: tuple[str, ...]
    places: tuple[str, ...]
    evidence: int
    open_tasks: int
    due: str | None
    disposition: str

    @property
    def state(self) -> str:
        """The colour: how severe it is, while it is open."""
        if self.status == "closed":
            return "green"
        return "red" if self.severity == "high" else "amber"


class CaseList(msgspec.Struct, frozen=True):
    """A page of cases, the newest first. `after=next` gives the next page; counts are of all cases of the other
    filters."""

    cases: tuple[CaseSummary, ...]
    next: str | None
    statuses: dict[str, int]
    categories: dict[str, int]
    severities: dict[str, int]


class CaseFilters(msgspec.Struct, frozen=True):
    """Filters of the list. `q` is looked for in titles, people and places; `due` keeps cases with an open task."""

    status: str = ""
    category: str = ""
    severity: str = ""
    person: str = ""
    place: str = ""
    q: str = ""
    due: bool = False

    def matches_case(self, file: CaseFile, without: str = "") -> bool:
        """Return whether a case fits, but for one filter."""
        own = (("status", file.status), ("category", file.category), ("severity", file.severity))
        if any(name != without and getattr(self, name) not in ("", value) for name, value in own):
            return False
        people = (*file.people, *file.subjects, file.opener)
        words = " ".join((file.id, file.title, *people, *file.places)).casefold()
        return (
            (not self.person or self.person in people)
            and (not self.place or self.place in file.places)
            and self.q.casefold() in words
            and not (self.due and not file.open_tasks)
        )


class TimelineEntry(msgspec.Struct, frozen=True):
    """An event, alert or round of a case. `position` and `time` are those of the event, where it is known; `sentence`
    tells what happened."""

    kind: str
    ref: str
    time: str | None
    position: int | None = None
    type: str = ""
    sentence: str = ""
    table: str = ""
    gaming_day: str = ""
    round: int | None = None

    @property
    def at(self) -> datetime | None:
        """Return its time."""
        return datetime.fromisoformat(self.time) if self.time else None


class CaseDetail(msgspec.Struct, frozen=True):
    """A case with the timeline of its evidence, and the requests that wait. `may_work`: the reader may act on it."""

    case: CaseFile
    timeline: tuple[TimelineEntry, ...]
    requests: tuple[CaseRequest, ...]
    linked: tuple[CaseSummary, ...]
    may_work: bool


def case_list(reader: CaseReader, filters: CaseFilters, after: str = "", size: int = PAGE) -> CaseList:
    """Return a page of the cases that fit. Raises Invalid for an unknown filter value.

    Raises Defect where the house case key is missing, or is another one: no case can be read.
    """
    for name, allowed in (("status", STATUSES), ("category", get_args(Category)), ("severity", get_args(Severity))):
        if getattr(filters, name) not in ("", *allowed):
            raise Invalid(name, coded("one-of-these", known=list(allowed)))
    vault().must_fit()
    files = cases_of(reader)
    fit = [file for file in files if filters.matches_case(file)]
    start = next((number for number, file in enumerate(fit, 1) if file.id == after), 0) if after else 0
    page_cases = fit[start : start + size]
    return CaseList(
        tuple(map(summary, page_cases)),
        page_cases[-1].id if len(fit) > start + size else None,
        _counts(files, filters, "status"),
        _counts(files, filters, "category"),
        _counts(files, filters, "severity"),
    )


def _counts(files: Sequence[CaseFile], filters: CaseFilters, name: str) -> dict[str, int]:
    return dict(Counter(getattr(file, name) for file in files if filters.matches_case(file, name)))


def summary(file: CaseFile) -> CaseSummary:
    """Return a case as a list shows it."""
    tasks = file.open_tasks
    return struct_from(
        file,
        CaseSummary,
        evidence=len(file.evidence) + len(file.bookmarks) + len(file.attachments),
        open_tasks=len(tasks),
        due=tasks[0].due if tasks else None,
    )


def cases_with(reader: CaseReader, kind: EvidenceKind, ref: str) -> tuple[CaseSummary, ...]:
    """Return the cases in which an event, alert or round is evidence, as far as the reader may see them."""
    if set(READERS).isdisjoint(reader.roles):
        return ()
    return tuple(summary(file) for file in cases_with_evidence(reader, kind, ref))


def case_detail(case: str, reader: CaseReader) -> CaseDetail:
    """Return a case. Raises Unknown where it does not exist, or the reader may not see it."""
    file = case_for(case, reader)
    cases = {other.id: other for other in cases_of(reader)}
    named = [link.other for link in file.links]
    back = [other.id for other in cases.values() if any(link.other == file.id for link in other.links)]
    linked = tuple(summary(cases[other]) for other in dict.fromkeys((*named, *back)) if other in cases)
    links: tuple[CaseLink, ...] = tuple(link for link in file.links if link.other in cases)
    return CaseDetail(
        msgspec.structs.replace(file, links=links),
        _timeline(file, figures_hidden_before_counts.streams(reader.roles)),
        requests_of(file),
        linked,
        may_work(file, reader.person, reader.roles),
    )


def tasks_due(reader: CaseReader) -> tuple[tuple[CaseFile, CaseTask], ...]:
    """Return the open tasks of the reader, and those of no one in cases on which the reader may act, next due first."""
    tasks = [
        (file, task)
        for file in cases_of(reader)
        if file.status == "open"
        for task in file.open_tasks
        if task.person == reader.person or (not task.person and may_work(file, reader.person, reader.roles))
    ]
    return tuple(sorted(tasks, key=lambda pair: pair[1].due or "9999"))


# --- the timeline of evidence -----------------------------------------------------------------------------------------


def _timeline(file: CaseFile, hidden_streams: Collection[str]) -> tuple[TimelineEntry, ...]:
    """Return the evidence in the order in which it happened; unknown times come last. Events in streams that are hidden
    from the reader have no sentence."""
    refs = {kind: [piece.ref for piece in file.evidence if piece.kind == kind] for kind in ("event", "alert", "round")}
    entries = [*_events(refs["event"], hidden_streams), *_alerts(refs["alert"]), *_rounds(refs["round"])]
    return tuple(sorted(entries, key=lambda entry: (entry.time is None, entry.time or "", entry.position or 0)))


def _events(refs: Iterable[str], hidden_streams: Collection[str]) -> Iterable[TimelineEntry]:
    places = stream_currencies.by_place()
    for ref in refs:
        row = EventLog.objects.named(ref).first()
        if row is None:
            yield TimelineEntry("event", ref, None)
            continue
        is_hidden = row.stream in hidden_streams or figures_hidden_before_counts.is_hidden_stream(
            row.stream, hidden_streams
        )
        yield TimelineEntry(
            "event",
            ref,
            row.time.isoformat(),
            row.position,
            row.type,
            "" if is_hidden else sentence_of(row, stream_currencies.of_stream(places, row.stream)),
            row.table or "",
            row.gaming_day or "",
            row.round,
        )


def _alerts(refs: Sequence[str]) -> Iterable[TimelineEntry]:
    rows = {row.id: row for row in Alert.objects.filter(id__in=refs)}
    for ref in refs:
        row = rows.get(ref)
        if row is None:
            yield TimelineEntry("alert", ref, None)
        else:
            yield TimelineEntry(
                "alert", ref, row.raised, row.raised_at_position, row.name, "", row.table, row.gaming_day, row.round
            )


def _rounds(refs: Iterable[str]) -> Iterable[TimelineEntry]:
    for ref in refs:
        table, day, number = ref.split("/")
        first = EventLog.objects.filter(table=table, gaming_day=day, round=int(number)).order_by("position").first()
        time = None if first is None else first.time.isoformat()
        position = None if first is None else first.position
        yield TimelineEntry("round", ref, time, position, "", "", table, day, int(number))
