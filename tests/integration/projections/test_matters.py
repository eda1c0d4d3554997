"""Open items for people: the events leave one row for each, and a rebuild leaves the same rows."""

from typing import Any

import msgspec
import pytest
from django.db.models import Model

from backoffice.days.books_as_terminal_tables import render
from events.envelope import EventData
from events.people.approval_request_lifecycle import ApprovalGiven, ApprovalRequested
from events.progressives import event_types
from events.progressives.event_to_fact_mapping import MICRO
from events.tables.event_types.progressive import DealCompleted, HitDeclared, ProgressiveArmed, ProgressiveStake
from events.tables.event_types.rounds import RoundVoided
from events.tables.event_types.session import TableEvent as TableEvent
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent
from projections.engine.rebuild import Rebuild
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.matters.models import ApprovalRequest, LevelWait, Misfit, Notice, Reading, Variance
from projections.progressives.models import Hit, Progressive, ProgressiveLevel
from projections.progressives.projector import ProgressivesProjector
from projections.registry import projectors
from tests.support.houses.sample_event_streams import DAY, History, SampleTableDay
from tests.support.records import progressive_timeline_recorder

GIVEN: dict[str, Any] = {**progressive_timeline_recorder.cases()[0]["given"], "facts": []}
LOW, HIGH = GIVEN["stakes"]
MANAGER, BOSS, ACCOUNTANT = ("mark", "progressive manager"), ("paul", "pit boss"), ("anna", "accountant")
BOTH = (("p-boss", "pit boss"), ("p-eye", "surveillance"))
CONTENT = "7e12b467" * 8


class ProgressiveWithTable:
    """An open progressive, its events, and a table."""

    def __init__(self) -> None:
        self.history: History = progressive_timeline_recorder.Recorder(GIVEN).history
        self.table = SampleTableDay(self.history, "BJ1", ruleset="blackjack-trilux").open()

    def say(self, kind: type[event_types.ProgressiveEvent], **data: Any) -> int:
        """An event of the progressive; `causation`, `actor` are the envelope's."""
        meta = {name: data.pop(name) for name in ("causation", "actor", "actorrole") if name in data}
        return self.history.append(
            progressive_timeline_recorder.STREAM, kind(progressive=progressive_timeline_recorder.NAME, **data), **meta
        )

    def approval(self, event: EventData, causation: str) -> int:
        return self.history.append(progressive_timeline_recorder.STREAM, event, causation=causation)

    def ask(self, request: str, action: str, **data: Any) -> int:
        requested = ApprovalRequested(
            request=request, action=action, input=data, content=CONTENT, person="mark", roles=("progressive manager",)
        )
        return self.approval(requested, request)

    def agree(self, request: str, key: str, *, decided: bool, by: tuple[str, str] = BOSS) -> int:
        approval = ApprovalGiven(request=request, content=CONTENT, person=by[0], roles=(by[1],), decided=decided)
        return self.approval(approval, key)

    def hit(self, name: str = "h-1", level: str = "minor") -> int:
        """A round with a hit in it, not dealt; the hit's position."""
        self.table.round += 1
        bet = ProgressiveStake(box=1, player="g-1", stake_minor=LOW, bet="b1")
        self.at_table(ProgressiveArmed, bets=(bet,), amount_minor=LOW)
        return self.at_table(HitDeclared, hit=name, level=level, box=1, player="g-1")

    def at_table(self, kind: type[TableEvent], **data: Any) -> int:
        return self.table.say(kind, progressive=progressive_timeline_recorder.NAME, **data)

    def wait(self, name: str, since: int) -> int:
        where = {"table": "BJ1", "gaming_day": DAY, "round": self.table.round}
        return self.say(event_types.LevelWaiting, level="minor", hit=name, as_of=since, waited_s=121, **where)


def project(using: str, house: ProgressiveWithTable, size: int = 1) -> None:
    applier = Applier(projectors(target=WriteTarget(using)), "athens")
    applier.load()
    events = house.history.events
    for first in range(0, len(events), size):
        assert applier.apply(events[first : first + size]).poisoned == 0


# --- requests -----------------------------------------------------------------------------------------------------


def test_a_request_waits_until_an_agreement_decides_it(using: str) -> None:
    house = ProgressiveWithTable()
    position = house.ask("cap-1", "parameters.change", level="minor", cap_minor=300_000)
    house.agree("cap-1", "k-1", decided=False, by=("nick", "progressive manager"))
    project(using, house)
    row = ApprovalRequest.objects.using(using).get()
    assert (row.request, row.action, row.person, row.content) == ("cap-1", "parameters.change", "mark", CONTENT)
    assert msgspec.json.decode(row.input) == {"level": "minor", "cap_minor": 300_000}
    assert (row.position, row.decided_at) == (position, None)
    decided = house.agree("cap-1", "k-2", decided=True)
    project(using, house)
    row = ApprovalRequest.objects.using(using).get()
    assert (row.decided_at, row.decided_by) == (decided, "k-2")
    assert msgspec.json.decode(row.people) == [list(MANAGER), ["nick", "progressive manager"], list(BOSS)]
    assert msgspec.json.decode(row.spoken_at) == [decided - 1, decided]


def test_what_is_asked_of_a_table_waits_at_the_table(using: str) -> None:
    house = ProgressiveWithTable()
    request = ApprovalRequested(
        request="v-1", action="round.void", input={}, content=CONTENT, person="ines", roles=("inspector",)
    )
    house.history.append(f"tables/BJ1/{DAY}", request)
    project(using, house)
    row = ApprovalRequest.objects.using(using).get()
    assert (row.stream, row.action, row.person) == (f"athens/tables/BJ1/{DAY}", "round.void", "ines")
    assert not Notice.objects.using(using).exists()


def test_an_agreement_to_nothing_is_put_aside(using: str) -> None:
    house = ProgressiveWithTable()
    house.agree("never", "k-1", decided=True)
    applier = Applier([ProgressivesProjector(WriteTarget(using))], "athens")
    applier.load()
    assert applier.apply(house.history.events).poisoned == 1
    assert "has no request" in PoisonedEvent.objects.using(using).get().error


# --- readings and variances ---------------------------------------------------------------------------------------


def _variance(house: ProgressiveWithTable, case: str = "minor-1") -> int:
    figures = {"read_minor": 130_000, "shown_minor": 120_000, "variance_minor": 10_000, "as_of": 3}
    house.say(event_types.MeterRead, level="minor", meter_micro=120_000 * MICRO, approvals=(ACCOUNTANT,), **figures)
    return house.say(event_types.VarianceOpened, level="minor", case=case, limit_minor=5_000, **figures)


def test_a_variance_is_open_until_it_is_paid(using: str) -> None:
    house = ProgressiveWithTable()
    opened = _variance(house)
    project(using, house)
    row = Variance.objects.using(using).get()
    assert (row.case, row.level, row.variance_minor, row.position, row.closed_at) == (
        "minor-1", "minor", 10_000, opened, None,
    )  # fmt: skip
    reading = Reading.objects.using(using).get()
    assert (reading.kind, reading.found_minor, reading.expected_micro, reading.is_good) == (
        "reading", 130_000, 120_000 * MICRO, False,
    )  # fmt: skip
    slip = {"slip": 4, "slip_year": "2026", "paid_gaming_day": DAY}
    closed = house.say(
        event_types.VarianceClosed, level="minor", case="minor-1", way="paid", amount_minor=10_000, reason="too little",
        player="g-1", approvals=(ACCOUNTANT, ("carl", "cage")), **slip,
    )  # fmt: skip
    project(using, house)
    row = Variance.objects.using(using).get()
    assert (row.closed_at, row.way, row.player, row.slip, row.reason) == (closed, "paid", "g-1", "2026-4", "too little")
    assert findings(using) == []


def test_two_open_variances_of_a_level_are_a_finding(using: str) -> None:
    house = ProgressiveWithTable()
    _variance(house)
    _variance(house, "minor-2")
    project(using, house)
    assert [finding.invariant for finding in findings(using)] == ["one open variance a level"]


def test_an_increment_test_is_kept_with_what_was_expected(using: str) -> None:
    house = ProgressiveWithTable()
    house.say(
        event_types.IncrementTested, level="mega", stake_minor=LOW, feed_millionths=100_000, before_minor=700,
        after_minor=750, expected_micro=LOW * 100_000, is_passed=True, as_of=3, approvals=(ACCOUNTANT,),
    )  # fmt: skip
    project(using, house)
    row = Reading.objects.using(using).get()
    assert (row.kind, row.found_minor, row.expected_micro, row.is_good) == ("test", 50, LOW * 100_000, True)


# --- levels that wait ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["dealt", "round void", "hit void"])
def test_a_level_waits_until_its_round_or_its_hit_is_settled(using: str, how: str) -> None:
    house = ProgressiveWithTable()
    at = house.hit()
    house.wait("h-1", at)
    project(using, house)
    row = LevelWait.objects.using(using).get()
    assert (row.level, row.hit, row.since, row.table, row.round, row.cleared_at) == ("minor", "h-1", at, "BJ1", 1, None)
    if how == "dealt":
        cleared = house.at_table(DealCompleted)
    elif how == "round void":
        cleared = house.at_table(RoundVoided, reason="an exposed card", approvals=BOTH)
    else:
        where = {"table": "BJ1", "gaming_day": DAY, "round": 1, "box": 1, "player": "g-1"}
        cleared = house.say(event_types.HitVoided, level="minor", hit="h-1", reason="no hit", approvals=BOTH, **where)
    project(using, house)
    row = LevelWait.objects.using(using).get()
    assert (row.cleared_at, row.cleared_by) == (cleared, how)


def test_a_level_goes_on_waiting_when_another_round_is_dealt(using: str) -> None:
    house = ProgressiveWithTable()
    house.wait("h-1", house.hit())
    other = SampleTableDay(house.history, "BJ2", ruleset="blackjack-trilux").open()
    other.round = 1
    bet = ProgressiveStake(box=1, player="g-2", stake_minor=LOW, bet="b1")
    other.say(ProgressiveArmed, progressive=progressive_timeline_recorder.NAME, bets=(bet,), amount_minor=LOW)
    other.say(DealCompleted, progressive=progressive_timeline_recorder.NAME)
    project(using, house)
    assert LevelWait.objects.using(using).get().cleared_at is None


# --- notices ------------------------------------------------------------------------------------------------------


def _change(house: ProgressiveWithTable, *by: tuple[str, str], **new: Any) -> int:
    house.ask("p-1", "parameters.change", level="minor", **new)
    house.agree("p-1", "k-9", decided=True)
    return house.say(
        event_types.ParametersChanged, level="minor", parameters_version=2, approvals=by, causation="k-9", **new
    )


def test_a_change_is_a_notice_with_what_was_and_what_is(using: str) -> None:
    house = ProgressiveWithTable()
    level_terms = GIVEN["levels"]["minor"]
    at = _change(house, MANAGER, BOSS, cap_minor=None, feed_millionths=30_000, withhold_millionths=170_000)
    project(using, house)
    row = Notice.objects.using(using).get()
    assert msgspec.json.decode(row.changes) == [
        ["cap_minor", level_terms["cap"], None],
        ["feed_millionths", 25_000, 30_000],
        ["withhold_millionths", 180_000, 170_000],
    ]
    assert (row.kind, row.level, row.position, row.version) == ("parameters", "minor", at, 2)
    assert (row.request, row.accounting_person, row.read_at) == ("p-1", "", None)
    assert Progressive.objects.using(using).get().withhold_millionths == 170_000
    read = house.say(event_types.NoticeAcknowledged, level="minor", change=at, actor="anna", actorrole="accountant")
    project(using, house)
    row = Notice.objects.using(using).get()
    assert (row.read_by, row.read_at) == ("anna", read)
    assert findings(using) == []


def test_who_of_accounting_agreed_was_told_by_that(using: str) -> None:
    house = ProgressiveWithTable()
    _change(house, MANAGER, ACCOUNTANT, feed_millionths=30_000)
    project(using, house)
    assert Notice.objects.using(using).get().accounting_person == "anna"


def test_a_corrected_meter_is_a_notice_with_the_meter_before(using: str) -> None:
    house = ProgressiveWithTable()
    before = ProgressiveLevel.objects.using(using)
    project(using, house)
    meter = before.get(level="minor").meter_micro
    after = meter + 500 * MICRO
    house.say(
        event_types.MeterAdjusted, level="minor", amount_minor=500, reason="malfunction", meter_micro=after,
        approvals=(MANAGER, BOSS),
    )  # fmt: skip
    project(using, house)
    row = Notice.objects.using(using).get()
    assert (row.kind, msgspec.json.decode(row.changes)) == ("correction", [["meter_micro", meter, after]])
    assert row.reason == "malfunction"
    assert before.get(level="minor").meter_micro == after


# --- hits and wins ------------------------------------------------------------------------------------------------


CASES = [case for case in progressive_timeline_recorder.cases() if any(case["expect"]["locks"].values())][:5]


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(len(CASES))])
def test_hits_and_wins_are_counted_as_locks_come_and_go(using: str, case: dict[str, Any]) -> None:
    house = ProgressiveWithTable()
    house.history = progressive_timeline_recorder.Recorder(case["given"]).history
    project(using, house)
    rows = ProgressiveLevel.objects.using(using)
    assert sum(row.locks for row in rows) == sum(len(locks) for locks in case["expect"]["locks"].values())
    assert sum(row.paid_minor for row in rows) == case["expect"]["paid"]
    assert findings(using) == []


def test_a_hit_knows_since_when_it_has_its_status(using: str) -> None:
    house = ProgressiveWithTable()
    at = house.hit()
    project(using, house)
    assert Hit.objects.using(using).get().since == at
    voided = house.at_table(RoundVoided, reason="an exposed card", approvals=BOTH)
    project(using, house)
    row = Hit.objects.using(using).get()
    assert (row.status, row.since) == ("void", voided)


# --- once, and again ----------------------------------------------------------------------------------------------


def _eventful() -> ProgressiveWithTable:
    house = ProgressiveWithTable()
    _variance(house)
    house.wait("h-1", house.hit())
    at = _change(house, MANAGER, BOSS, feed_millionths=30_000)
    house.say(event_types.NoticeAcknowledged, level="minor", change=at, actor="anna", actorrole="accountant")
    house.at_table(HitDeclared, hit="h-2", level="minor", box=2, player="g-2")
    house.at_table(DealCompleted)
    house.at_table(DealCompleted)
    return house


MATTERS: list[type[Model]] = [ApprovalRequest, Reading, Variance, LevelWait, Misfit, Notice]


def _rows(using: str) -> dict[str, list[Any]]:
    return {model.__name__: list(model._default_manager.using(using).order_by("pk").values_list()) for model in MATTERS}


def test_what_comes_twice_counts_once(using: str) -> None:
    house = _eventful()
    project(using, house)
    before = _rows(using)
    assert all(before.values())
    assert len(before["Misfit"]) == 2
    project(using, house, size=7)
    assert _rows(using) == before


class MatterHistoryStore:
    """A history as an event store that can be read."""

    def __init__(self, history: History) -> None:
        self.events = history.events

    def after(self, position: int, limit: int, types: Any = (), until: int | None = None) -> list[Any]:
        return self.events[position : min(position + limit, len(self.events) if until is None else until)]

    def position(self) -> int:
        return len(self.events)


def test_a_rebuild_is_equal_and_so_are_the_books(using: str) -> None:
    house = _eventful()
    project(using, house, size=5)
    before, digest_before = _rows(using), digest(books(using=using))
    store: Any = MatterHistoryStore(house.history)
    assert Rebuild([ProgressivesProjector], store, "athens", using=using).run()[0].differences == []
    assert _rows(using) == before
    assert digest(books(using=using)) == digest_before


def test_the_books_show_what_is_left_to_people(using: str) -> None:
    house = _eventful()
    project(using, house)
    text = "\n".join(render(books(using=using)))
    for title in ("Requests for approval", "Variances", "Notices to accounting", "What did not fit"):
        assert title in text
    assert "blazing7s P.3" in text


@pytest.mark.parametrize(
    ("model", "invariant"),
    [
        (Misfit, "what is refused is told"),
        (Notice, "accounting is told of every change"),
        (Hit, "a level waits for a pending hit"),
    ],
)
def test_what_nobody_would_see_is_a_finding(using: str, model: type[Model], invariant: str) -> None:
    house = ProgressiveWithTable()
    house.wait("h-1", house.hit())
    house.at_table(HitDeclared, hit="h-2", level="minor", box=2, player="g-2")
    _change(house, MANAGER, BOSS, feed_millionths=30_000)
    project(using, house)
    assert findings(using) == []
    model._default_manager.using(using).all().delete()
    assert invariant in {finding.invariant for finding in findings(using)}
