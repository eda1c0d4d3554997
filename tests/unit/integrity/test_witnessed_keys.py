"""Destroyed keys of cases, as a restore reads them from the witness."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import repeat
from pathlib import Path

import msgspec
import pytest

from backoffice.house import destroyed_keys_from_witness, restore_from_backup
from backoffice.house.backup_manifest import Manifest
from backoffice.house.destroyed_keys_from_witness import destroyed_by, doubtful, heads_of_file, heads_of_witness
from events.cases.case_key_and_file_vault import vault
from events.errors import Conflict, Poison
from events.integrity.signed_head_format import decode, encode, sign
from events.relay import integrity_heads_topic as published_heads
from events.relay.witness_delivery import hand_over
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import open_store
from tests.support.houses.small_house import PROPERTY, House
from tests.unit.integrity.test_witness import HouseWithWitness
from tools import witness

CASE = "00112233aabbccdd"


@pytest.fixture
def watched(tmp_path: Path) -> HouseWithWitness:
    """A house with heads, the last of which names a destroyed case."""
    watched = HouseWithWitness(tmp_path)
    last = decode(watched.heads.last() or b"")
    changed = msgspec.structs.replace(last, destroyed=(CASE,))
    watched.heads._heads[-1] = encode(sign(changed, watched.by))
    return watched


@contextmanager
def served(watched: HouseWithWitness) -> Iterator[str]:
    """The witness, which has taken all heads, by HTTP; its address."""
    with watched.witness() as opened:
        assert witness.take_all(opened, watched.heads.after(0))["refused"] == []
        server = witness.door(opened, "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def test_the_witness_hands_out_its_heads_by_http_and_by_file(watched: HouseWithWitness, tmp_path: Path) -> None:
    with served(watched) as address:
        heads = heads_of_witness(address, PROPERTY)
    assert list(heads) == watched.heads.after(0)
    assert heads_of_file(watched.path, PROPERTY) == heads
    drop = f"file://{tmp_path / 'drop'}"
    hand_over(watched.heads, drop, PROPERTY)
    assert heads_of_witness(drop, PROPERTY) == heads
    assert destroyed_by(heads, PROPERTY, {watched.by.public}) == {CASE}


def test_only_a_head_that_the_house_signed_destroys_a_key(watched: HouseWithWitness, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    stranger = house_signing_key.signer(tmp_path / "other")
    last = decode(watched.heads.last() or b"")
    signed = encode(sign(last, stranger))
    changed = encode(msgspec.structs.replace(last, destroyed=(CASE, "0" * 16)))
    elsewhere = encode(sign(msgspec.structs.replace(last, property="spa"), watched.by))
    for head in (signed, changed, elsewhere, b"no head"):
        assert destroyed_by([head], PROPERTY, {watched.by.public}) == frozenset()
    own = [watched.heads.last() or b""]
    assert destroyed_by(own, PROPERTY, ()) == frozenset(), "no key is trusted: no head destroys"
    assert doubtful(own, PROPERTY, ()) == {CASE: watched.by.public}
    assert doubtful([*own, signed], PROPERTY, {watched.by.public}) == {}
    assert doubtful([signed, changed, elsewhere], PROPERTY, {watched.by.public}) == {CASE: stranger.public}


@pytest.mark.parametrize("has_own_key", [False, True], ids=["no key", "another key"])
def test_a_head_of_an_unknown_key_stops_a_restore_until_people_say_whose_key_it_is(
    watched: HouseWithWitness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_own_key: bool
) -> None:
    data = tmp_path / "house"
    for name, value in (("DATA", data), ("PROPERTY", PROPERTY)):
        monkeypatch.setenv(f"PITLEDGER_{name}", str(value))
    for name in ("STORE", "ACCESS"):
        monkeypatch.setenv(f"PITLEDGER_{name}", f"sqlite:///{data}/{name}.sqlite3")
    data.mkdir()
    house = House(open_store(settings().store))
    opening = house.action("case.open", title="Short pays", category="theft", severity="high")
    case = house.ok("cases", "new", "sven", opening)[0].data.case
    house.close()
    if has_own_key:
        house_signing_key.signer(data)
    last = decode(watched.heads.last() or b"")
    heads = [encode(sign(msgspec.structs.replace(last, destroyed=(case, CASE)), watched.by))]

    with pytest.raises(Conflict, match="does not know the key that signed them") as refused:
        restore_from_backup._destroy_keys(settings(), heads, print)
    assert watched.by.public in str(refused.value)
    assert f"{house_signing_key.keys_folder(data)}/NAME.pub" in str(refused.value)
    assert vault().key(case) is not None
    restore_from_backup._destroy_keys(settings(), [], print)
    assert vault().key(case) is not None, "a copy of the file without these heads goes on"

    house_signing_key.keys_folder(data).mkdir(exist_ok=True)
    (house_signing_key.keys_folder(data) / "before.pub").write_text(watched.by.public)
    lines = list[str]()
    restore_from_backup._destroy_keys(settings(), heads, lines.append)
    assert lines == ["destroyed again: the keys of 1 cases"]
    assert vault().stored() == frozenset()


@pytest.mark.parametrize("address", ["file://{}/nowhere", "http://127.0.0.1:9/"])
def test_a_witness_that_cannot_be_read_names_the_way_out(tmp_path: Path, address: str) -> None:
    with pytest.raises(Conflict, match=r"--witness FILE\. With --without-witness"):
        heads_of_witness(address.format(tmp_path), PROPERTY)


@contextmanager
def answering(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """A witness that answers a request so, on a socket of its own; its address."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _address = server.accept()
            with client, suppress(OSError):
                client.recv(65_536)
                answer(client, ended)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        finally:
            ended.set()
            thread.join()


def says_nothing(_client: socket.socket, ended: threading.Event) -> None:
    ended.wait()


def drips_its_head(client: socket.socket, ended: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not ended.wait(0.01):
        client.sendall(b"x")


def drips_its_body(client: socket.socket, ended: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not ended.wait(0.01):
        client.sendall(b"x")


def has_no_end(client: socket.socket, ended: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not ended.is_set():
        client.sendall(b"x" * 65_536)


def breaks_off(client: socket.socket, _ended: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"{}\n")


def is_no_witness(client: socket.socket, _ended: threading.Event) -> None:
    client.sendall(b"220 mail.example ESMTP\r\n")


@pytest.mark.parametrize(
    ("answer", "why", "limits"),
    [
        (says_nothing, "timed out", {"READ_S": 0.2}),
        (drips_its_head, "took more than", {"WHOLE_S": 0.3}),
        (drips_its_body, "took more than", {"WHOLE_S": 0.3}),
        (has_no_end, "has more than 1 MB", {"ANSWER_MAX": 1 << 20}),
        (breaks_off, "cut off", {}),
        (is_no_witness, "220", {}),
    ],
)
def test_a_slow_or_endless_witness_has_an_end(
    answer: Callable[[socket.socket, threading.Event], None],
    why: str,
    limits: dict[str, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(destroyed_keys_from_witness, name, value)
    with answering(answer) as address, pytest.raises(Conflict, match=r"--witness FILE\.") as refused:
        heads_of_witness(address, PROPERTY)
    assert why in str(refused.value)


def _silent_records() -> Iterator[bytes]:
    threading.Event().wait(1.0)
    yield b"{}"


@pytest.mark.parametrize(
    ("records", "why", "limits"),
    [
        (lambda: repeat(b"x" * 65_536), "has more than 1 MB", {"ANSWER_MAX": 1 << 20}),
        (lambda: repeat(b"x"), "took more than", {"WHOLE_S": 0.2}),
        (_silent_records, "took more than", {"WHOLE_S": 0.2}),
    ],
    ids=["endless", "slow", "silent"],
)
def test_a_witness_topic_has_the_same_limits(
    records: Callable[[], Iterator[bytes]], why: str, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(destroyed_keys_from_witness, name, value)
    monkeypatch.setattr(published_heads, "published", lambda *_: records())
    with pytest.raises(Conflict, match=r"--witness FILE\.") as refused:
        heads_of_witness("kafka://broker.example:9092", PROPERTY)
    assert why in str(refused.value)


def test_a_witness_topic_hands_out_its_heads(watched: HouseWithWitness, monkeypatch: pytest.MonkeyPatch) -> None:
    heads = watched.heads.after(0)
    monkeypatch.setattr(published_heads, "published", lambda *_: iter(heads))
    assert list(heads_of_witness("kafka://broker.example:9092", PROPERTY)) == heads


def test_a_restore_reads_the_witness_for_a_backup_without_a_head(
    watched: HouseWithWitness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heads came after the backup. A witness that never got one has none to read."""
    backup = Manifest(
        format=1, id="b", software="", property=PROPERTY, house="", made="", position=0, events=0, head=0,
        access_lines=0, databases=(), keys="none", files=(),
    )  # fmt: skip
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.setenv("PITLEDGER_WITNESS", f"file://{tmp_path / 'drop'}")
    source = restore_from_backup.RestoreSource(folder=tmp_path)
    with pytest.raises(Conflict, match="--without-witness"):
        restore_from_backup._witnessed(settings(), source, backup)
    (tmp_path / "drop").mkdir()
    assert restore_from_backup._witnessed(settings(), source, backup) == ()
    with_head = msgspec.structs.replace(backup, head=1)
    with pytest.raises(Conflict, match="--without-witness"):
        restore_from_backup._witnessed(settings(), source, with_head)
    hand_over(watched.heads, settings().witness, PROPERTY)
    for made in (backup, with_head):
        heads = restore_from_backup._witnessed(settings(), source, made)
        assert destroyed_by(heads, PROPERTY, {watched.by.public}) == {CASE}
    without = msgspec.structs.replace(source, without_witness=True)
    assert restore_from_backup._witnessed(settings(), without, backup) == ()


def test_a_file_without_heads_of_this_house_is_refused(watched: HouseWithWitness, tmp_path: Path) -> None:
    with served(watched):
        pass
    with pytest.raises(Poison):
        heads_of_file(watched.path, "spa")
    (tmp_path / "empty").touch()
    with pytest.raises(Poison):
        heads_of_file(tmp_path / "empty", PROPERTY)
