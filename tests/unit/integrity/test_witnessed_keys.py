"""Destroyed keys of cases, as a restore reads them from the witness."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from backoffice.house.witnessed_keys import destroyed_by, heads_of_file, heads_of_witness
from events.errors import Conflict, Poison
from events.integrity.heads import decode, encode, sign
from events.relay.witness import hand_over
from events.signing import keys
from tests.support.house import PROPERTY
from tests.unit.integrity.test_witness import Told
from tools import witness

CASE = "00112233aabbccdd"


@pytest.fixture
def watched(tmp_path: Path) -> Told:
    """A house with heads, the last of which names a destroyed case."""
    watched = Told(tmp_path)
    last = decode(watched.heads.last() or b"")
    changed = msgspec.structs.replace(last, destroyed=(CASE,))
    watched.heads._kept[-1] = encode(sign(changed, watched.by))
    return watched


@contextmanager
def served(watched: Told) -> Iterator[str]:
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


def test_the_witness_hands_out_its_heads_by_http_and_by_file(watched: Told, tmp_path: Path) -> None:
    with served(watched) as address:
        heads = heads_of_witness(address, PROPERTY)
    assert list(heads) == watched.heads.after(0)
    assert heads_of_file(watched.path, PROPERTY) == heads
    drop = f"file://{tmp_path / 'drop'}"
    hand_over(watched.heads, drop, PROPERTY)
    assert heads_of_witness(drop, PROPERTY) == heads
    assert destroyed_by(heads, PROPERTY, {watched.by.public}) == {CASE}


def test_only_a_head_that_the_house_signed_destroys_a_key(watched: Told, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    stranger = keys.signer(tmp_path / "other")
    last = decode(watched.heads.last() or b"")
    signed = encode(sign(last, stranger))
    changed = encode(msgspec.structs.replace(last, destroyed=(CASE, "0" * 16)))
    elsewhere = encode(sign(msgspec.structs.replace(last, property="spa"), watched.by))
    for head in (signed, changed, elsewhere, b"no head"):
        assert destroyed_by([head], PROPERTY, {watched.by.public}) == frozenset()
    assert destroyed_by([watched.heads.last() or b""], PROPERTY, ()) == {CASE}


@pytest.mark.parametrize("address", ["file://{}/nowhere", "http://127.0.0.1:9/"])
def test_a_witness_that_cannot_be_read_names_the_way_out(tmp_path: Path, address: str) -> None:
    with pytest.raises(Conflict, match=r"--witness FILE\. With --without-witness"):
        heads_of_witness(address.format(tmp_path), PROPERTY)


def test_a_file_without_heads_of_this_house_is_refused(watched: Told, tmp_path: Path) -> None:
    with served(watched):
        pass
    with pytest.raises(Poison):
        heads_of_file(watched.path, "spa")
    (tmp_path / "empty").touch()
    with pytest.raises(Poison):
        heads_of_file(tmp_path / "empty", PROPERTY)
