"""The search finds a finished round with any events between the rounds: streams with every event type at every place.

For every round and every type of event, the answer is compared with a scan of the whole stream.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from events import catalogue
from events.desk import earlier_round_lookup
from events.envelope import EventData, Meta, encode, first_prev
from events.errors import Damaged
from events.people import approval_request_lifecycle
from events.store import Stored, StreamEnd
from events.streams import stream_kind_declaration
from events.tables.event_types.rounds import RoundOpened
from tests.support.houses.sample_event_streams import DAY, PROPERTY, TIME

ROUNDS = 8
STREAM = f"{PROPERTY}/tables/R1/{DAY}"
WHERE = {"pit": "A", "table": "R1", "gaming_day": DAY, "shift": "day", "ruleset": "roulette-french"}


def table_types() -> list[type[EventData]]:
    """Every type of event that a table's stream may hold: a table's own, its games', and those of requests."""
    modules = {*stream_kind_declaration.kind_by_name("tables").types}
    own = [shape for shape in catalogue.event_types().values() if shape.__module__ in modules]
    shapes: set[type[EventData]] = {*own, *approval_request_lifecycle.EVENTS}
    return sorted(shapes - {RoundOpened}, key=lambda shape: shape.TYPE)


def sample(shape: type[EventData], round_: int | None) -> EventData:
    """Return an event of this type with sample values, and with `round_` if it has such a field."""
    fields = {field.name: field for field in msgspec.structs.fields(shape)}
    values = {name: _value(field.type) for name, field in fields.items() if field.required}
    values |= {name: value for name, value in WHERE.items() if name in fields}
    if "round" in fields:
        values["round"] = round_
    return msgspec.convert(msgspec.to_builtins(values, str_keys=True), shape, str_keys=True)


def _value(type_: Any) -> Any:
    """Any value that a field of this type takes."""
    for value in (*_choices(type_), 1, "x", [], {}, False, [[1, 1]], 0, [1], ["x"], ["x", "y"], [1, 1], [1, 1, 1]):
        try:
            msgspec.convert(value, type_, str_keys=True)
        except msgspec.ValidationError:
            continue
        return value
    return {field.name: _value(field.type) for field in msgspec.structs.fields(type_) if field.required}


def _choices(type_: Any) -> Iterator[Any]:
    """Yield the words of a closed list, at any place in the type."""
    for part in get_args(type_):
        if isinstance(part, str):
            yield part
        else:
            yield from _choices(part)


class ReadCountingStream:
    """One table's stream in memory, with a count of its reads."""

    def __init__(self) -> None:
        self.events: list[Stored] = []
        self.reads = 0
        self._prev = first_prev(STREAM)

    def say(self, data: EventData, action: str) -> None:
        """Append an event of an action."""
        version = len(self.events) + 1
        meta = Meta(time=TIME, actor="d-1", actorrole="dealer", causation=action)
        raw = encode(STREAM, version, self._prev, data, meta, TIME)
        self.events.append(Stored(version, STREAM, version, data.TYPE, raw))

    def head(self, _name: str) -> StreamEnd:
        return StreamEnd(len(self.events), b"")

    def stream(self, _name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        self.reads += 1
        return self.events[after : None if limit is None else after + limit]


def opened(number: int) -> RoundOpened:
    return RoundOpened(**WHERE, round=number)  # type: ignore[arg-type]


def scanned(stream: ReadCountingStream) -> dict[int, list[str]]:
    """The ids of every round's events by a scan of all: between its opening and the next, those with its number."""
    ids: dict[int, list[str]] = {}
    current = 0
    for stored_event in stream.events:
        event = catalogue.decode(stored_event.type, stored_event.raw)
        current = event.data.round if stored_event.type == RoundOpened.TYPE else current
        if (getattr(event.data, "round", None) or 0) == current:
            ids.setdefault(current, []).append(event.id)
    return ids


def must_agree(stream: ReadCountingStream, rounds: int) -> None:
    """Assert that every round has the events of the scan, also the time before the first round, and missing rounds."""
    by_round = scanned(stream)
    for number in range(rounds + 3):
        events = earlier_round_lookup.events_of_round(stream, STREAM, number)  # type: ignore[arg-type]
        assert [event.id for event in events] == by_round.get(number, []), number


def played(random: Random, rounds: int, between: type[EventData], most: int) -> ReadCountingStream:
    """A day of rounds; between them any number of events of one type, without a round or of an earlier one."""
    stream, others = ReadCountingStream(), table_types()
    for number in range(1, rounds + 1):
        for _ in range(random.randrange(most)):
            stream.say(sample(between, random.choice([None, number - 1 or None, 1])), f"between-{number}")
        stream.say(opened(number), f"open-{number}")
        for place in range(random.randrange(4)):
            stream.say(sample(random.choice(others), number), f"in-{number}-{place}")
    return stream


@pytest.mark.parametrize("shape", table_types(), ids=lambda shape: shape.TYPE)
def test_every_round_is_found_with_this_type_at_every_midpoint(shape: type[EventData]) -> None:
    random = Random(shape.TYPE)
    for most in (3, 40, 150):
        must_agree(played(random, ROUNDS, shape, most), ROUNDS)


def test_a_day_of_one_type_between_two_rounds_hides_neither() -> None:
    """The midpoints of the search all fall on events without a round."""
    lacking = [
        shape for shape in table_types() if "round" not in shape.__struct_fields__ or shape.TYPE.startswith("cr")
    ]
    for shape in lacking:
        stream = ReadCountingStream()
        for number in (1, 2):
            stream.say(opened(number), f"open-{number}")
            stream.say(sample(approval_request_lifecycle.ApprovalRequested, number), f"in-{number}")
            for _ in range(700):
                stream.say(sample(shape, None), "between")
        must_agree(stream, 2)


def test_what_the_opening_of_the_next_round_says_of_this_one_is_its_own() -> None:
    """A round that is opened without the role for it: older streams name the round before in the irregularity."""
    stream = ReadCountingStream()
    stream.say(opened(1), "open-1")
    stream.say(opened(2), "open-2")
    irregular = catalogue.event_types()["irregularity.recorded.v1"]
    stream.say(sample(irregular, 1), "open-2")
    stream.say(sample(irregular, 1), "later")
    events = earlier_round_lookup.events_of_round(stream, STREAM, 1)  # type: ignore[arg-type]
    assert [event.id for event in events] == [f"{STREAM}@1", f"{STREAM}@3"]


@pytest.mark.parametrize("rounds", [50, 2_000])
def test_a_long_day_costs_a_few_reads(rounds: int) -> None:
    stream = ReadCountingStream()
    for number in range(1, rounds + 1):
        stream.say(opened(number), f"open-{number}")
        for place in range(9):
            stream.say(sample(approval_request_lifecycle.ApprovalRequested, number), f"in-{number}-{place}")
    for number in (1, 2, rounds // 2, rounds - 1, rounds, rounds + 1):
        stream.reads = 0
        earlier_round_lookup.events_of_round(stream, STREAM, number)  # type: ignore[arg-type]
        assert stream.reads <= 12


@pytest.mark.parametrize("numbers", [[1, 3], [1, 1, 2], [2, 3], [1, 2, 4, 5]], ids=str)
@pytest.mark.parametrize("apart", [0, 300])
def test_a_stream_whose_rounds_do_not_count_up_is_damaged(numbers: list[int], apart: int) -> None:
    """Never "no such round", and never half of one: some search of it fails."""
    stream = ReadCountingStream()
    for number in numbers:
        stream.say(opened(number), f"open-{number}")
        for _ in range(apart):
            stream.say(sample(approval_request_lifecycle.ApprovalRequested, number), "in")
    failed = 0
    for number in range(1, max(numbers)):
        try:
            events = earlier_round_lookup.events_of_round(stream, STREAM, number)  # type: ignore[arg-type]
        except Damaged as error:
            failed += getattr(error.text, "code", "") == "stream-damaged"
        else:
            assert events, f"round {number} of {numbers}"
    assert failed
