"""The explanation of a share, read at the cost of its cycle: the same as from all events."""

from collections.abc import Iterator
from typing import Any

import pytest

from events.errors import Refused, Unknown
from events.progressives import action_structs, event_to_fact_mapping, history_reader
from events.progressives.award_report import award
from events.progressives.hit_amount_explanation import Explanation, explain
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino
from tests.support.records.read_counting_store import ReadCountingStore


@pytest.fixture
def casino() -> Iterator[Casino]:
    built = Casino()
    yield built
    built.close()


def by_the_whole_life(casino: Casino, hit: str) -> Explanation:
    facts = (fact for _, fact in history_reader.facts(casino.store, PROPERTY, NAME))
    return explain(history_reader.start(casino.store, PROPERTY, NAME), facts, hit)


def same(casino: Casino, hit: str) -> Explanation:
    explanation = award(casino.store, PROPERTY, hit).explanation
    assert explanation == by_the_whole_life(casino, hit)
    return explanation


def paid(casino: Casino, *hits: str) -> None:
    casino.reconcile()
    for hit in hits:
        casino.authorise(hit)
        casino.pay(hit)


@pytest.mark.parametrize("policy", ["split", "full-each", "sequential"])
def test_every_hit_of_every_policy(policy: str) -> None:
    casino = Casino(policy=policy)
    hits = []
    for number in range(4):
        casino.play("BJ1")
        hits += casino.play(f"BJ{number}", hits=((1, "mega"), (2, "mega" if number % 2 else "minor")))
        casino.reconcile()
    assert {same(casino, hit).opening_is for hit in hits} == {"start", "previous lock"}
    casino.close()


def test_rates_seeds_caps_and_corrections_in_the_middle(casino: Casino) -> None:
    casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    change = action_structs.ChangeParameters(
        level="mega", feed_millionths=95_000, seed_minor=1_000_000, cap_minor=2_500_300
    )
    casino.ask(change, "mark", "anna")
    casino.ask(action_structs.ChangeParameters(level="minor", feed_millionths=20_000), "mark", "anna")
    casino.play("BJ1")
    casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-77, reason="malfunction"), "mark", "sven")
    casino.ask(action_structs.ChangeParameters(level="mega", cap_minor=None), "mark", "anna")
    casino.play("BJ2")
    (hit,) = casino.play("BJ2", hits=((2, "mega"),))
    casino.reconcile()
    explanation = same(casino, hit)
    assert [line.feed for line in explanation.contributions] == [95_000] * 3
    assert [line.amount for line in explanation.adjustments] == [-77_000_000]


def test_voids_late_hits_and_what_is_not_said_yet(casino: Casino) -> None:
    first, second = casino.play("BJ1", hits=((1, "mega"), (2, "mega")))
    (third,) = casino.play("BJ2", hits=((1, "mega"),))
    assert [same(casino, hit).lock.share for hit in (first, second)] == [2_500_075, 2_500_075], "no lock is said"
    casino.reconcile()
    casino.void(second)
    assert same(casino, first).lock.share == 5_000_150
    paid(casino, first)
    late = casino.late_hit("BJ1", 1, 2)
    casino.reconcile()
    for hit in (first, third, late):
        same(casino, hit)
    with pytest.raises(Refused, match="void"):
        award(casino.store, PROPERTY, second)
    with pytest.raises(Unknown):
        award(casino.store, PROPERTY, "no-hit")


def test_paid_is_paid_and_then_one_before_it_is_void(casino: Casino) -> None:
    (first,) = casino.play("BJ1", hits=((1, "mega"),))
    (second,) = casino.play("BJ2", hits=((1, "mega"),))
    casino.reconcile()
    casino.authorise(first)
    casino.authorise(second)
    casino.pay(second)
    casino.void(first)
    assert same(casino, second).lock.share == 2_500_150
    casino.reconcile()
    assert same(casino, second).lock.share == 2_500_150


def test_a_round_that_was_refused_feeds_nothing(casino: Casino) -> None:
    """A stake that is none is seen at once; a round armed while one is open needs the whole life."""
    casino.play("BJ1")
    casino.arm("BJ2", (1, "ann", 700))
    casino.arm("BJ3", (1, "ann", 500))
    casino.arm("BJ3", (1, "ann", 500), number=7)
    (hit,) = casino.play("BJ1", hits=((1, "major"),))
    casino.reconcile()
    assert len(same(casino, hit).contributions) == 3


def test_a_hit_that_nobody_had_a_bet_for_has_no_share(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500))
    hit = casino.hit("BJ1", number, 4)
    casino.dealt("BJ1", number)
    with pytest.raises(Refused, match="was refused"):
        award(casino.store, PROPERTY, hit)


def test_hits_that_the_fold_has_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_to_fact_mapping, "KEEP_GROUPS", 1)
    casino = Casino()
    hits: list[str] = []
    for _ in range(6):
        hits += casino.play("BJ1", hits=((1, "minor"), (2, "minor")))
        paid(casino, *hits[-2:])
    (void,) = casino.play("BJ1", hits=((1, "minor"),))
    casino.void(void)
    for _ in range(3):
        hits += casino.play("BJ1", hits=((1, "minor"),))
        paid(casino, hits[-1])
    for hit in hits:
        assert same(casino, hit).status == "paid"
    with pytest.raises(Refused, match="void"):
        award(casino.store, PROPERTY, void)
    casino.close()


def test_the_cost_is_that_of_the_cycle() -> None:
    """Events before the previous award are not read: ten times as many events, the same number of reads."""
    costs: list[Any] = []
    for rounds in (10, 100):
        store = ReadCountingStore()
        casino = Casino(store)
        for _ in range(rounds):
            casino.play("BJ1")
        casino.play("BJ1", hits=((1, "minor"),))
        casino.reconcile()
        for _ in range(5):
            casino.play("BJ2")
        (hit,) = casino.play("BJ2", hits=((1, "minor"),))
        casino.reconcile()
        store.read = 0
        award(store, PROPERTY, hit)
        costs.append(store.read)
        casino.close()
    assert costs[0] == costs[1] < 15


def test_the_voids_that_made_the_share_another_one_stand_among_the_deeds(casino: Casino) -> None:
    first, second = casino.play("BJ1", hits=((1, "minor"), (2, "minor")))
    (earlier,) = casino.play("BJ1", hits=((1, "major"),))
    (later,) = casino.play("BJ2", hits=((1, "major"),))
    casino.reconcile()
    for hit in (second, earlier):
        casino.void(hit)
    (of_its_round,) = [deed for deed in award(casino.store, PROPERTY, first).deeds if deed.type == "hit.voided.v1"]
    assert (of_its_round.hit, of_its_round.approvals) == (second, (("paul", "pit boss"), ("sven", "surveillance")))
    (before_it,) = [deed for deed in award(casino.store, PROPERTY, later).deeds if deed.type == "hit.voided.v1"]
    assert before_it.hit == earlier


def test_a_hit_that_was_refused_once_is_told_by_its_second_declaration(casino: Casino) -> None:
    """A Major was declared before the round was armed, without effect. Then it was armed, and a Minor was declared."""
    casino.hit("BJ1", 1, 1, "major")
    (hit,) = casino.play("BJ1", hits=((1, "minor"),))
    casino.reconcile()
    assert same(casino, hit).level == "minor"
