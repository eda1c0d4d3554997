"""The audit folds the events again, and finds each amount in a progressive's stream that differs from the facts."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from events.envelope import digest, first_prev
from events.integrity.audit import audit
from events.integrity.heads_consistency import Finding
from events.integrity.progressive_recount import CHECKED
from events.progressives import (
    action_structs,
    due_lock_and_lapse_appending,
    event_types,
    progressive_state_following_store,
)
from events.store import Stored
from events.store.in_memory_store import MemoryStore
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino

Json = dict[str, Any]
STREAM = f"{PROPERTY}/progressives/{NAME}"


@pytest.fixture(scope="module")
def stored() -> Iterator[list[Stored]]:
    """The events of a progressive that include each event type with a stated amount."""
    casino = Casino()
    first, second = casino.play("BJ1", hits=((1, "mega"), (2, "mega")))
    casino.reconcile()
    casino.authorise(first)
    casino.authorise(second)
    casino.ask(action_structs.ChangeParameters(level="mega", feed_millionths=95_000), "mark", "anna")
    casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-50, reason="malfunction"), "mark", "sven")
    casino.ask(action_structs.ReadMeter(level="mega", read_minor=0), "anna")
    (case,) = casino.fold.state.variances
    close = action_structs.CloseVariance(case=case, way="paid", reason="r", player="p-9", gaming_day="2026-11-20")
    casino.ask(close, "cage", "sven")
    casino.ask(action_structs.ReadMeter(level="mega", read_minor=0), "anna")
    _, other = casino.fold.state.variances
    casino.ask(action_structs.CloseVariance(case=other, way="added", reason="r"), "anna", "mark")
    casino.ask(action_structs.TestIncrement(level="mega", stake_minor=500, before_minor=0, after_minor=47), "anna")
    casino.pay(first)
    number = casino.arm("BJ3", (1, "ann", 500), (2, "bob", 1_000))
    major = casino.hit("BJ3", number, 2, "major")
    casino.dealt("BJ3", number)
    casino.over("BJ3", number)
    casino.authorise(major)
    casino.pay(major)
    late = casino.late_hit("BJ3", number, 1, "major")
    own: dict[str, Any] = {
        "level": "major",
        "player": "ann",
        "amount_minor": 5_000,
        "reason": "r",
        "gaming_day": "2026-11-20",
    }
    (*_, paid) = casino.ask(action_structs.PayHouse(**own, hit=late), "cage", "anna")
    void = action_structs.VoidHousePayment(slip_year=paid.data.slip_year, slip=paid.data.slip, reason="r")
    casino.ask(void, "cage", "anna")
    (third,) = casino.play("BJ2", hits=((1, "minor"),))
    casino.reconcile()
    casino.void(third)
    yield casino.store.after(0, 10_000)
    casino.close()


def changed_store(stored: list[Stored], change: Callable[[Stored, Json], list[Json]]) -> MemoryStore:
    """Return a store with the same events in valid chains, some of them changed, left out or repeated."""
    ends: dict[str, tuple[int, bytes]] = {}
    store = MemoryStore()
    for stored_event in stored:
        for event in change(stored_event, json.loads(stored_event.raw)):
            version, end = ends.get(stored_event.stream, (0, first_prev(stored_event.stream)))
            event |= {"prev": end.hex(), "id": f"{stored_event.stream}@{version + 1}"}
            raw = json.dumps(event, separators=(",", ":")).encode()
            ends[stored_event.stream] = version + 1, digest(raw)
            new = Stored(len(store._events) + 1, stored_event.stream, version + 1, stored_event.type, raw)
            store._events.append(new)
            store._streams.setdefault(stored_event.stream, []).append(new)
    return store


# Events without a sum: decisions of people, and their authors.
STATES_NO_SUM = {
    event_types.ProgressiveOpened,
    event_types.HitVoided,
    event_types.FundDeposited,
    event_types.NoticeAcknowledged,
    event_types.LevelWaiting,
}


def sums(store: MemoryStore) -> list[Finding]:
    audit_ = audit(store, PROPERTY, [])
    assert [finding for finding in audit_.findings if finding.kind == "chain"] == [], "the lie is in the sums alone"
    return [finding for finding in audit_.findings if finding.kind == "sum"]


def test_every_event_that_states_a_sum_is_checked() -> None:
    assert set(event_types.PROGRESSIVE_EVENTS) == CHECKED.keys() | STATES_NO_SUM | {event_types.EnvyPaid}
    assert not CHECKED.keys() & STATES_NO_SUM


def test_an_honest_life_holds(stored: list[Stored]) -> None:
    assert sums(changed_store(stored, lambda _, event: [event])) == []
    there_are = {stored_event.type for stored_event in stored if stored_event.stream == STREAM}
    assert there_are >= {kind.TYPE for kind in CHECKED} | {event_types.EnvyPaid.TYPE}


LIES = [
    ("shares.locked.v1", "meter_micro"),
    ("shares.locked.v1", "amount_minor"),
    ("shares.locked.v1", "house_minor"),
    ("shares.locked.v1", "seed_minor"),
    ("shares.locked.v1", "seed_from_reserve_micro"),
    ("shares.locked.v1", "as_of"),
    ("lock.withdrawn.v1", "revision"),
    ("hit.authorised.v1", "amount_minor"),
    ("jackpot.paid.v1", "amount_minor"),
    ("jackpot.paid.v1", "slip"),
    ("house.paid.v1", "slip"),
    ("house.voided.v1", "amount_minor"),
    ("envy.paid.v1", "amount_minor"),
    ("envy.paid.v1", "slip"),
    ("meter.adjusted.v1", "meter_micro"),
    ("meter.read.v1", "shown_minor"),
    ("variance.opened.v1", "variance_minor"),
    ("variance.closed.v1", "amount_minor"),
    ("increment.tested.v1", "expected_micro"),
    ("parameters.changed.v1", "parameters_version"),
]


@pytest.mark.parametrize(("kind", "field"), LIES)
def test_one_unit_more_is_found_where_it_is_first_said(stored: list[Stored], kind: str, field: str) -> None:
    first = next(stored_event for stored_event in stored if stored_event.type == kind)

    def lie(stored_event: Stored, event: Json) -> list[Json]:
        if stored_event == first:
            event["data"][field] = event["data"].get(field, 0) + 1
        return [event]

    findings = sums(changed_store(stored, lie))
    assert findings[0].position == first.position
    assert f"{STREAM}@{first.version} {kind}: {field} is" in findings[0].message


def test_money_that_is_said_to_be_back_in_another_tender_is_found(stored: list[Stored]) -> None:
    def lie(stored_event: Stored, event: Json) -> list[Json]:
        if stored_event.type == "house.voided.v1":
            assert event["data"]["tender"] == "cash"
            event["data"]["tender"] = "chips"
        return [event]

    assert "house.voided.v1: tender is chips" in sums(changed_store(stored, lie))[0].message


def test_a_share_that_was_moved_to_another_winner_is_found(stored: list[Stored]) -> None:
    def lie(stored_event: Stored, event: Json) -> list[Json]:
        if stored_event.type == event_types.SharesLocked.TYPE and len(shares := event["data"]["shares"]) == 2:
            shares[0]["share_minor"] += 100
            shares[1]["share_minor"] -= 100
        return [event]

    assert "shares is" in sums(changed_store(stored, lie))[0].message


@pytest.mark.parametrize("kind", ["jackpot.paid.v1", "envy.paid.v1", "shares.locked.v1", "hit.authorised.v1"])
def test_what_is_said_twice_is_found(stored: list[Stored], kind: str) -> None:
    findings = sums(
        changed_store(
            stored, lambda stored_event, event: [event, dict(event)] if stored_event.type == kind else [event]
        )
    )
    assert findings
    assert kind in findings[0].message


@pytest.mark.parametrize("kind", ["envy.paid.v1", "hit.authorised.v1"])
def test_what_is_left_out_is_found(stored: list[Stored], kind: str) -> None:
    assert sums(changed_store(stored, lambda stored_event, event: [] if stored_event.type == kind else [event]))


def test_a_player_who_got_anothers_money_is_found(stored: list[Stored]) -> None:
    def lie(stored_event: Stored, event: Json) -> list[Json]:
        if stored_event.type == event_types.JackpotPaid.TYPE:
            event["data"]["player"] = "p-me"
        return [event]

    assert "player is p-me" in sums(changed_store(stored, lie))[0].message


def test_of_an_event_that_cannot_be_read_it_is_said_that_nothing_behind_it_was_compared(stored: list[Stored]) -> None:
    def break_(stored_event: Stored, event: Json) -> list[Json]:
        if stored_event.type == event_types.MeterAdjusted.TYPE:
            event["data"]["amount_minor"] = "much"
        return [event]

    findings = sums(changed_store(stored, break_))
    assert [finding.message for finding in findings] == [
        f"{STREAM}: the event at 31 cannot be read, no sum behind it was compared"
    ]


def test_the_lock_and_the_payment_of_a_fold_that_was_forged_in_memory_are_found() -> None:
    """A process that trusted a forged snapshot does this."""
    casino = Casino()
    casino.play("BJ1")
    casino.reconcile()
    live = progressive_state_following_store.live(casino.store, PROPERTY, NAME)
    assert live.fold is not None
    level = live.fold.state.levels["mega"]
    level.base = msgspec.structs.replace(level.base, meter=level.base.meter + 10**12)
    level.meter += 10**12
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    locked = due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME).lock(hit)
    assert locked is not None
    casino.ask(action_structs.AuthoriseHit(hit=hit, amount_minor=locked.share), "ines", "sven")
    casino.pay(hit)
    findings = audit(casino.store, PROPERTY, []).findings
    assert {finding.kind for finding in findings} == {"sum"}
    assert f"shares.locked.v1: meter_micro is {locked.meter}" in findings[0].message
    assert findings[0].further_findings >= 2, "what was authorised and paid of it follows"
    casino.close()


def test_it_reads_no_snapshot() -> None:
    class SnapshotlessStore(MemoryStore):
        def snapshot(self, stream: str, evolve: str) -> None:
            raise AssertionError("the audit folds from the events alone")

    casino = Casino()
    casino.play("BJ1")
    assert isinstance(casino.store, MemoryStore)
    store = SnapshotlessStore()
    store._events, store._streams, store._keys = casino.store._events, casino.store._streams, casino.store._keys
    assert audit(store, PROPERTY, []).findings == []
    casino.close()
