"""People that an alert is about, by its row and its proving events: none of them may decide about it."""

from collections.abc import Iterator, Sequence

import msgspec
from django.db import DatabaseError, close_old_connections
from django.db.models import Q

from events import catalogue
from events.errors import Retry
from events.people.subjects import people_in, people_of
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

PROOFS_AT_ONCE = 200  # of a query: a database takes so many conditions


def find(alert: str) -> frozenset[str] | None:
    """Return the people whom the alert is about; None where no such alert is raised.

    Raises Retry where the read models do not answer, or have not read all of its proofs.
    """
    close_old_connections()
    try:
        row = Alert.objects.filter(id=alert).first()
        return None if row is None else _people(row)
    except DatabaseError as error:
        raise Retry("The read models do not answer. Send the same action again in a moment.") from error


def _people(row: Alert) -> frozenset[str]:
    proofs = msgspec.json.decode(row.events, type=tuple[str, ...])
    events = [*_read(proofs)]
    if len(events) != len(set(proofs)):
        raise Retry("The proofs of this alert are not all read yet. Send the same action again in a moment.")
    people = [people_of(catalogue.decode(type_, raw)) for type_, raw in events]
    return people_in(msgspec.json.decode(row.data)).union(*people)


def _read(proofs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for first in range(0, len(proofs), PROOFS_AT_ONCE):
        wanted = Q()
        for proof in proofs[first : first + PROOFS_AT_ONCE]:
            stream, _, version = proof.rpartition("@")
            wanted |= Q(stream=stream, version=int(version))
        for type_, raw in EventLog.objects.filter(wanted).values_list("type", "raw"):
            yield type_, bytes(raw)
