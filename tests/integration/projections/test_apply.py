"""Batches into the read models: each event is applied exactly once, and quarantined events wait."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import msgspec
import pytest
from django.db import OperationalError, connections
from django.db.models import Model

from events import catalogue
from events.envelope import EventData
from events.progressives import event_types
from events.store import Stored
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate
from events.tables.event_types.rounds import BetsClosed, RoundEnded, RoundVoided
from events.tables.event_types.session import TableEvent as TableEvent
from projections.engine.batch_applier import Applier, Hint, OtherVersion, ReaderMoved, TooMuchPoison
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.projection_positions_and_wait import wait_for, watermark, watermarks
from projections.engine.worker_task_sending_after_batch import task
from projections.eventlog.models import EventLog
from projections.eventlog.projector import EventLogProjector
from projections.progressives.models import ProgressiveLevel
from projections.progressives.projector import RECONCILE
from projections.registry import PROJECTORS, projectors
from projections.tables.models import TableDay, WagerDay
from projections.tables.projector import TablesProjector
from tests.support.houses.sample_event_streams import History, SampleTableDay, busy_floor
from tests.support.records import progressive_timeline_recorder

HINT = Hint("0.first", 7)


def applier(using: str, *names: str, **options: Any) -> Applier:
    applier_ = Applier(projectors(names, WriteTarget(using)), "athens", **options)
    applier_.load()
    return applier_


def rows(using: str, *names: str) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in the read models, and where their readers are."""
    models = [model for name in names or PROJECTORS for model in PROJECTORS[name].models]
    rows_ = {
        model.__name__: sorted(_plain(row) for row in model._default_manager.using(using).values_list())
        for model in models
    }
    rows_["Reader"] = sorted(
        Reader.objects.using(using).filter(projection__in=names or PROJECTORS).values_list("projection", "position")
    )
    return rows_


def _plain(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        str(bytes(value)) if isinstance(value, memoryview | bytes) else value if value is None else str(value)
        for value in row
    )


@pytest.fixture
def history() -> History:
    """Three tables, and a progressive that was hit."""
    history = progressive_timeline_recorder.Recorder(progressive_timeline_recorder.cases()[8]["given"]).history
    list(busy_floor(history, tables=3, rounds=4))
    return history


def test_every_event_is_a_row_of_the_log_with_its_own_bytes(using: str, history: History) -> None:
    applier(using).apply(history.events)
    log = EventLog.objects.using(using)
    assert [(row.position, row.event_id, bytes(row.raw)) for row in log.order_by("position")] == [
        (event.position, f"{event.stream}@{event.version}", event.raw) for event in history.events
    ]
    bet = log.filter(type="bet.placed.v1").earliest("position")
    assert (bet.table, bet.round, bet.player, bet.amount_minor, bet.dealer) == ("R1", 1, "g-0", 1000, "p-dealer")
    assert bet.time.isoformat() == "2026-11-20T18:00:00+00:00"
    assert log.named(bet.event_id).get() == bet
    assert log.filter(type="bets.closed.v1").earliest("position").amount_minor is None


def test_redelivery_from_any_earlier_offset_changes_nothing(using: str, history: History) -> None:
    events = history.events
    once = applier(using)
    once.apply(events[:60], HINT)
    for first in (0, 13, 59):
        once.apply(events[first:60], HINT)
    before = rows(using)
    assert once.apply(events[:60]).new == 0
    assert rows(using) == before
    again = applier(using)
    again.apply([*events[40:], *events[50:]], HINT)
    assert EventLog.objects.using(using).count() == len(events)
    assert again.position == events[-1].position
    assert again.hint == HINT


def test_a_crash_between_batches_or_inside_one_loses_and_doubles_nothing(
    using: str, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, whole = history.events, applier(using)
    whole.apply(events[:50])
    before = rows(using)
    with monkeypatch.context() as patch:
        patch.setattr(TablesProjector, "changes", _crash)
        with pytest.raises(OperationalError):
            whole.apply(events[50:90])
    assert rows(using) == before
    assert whole.position == events[49].position
    for first in range(50, len(events), 11):
        applier(using).apply(events[first : first + 11])  # a new process each time
    assert EventLog.objects.using(using).count() == len(events)
    assert sum(TableDay.objects.using(using).values_list("bets", flat=True)) == 12


def _crash(self: TablesProjector) -> None:
    raise OperationalError("the server closed the connection unexpectedly")


def test_an_event_type_from_the_future_is_put_aside_and_its_stream_waits(using: str) -> None:
    history = History()
    first, second = SampleTableDay(history, "R1").open(), SampleTableDay(history, "R2").open()
    position = history.put("athens/tables/R1/2026-11-20", "robot.dealt.v9", b'{"specversion":"1.0"}')
    first.bet(1000, -1000)
    second.bet(500, 500)
    running = applier(using)
    readers = [name for name in PROJECTORS if name != "cases"]  # it reads no table
    assert running.apply(history.events).poisoned == len(readers)
    for name in readers:
        poisoned = PoisonedEvent.objects.using(using).get(projection=name)
        assert (poisoned.position, poisoned.type) == (position, "robot.dealt.v9")
        assert "The event type robot.dealt.v9 is not known. Put the event aside." in poisoned.error
    assert WaitingEvent.objects.using(using).filter(projection="eventlog").count() == 6
    assert dict(TableDay.objects.using(using).values_list("table", "bets")) == {"R1": 0, "R2": 1}
    assert watermarks(["eventlog", "tables"], using) == {"eventlog": position - 1, "tables": position - 1}
    assert wait_for(history.events[-1].position, 0, PROJECTORS, using=using)


def test_what_a_projection_has_no_use_for_is_no_poison_to_it(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    history.put("athens/tables/R1/2026-11-20", BetsClosed.TYPE, b"{")
    table.bet(1000, -1000)
    assert applier(using).apply(history.events).poisoned == 3
    to_all = {"eventlog", "accounts", "alerts"}  # the log has every event, so have the end of a day and the clocks
    for model in (PoisonedEvent, WaitingEvent):
        assert set(model._default_manager.using(using).values_list("projection", flat=True)) == to_all
    assert WagerDay.objects.using(using).get().bets == 1
    assert TableDay.objects.using(using).get().bets == 0


@pytest.fixture
def known_types(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, type[EventData]]]:
    """Yield the catalogue's types for a test to change, as another version of the software knows them."""
    known = dict(catalogue.event_types())
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "event_types", lambda: known)
        patch.setattr(catalogue, "_loaded_type", lambda _: None)  # classes of this version that happen to be loaded
        catalogue._decoder.cache_clear()
        yield known
    catalogue._decoder.cache_clear()


class RobotPlayed(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    TYPE: ClassVar[str] = "robot.played.v9"


def test_poison_replays_after_the_fix_as_if_it_had_never_been(
    using: str, history: History, known_types: dict[str, type[EventData]]
) -> None:
    table = SampleTableDay(history, "R9").open()
    table.say(RobotPlayed)
    table.bet(1000, 2000, paid=1900)
    running = applier(using)
    for first in range(0, len(history.events), 10):
        running.apply(history.events[first : first + 10])
    assert [running.release(projector) for projector in running.projectors] == [0] * len(running.projectors)
    known_types[RobotPlayed.TYPE] = RobotPlayed
    # The table's session and its bet are eight events, of which the others use some.
    assert [running.release(projector) for projector in running.projectors] == [8, 4, 2, 7, 8, 8, 0]
    assert not PoisonedEvent.objects.using(using).exists()
    assert not WaitingEvent.objects.using(using).exists()
    assert watermark("tables", using) == history.events[-1].position
    day = TableDay.objects.using(using).get(table="R9")
    assert (day.bets, day.due_minor, day.paid_minor) == (1, 2000, 1900)
    replayed = rows(using)
    forget_everything(using)
    applier(using).apply(history.events)
    assert rows(using) == replayed


def forget_everything(using: str) -> None:
    models: list[type[Model]] = [Reader, *(model for kind in PROJECTORS.values() for model in kind.models)]
    for model in models:
        model._default_manager.using(using).all().delete()


def test_what_a_table_says_of_a_progressive_waits_for_the_progressives_poison(
    using: str, known_types: dict[str, type[EventData]]
) -> None:
    case = next(case for case in progressive_timeline_recorder.cases() if "parameters" in case["tags"])
    history = progressive_timeline_recorder.Recorder(case["given"]).history
    applier(using).apply(history.events)
    expected = rows(using, "progressives")
    assert any(event.type == event_types.ParametersChanged.TYPE for event in history.events)
    forget_everything(using)
    catalogue._decoder.cache_clear()
    fixed_type = known_types.pop(event_types.ParametersChanged.TYPE)
    applier(using).apply(history.events)
    assert rows(using, "progressives") != expected
    known_types[event_types.ParametersChanged.TYPE] = fixed_type
    fixed = applier(using)
    for projector in fixed.projectors:
        fixed.release(projector)
    assert rows(using, "progressives") == expected
    assert ProgressiveLevel.objects.using(using).count() == 3


def test_an_event_that_cannot_be_applied_is_found_among_a_batch(
    using: str, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = history.events[70]
    ordinary = EventLogProjector.fold

    def fold(self: EventLogProjector, events: Sequence[Event]) -> None:
        if any(event.position == bad.position for event in events):
            raise ArithmeticError("no such sum")
        ordinary(self, events)

    monkeypatch.setattr(EventLogProjector, "fold", fold)
    applier(using).apply(history.events)
    poisoned = PoisonedEvent.objects.using(using).get()
    assert (poisoned.projection, poisoned.position, poisoned.error) == (
        "eventlog",
        bad.position,
        "ArithmeticError: no such sum",
    )
    behind = [event for event in history.events if event.stream == bad.stream and event.position > bad.position]
    assert WaitingEvent.objects.using(using).count() == len(behind)
    assert EventLog.objects.using(using).count() == len(history.events) - len(behind) - 1
    assert watermark("tables", using) == history.events[-1].position


def test_a_batch_is_not_done_again_behind_a_gap(using: str, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may crash and lose its last commits while a batch fails. The lost events are then read again."""
    running = applier(using)
    running.apply(history.events[:50])
    load = Applier.load

    def fold(self: EventLogProjector, events: Sequence[Event]) -> None:
        raise ArithmeticError("no such sum")

    def load_after_the_crash(self: Applier) -> None:
        Reader.objects.using(using).update(position=40)
        load(self)

    monkeypatch.setattr(EventLogProjector, "fold", fold)
    monkeypatch.setattr(Applier, "load", load_after_the_crash)
    with pytest.raises(ReaderMoved):
        running.apply(history.events[50:60])
    assert running.position == 40
    assert not PoisonedEvent.objects.using(using).exists()


def test_what_no_column_holds_is_taken_as_the_nearest_and_holds_nobody(using: str) -> None:
    """Such events were accepted before every field had its limits. The log keeps their bytes."""
    history = History()
    table = SampleTableDay(history).open()
    table.buy_in(10**30)
    table.buy_in(500)
    SampleTableDay(history, "R2").open().buy_in(700)
    applier(using).apply(history.events)
    assert not PoisonedEvent.objects.using(using).exists()
    cash = dict(TableDay.objects.using(using).values_list("table", "buyins_cash_minor"))
    assert cash == {"R1": 10**15 + 500, "R2": 700}
    assert b"1000000000000000000000000000000" in bytes(EventLog.objects.using(using).get(position=2).raw)


def test_many_poisoned_events_stop_the_projector_and_write_nothing(using: str) -> None:
    history = History()
    for number in range(4):
        history.put(f"athens/tables/R{number}/2026-11-20", "robot.dealt.v9", b"{}")
    running = applier(using, poison_max=3)
    with pytest.raises(TooMuchPoison, match="more than 3 events cannot be applied to 'eventlog'"):
        running.apply(history.events)
    assert running.position == 0
    assert not PoisonedEvent.objects.using(using).exists()
    assert not Reader.objects.using(using).filter(position__gt=0).exists()


def test_two_projectors_at_once_apply_nothing_twice(using: str, history: History) -> None:
    first, other = applier(using), applier(using)
    first.apply(history.events[:40])
    with pytest.raises(ReaderMoved):
        other.apply(history.events[:60])
    other.load()
    other.apply(history.events)
    assert EventLog.objects.using(using).count() == len(history.events)


def test_readers_may_be_at_different_positions(using: str, history: History) -> None:
    applier(using, "tables").apply(history.events[:50])
    both = applier(using)
    assert both.position == 0
    both.apply(history.events)
    both.apply(history.events)
    forget = rows(using)
    forget_everything(using)
    applier(using).apply(history.events)
    assert rows(using) == forget


def test_a_read_model_of_another_version_or_property_is_not_written(using: str, history: History) -> None:
    applier(using).apply(history.events[:5])
    with pytest.raises(OtherVersion, match="belong to athens"):
        Applier(projectors(target=WriteTarget(using)), "corfu").load()
    Reader.objects.using(using).filter(projection="tables").update(version=0)
    with pytest.raises(OtherVersion, match=r"rebuild tables"):
        applier(using)


def test_nothing_is_asked_of_the_database_for_each_event(using: str) -> None:
    history = History()
    list(busy_floor(history, tables=5, rounds=30))
    running = applier(using)
    running.apply(history.events[:500])
    connection = connections[using]
    connection.force_debug_cursor = True
    connection.queries_log.clear()
    running.apply(history.events[500:1000])
    assert len(connection.queries_log) < 14
    assert not [query for query in connection.queries_log if "SAVEPOINT" in query["sql"]]
    connection.force_debug_cursor = False


def test_upcast_events_are_logged_under_the_type_they_were_stored_as(
    using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History()
    table = SampleTableDay(history).open()
    table.buy_in(500)
    old = history.events[-1]
    raw = old.raw.replace(b"buyin.made.v1", b"buyin.made.v0")
    history.events[-1] = Stored(old.position, old.stream, old.version, "buyin.made.v0", raw)
    ordinary = catalogue.decode

    def decode(event_type: str, raw: bytes) -> Any:
        envelope = ordinary(event_type.replace("v0", "v1"), raw.replace(b"made.v0", b"made.v1"))
        return msgspec.structs.replace(envelope, type=event_type.replace("v0", "v1"))

    monkeypatch.setattr(catalogue, "decode", decode)
    applier(using).apply(history.events)
    assert EventLog.objects.using(using).get(position=old.position).type == "buyin.made.v0"
    assert TableDay.objects.using(using).get().buyins_cash_minor == 500


def test_wakes_the_reconciler_for_hits_and_deals_that_concern_it(using: str) -> None:
    case = next(
        case for case in progressive_timeline_recorder.cases() if any("hit" in fact for fact in case["given"]["facts"])
    )
    history = progressive_timeline_recorder.Recorder(case["given"]).history
    running = applier(using, "progressives")
    look = task(RECONCILE, progressive=progressive_timeline_recorder.NAME)
    woken = {event.type for event in history.events if running.apply([event]).tasks == {look}}
    assert HitDeclared.TYPE in woken
    assert woken <= {
        HitDeclared.TYPE,
        HitDeclaredLate.TYPE,
        DealCompleted.TYPE,
        RoundVoided.TYPE,
        RoundEnded.TYPE,
    }
