"""The eventsourcing library as it comes, on PostgreSQL. Knows no Django: the peers' own processes use it too."""

import itertools
from collections.abc import Callable, Sequence

from eventsourcing.persistence import InfrastructureFactory, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from eventsourcing.utils import Environment
from psycopg.conninfo import conninfo_to_dict

from events.store import Stored

Writer = Callable[[Sequence[Stored]], int]


def stock_values(url: str) -> dict[str, str]:
    """The settings of the library's own PostgreSQL recorders on this database."""
    parts = conninfo_to_dict(url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(parts["dbname"]),
        "POSTGRES_HOST": str(parts["host"]),
        "POSTGRES_PORT": str(parts["port"]),
        "POSTGRES_USER": str(parts["user"]),
        "POSTGRES_PASSWORD": str(parts["password"]),
        "POSTGRES_MAX_OVERFLOW": "14",
    }


class Stock:
    """The recorder of eventsourcing 9.5 as it comes, one call an append."""

    def __init__(self, url: str) -> None:
        values = {**stock_values(url), "ORIGINATOR_ID_TYPE": "text"}
        self._factory = InfrastructureFactory.construct(Environment("stock", values))
        recorder = self._factory.application_recorder()
        assert isinstance(recorder, PostgresApplicationRecorder)
        self._recorder = recorder

    def writer(self, name: str) -> Writer:
        """Writes to a stream of its own."""
        version = itertools.count(1)

        def write(rows: Sequence[Stored]) -> int:
            self._recorder.insert_events([StoredEvent(name, next(version), row.type, row.raw) for row in rows])
            return len(rows)

        return write

    def close(self) -> None:
        self._factory.close()
