"""Events that were accepted before every field had its bounds: no projection stops at them, now or at a rebuild."""

from typing import Any

import pytest

from events.tables.event_types.money import BuyinMade, DropCounted, FillReceived
from events.tables.event_types.session import StaffAssigned
from events.tables.event_types.session import TableEvent as TableEvent
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, WaitingEvent
from projections.engine.values_cut_to_column_limits import NUMBER_MAX
from projections.eventlog.models import EventLog
from projections.registry import projectors
from projections.tables.models import TableDay
from tests.support.houses.sample_event_streams import TIME, History, SampleTableDay

TIMES = (
    "2026-11-20T24:00:00Z",
    "2026-11-20T23:59:60Z",
    "2026-02-30T10:00:00Z",
    "2026-99-99T99:99:99Z",
    "٢٠٢٦-11-20T10:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-11-20T10:00:00",
)
HUGE = 10**25


def fill(**data: Any) -> dict[str, Any]:
    return {"slip": 1, "chips": {100: 1}, "amount_minor": 100} | data


def hostile() -> History:
    """Return more such events than a projector may quarantine, each at its own table, before an ordinary event."""
    history = History()
    cases: list[tuple[type[TableEvent], dict[str, Any], dict[str, Any]]] = [
        (BuyinMade, {"tender": "cash", "player": "p", "amount_minor": 500}, {"time": time}) for time in TIMES
    ]
    cases += [
        (FillReceived, fill(slip=HUGE), {}),
        (FillReceived, fill(chips={10**19: 1}, amount_minor=10**19), {}),
        (FillReceived, fill(chips={HUGE: 10**6}, amount_minor=HUGE * 10**6), {}),
        (BuyinMade, {"tender": "cash", "player": "a\x00b", "amount_minor": 500}, {}),
        (BuyinMade, {"tender": "cash", "player": "a\u202eb\n\x9f", "amount_minor": 500}, {}),
        (StaffAssigned, {"post": "dealer", "person": "d\x00"}, {}),
        (DropCounted, {"drop_box": "b\x00x", "amount_minor": HUGE}, {}),
    ]
    for number in range(3):
        for kind, data, meta in cases:
            table = SampleTableDay(history, name=f"T{len(history.events)}-{number}").open()
            history.append(table.stream, kind(**{**table.where, **data}), **meta)
            table.buy_in(700)
    return history


def test_none_of_them_stops_a_projection(using: str) -> None:
    history = hostile()
    applier = Applier(projectors((), WriteTarget(using)), "athens")
    applier.load()
    applied = applier.apply(history.on_topic())
    assert applied.poisoned == 0
    assert not PoisonedEvent.objects.using(using).exists()
    assert not WaitingEvent.objects.using(using).exists()
    assert EventLog.objects.using(using).count() == len(history.events)
    behind = EventLog.objects.using(using).filter(type="buyin.made.v1", amount_minor=700)
    assert behind.count() == TableDay.objects.using(using).count()


def test_the_log_holds_the_nearest_and_the_very_bytes(using: str) -> None:
    history = History()
    table = SampleTableDay(history).open()
    data: dict[str, Any] = {"player": "a\x00b", "amount_minor": HUGE, "tender": "cash"}
    position = history.append(table.stream, BuyinMade(**{**table.where, **data}), time=TIMES[0])
    applier = Applier(projectors((), WriteTarget(using)), "athens")
    applier.load()
    applier.apply(history.on_topic())
    row = EventLog.objects.using(using).get(position=position)
    assert (row.player, row.amount_minor) == ("a\ufffdb", NUMBER_MAX)
    assert row.time.isoformat(timespec="milliseconds").replace("+00:00", "Z") == TIME  # when it was recorded
    assert bytes(row.raw) == history.events[-1].raw


@pytest.mark.parametrize("chunk", [1, 7, 1_000])
def test_they_are_read_alike_in_batches_of_any_size(using: str, chunk: int) -> None:
    messages = hostile().on_topic()
    applier = Applier(projectors((), WriteTarget(using)), "athens")
    applier.load()
    for first in range(0, len(messages), chunk):
        applier.apply(messages[first : first + chunk])
    days = TableDay.objects.using(using).values_list("buyins_cash_minor", "fills_minor")
    assert set(days) == {
        (1_200, 0), (700, 0), (700, 100), (700, NUMBER_MAX),
    }  # fmt: skip
