"""Heads: signed, linked and made once; every edited, cut or replaced log is found."""

import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from events.envelope import Meta
from events.errors import Conflict, Invalid, Poison
from events.integrity.audit import Audit, audit, kept_by_house
from events.integrity.head_signing import SNAPSHOT_EVERY, make_head
from events.integrity.heads_consistency import Witness
from events.integrity.signed_head_format import decode, encode, sign
from events.integrity.signed_head_stores import Heads, MemoryHeads, open_heads
from events.people.role_grant_decider import RoleGranted
from events.signing import house_signing_key
from events.store import Append, EventStore, NewEvent, Stored, open_store
from events.store.in_memory_store import MemoryStore
from tests.support.houses.small_house import House

META = Meta(time="2026-11-20T20:00:00.000Z", actor="p-1", actorrole="administrator")


def say(store: EventStore, count: int, stream: str = "athens/people") -> None:
    """Append a number of events."""
    events = [NewEvent(RoleGranted(person=f"p-{n}", role="dealer"), META) for n in range(count)]
    store.append([Append(stream, store.head(stream), events)])


def sign_head(store: EventStore, heads: Heads, by: house_signing_key.Signer) -> bool:
    """Make a head, and return whether there was one to make."""
    head, is_all = make_head(store, heads, "athens", by)
    assert is_all
    return head is not None


class SignedLog:
    """A store with three heads over 5, 12 and 13 events, and one event behind them."""

    def __init__(self, data: Path) -> None:
        self.store = MemoryStore()
        self.heads = MemoryHeads()
        self.by = house_signing_key.signer(data)
        for count in (5, 7, 1):
            say(self.store, count)
            assert sign_head(self.store, self.heads, self.by)
        say(self.store, 1)

    def audit(self, *witnesses: Witness, store: EventStore | None = None, heads: Heads | None = None) -> Audit:
        house = kept_by_house(heads or self.heads)
        return audit(store or self.store, "athens", [house, *witnesses], {self.by.public})


@pytest.fixture
def signed_log(tmp_path: Path) -> SignedLog:
    return SignedLog(tmp_path)


def rewritten(store: MemoryStore, change: Callable[[list[Stored]], None]) -> MemoryStore:
    """Return the store after a direct change of its tables."""
    other = MemoryStore()
    other._events = list(store._events)
    change(other._events)
    for stored_event in other._events:
        other._streams.setdefault(stored_event.stream, []).append(stored_event)
    return other


def test_everything_holds(signed_log: SignedLog) -> None:
    audit_ = signed_log.audit()
    assert audit_.holds, audit_.findings
    assert (audit_.events, audit_.heads, audit_.covered, audit_.uncovered) == (14, 3, 13, 1)
    assert audit_.keys == [signed_log.by.public]


def test_nothing_new_makes_no_head(signed_log: SignedLog) -> None:
    assert sign_head(signed_log.store, signed_log.heads, signed_log.by)
    assert not sign_head(signed_log.store, signed_log.heads, signed_log.by)
    assert not sign_head(MemoryStore(), MemoryHeads(), house_signing_key.Signer(signed_log.by._private))


def test_a_long_log_is_read_in_turns(signed_log: SignedLog) -> None:
    """A process that knows nothing yet makes no head before it has come as far as the last one."""
    for _ in range(5):
        say(signed_log.store, 1_000)
    assert sign_head(signed_log.store, signed_log.heads, signed_log.by)
    say(signed_log.store, 3)
    other = MemoryStore()
    other._events, other._streams = signed_log.store._events, signed_log.store._streams
    turns = [make_head(other, signed_log.heads, "athens", signed_log.by, budget_s=0) for _ in range(4)]
    assert [(head is not None, is_all) for head, is_all in turns] == [(False, False)] * 2 + [
        (True, False),
        (False, True),
    ]
    assert signed_log.audit().holds


def test_an_edited_event_is_found(signed_log: SignedLog) -> None:
    def edit(events: list[Stored]) -> None:
        events[3] = msgspec.structs.replace(events[3], raw=events[3].raw.replace(b"p-3", b"p-4"))

    (finding,) = signed_log.audit(store=rewritten(signed_log.store, edit)).findings
    assert (finding.kind, finding.position, finding.event) == ("chain", 4, "athens/people@4")


def test_a_log_that_is_cut_off_is_found(signed_log: SignedLog) -> None:
    """No chain sees that."""

    def cut(events: list[Stored]) -> None:
        del events[11:]

    (finding,) = signed_log.audit(store=rewritten(signed_log.store, cut)).findings
    assert (finding.kind, finding.position, finding.further_findings) == ("cut off", 12, 1)
    assert "2 are missing" in finding.message


def test_a_log_rewritten_from_some_point_on_is_found(signed_log: SignedLog) -> None:
    """The rewritten log has a valid chain."""
    other = MemoryStore()
    say(other, 5)
    say(other, 9)
    findings = signed_log.audit(store=other).findings
    assert {finding.kind for finding in findings} == {"rewritten"}


def test_heads_that_were_replaced_with_the_store_are_found_by_who_kept_his_own(signed_log: SignedLog) -> None:
    """An attacker with the key, but without the signer's memory, replaces store and heads. The regulator notices it."""
    other, heads = MemoryStore(), MemoryHeads()
    say(other, 14)
    make_head(other, heads, "athens", house_signing_key.Signer(signed_log.by._private))
    assert signed_log.audit(store=other, heads=heads).holds
    witness = Witness("regulator", kept_by_house(signed_log.heads).heads)
    report = signed_log.audit(witness, store=other, heads=heads)
    assert {finding.kind for finding in report.findings} >= {"two heads", "rewritten"}
    assert report.compared == ["store", "regulator"]


def test_a_head_by_another_key_or_with_another_content_is_found(signed_log: SignedLog, tmp_path: Path) -> None:
    raws = kept_by_house(signed_log.heads).heads
    forged = sign(decode(raws[1]), house_signing_key.signer(tmp_path / "other"))
    changed = msgspec.structs.replace(decode(raws[1]), size=11)
    for fake in (forged, changed):
        audit_ = audit(
            signed_log.store, "athens", [Witness("store", [raws[0], encode(fake), raws[2]])], {signed_log.by.public}
        )
        assert [finding.kind for finding in audit_.findings] == ["signature"]


def test_a_head_that_was_taken_away_is_found(signed_log: SignedLog) -> None:
    raws = kept_by_house(signed_log.heads).heads
    audit_ = audit(signed_log.store, "athens", [Witness("store", [raws[0], raws[2]])])
    assert [finding.message for finding in audit_.findings] == ["head 2 is missing"]


def test_what_is_no_head_is_a_finding(signed_log: SignedLog) -> None:
    assert signed_log.audit(Witness("file", [b"{}"])).findings[0].kind == "head"
    with pytest.raises(Poison):
        decode(b"\xff")


def test_no_head_hides_that_the_store_was_cut_off_or_rewritten(signed_log: SignedLog) -> None:
    short, other = MemoryStore(), MemoryStore()
    say(short, 5)
    say(other, 20, "athens/floor")
    for store in (short, other):
        with pytest.raises(Conflict):
            make_head(store, signed_log.heads, "athens", signed_log.by)


def test_two_at_once_make_one_head(signed_log: SignedLog) -> None:
    """Another process without this one's state added the head first."""
    say(signed_log.store, 1)
    raw = signed_log.heads.last()
    assert raw is not None
    assert not signed_log.heads.add(3, raw)
    assert len(kept_by_house(signed_log.heads).heads) == 3


def test_a_new_process_begins_at_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from events.integrity import head_signing

    assert SNAPSHOT_EVERY > 1_000
    monkeypatch.setattr(head_signing, "SNAPSHOT_EVERY", 5)
    house = House()
    house.open_progressive()
    heads, by = MemoryHeads(), house_signing_key.signer(tmp_path)
    make_head(house.store, heads, "athens", by)
    fresh = head_signing.Reckoner("athens")
    fresh.restore(house.store)
    assert fresh.tree.size == house.store.position()
    assert fresh.contributions() == {"athens/progressives/blazing": {"mega": 0, "major": 0, "minor": 0}}
    house.close()


# --- the key ----------------------------------------------------------------------------------------------------


def test_the_key_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    first = house_signing_key.signer(tmp_path)
    path = tmp_path / "keys" / "heads.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert house_signing_key.signer(tmp_path).public == first.public
    assert house_signing_key.trusted(tmp_path) == {first.public}
    assert [file.name for file in sorted(path.parent.iterdir())] == ["heads.pem", "heads.pub"]


def test_the_key_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_HEAD_KEY", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    by = house_signing_key.signer(tmp_path)
    assert by.public == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"  # RFC 8032, 7.1, test 1
    assert by.sign(b"").startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155")
    assert house_signing_key.trusted(tmp_path) == {by.public}
    monkeypatch.setenv("PITLEDGER_HEAD_KEY", "abc")
    with pytest.raises(Invalid):
        house_signing_key.signer(tmp_path)


def test_what_is_no_key_signs_nothing() -> None:
    assert not house_signing_key.is_signed("zz", "", b"")
    assert not house_signing_key.is_signed("00" * 31, "00" * 64, b"")


# --- where heads are kept ----------------------------------------------------------------------------------------


def check_kept(heads: Heads, again: Heads) -> None:
    """The contract."""
    assert heads.last() is None
    assert heads.add(1, b"one")
    assert not again.add(1, b"uno")
    assert again.add(2, b"two")
    assert (again.last(), heads.after(0), heads.after(1), heads.after(2)) == (b"two", [b"one", b"two"], [b"two"], [])
    assert heads.after(0, 1) == [b"one"]
    assert not heads.add(2, b"due")
    heads.close()


def test_heads_in_memory() -> None:
    heads = open_heads("memory://")
    check_kept(heads, heads)


def test_heads_in_sqlite_are_never_edited(tmp_path: Path) -> None:
    import sqlite3

    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    open_store(url).create()
    check_kept(open_heads(url), open_heads(url))
    with sqlite3.connect(tmp_path / "events.sqlite3") as connection:
        for statement in (
            "DELETE FROM pitledger_heads",
            "UPDATE pitledger_heads SET head = x'00'",
            "INSERT OR REPLACE INTO pitledger_heads VALUES (1, x'00')",
            "INSERT INTO pitledger_heads VALUES (9, x'00')",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="never edited"):
                connection.execute(statement)
    connection.close()


@pytest.mark.postgres
def test_heads_in_postgresql_are_never_edited(postgres_url: str) -> None:
    import psycopg

    store = open_store(postgres_url)
    store.create()
    store.close()
    check_kept(open_heads(postgres_url), open_heads(postgres_url))
    for statement in ("DELETE FROM pitledger_heads", "TRUNCATE pitledger_heads"):
        with psycopg.connect(postgres_url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_a_store_that_is_none_of_ours_keeps_no_heads() -> None:
    with pytest.raises(Invalid):
        open_heads("mysql://x")
