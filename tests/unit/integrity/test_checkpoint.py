"""A verification that continues from the last one: the same result as a full one, and no forged checkpoint is used."""

from pathlib import Path

import msgspec
import pytest

from events.integrity.audit import Audit, audit, kept_by_house
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import Heads, MemoryHeads
from events.integrity.verification_checkpoint import Checkpoint
from events.signing import house_signing_key
from events.store import EventStore
from events.store.in_memory_store import MemoryStore
from tests.support.houses.progressive_house import PROPERTY, Casino
from tests.unit.integrity.test_heads import SignedLog, rewritten, say

KEY = b"k" * 32


def resumed(store: EventStore, heads: Heads, path: Path, key: bytes | None = KEY) -> Audit:
    """Return the audit of a run with --resume, in a process without memory of the run before."""
    checkpoint = Checkpoint(path, key)
    earlier = checkpoint.load(store)
    return audit(store, PROPERTY, [kept_by_house(heads)], resume_from=earlier, checkpoint=checkpoint)


def alike(left: Audit, other: Audit) -> bool:
    plain = [msgspec.structs.replace(each, seconds=0.0, begun=0) for each in (left, other)]
    return plain[0] == plain[1]


@pytest.fixture
def signed_log(tmp_path: Path) -> SignedLog:
    return SignedLog(tmp_path)


def test_what_is_resumed_is_as_if_all_had_been_read(tmp_path: Path) -> None:
    casino, heads, by = Casino(MemoryStore()), MemoryHeads(), house_signing_key.signer(tmp_path)
    path = tmp_path / "verified"
    for number in range(3):
        casino.play("BJ1")
        (hit,) = casino.play("BJ1", hits=((1, "mega"),))
        casino.reconcile()
        casino.authorise(hit)
        casino.pay(hit)
        make_head(casino.store, heads, PROPERTY, by)
        audit_ = resumed(casino.store, heads, path)
        assert audit_.holds, audit_.findings
        assert (audit_.begun > 0) == (number > 0)
        assert alike(audit_, audit(casino.store, PROPERTY, [kept_by_house(heads)]))
    casino.close()


def test_what_was_edited_behind_that_place_is_found_and_nothing_is_kept(signed_log: SignedLog, tmp_path: Path) -> None:
    path = tmp_path / "verified"
    assert resumed(signed_log.store, signed_log.heads, path).holds
    say(signed_log.store, 5)
    make_head(signed_log.store, signed_log.heads, "athens", signed_log.by)
    before = path.read_bytes()

    def edit(events: list[object]) -> None:
        raw = signed_log.store._events[15].raw.replace(b"p-1", b"p-9")
        events[15] = msgspec.structs.replace(signed_log.store._events[15], raw=raw)

    audit_ = resumed(rewritten(signed_log.store, edit), signed_log.heads, path)  # type: ignore[arg-type]  # a list of events
    assert [(finding.kind, finding.event) for finding in audit_.findings] == [("chain", "athens/people@16")]
    assert path.read_bytes() == before


def test_a_place_that_is_not_sealed_or_not_of_this_store_is_not_believed(signed_log: SignedLog, tmp_path: Path) -> None:
    path = tmp_path / "verified"
    resumed(signed_log.store, signed_log.heads, path)
    genuine = path.read_bytes()
    path.write_bytes(genuine[:-1] + bytes([genuine[-1] ^ 1]))
    assert resumed(signed_log.store, signed_log.heads, path).begun == 0
    path.write_bytes(genuine)
    assert resumed(signed_log.store, signed_log.heads, path, b"x" * 32).begun == 0
    path.write_bytes(genuine)
    other = MemoryStore()
    say(other, 20, "athens/floor")
    assert Checkpoint(path, KEY).load(other) is None
    assert resumed(signed_log.store, signed_log.heads, path).begun == 14


def test_without_a_key_nothing_is_kept(signed_log: SignedLog, tmp_path: Path) -> None:
    assert resumed(signed_log.store, signed_log.heads, tmp_path / "verified", None).holds
    assert not (tmp_path / "verified").exists()


def test_a_head_of_what_was_verified_before_that_differs_is_told_or_named_as_unknown(
    signed_log: SignedLog, tmp_path: Path
) -> None:
    path = tmp_path / "verified"
    resumed(signed_log.store, signed_log.heads, path)
    other, heads = MemoryStore(), MemoryHeads()
    for count in (5, 6):
        say(other, count, "athens/floor")
        make_head(other, heads, "athens", house_signing_key.Signer(signed_log.by._private))
    audit_ = resumed(signed_log.store, heads, path)
    assert [finding.kind for finding in audit_.findings] == ["rewritten"]
    assert audit_.left_out == ["1 heads of events that were verified before were not compared: run without --resume"]
