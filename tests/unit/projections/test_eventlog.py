"""What of an event goes into the columns of the log."""

from datetime import datetime

import msgspec
import pytest

from events.catalogue import event_types
from projections.eventlog.models import INDEXED, EventLog
from projections.eventlog.projector import SEARCHED, _moment, _picker, _sqlite_time
from tests.builders import History, Table


def test_every_searched_field_is_a_column_and_every_filter_with_an_index_too() -> None:
    columns = [field.column for field in EventLog._meta.concrete_fields]
    first = columns.index(SEARCHED[0])
    assert tuple(columns[first : first + len(SEARCHED)]) == SEARCHED
    assert set(INDEXED) <= set(columns)


def test_every_event_type_can_be_logged() -> None:
    for kind in event_types().values():
        assert callable(_picker(kind))


def picked(data: msgspec.Struct) -> dict[str, object]:
    """What is searched for in an event, without what it does not have."""
    row = _picker(type(data))(data)
    return {name: value for name, value in zip(SEARCHED, row, strict=True) if value is not None}


def test_every_field_goes_into_its_column_and_no_money_is_none() -> None:
    several = msgspec.defstruct("Several", [("amount_minor", int), ("seat", int), ("unlike", str), ("pit", str)])
    assert picked(several(500, 0, "x", "A")) == {"amount_minor": 500, "seat": 0, "pit": "A"}
    assert picked(several(0, 1, "x", "A")) == {"seat": 1, "pit": "A"}
    assert picked(msgspec.defstruct("One", [("player", str)])("g-1")) == {"player": "g-1"}
    assert picked(msgspec.defstruct("None", [("unlike", str)])("x")) == {}


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-11-20T18:00:00.000Z", "2026-11-20 18:00:00"),
        ("2026-11-20T18:00:00.250Z", "2026-11-20 18:00:00.250000"),
        ("2026-11-20T18:00:00+02:00", "2026-11-20 16:00:00"),
    ],
)
def test_times_are_stored_as_django_compares_them(text: str, stored: str) -> None:
    assert _sqlite_time(text) == stored
    assert _moment(text) == datetime.fromisoformat(f"{stored}+00:00")


@pytest.mark.parametrize("text", ["yesterday", "2026-11-20T18:00:00", "2026-13-01T00:00:00Z", ""])
def test_a_time_that_is_none_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the library's own words
        _sqlite_time(text)


def test_the_sample_builder_tells_what_the_relay_would() -> None:
    history = History()
    Table(history).open().buy_in(500)
    first, second = history.told()
    assert (first.position, second.previous, second.offset, second.incarnation) == (1, 1, 1, "0.first")
