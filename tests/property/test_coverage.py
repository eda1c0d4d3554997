"""The coverage of inspections equals a naive count over the events of generated nights."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backoffice.surveillance.inspection_draws.inspected_rounds_coverage import BY, coverage
from events.inspection_draws.decider import entries_of
from events.inspection_draws.event_types import (
    CommitDraw,
    DrawCommitted,
    DrawRevealed,
    InspectionRecorded,
    WeightedTable,
)
from events.tables.event_types.rounds import RoundOpened
from projections.engine.batch_applier import Applier
from projections.engine.models import Reader
from projections.eventlog.models import EventLog
from projections.registry import projectors
from tests.support.houses.sample_event_streams import PROPERTY, History

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 20, 18, tzinfo=UTC)
DAYS = ("2026-11-19", "2026-11-20", "2026-11-21")
TABLES, DEALERS, SHIFTS = ("BJ1", "FR1", "CR1"), ("dora", "dan", None), ("day", "night")
FINDINGS = ("in order", "minor finding", "serious finding")
MINUTES = st.integers(0, 24).map(lambda number: number * 15)  # often on the border of an inspected time
ROUNDS = st.tuples(*map(st.sampled_from, (TABLES, DEALERS, SHIFTS, DAYS)), MINUTES)
DRAWS = st.fixed_dictionaries(
    {
        "tables": st.lists(st.sampled_from(TABLES), min_size=1, max_size=3, unique=True),
        "begin": MINUTES,
        "slot": st.sampled_from([15, 30, 60]),
        "slots": st.integers(1, 4),
        "inspected": st.dictionaries(st.integers(1, 12), st.sampled_from(FINDINGS), max_size=6),
    }
)


def text(minute: int) -> str:
    return (EVENING + timedelta(minutes=minute)).isoformat(timespec="seconds").replace("+00:00", "Z")


def played(rounds: list[tuple[Any, ...]], draws: list[dict[str, Any]]) -> History:
    """Return a night of rounds, and of draws with some inspected entries. Draws may inspect a time twice."""
    history = History()
    for number, (table, dealer, shift, day, minute) in enumerate(rounds, 1):
        where = {"pit": "main", "table": table, "gaming_day": day, "shift": shift, "ruleset": "roulette-french"}
        opened = RoundOpened(**where, round=number, dealer=dealer)
        history.append(f"tables/{table}/{day}", opened, time=text(minute).replace("Z", ".000Z"))
    for number, draw in enumerate(draws):
        _drawn(history, f"d{number}", **draw)
    return history


def _drawn(
    history: History, name: str, tables: list[str], begin: int, slot: int, slots: int, inspected: dict[int, str]
) -> None:
    weighted = tuple(WeightedTable(table=table) for table in tables)
    times: dict[str, Any] = {"since": text(begin), "until": text(begin + slot * slots), "draw_at": text(begin)}
    entries = entries_of(CommitDraw(draw=name, tables=weighted, slot_minutes=slot, number=1, **times))
    terms: dict[str, Any] = {"entries": entries, "number": len(entries), "commitment": "0" * 64, "sealed": ""}
    history.append("draws", DrawCommitted(draw=name, **times, **terms))
    history.append("draws", DrawRevealed(draw=name, head=2, head_digest="0" * 64, head_time=text(begin)))
    for number, finding in inspected.items():
        if number <= len(entries):
            entry = msgspec.structs.asdict(entries[number - 1])
            entry.pop("weight")
            about: Any = {"way": "live", "looked_at": "cards", "finding": finding}
            history.append("draws", InspectionRecorded(draw=name, entry=number, **entry, **about))


def naive(history: History, first: str, last: str) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of the report, from the events' own bytes."""
    events = [json.loads(event.raw) for event in history.events]
    opened = [event for event in events if event["type"] == RoundOpened.TYPE]
    rounds = [event for event in opened if first <= event["data"]["gaming_day"] <= last]
    inspections = [event["data"] for event in events if event["type"] == InspectionRecorded.TYPE]

    def sees(inspection: dict[str, Any], event: dict[str, Any]) -> bool:
        time = datetime.fromisoformat(event["time"])
        is_in = datetime.fromisoformat(inspection["since"]) <= time < datetime.fromisoformat(inspection["until"])
        return is_in and inspection["table"] == event["data"]["table"]

    for by in BY:
        for name in sorted({event["data"].get(by) or "" for event in rounds}):
            own = [event for event in rounds if (event["data"].get(by) or "") == name]
            seen = [event for event in own if any(sees(inspection, event) for inspection in inspections)]
            of_own = [inspection for inspection in inspections if any(sees(inspection, event) for event in own)]
            findings = [inspection for inspection in of_own if inspection["finding"] != "in order"]
            yield by, name, len(own), len(seen), len(of_own), len(findings)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    rounds=st.lists(ROUNDS, max_size=40),
    draws=st.lists(DRAWS, max_size=3),
    days=st.tuples(st.sampled_from(DAYS), st.sampled_from(DAYS)).map(sorted),
)
def test_coverage_by_table_dealer_and_shift_is_the_naive_count(
    rounds: list[tuple[Any, ...]], draws: list[dict[str, Any]], days: list[str]
) -> None:
    history = played(rounds, draws)
    for model in (Reader, EventLog):
        model.objects.all().delete()
    applier = Applier(projectors(["eventlog"]), PROPERTY)
    applier.load()
    applier.apply(history.events)
    assert EventLog.objects.count() == len(history.events)
    lines = [msgspec.structs.astuple(line) for line in coverage(*days).lines]
    assert lines == [*naive(history, *days)]
