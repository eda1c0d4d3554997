"""An intruder edits the store's tables without the house's key. No edit is repaired silently or signed."""

import hashlib
import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from django.core.management import CommandError, call_command
from structlog.testing import capture_logs

from backoffice.management.commands.migrate import Command
from events.errors import Conflict
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import decode, digest_of, encode, sign
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.store import open_store
from events.store.guard_trigger_check import prepare
from tests.support.houses.small_house import PROPERTY, House
from tests.unit.integrity.test_heads import say

pytestmark = pytest.mark.django_db  # verify compares the log of who looked

Row = tuple[Any, ...]


class Intruder:
    """A house with four heads over a table's buy-ins, and the intruder's actions on its database."""

    def __init__(self, url: str, data: Path) -> None:
        self.url, self.data, self.is_file = url, data, url.startswith("sqlite")
        house = House(open_store(url))
        house.open_table("FR1")
        for _ in range(4):
            bought = house.action("buyin.make", seat=1, player="p", amount_minor=100_000)
            house.ok("tables", "FR1", "dora", bought)
            self.sign(house.store)
        house.close()

    def sign(self, store: Any = None) -> bool:
        """Sign a head as a new worker process does, and tell whether there is a new head."""
        fresh = store or open_store(self.url)
        try:
            return make_head(fresh, open_heads(self.url), PROPERTY, house_signing_key.signer(self.data))[0] is not None
        finally:
            if store is None:
                fresh.close()

    def do(self, *statements: str) -> None:
        """Run SQL without the guards of PostgreSQL in this session. Those of SQLite stay."""
        for statement in statements:
            self.rows(statement)

    def rows(self, statement: str, *values: Any) -> list[Row]:
        if self.is_file:
            with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"), isolation_level=None)) as file:
                return file.execute(statement.replace("%s", "?"), values).fetchall()
        with psycopg.connect(self.url) as server:
            rows_ = server.execute(statement.encode(), values)
            return rows_.fetchall() if rows_.description else []

    def drop_guards(self) -> set[str]:
        """All of them; their names."""
        guards = self.guards()
        for name, table in guards.items():
            self.do(f"DROP TRIGGER {name}" if self.is_file else f"DROP TRIGGER {name} ON {table}")
        return set(guards)

    def guards(self) -> dict[str, str]:
        if self.is_file:
            return dict(self.rows("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"))
        trigger_query = "SELECT tgname::text, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"
        return {name: table for name, table in self.rows(trigger_query) if not name.endswith("_order")}

    def cut_off(self, head: int) -> None:
        """Cut the store back to this head: remove later events, their keys and later heads."""
        position = json.loads(open_heads(self.url).after(head - 1, 1)[0])["position"]
        written = "SELECT 1 FROM pitledger_events WHERE originator_id = stream AND originator_version = first"
        self.do(
            f"DELETE FROM pitledger_events WHERE {self.place} > {position}",
            f"DELETE FROM pitledger_keys WHERE NOT EXISTS ({written})",
            f"DELETE FROM pitledger_heads WHERE number > {head}",
        )

    @property
    def place(self) -> str:
        return "rowid" if self.is_file else "notification_id"

    def edit(self) -> None:
        """Multiply the first buy-in by nine, and rebuild a valid chain."""
        query = f"SELECT {self.place}, originator_id, state FROM pitledger_events ORDER BY {self.place}"
        ends: dict[str, tuple[str, str]] = {}  # by stream: the digest as it was, and as it is
        for place, stream, raw in self.rows(query):
            old = bytes(raw)
            was, is_now = ends.get(stream, ("", ""))
            new = old.replace(was.encode(), is_now.encode()) if was else old
            if b'"amount_minor":100000' in old and not any(a != b for a, b in ends.values()):
                new = new.replace(b'"amount_minor":100000', b'"amount_minor":900000')
            if new != old:
                self.rows(f"UPDATE pitledger_events SET state = %s WHERE {self.place} = %s", new, place)
            ends[stream] = hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def intruder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Intruder:
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", url)
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    for name in ("PITLEDGER_KAFKA", "PITLEDGER_HEAD_KEY"):
        monkeypatch.delenv(name, raising=False)
    return Intruder(url, tmp_path)


def verified(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """Return the kinds and messages of `verify`'s findings."""
    capsys.readouterr()
    with suppress(CommandError):
        call_command("verify", "--no-topic", "--no-read-models", "--json")
    return [(finding["kind"], finding["message"]) for finding in json.loads(capsys.readouterr().out)["findings"]]


def test_an_honest_store_holds(intruder: Intruder, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(capsys) == []


def test_dropped_guards_are_told_and_not_put_back_by_looking(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    dropped = intruder.drop_guards()
    assert len(dropped) >= 3
    for _ in range(2):
        findings = verified(capsys)
        assert {message.split(" of ")[0] for kind, message in findings if kind == "guard"} >= dropped
        assert intruder.guards() == {}


def test_a_house_that_starts_without_its_guards_says_so_and_leaves_the_evidence(intruder: Intruder) -> None:
    intruder.drop_guards()
    with closing(open_store(intruder.url)) as store, capture_logs() as logs:
        prepare(store)
    assert [log["log_level"] for log in logs] == ["critical"]
    assert intruder.guards() == {}


def test_who_migrates_puts_them_back_and_is_told(intruder: Intruder, capsys: pytest.CaptureFixture[str]) -> None:
    dropped = intruder.drop_guards()
    with closing(open_store(intruder.url)) as store:
        Command()._make(store)
    assert "had faults" in capsys.readouterr().err
    assert intruder.guards().keys() == dropped
    assert verified(capsys) == []


def test_a_guard_that_guards_nothing_any_more_is_told(intruder: Intruder, capsys: pytest.CaptureFixture[str]) -> None:
    if intruder.is_file:
        name = "pitledger_events_refuse_delete"
        intruder.do(
            f"DROP TRIGGER {name}",
            f"CREATE TRIGGER {name} BEFORE DELETE ON pitledger_events WHEN 0 BEGIN SELECT RAISE(ABORT, 'never'); END",
        )
    else:
        name = "pitledger_events_refuse"
        intruder.do(f"ALTER TABLE pitledger_events DISABLE TRIGGER {name}")
    assert verified(capsys) == [("guard", f"{name} of pitledger_events is switched off or another one")]


def test_a_tail_cut_off_with_all_heads_is_found_by_what_the_signer_remembers(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    intruder.drop_guards()
    intruder.do(f"DELETE FROM pitledger_events WHERE {intruder.place} > 15", "DELETE FROM pitledger_heads")
    messages = [message for kind, message in verified(capsys) if kind in ("head", "cut off")]
    assert any("head 4, the signer's last, is missing" in message for message in messages)
    assert any("are missing" in message and "the signer's last" in message for message in messages)
    with pytest.raises(Conflict, match="heads end at 0, and the last one signed here is 4"):
        intruder.sign()


def test_heads_of_the_end_cut_off_with_their_events_are_found(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    intruder.drop_guards()
    size = json.loads(open_heads(intruder.url).after(2, 1)[0])["position"]
    intruder.do(
        f"DELETE FROM pitledger_events WHERE {intruder.place} > {size}", "DELETE FROM pitledger_heads WHERE number > 3"
    )
    assert {kind for kind, _ in verified(capsys)} == {"guard", "head", "cut off"}
    with pytest.raises(Conflict, match="--accept-restored 3"):
        intruder.sign()


def test_an_edited_history_in_a_chain_that_holds_is_not_signed(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    intruder.drop_guards()
    intruder.edit()
    intruder.do("DELETE FROM pitledger_heads", "DELETE FROM pitledger_snapshots")
    kinds = [kind for kind, _ in verified(capsys)]
    assert "chain" not in kinds
    assert {"head", "rewritten"} <= set(kinds)
    with pytest.raises(Conflict):
        intruder.sign()
    assert open_heads(intruder.url).last() is None


def test_an_edited_history_with_its_heads_left_alone_is_not_signed(intruder: Intruder) -> None:
    intruder.drop_guards()
    intruder.edit()
    intruder.do("DELETE FROM pitledger_snapshots")
    with pytest.raises(Conflict, match="rewritten"):
        intruder.sign()


def test_heads_by_another_key_behind_ours_are_not_gone_on_from(intruder: Intruder) -> None:
    other = house_signing_key.signer(intruder.data / "theirs")
    with closing(open_store(intruder.url)) as store:
        say(store, 2)
    heads = open_heads(intruder.url)
    last = heads.after(3, 1)[0]
    theirs = msgspec.structs.replace(decode(last), number=5, previous=digest_of(last))
    assert heads.add(5, encode(sign(theirs, other)))
    with pytest.raises(Conflict, match="Head 5 is not signed by the key of this house"):
        intruder.sign()


def test_without_the_public_key_s_file_the_key_itself_says_which_is_the_house_s(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    """An intruder removes the public key's file and the signer's memory.

    Heads with another key are still not trusted.
    """
    other = house_signing_key.signer(intruder.data / "theirs")
    (intruder.data / "keys" / "heads.pub").unlink()
    (intruder.data / "keys" / f"last-head.{PROPERTY}.json").unlink()
    assert verified(capsys) == []
    intruder.drop_guards()
    intruder.do("DELETE FROM pitledger_heads", "DELETE FROM pitledger_snapshots")
    with closing(open_store(intruder.url)) as store:
        make_head(store, open_heads(intruder.url), PROPERTY, other)
        store.create()
    ((kind, message),) = verified(capsys)
    assert kind == "signature"
    assert message.startswith("head 1 of store is signed by")
    assert message.endswith("which is no key of this house")


def test_a_head_moved_far_away_stops_the_signer_instead_of_keeping_it_for_ever(intruder: Intruder) -> None:
    intruder.drop_guards()
    intruder.do("UPDATE pitledger_heads SET number = 1000000000000 WHERE number = 4")
    with closing(open_store(intruder.url)) as store:
        say(store, 2)
    with pytest.raises(Conflict, match=r"The head after 4 is not the next one. .* `./manage.py verify`"):
        intruder.sign()


def test_one_decision_goes_on_from_a_restored_store_and_is_written_down(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    dropped = intruder.drop_guards()
    intruder.cut_off(2)
    with closing(open_store(intruder.url)) as store:
        store.create()
    assert intruder.guards().keys() == dropped
    with pytest.raises(CommandError) as refused:
        call_command("heads")
    assert refused.value.returncode == 1
    with pytest.raises(CommandError, match="its last is 2"):
        call_command("heads", "--accept-restored", "1")
    call_command("heads", "--accept-restored", "2")
    assert "heads 3 to 4" in capsys.readouterr().out
    with closing(open_store(intruder.url)) as store:
        say(store, 3)
    assert intruder.sign()
    assert verified(capsys) == []


def test_events_replaced_under_a_running_signer_are_noticed(intruder: Intruder) -> None:
    with closing(open_store(intruder.url)) as store:
        intruder.sign(store)
        intruder.drop_guards()
        last = store.position()
        intruder.do(f"DELETE FROM pitledger_events WHERE {intruder.place} > {last - 1}")
        with pytest.raises(Conflict, match="replaced while they were counted"):
            intruder.sign(store)
        with pytest.raises(Conflict, match="cut off"):
            intruder.sign(store)
