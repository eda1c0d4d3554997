"""The backend of a URL, and the settings of the library's factory for it.

Forms of a URL:

- `sqlite:///var/events.sqlite3`: a path from the working folder (four slashes: from the root)
- `postgresql://user:password@host:port/database`: libpq's form
- `memory://`: until the process ends
"""

from pathlib import Path
from urllib.parse import unquote

from eventsourcing.persistence import InfrastructureFactory

from events.error_codes import coded
from events.errors import Invalid
from events.runtime.clock import Clock, house_clock
from events.settings.settings_from_environment import settings
from events.signing.house_signing_key import snapshot_key
from events.store import EventStore, sqlite_connection_pool
from events.store.eventsourcing_factory_settings import factory_environment
from events.store.in_memory_store import MemoryStore
from events.store.network_drive_refusal import must_be_local
from events.store.snapshot_seals import Seals
from events.store.sqlite import OneFile, SQLiteEventRecorder, SQLiteStore
from events.store.wakeup_on_append_across_processes import bell_of


def open_url(url: str | None = None, clock: Clock | None = None) -> EventStore:
    """Return the store at this URL, or at PITLEDGER_STORE, or in the data folder. Raises Invalid for an unsupported
    URL.

    Only the folder of an SQLite file is created: tables are made by `create()`.
    """
    clock = clock or house_clock()
    url = url or settings().store
    if url.startswith("sqlite:///"):
        return _open_sqlite(Path(unquote(url.removeprefix("sqlite:///"))), clock)
    if url.startswith(("postgresql://", "postgres://")):
        from events.store.postgres import open_postgres  # here: a house on SQLite never loads the driver

        return open_postgres(url, clock)
    if url == "memory://":
        return MemoryStore(clock)
    raise Invalid("PITLEDGER_STORE", coded("store-address-format"))


def _open_sqlite(path: Path, clock: Clock) -> SQLiteStore:
    if path.name in ("", ":memory:"):
        raise Invalid("PITLEDGER_STORE", coded("store-file-missing"))
    path = path.absolute()
    must_be_local(path, "PITLEDGER_STORE")
    path.parent.mkdir(parents=True, exist_ok=True)
    environment = factory_environment(
        "eventsourcing.sqlite",
        SQLiteEventRecorder,
        SQLITE_DBNAME=path.as_uri(),
        SQLITE_LOCK_TIMEOUT=str(sqlite_connection_pool.LOCK_SECONDS),
    )
    factory = InfrastructureFactory.construct(environment)
    recorder = factory.application_recorder()
    assert isinstance(recorder, SQLiteEventRecorder)
    recorder.file, recorder.bell = OneFile(path), bell_of(path)
    return SQLiteStore(factory, recorder, clock, seals=Seals(snapshot_key))
