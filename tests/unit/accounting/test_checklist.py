"""The items of the checklist that look at progressives, slips and the journal, over nights that were really played."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from events.accounting import table_days_fold
from events.accounting.report.canonical_report_from_ledger import figures
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import CheckedItem, checklist, failing
from events.accounting.report.ledger_cache_for_day_close import cached_ledger, journal_broken
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.store import EventStore, everything, open_store
from tests.frozen import frozen_stores
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay


@pytest.fixture(scope="module", params=["night", "evening"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    made = open_store(frozen_stores.sqlite_url(request.param, tmp_path_factory.mktemp("frozen")))
    yield made
    made.close()


def items(ledger: Ledger, day: str) -> dict[str, CheckedItem]:
    return {item.item: item for item in checklist(ledger, day, SystemState())}


def followed(store: EventStore) -> Iterator[tuple[Ledger, str]]:
    """The accounts after each event that concerns a hit, a case or a close, with the day that is run."""
    ledger = Ledger()
    for stored_event in everything(store):
        if (fact := accounting_event(stored_event, frozen_stores.PROPERTY)) is not None:
            ledger.take(fact)
            if stored_event.type.startswith(("hit.", "deal.", "variance.", "session.", "shares.", "jackpot.")):
                yield ledger, ledger.current


def test_a_hit_that_waits_and_a_case_that_is_open_stand_in_the_way(store: EventStore) -> None:
    for ledger, day in followed(store):
        folds = [meter.fold for meter in ledger.meters.values()]
        waiting = [hit for fold in folds for hit in fold.state.hits if fold.status(hit) == "pending"]
        cases = [case for fold in folds for case, variance in fold.state.variances.items() if variance.is_open]
        items_ = items(ledger, day)
        assert items_["hits_locked"].holds == (not waiting)
        assert items_["variances_closed"].holds == (not cases)
        assert all(hit in items_["hits_locked"].detail for hit in waiting[:5])


def test_a_session_that_is_open_stands_in_the_way_and_no_rest_is_left(store: EventStore) -> None:
    for ledger, day in followed(store):
        of_day = [table for table in ledger.tables.values() if table.gaming_day == day]
        items_ = items(ledger, day)
        assert items_["sessions_closed"].holds == all(table.is_closed for table in of_day)
        assert items_["no_rest"].holds is not False
        shifts = [shift for table in table_days_fold.of_gaming_day(ledger.tables, day) for shift in table.shifts]
        assert (items_["no_rest"].holds is True) == all(shift.parts.rest_minor == 0 for shift in shifts)


def test_slips_of_jackpots_are_on_the_day_of_their_payment(store: EventStore) -> None:
    paid = [
        stored_event
        for stored_event in everything(store)
        if stored_event.type in ("jackpot.paid.v1", "envy.paid.v1", "house.paid.v1")
    ]
    *_, (ledger, _) = followed(store)
    slips = [slip for day in ledger.days for slip in figures(ledger, day, 1)["slips"] if slip["kind"] != "variance"]
    assert len([slip for slip in slips if slip["kind"] in ("jackpot", "envy", "house")]) == len(paid)
    for kind in ("jackpot", "envy"):
        numbers = [slip["number"] for slip in slips if slip["kind"] == kind]
        assert numbers == sorted(set(numbers))


def test_who_cannot_say_fails_the_item_and_what_is_overridden_refuses_nothing() -> None:
    items_ = checklist(Ledger(), "2026-11-20", SystemState())
    wrong = [item.item for item in failing(items_, ())]
    assert wrong == ["nothing_aside", "readers_beyond", "heads_beyond"]
    assert failing(items_, wrong) == []


def test_whether_the_journal_holds_is_said_where_its_accounts_are_at_hand() -> None:
    """The process whose desk closes days checks the journal with its own books.

    The check reads new events and blocks no other thread.
    """
    house = WorkedDay()
    house.begin()
    assert journal_broken(house.store, PROPERTY, DAY) is None  # nobody has closed anything here
    accounts = cached_ledger(house.store, PROPERTY)
    assert journal_broken(house.store, PROPERTY, DAY) == ()
    assert accounts.position == house.store.position()
    accounts.ledger.journal.held.clear()
    house.first_shift()
    assert [broken.text for broken in journal_broken(house.store, PROPERTY, DAY) or ()] != []
    with ThreadPoolExecutor(1) as other, accounts.guard:
        assert other.submit(journal_broken, house.store, PROPERTY, DAY).result() is None
    house.close()
