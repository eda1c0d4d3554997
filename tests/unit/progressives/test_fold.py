"""Properties of the fold: order, copies, snapshots, bounded memory, and the facts that it forgets."""

import pytest

from events.errors import Conflict, Refused
from events.progressives import fact_structs
from events.progressives.event_to_fact_mapping import MICRO, fact_of
from events.progressives.fold import VERSION, Fold
from events.progressives.hit_amount_explanation import explain
from events.progressives.levels_rounds_and_hits_state import LevelParameters, LevelStart, ProgressiveTerms
from tests.unit.progressives.live_progressive import LiveProgressive

BY = (fact_structs.ApprovingPerson("ines", "inspector"), fact_structs.ApprovingPerson("sofia", "surveillance"))


def small(keep_rounds: int | None = None, keep_groups: int | None = None) -> Fold:
    settings = LevelParameters(seed=1000 * MICRO, feed=150_000, reserve_rate=0, cap=None)
    return Fold.opened(
        0,
        ProgressiveTerms(
            progressive="p",
            scale=MICRO,
            levels=(LevelStart(level="mega", settings=settings, meter=5000 * MICRO, reserve=0),),
            policy="split",
            stakes=(100, 200),
            envy={},
            envy_to_winner=False,
            surveillance_over=10**6 * MICRO,
            keep_rounds=keep_rounds,
            keep_groups=keep_groups,
        ),
    )


def jackpot(fold: Fold, number: int) -> None:
    """A round with a hit that is paid."""
    at = fold.at
    happened: list[fact_structs.AnyFact] = [
        fact_structs.Arm(
            at=at + 1, table="T", round=number, dealer="dora", bets=(fact_structs.ArmedStake(1, "ann", 100),)
        ),
        fact_structs.HitFact(at=at + 2, id=f"h{number}", table="T", round=number, box=1, level="mega"),
        fact_structs.DealFinished(at=at + 3, table="T", round=number),
        fact_structs.RoundOver(at=at + 4, table="T", round=number),
        fact_structs.Authorise(at=at + 5, hit=f"h{number}", by=BY),
        fact_structs.Pay(at=at + 6, hit=f"h{number}"),
    ]
    for fact in happened:
        fold.apply(fact)


def test_facts_come_in_order_and_each_once() -> None:
    fold = small()
    jackpot(fold, 1)
    with pytest.raises(Conflict):
        fold.apply(fact_structs.Pay(at=fold.at, hit="h1"))
    assert fold.take([fact_structs.Pay(at=fold.at, hit="h1")]) == [], "known already"


def test_a_refusal_changes_nothing_but_the_position() -> None:
    fold = small()
    jackpot(fold, 1)
    before = fold.copy()
    before.state.at += 1
    with pytest.raises(Refused, match="is paid"):
        fold.apply(fact_structs.Pay(at=fold.at + 1, hit="h1"))
    assert fold.state == before.state
    with pytest.raises(Refused):
        fold.check(fact_structs.Pay(at=fold.at + 1, hit="h1"))
    assert fold.state == before.state


def test_a_copy_goes_its_own_way() -> None:
    fold = small()
    jackpot(fold, 1)
    raw = fold.dump()
    jackpot(fold.copy(), 2)
    assert fold.dump() == raw


def test_a_snapshot_goes_on_where_it_was_taken_and_another_version_is_ignored() -> None:
    fold = small()
    jackpot(fold, 1)
    loaded = Fold.load(fold.dump())
    assert loaded is not None
    assert loaded.state == fold.state
    jackpot(fold, 2)
    jackpot(loaded, 2)
    assert loaded.dump() == fold.dump()
    other = bytearray(fold.dump())
    assert other[1] == VERSION, "the version stands first"
    other[1] = 127
    assert Fold.load(bytes(other)) is None


def test_settled_past_is_compacted_and_memory_is_bounded() -> None:
    fold = small(keep_rounds=20, keep_groups=5)
    for number in range(1, 200):
        jackpot(fold, number)
        for key in set(fold.state.unsaid):
            lock = fold.state.groups[key].lock
            fold.apply(fact_structs.LockRecorded(at=fold.at + 1, group=key, revision=1, lock=lock))
    state = fold.state
    assert state.levels["mega"].marks == []
    assert len(state.rounds) <= 25
    assert len(state.hits) == len(state.groups) <= 7
    assert len(state.locks) <= 7
    fold.check_balance()
    bets = (fact_structs.ArmedStake(1, "ann", 100),)
    with pytest.raises(Refused, match="armed before"):
        fold.apply(fact_structs.Arm(at=fold.at + 1, table="T", round=3, dealer="d", bets=bets))


def test_bounded_memory_keeps_what_can_still_change() -> None:
    fold = small(keep_rounds=4, keep_groups=2)
    fold.apply(
        fact_structs.Arm(at=1, table="S", round=1, dealer="dora", bets=(fact_structs.ArmedStake(1, "ann", 100),))
    )
    fold.apply(fact_structs.HitFact(at=2, id="open", table="S", round=1, box=1, level="mega"))
    fold.apply(fact_structs.DealFinished(at=3, table="S", round=1))
    fold.apply(fact_structs.RoundOver(at=4, table="S", round=1))
    fold.apply(fact_structs.Authorise(at=5, hit="open", by=BY))
    for number in range(1, 40):
        jackpot(fold, number)
    assert fold.status("open") == "authorised"
    assert len(fold.state.levels["mega"].marks) == 40, "a void of the first would move all the others"
    fold.apply(fact_structs.Pay(at=fold.at + 1, hit="open"))
    assert fold.state.levels["mega"].marks == []
    fold.check_balance()


def test_a_round_costs_no_more_while_a_jackpot_waits() -> None:
    fold = small()
    fold.apply(
        fact_structs.Arm(at=1, table="S", round=1, dealer="dora", bets=(fact_structs.ArmedStake(1, "ann", 100),))
    )
    fold.apply(fact_structs.HitFact(at=2, id="open", table="S", round=1, box=1, level="mega"))
    for number in range(1, 100):
        at = fold.at
        bets = (fact_structs.ArmedStake(1, "ann", 100),)
        fold.apply(fact_structs.Arm(at=at + 1, table="T", round=number, dealer="d", bets=bets))
        fold.apply(fact_structs.DealFinished(at=at + 2, table="T", round=number))
        fold.apply(fact_structs.RoundOver(at=at + 3, table="T", round=number))
    level = fold.level("mega")
    assert len(level.marks) == 1
    assert level.tail_meter == 99 * 15 * MICRO


# --- how an amount arose --------------------------------------------------------------------------------------------


def facts_of(house: LiveProgressive) -> list[fact_structs.AnyFact]:
    facts = [fact_of(at, stream, event.TYPE, event, "blazing") for at, stream, event in house.log]
    return [fact for fact in facts if fact is not None]


def test_an_amount_is_explained_from_the_start_and_from_the_lock_before() -> None:
    house = LiveProgressive()
    start = house.fold.copy()
    house.winners("BJ1", 1, "a", "b", "c")
    house.winners("BJ2", 1)
    house.winners("BJ1", 2, "d")
    first = explain(start, facts_of(house), "b")
    assert (first.opening_is, first.opening) == ("start", 5_000_000 * MICRO)
    assert [(line.table[-15:], line.stakes_minor, line.amount) for line in first.contributions] == [
        ("/BJ1/2026-11-21", 2000, 200 * MICRO)
    ]
    assert [line.share_minor for line in first.shares] == [1_666_733] * 3
    assert first.remainder == MICRO
    second = explain(start, facts_of(house), "d")
    assert (second.opening_is, second.opening) == ("previous lock", 2_500_001 * MICRO)
    assert [line.round for line in second.contributions] == [1, 2]
    assert second.lock.amount == 2_500_401


def test_an_amount_is_explained_from_a_snapshot_on() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1)
    snapshot = house.fold.copy()
    house.winners("BJ1", 2, "a")
    explanation = explain(snapshot, facts_of(house), "a")
    assert (explanation.opening_is, explanation.opening) == ("carried", 5_000_200 * MICRO)
    assert len(explanation.contributions) == 1


def test_a_hit_without_a_share_is_not_explained() -> None:
    house = LiveProgressive()
    start = house.fold.copy()
    house.arm("BJ1", 1, (1, "ann", 500))
    house.hit("BJ1", 1, 1, "h")
    with pytest.raises(Refused, match="pending"):
        explain(start, facts_of(house), "h")
    house.dealt("BJ1", 1)
    with pytest.raises(Refused, match="must begin before"):
        explain(house.fold, [], "h")
