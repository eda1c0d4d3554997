"""The parts of an event in the columns of the log."""

from datetime import datetime
from typing import Any

import msgspec
import pytest

from events.catalogue import event_types
from events.runtime import cache_until_declarations_change
from events.tables import moved_amount_declarations
from events.tables.event_types import money
from events.tables.event_types.rounds import BetSettled, PaymentMade
from events.tables.event_types.session import IrregularityRecorded
from events.tables.moved_amount_declarations import MovedAmount, Term
from projections.eventlog.due_amounts import due_of_json
from projections.eventlog.models import INDEXED, PAID, EventLog
from projections.eventlog.projector import SEARCHED, _moment, _picker, _sqlite_time, _word_finder
from tests.integration.pages.test_sums_of_tables import put_right
from tests.support.houses.sample_event_streams import History, SampleTableDay
from tests.unit.accounting.test_declared_amounts import AmountMoved

WHERE: dict[str, Any] = {
    "pit": "A",
    "table": "FR1",
    "gaming_day": "2026-11-20",
    "shift": "day",
    "ruleset": "roulette-french",
}


def test_every_searched_field_is_a_column_and_every_filter_with_an_index_too() -> None:
    columns = [field.column for field in EventLog._meta.concrete_fields]
    first = columns.index(SEARCHED[0])
    assert tuple(columns[first : first + len(SEARCHED)]) == SEARCHED
    assert set(INDEXED) <= set(columns)


def test_the_index_of_payments_has_every_version_of_what_pays_somebody() -> None:
    bases = {"payment.made", "jackpot.paid", "envy.paid"}
    assert set(PAID) == {name for name in event_types() if name.rpartition(".v")[0] in bases}


def test_every_event_type_can_be_logged() -> None:
    for kind in event_types().values():
        assert callable(_picker(kind))


def picked(data: msgspec.Struct) -> dict[str, object]:
    """Return the searched fields of an event that have a value."""
    row = _picker(type(data))(data)
    return {name: value for name, value in zip((*SEARCHED, "due"), row, strict=True) if value is not None}


def test_every_field_goes_into_its_column_and_no_money_is_none() -> None:
    several = msgspec.defstruct("Several", [("amount_minor", int), ("seat", int), ("unlike", str), ("pit", str)])
    assert picked(several(500, 0, "x", "A")) == {"amount_minor": 500, "seat": 0, "pit": "A"}
    assert picked(several(0, 1, "x", "A")) == {"seat": 1, "pit": "A"}
    assert picked(msgspec.defstruct("One", [("player", str)])("g-1")) == {"player": "g-1"}
    assert picked(msgspec.defstruct("None", [("unlike", str)])("x")) == {}


def test_what_is_usual_and_left_out_of_the_bytes_is_no_value() -> None:
    bought = msgspec.defstruct("Placed", [("bet", str), ("tender", str, "chips")], omit_defaults=True)
    assert picked(bought("a")) == picked(bought("a", "chips")) == {}
    assert picked(bought("a", "promotional")) == {"tender": "promotional"}


def test_due_is_what_a_payment_says_and_what_a_bet_has_won() -> None:
    bet: dict[str, Any] = {"bet": "a", "wager": "red", **WHERE}
    assert picked(BetSettled(**bet, outcome="win", profit_minor=500))["due"] == 500
    assert "due" not in picked(BetSettled(**bet, outcome="lose", profit_minor=-500))
    assert "due" not in picked(BetSettled(**bet, outcome="push", profit_minor=0))
    assert picked(PaymentMade(**bet, due_minor=0, amount_minor=500))["due"] == 0


def test_the_column_and_the_search_read_the_same_amount_due() -> None:
    table = put_right()
    columns = [picked(event).get("due") for event in table.events]
    assert columns == [
        due_of_json(event.TYPE, msgspec.json.decode(msgspec.json.encode(event))) for event in table.events
    ]
    assert any(columns)


def test_a_new_event_with_an_amount_due_has_it_in_the_column_and_in_the_search() -> None:
    with pytest.MonkeyPatch.context() as patch:
        declared: Any = moved_amount_declarations.MOVES
        patch.setattr(money, "AmountMoved", AmountMoved, raising=False)
        patch.setitem(declared, AmountMoved, (MovedAmount("due", (Term("amount_minor"),)),))
        cache_until_declarations_change.forget()
        won = AmountMoved(**WHERE, player="Ann", seat=1, amount_minor=700)
        assert picked(won)["due"] == 700
        assert due_of_json(AmountMoved.TYPE, msgspec.to_builtins(won)) == 700
    cache_until_declarations_change.forget()


def test_the_words_of_an_event_are_what_people_wrote_and_what_is_irregular() -> None:
    wrote = msgspec.defstruct("Wrote", [("reason", str), ("details", tuple[str, ...]), ("unlike", str)])
    say = _word_finder(wrote)
    assert say is not None
    assert say(wrote("Chip FELL", ("from the Átomo, a chip",), "not this")) == {
        "chip",
        "fell",
        "from",
        "the",
        "atomo",
        "a",
    }
    assert _word_finder(msgspec.defstruct("None", [("unlike", str)])) is None
    say = _word_finder(IrregularityRecorded)
    assert say is not None
    words = say(IrregularityRecorded(**WHERE, kind="late_bet", clause="1", detail="Red, late"))
    assert words == {"red", "late", "bet", "kind:late_bet"}


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
    SampleTableDay(history).open().buy_in(500)
    first, second = history.on_topic()
    assert (first.position, second.previous, second.offset, second.incarnation) == (1, 1, 1, "0.first")
