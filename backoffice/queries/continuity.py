"""Whether figures are of this store's history, and whether new events reach them.

After a restore the read models, or the topic, may hold events that the event store no longer has. Figures are then of
another history, or stand still, and no figure shows it. Each obstacle is one line with the command that ends it.
"""

from collections.abc import Callable

from django.db import DatabaseError
from eventsourcing.persistence import PersistenceError

from backoffice.installation import installation
from backoffice.running import embedded, status
from events.errors import PitledgerError
from events.relay.topic import Log, is_there, last_record, partition_of
from events.settings import settings
from events.store import Past
from projections.engine.history import holds, why_not
from projections.engine.models import Reader
from projections.registry import PROJECTORS

_COMMAND = "./manage.py"
BLOCKED = "relay-blocked"  # the status file in which a relay says why it ended
ANSWER_S = 2.0


def of_read_models(store: Past, using: str = "default") -> str:
    """Return why the read models are not of this store's history, with the command that ends it; "" where they are.

    Raises Retry where the store does not answer, and the database's Error.
    """
    readers = [*Reader.objects.using(using).filter(projection__in=PROJECTORS).order_by("projection")]
    for reader in readers:
        if reader.property not in ("", settings().property_):
            theirs = f"The read models belong to {reader.property}: correct PITLEDGER_READ, or run"
            return f"{theirs} {_COMMAND} rebuild all --approve"
    for reader in {(mark.position, mark.digest): mark for mark in readers}.values():
        if not holds(store, reader):
            return f"Figures of another history: {why_not(store, reader)}. Run {_COMMAND} rebuild all --approve"
    for reader in readers:
        if reader.version != PROJECTORS[reader.projection].version:
            name = reader.projection
            return f"The read model {name} is of another version and stands still: {_COMMAND} rebuild {name} --approve"
    return ""


def of_topic(store: Past) -> str:
    """Return why the relay adds nothing to the topic: it ends with an event of another history; "" where it does not.

    Raises Retry where store or broker do not answer.
    """
    bootstrap, partition = embedded.bootstrap(), partition_of(settings().property_)
    if not is_there(bootstrap, partition, ANSWER_S):
        return ""
    with Log(bootstrap, partition, answer_s=ANSWER_S) as log:
        record = last_record(log)
    if record is None:
        return ""
    stored = store.after(record.position - 1, 1, until=record.position)
    if stored and stored[0].raw == record.raw:
        return ""
    return (
        f"New events do not reach the figures: the topic ends with event {record.position} of another history. "
        f"Run {_COMMAND} relay --empty-topic"
    )


def of_parts() -> str:
    """Return why the relay said that it cannot go on, with the command that ends it; "" where it goes on."""
    why = str(status.heard(BLOCKED, data=settings().data_folder).get("why", ""))
    return f"New events do not reach the figures: {why}" if _COMMAND in why else ""


def standing(using: str = "default") -> str:
    """The first obstacle, without asking the broker; "" where there is none, or where the store does not answer."""
    try:
        return of_read_models(installation().store, using) or of_parts()
    except (PitledgerError, PersistenceError, DatabaseError, OSError):
        return ""  # that is said elsewhere


def warn(tell: Callable[[str], object], using: str = "default") -> None:
    """Tell people before any figure."""
    if line := standing(using):
        tell(f"WARNING: {line}")


def obstacles(store: Past, tell: Callable[[str], object], using: str = "default") -> list[str]:
    """All of them, the topic's too. `tell` is told where the broker does not answer: then that is not known."""
    reasons = [of_read_models(store, using)]
    try:
        reasons.append(of_topic(store))
    except PitledgerError as error:
        tell(f"Whether new events reach the figures is not known: {error}")
        reasons.append(of_parts())
    return [reason for reason in reasons if reason]
