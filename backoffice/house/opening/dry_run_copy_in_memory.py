"""A copy of the house's events in memory, for a dry run with the full effect of the real run.

The house itself is only read: an SQLite file is copied first, because opening it in its place may write with it.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from events.error_codes import coded
from events.errors import Invalid
from events.runtime.clock import house_clock
from events.store import EventStore, open_store
from events.store.in_memory_store import MemoryStore, copy_of

EVENTS_MAX = 200_000  # a dry run is for a house that begins; more would not fit into memory
_SQLITE = "sqlite:///"


@contextmanager
def memory_copy(url: str) -> Iterator[EventStore]:
    """A store in memory with the house's events. Raises Invalid for a house that is too old to copy."""
    if not url.startswith(_SQLITE):
        with closing(open_store(url)) as store:
            yield _copied(store)
        return
    path = Path(unquote(url.removeprefix(_SQLITE)))
    if not path.exists():
        yield MemoryStore(house_clock())
        return
    with TemporaryDirectory(prefix="pitledger-") as folder:
        copy_path = Path(folder) / path.name
        _copy(path, copy_path)
        with closing(open_store(f"{_SQLITE}{copy_path}")) as store:
            copy = _copied(store)
    yield copy


def _copied(store: EventStore) -> MemoryStore:
    if store.amiss() is None:  # no store was made here yet
        return MemoryStore(house_clock())
    if store.position() > EVENTS_MAX:
        raise Invalid("dry-run", coded("dry-run-too-long"))
    return copy_of(store, house_clock())


def _copy(path: Path, to: Path) -> None:
    """Copy a file. A running house has a log with its file: SQLite copies both. A stopped one is copied as a file."""
    if not path.with_name(f"{path.name}-wal").exists():
        shutil.copyfile(path, to)
        return
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
