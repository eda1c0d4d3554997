"""Progressives by gaming day: each day begins where the last one ended, and all days together are what the fold is."""

import random
from collections.abc import Iterator

import pytest

from events.accounting.daily_meter_movements import LevelMove, total_move, unpaid
from events.accounting.report.canonical_report_bytes import decimal
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.money.single_currency_rule import minor_digits
from events.progressives import liability
from events.store import EventStore, everything, open_store
from tests.frozen import frozen_stores

DAYS = ("", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "9999")


@pytest.fixture(scope="module", params=["night", "evening"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    made = open_store(frozen_stores.sqlite_url(request.param, tmp_path_factory.mktemp("frozen")))
    yield made
    made.close()


def holds(ledger: Ledger) -> None:
    """Check that each level's days follow one another without a gap, and that the last day agrees with the fold."""
    for meter in ledger.meters.values():
        names = [level.name for level in meter.fold.state.levels.values()]
        days = sorted({*DAYS, *ledger.days})
        for place, name in enumerate(names):
            before = None
            for day in days:
                level = meter.on(day)[place]
                assert before in (None, level.begin), (name, day)
                before = level.begin + level.moved.meter
            assert before == meter.fold.level(name).meter
        last = meter.on(days[-1])
        assert [level.until.unpaid for level in last] == [unpaid(meter.fold, name) for name in names]
        assert [level.until.unpaid for level in last] == [owed.unpaid for owed in liability.liability(meter.fold)]
        assert [level.until.reserve for level in last] == [meter.fold.level(name).reserve for name in names]


def test_at_many_positions_of_a_night_with_jackpots(store: EventStore) -> None:
    choose, ledger = random.Random(13), Ledger()
    locked = 0
    for stored_event in everything(store):
        if (fact := accounting_event(stored_event, frozen_stores.PROPERTY)) is not None:
            ledger.take(fact)
            if "progressives" in fact.stream or choose.random() < 0.002:
                holds(ledger)
        locked += stored_event.type == "shares.locked.v1"
    holds(ledger)
    assert locked > 0


@pytest.mark.parametrize(
    ("micro", "currency", "text"),
    [
        (0, "EUR", "0.00"),
        (123_456_000_000, "EUR", "1234.56"),
        (12_345_000, "EUR", "0.12345"),
        (-1, "EUR", "-0.00000001"),
        (-50_000_000, "EUR", "-0.50"),
        (7_000_000, "JPY", "7"),
        (7_250_000, "JPY", "7.25"),
        (1_500_000_000, "KWD", "1.500"),
    ],
)
def test_amounts_are_exact_decimals(micro: int, currency: str, text: str) -> None:
    assert decimal(micro, currency) == text


def test_currencies_have_the_digits_of_the_list() -> None:
    from iso4217 import Currency

    listed = {currency.code: currency.exponent for currency in Currency if currency.exponent is not None}
    assert {code: minor_digits(code) for code in listed} == listed


def test_movements_are_added_and_taken_away() -> None:
    move = LevelMove(1, 2, 3, 4, 5, 6)
    assert total_move(total_move(move, move), move, -1) == move
    assert move.meter == 1 + 2 + 3 - 4
