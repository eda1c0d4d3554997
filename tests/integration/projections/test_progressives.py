"""Facts that the progressive's fold refuses leave the read models as they leave the fold: unmoved."""

from typing import Any

import pytest

from events.catalogue import decode
from events.progressives.event_to_fact_mapping import MICRO, fact_of
from events.progressives.fold import Fold
from events.tables.event_types.progressive import DealCompleted, HitDeclared, ProgressiveArmed, ProgressiveStake
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import TableEvent as TableEvent
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.invariants import findings
from projections.progressives.models import ArmedRound, Hit, ProgressiveLevel
from projections.registry import projectors
from tests.support.houses.sample_event_streams import SampleTableDay
from tests.support.records import progressive_timeline_recorder

GIVEN: dict[str, Any] = {**progressive_timeline_recorder.cases()[0]["given"], "facts": []}
LOW, HIGH = GIVEN["stakes"]


class FoldedProgressive:
    """An open progressive, its fold, and a table that reports to it."""

    def __init__(self) -> None:
        recorder = progressive_timeline_recorder.Recorder(GIVEN)
        self.history, self.fold = recorder.history, recorder.fold
        self.table = SampleTableDay(self.history, "BJ1", ruleset="blackjack-trilux").open()

    def arm(self, *stakes: int, boxes: tuple[int, ...] = (1, 2, 3)) -> None:
        self.table.round += 1
        bets = tuple(
            ProgressiveStake(box=box, player=f"g-{box}", stake_minor=stake, bet=f"b{box}")
            for box, stake in zip(boxes, stakes, strict=False)
        )
        self.say(ProgressiveArmed, bets=bets, amount_minor=sum(stakes))

    def hit(self, box: int, name: str, level: str = "minor", kind: type[TableEvent] = HitDeclared) -> None:
        self.say(kind, hit=name, level=level, box=box, player=f"g-{box}")

    def say(self, kind: type[TableEvent], **data: Any) -> None:
        self.table.say(kind, progressive=progressive_timeline_recorder.NAME, **data)

    def judge(self) -> Fold:
        """Return the fold over all reported events."""
        facts = [
            fact_of(
                event.position,
                event.stream,
                event.type,
                decode(event.type, event.raw).data,
                progressive_timeline_recorder.NAME,
            )
            for event in self.history.events
        ]
        self.fold.take(fact for fact in facts if fact is not None)
        return self.fold


def project(using: str, house: FoldedProgressive) -> None:
    applier = Applier(projectors(target=WriteTarget(using)), "athens")
    applier.load()
    for event in house.history.events:
        assert applier.apply([event]).poisoned == 0


def same(using: str, house: FoldedProgressive) -> None:
    """The read models' meters are the fold's, and so are the hits that it took."""
    fold = house.judge()
    for row in ProgressiveLevel.objects.using(using):
        level = fold.level(row.level)
        assert (row.meter_micro, row.fed_micro, row.reserve_micro) == (level.meter, level.fed, level.reserve)
    taken = set(Hit.objects.using(using).exclude(status="refused").values_list("hit", "player"))
    assert taken == {(name, hit.player) for name, hit in fold.state.hits.items()}
    assert findings(using) == []


@pytest.mark.parametrize("stakes", [(LOW, LOW + 1), ()], ids=["another stake", "no bet"])
def test_a_round_that_may_not_be_armed_feeds_nothing(using: str, stakes: tuple[int, ...]) -> None:
    house = FoldedProgressive()
    house.arm(*stakes)
    house.hit(1, "h-1")
    house.say(DealCompleted)
    house.say(RoundEnded)
    house.arm(HIGH, LOW)
    project(using, house)
    assert list(ArmedRound.objects.using(using).order_by("round").values_list("status", flat=True)) == [
        "refused",
        "armed",
    ]
    assert ProgressiveLevel.objects.using(using).get(level="mega").fed_micro == (HIGH + LOW) * MICRO // 10
    assert Hit.objects.using(using).get().status == "refused"
    same(using, house)


def test_two_bets_on_a_box_are_refused(using: str) -> None:
    house = FoldedProgressive()
    house.arm(LOW, LOW, boxes=(1, 1))
    project(using, house)
    assert ProgressiveLevel.objects.using(using).get(level="mega").fed_micro == 0
    same(using, house)


def test_hits_out_of_time_without_a_bet_or_twice_on_a_box_are_refused(using: str) -> None:
    house = FoldedProgressive()
    house.arm(LOW, HIGH)
    house.hit(3, "nobody's")
    house.hit(1, "good")
    house.hit(1, "again")
    house.say(DealCompleted)
    house.hit(2, "too late")
    house.say(RoundEnded)
    project(using, house)
    assert dict(Hit.objects.using(using).values_list("hit", "status")) == {
        "nobody's": "refused",
        "good": "pending",
        "again": "refused",
        "too late": "refused",
    }
    assert set(house.judge().state.hits) == {"good"}


def test_a_misdeals_hits_are_void(using: str) -> None:
    house = FoldedProgressive()
    house.arm(LOW, HIGH)
    house.hit(1, "h-1")
    approvals = (("p-boss", "pit boss"), ("p-eye", "surveillance"))
    house.say(RoundVoided, reason="an exposed card", approvals=approvals)
    house.arm(LOW)
    project(using, house)
    assert dict(Hit.objects.using(using).values_list("hit", "status")) == {"h-1": "void"}
    assert list(ArmedRound.objects.using(using).order_by("round").values_list("status", flat=True)) == ["void", "armed"]
    same(using, house)
