"""The same facts under other parameters: only the effects of the change differ."""

from fractions import Fraction

import msgspec
import pytest

from events.errors import Invalid, Refused, Unknown
from events.progressives import action_structs, history_reader
from events.progressives.event_to_fact_mapping import MICRO
from events.progressives.fold import Fold
from events.progressives.json_facts_to_settled_meters import play
from events.progressives.whatif import FoldOutcome, LevelChange, WhatIfChange, changed_timeline, compare, whatif
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino
from tests.support.records import progressive_timeline_recorder


def a_day() -> tuple[Fold, list]:  # type: ignore[type-arg]  # any facts
    """Two winners of the Mega at once, one alone later, a change of parameters in between."""
    casino = Casino()
    casino.play("BJ1")
    both = casino.play("BJ1", (1, "ann", 500), (2, "bob", 1000), hits=((1, "mega"), (2, "mega")))
    casino.reconcile()
    for hit in both:
        casino.authorise(hit)
        casino.pay(hit)
    casino.ask(
        action_structs.ChangeParameters(level="mega", feed_millionths=90_000, cap_minor=9_000_000), "mark", "anna"
    )
    casino.play("BJ2")
    casino.play("BJ2", hits=((1, "mega"),))
    casino.reconcile()
    start = history_reader.start(casino.store, PROPERTY, NAME)
    facts = [fact for _, fact in history_reader.facts(casino.store, PROPERTY, NAME)]
    casino.close()
    return start, facts


def test_no_change_is_no_difference() -> None:
    start, facts = a_day()
    result = whatif(start, facts, WhatIfChange(policy="split"))
    assert all(pair.difference == 0 for level in result.levels.values() for pair in level.values())
    assert all(pair.difference == 0 for pair in result.total.values())
    assert all(hit.share.difference == 0 and hit.status == hit.would_status for hit in result.hits)
    assert not result.would_refused


def test_full_each_pays_every_winner_all_of_it() -> None:
    start, facts = a_day()
    result = whatif(start, facts, WhatIfChange(policy="full-each"))
    first = result.hits[0].share
    assert (first.is_, first.would) == (2_500_150, 5_000_300)
    assert result.levels["mega"]["house"].difference == 5_000_300
    assert result.total["house"].difference == 5_000_300
    assert result.levels["minor"]["meter"].difference == 0


def test_sequential_gives_the_second_the_seed() -> None:
    start, facts = a_day()
    result = whatif(start, facts, WhatIfChange(policy="sequential"))
    assert [hit.share.would for hit in result.hits[:2]] == [5_000_300, 2_500_000]


def test_another_rate_and_seed_yield_to_no_later_change() -> None:
    """The day's own change of the feed is not made, that of the cap is."""
    start, facts = a_day()
    change = WhatIfChange(levels={"mega": LevelChange(feed=Fraction(12, 100), seed=1_000_000)})
    result = whatif(start, facts, change)
    stakes = 2 * 1_500 * 2
    assert result.levels["mega"]["fed"].would == Fraction(stakes * 12, 100)
    assert result.levels["mega"]["fed"].is_ == Fraction(stakes // 2 * 10 + stakes // 2 * 9, 100)
    assert result.levels["mega"]["seeds"].difference == -3_000_000
    assert result.levels["major"]["fed"].difference == 0
    whole = whatif(start, facts, WhatIfChange(levels={"mega": LevelChange(feed=Fraction(12, 100), cap=None)}))
    assert not whole.would_refused, "a change of which nothing is left is no fact"


def test_a_cap_makes_overflow() -> None:
    start, facts = a_day()
    result = whatif(start, facts, WhatIfChange(levels={"major": LevelChange(cap=800_000)}))
    assert result.levels["major"]["overflow"].would == 240
    assert result.levels["major"]["shown"].would == 800_000


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (WhatIfChange(levels={"mega": LevelChange(feed=Fraction(1, 2))}), Refused),
        (WhatIfChange(levels={"mega": LevelChange(feed=Fraction(1, 7_000_001))}), Invalid),
        (WhatIfChange(levels={"mega": LevelChange(seed=-1)}), Refused),
        (WhatIfChange(levels={"giga": LevelChange(seed=1)}), Unknown),
        (WhatIfChange(policy="lottery"), Invalid),
    ],
)
def test_what_may_not_be_cannot_be_tried(change: WhatIfChange, error: type[Exception]) -> None:
    start, facts = a_day()
    before = start.dump()
    with pytest.raises(error):
        whatif(start, facts, change)
    assert start.dump() == before


@pytest.mark.parametrize("case", progressive_timeline_recorder.cases(), ids=lambda case: case["id"])
def test_a_timeline_under_its_own_policy_is_itself_and_under_another_balances(case: dict) -> None:  # type: ignore[type-arg]  # JSON
    inputs = case["given"]
    as_is = FoldOutcome(*play(inputs))
    same = compare(as_is, FoldOutcome(*play(changed_timeline(inputs, WhatIfChange(policy=inputs["policy"])))))
    assert all(pair.difference == 0 for pair in same.total.values())
    for policy in ("split", "full-each", "sequential"):
        would = FoldOutcome(*play(changed_timeline(inputs, WhatIfChange(policy=policy))))
        would.fold.check_balance()
        comparison = compare(as_is, would)
        assert comparison.total["fed"].difference == 0
        assert msgspec.json.encode(sorted(hit.hit for hit in comparison.hits))


def test_the_unit_of_the_live_system_is_a_millionth() -> None:
    assert Fraction(12, 100) * MICRO == 120_000
