"""Obstacles between this store's history and the figures, and between new events and the figures.

After a restore the read models, or the topic, may hold events that the event store no longer has. Figures are then of
another history or do not change, and nothing shows this. Each obstacle is one line with the command that ends it.
"""

from collections.abc import Callable

from django.db import DatabaseError
from eventsourcing.persistence import PersistenceError

from backoffice.installation.dependency_injection import installation
from backoffice.running import embedded_kafka_broker_process, status_files
from events.errors import PitledgerError
from events.settings.settings_from_environment import settings
from events.store import EventReader
from projections.engine.models import Reader
from projections.engine.same_store_check_by_digest import holds, why_not
from projections.registry import PROJECTORS

_COMMAND = "./manage.py"
BLOCKED = "relay-blocked"  # the status file with the reason for a relay's end


def of_read_models(store: EventReader) -> str:
    """Return why the read models are not of this store's history, with the command that ends it; "" where they are.

    Raises Retry where the store does not answer, and the database's Error.
    """
    readers = [*Reader.objects.filter(projection__in=PROJECTORS).order_by("projection")]
    for reader in readers:
        if reader.property not in ("", settings().property_):
            other_house = f"The read models belong to {reader.property}: correct PITLEDGER_READ, or run"
            return f"{other_house} {_COMMAND} rebuild all --approve"
    for reader in {(mark.position, mark.digest): mark for mark in readers}.values():
        if not holds(store, reader):
            return f"Figures of another history: {why_not(store, reader)}. Run {_COMMAND} rebuild all --approve"
    for reader in readers:
        if reader.version != PROJECTORS.version(reader.projection):
            name = reader.projection
            return f"The read model {name} is of another version and stands still: {_COMMAND} rebuild {name} --approve"
    return ""


def of_parts() -> str:
    """Return why the relay has stopped, with the command that restarts it; "" where it runs."""
    why = str(status_files.last_status(BLOCKED, data=settings().data_folder).get("why", ""))
    return f"New events do not reach the figures: {why}" if _COMMAND in why else ""


def first_obstacle() -> str:
    """Return the first obstacle, without asking the broker; "" without one, or where the store does not answer."""
    try:
        return of_read_models(installation().store) or of_parts()
    except (PitledgerError, PersistenceError, DatabaseError, OSError):
        return ""  # that another line reports


def warn(tell: Callable[[str], object]) -> None:
    """Tell people before any figure."""
    if line := first_obstacle():
        tell(f"WARNING: {line}")


def obstacles(store: EventReader, tell: Callable[[str], object]) -> list[str]:
    """Return all obstacles, the topic's too. `tell` reports a broker that does not answer, because its mismatches are
    then unknown."""
    reasons = [of_read_models(store)]
    try:
        bootstrap = embedded_kafka_broker_process.bootstrap()
        from backoffice.freshness.kafka_topic_history_check import (
            of_topic,  # here: without a broker Kafka's client is not loaded
        )

        reasons.append(of_topic(store, bootstrap))
    except PitledgerError as error:
        tell(f"Whether new events reach the figures is not known: {error}")
        reasons.append(of_parts())
    return [reason for reason in reasons if reason]
