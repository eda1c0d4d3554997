"""A house in which people played, by its own commands, on files and on PostgreSQL."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.store import open_store
from tests.integration.system.running_house import Installation
from tests.support.houses.small_house import PROPERTY, House


@dataclass(frozen=True)
class BackupPlace:
    """The place of a house, and a function that makes an empty place of the same kind."""

    here: Installation
    new: Callable[[str], "BackupPlace"]

    @property
    def data(self) -> Path:
        return self.here.data

    @property
    def store(self) -> str:
        return self.here.env["PITLEDGER_STORE"]

    def manage(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        other = Installation(self.data, self.here.port)
        other.env = self.here.env | {f"PITLEDGER_{name}": value for name, value in settings.items()}
        return other.manage(*words, timeout_s=240.0)

    def ok(self, *words: str, **settings: str) -> str:
        """Run a command that must succeed; its output."""
        completed = self.manage(*words, **settings)
        assert completed.returncode == 0, f"{words}: {completed.stdout}\n{completed.stderr}"
        return completed.stdout

    def failed(self, *words: str, **settings: str) -> str:
        """Run a command that must be refused; its last line."""
        completed = self.manage(*words, **settings)
        assert completed.returncode == 1, f"{words}: {completed.returncode} {completed.stdout}\n{completed.stderr}"
        return completed.stderr.strip()

    def position(self) -> int:
        """Return the last position of the store."""
        store = open_store(self.store)
        try:
            return store.position()
        finally:
            store.close()

    def digest(self) -> str:
        """Return the digest of the books."""
        return self.ok("books", "--digest").split()[0]


@pytest.fixture(params=["files", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path, free_port: Callable[[], int]) -> BackupPlace:
    """Return a place without a house. Its `new` makes more of them by name."""

    def new(name: str) -> BackupPlace:
        data = tmp_path / name
        data.mkdir()
        urls = {kind: f"sqlite:///{data}/{file}.sqlite3" for kind, file in FILES.items()}
        if request.param == "postgres":
            make = request.getfixturevalue("new_database")
            urls = {kind: make() for kind in FILES}
        return BackupPlace(Installation(data, free_port(), PROPERTY=PROPERTY, **urls), new)

    return new("house")


FILES = {"STORE": "events", "READ": "read", "ACCESS": "access"}


@pytest.fixture
def house(empty: BackupPlace, monkeypatch: pytest.MonkeyPatch) -> BackupPlace:
    """A house with people, a day at a table, a badge, and a signed head."""
    monkeypatch.setenv("PITLEDGER_DATA", str(empty.data))
    monkeypatch.delenv("PITLEDGER_HEAD_KEY", raising=False)
    empty.ok("migrate", "--verbosity", "0")
    store = open_store(empty.store)
    played = House(store)
    played.open_table("FR1")
    for _ in range(5):
        bought = played.action("buyin.make", seat=1, player="p", amount_minor=100)
        played.ok("tables", "FR1", "dora", bought)
    played.close()
    empty.ok("rebuild", "all", "--approve")
    store = open_store(empty.store)
    make_head(store, open_heads(empty.store), PROPERTY, house_signing_key.signer(empty.data))
    store.close()
    return empty


def copy_of(place: BackupPlace, folder: Path) -> Path:
    """Make a backup with its keys apart; the folder."""
    place.ok("backup", str(folder), "--keys", f"{folder}-keys")
    return folder
