"""People of an alert, by its row and its proving events: none of them may decide on it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from django.db import DatabaseError
from django.db.models import Q

from backoffice.databases.connections_to_replaced_files import close_stale_connections
from events import catalogue
from events.error_codes import coded
from events.errors import Retry
from events.people.event_people import people_in, people_of
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

PROOFS_AT_ONCE = 200  # of a query: a database takes so many conditions


class AssignmentChoices(msgspec.Struct, frozen=True):
    """The people of surveillance, with names, and the people of each alert by its id. `reader`: the acting person."""

    reader: str = ""
    people: tuple[tuple[str, str], ...] = ()
    subjects: Mapping[str, frozenset[str]] = {}

    def investigators(self, alert: str) -> tuple[tuple[str, str], ...]:
        """Return those who can investigate an alert."""
        return tuple(choice for choice in self.people if choice[0] not in self.subjects.get(alert, ()))

    def is_own(self, alert: str) -> bool:
        """Return whether the alert is about the reader, who then decides nothing about it."""
        return self.reader in self.subjects.get(alert, ())


def find(alert: str) -> frozenset[str] | None:
    """Return the people whom the alert concerns; None where no such alert is raised.

    Raises Retry where the read models do not answer, or have not read all of its proofs.
    """
    close_stale_connections()
    try:
        row = Alert.objects.filter(id=alert).first()
        return None if row is None else _people(row)
    except DatabaseError as error:
        raise Retry(coded("read-models-silent")) from error


def of_alerts(alerts: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the people of several alerts by id, for the choices of a page.

    An alert that is not read yet names no one: the decider refuses it.
    """
    rows = [*Alert.objects.filter(id__in=alerts)]
    proofs = {row.id: msgspec.json.decode(row.events, type=tuple[str, ...]) for row in rows}
    events = dict(_people_of_events([*{proof for named in proofs.values() for proof in named}]))
    return {
        row.id: people_in(msgspec.json.decode(row.data)).union(*(events.get(proof, ()) for proof in proofs[row.id]))
        for row in rows
    }


def _people_of_events(proofs: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the people named by each event."""
    for first in range(0, len(proofs), PROOFS_AT_ONCE):
        rows = EventLog.objects.filter(any_of_events(proofs[first : first + PROOFS_AT_ONCE]))
        for stream, version, type_, raw in rows.values_list("stream", "version", "type", "raw"):
            yield f"{stream}@{version}", people_of(catalogue.decode(type_, bytes(raw)))


def _people(row: Alert) -> frozenset[str]:
    proofs = msgspec.json.decode(row.events, type=tuple[str, ...])
    events = dict(_people_of_events(proofs))
    if len(events) != len(set(proofs)):
        raise Retry(coded("proofs-not-read"))
    return people_in(msgspec.json.decode(row.data)).union(*events.values())


def any_of_events(proofs: Sequence[str]) -> Q:
    """Match these events, one at least."""
    wanted = Q()
    for proof in proofs:
        stream, _, version = proof.rpartition("@")
        wanted |= Q(stream=stream, version=int(version))
    return wanted
