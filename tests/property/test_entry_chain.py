"""The chain of a device's queue: after any edit, reordering, loss or repeat, only the signed order is accepted."""

import json
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from backoffice.table_screen import device_keys_and_signatures, pairing, queued_entry_structs_and_chain
from backoffice.table_screen.queued_entry_structs_and_chain import (
    ChainBreak,
    digest_of,
    first_digest,
    read,
    require_next,
)
from backoffice.table_screen.received_entry_processing import Clock
from events.errors import Invalid
from tests.support.tables.table_device import Tablet, act

DEVICE = "FR1-1234"


def chain(length: int) -> tuple[Tablet, list[dict[str, str]]]:
    tablet = Tablet()
    tablet.device, tablet.prev = DEVICE, first_digest(DEVICE)
    return tablet, [tablet.entry(act("round.open"), session="s") for _ in range(length)]


def taken(entries: list[dict[str, str]]) -> tuple[int, str]:
    """Return the number of accepted entries, and the reason against the next. Repeated accepted entries are skipped."""
    seq, prev, seen = 0, first_digest(DEVICE), dict[int, str]()
    numbers = frozenset(read(entry["body"]).seq for entry in entries)
    for signed in entries:
        entry, digest = read(signed["body"]), digest_of(signed["body"])
        if seen.get(entry.seq) == digest:
            continue
        try:
            require_next(entry, seq, prev, numbers)
        except ChainBreak as broken:
            return seq, broken.code
        seq, prev, seen[entry.seq] = entry.seq, digest, digest
    return seq, ""


@given(st.integers(1, 8), st.data())
def test_only_the_whole_chain_in_its_order_is_taken(length: int, data: st.DataObject) -> None:
    _tablet, entries = chain(length)
    assert taken(entries) == (length, "")
    shuffled = data.draw(st.permutations(entries))
    first_wrong = next(
        (n for n, (entry, other) in enumerate(zip(shuffled, entries, strict=True)) if entry != other), None
    )
    count, code = taken(list(shuffled))
    assert count == (length if first_wrong is None else first_wrong)
    assert code == ("" if first_wrong is None else "queue-entry-reordered")


@given(st.integers(2, 8), st.data())
def test_a_dropped_entry_is_missed_by_its_number(length: int, data: st.DataObject) -> None:
    _tablet, entries = chain(length)
    gone = data.draw(st.integers(0, length - 2))
    assert taken(entries[:gone] + entries[gone + 1 :]) == (gone, "queue-entry-missing")


@given(st.integers(1, 6), st.data())
def test_repeats_change_nothing(length: int, data: st.DataObject) -> None:
    _tablet, entries = chain(length)
    again = data.draw(st.integers(0, length - 1))
    assert taken([*entries[: again + 1], *entries]) == (length, "")


@given(st.integers(1, 5), st.data())
def test_no_edited_text_is_signed(length: int, data: st.DataObject) -> None:
    tablet, entries = chain(length)
    key = device_keys_and_signatures.canonical(tablet.jwk)
    signed = data.draw(st.sampled_from(entries))
    place = data.draw(st.integers(0, len(signed["body"]) - 1))
    letter = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    edited = signed["body"][:place] + letter + signed["body"][place + 1 :]
    assert device_keys_and_signatures.is_signed(key, edited, signed["signature"]) == (edited == signed["body"])


def test_an_exchanged_entry_of_the_same_number_breaks_the_next_one() -> None:
    tablet, entries = chain(3)
    other = Tablet()
    other.key, other.device, other.prev = tablet.key, DEVICE, first_digest(DEVICE)
    exchanged = other.entry(act("bets.close"), session="s")
    assert taken([exchanged, *entries[1:]]) == (1, "queue-entry-changed")


@pytest.mark.parametrize(
    "change", [{"seq": "1"}, {"more": 1}, {"actions": []}, {"queued": 1}, {"actions": [act("a")] * 201}]
)
def test_an_entry_of_another_shape_is_none(change: dict[str, object]) -> None:
    _tablet, entries = chain(1)
    body = {**json.loads(entries[0]["body"]), **change}
    with pytest.raises(Invalid):
        read(json.dumps(body))
    with pytest.raises(Invalid):
        read(entries[0]["body"].replace('"seq"', '"seq": 1, "seq"'))


def test_a_key_is_a_point_of_the_curve_and_no_private_one() -> None:
    jwk: dict[str, object] = {**Tablet().jwk}
    assert device_keys_and_signatures.canonical(jwk)
    other = ec.generate_private_key(ec.SECP384R1()).public_key().public_numbers()
    cases: tuple[object, ...] = (
        {**jwk, "crv": "P-384"},
        {**jwk, "d": "x"},
        {**jwk, "x": jwk["y"], "y": jwk["x"]},
        {**jwk, "x": str(other.x)[:43]},
        {},
        [],
        None,
    )
    for wrong in cases:
        with pytest.raises(Invalid):
            device_keys_and_signatures.canonical(wrong)


def test_the_digits_depend_on_the_secret_the_key_and_both_nonces() -> None:
    keys = [device_keys_and_signatures.canonical(Tablet().jwk) for _ in range(30)]
    first = ("secret", keys[0], "a" * 64, "b" * 32)
    by_part = [
        {pairing.pairing_digits(f"secret {number}", *first[1:]) for number in range(30)},
        {pairing.pairing_digits("secret", key, *first[2:]) for key in keys},
        {pairing.pairing_digits(*first[:2], f"{number:064}", first[3]) for number in range(30)},
        {pairing.pairing_digits(*first[:3], f"{number:032}") for number in range(30)},
    ]
    assert all(len(digits) == 4 and digits.isdigit() for values in by_part for digits in values)
    assert min(map(len, by_part)) > 25
    assert queued_entry_structs_and_chain.first_digest("a") != queued_entry_structs_and_chain.first_digest("b")


@pytest.mark.parametrize(
    "time", ["yesterday", "2026-11-21T20:15:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", ""]
)
def test_a_time_that_no_clock_shows_is_refused_at_its_field(time: str) -> None:
    with pytest.raises(Invalid) as refused:
        Clock(behind_ms=5_000).to_house_time(time, datetime(2026, 11, 21, tzinfo=UTC))
    assert refused.value.field == "time"
