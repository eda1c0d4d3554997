"""One gaming day after another through the desk: played, counted, explained and closed, each in two transactions.

    store = open_store(url, SetClock(set_up(plan)))
    for state in nights(store, property_, plan):
        if state.position >= 10_000_000:
            break

The generator has no end, and begins after the given state. An interrupted day is played again under the same keys: the
stored actions are answered, the others are done.
"""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import date, timedelta

from msgspec.structs import replace

from events import catalogue
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.desk.desk import Desk
from events.errors import Conflict
from events.store import EventStore, everything
from events.store.sqlite import SQLiteStore
from tools.demo import accountant_closes_the_day, demo_house_setup
from tools.demo.history.gaming_day_of_history import HistoryDay
from tools.demo.history.state_between_gaming_days import HistoryPlan, HistoryState
from tools.demo.history.terminal_without_network import AtDesk, SetClock, share_of

Sign = Callable[[], object]
NEW = HistoryState()


def set_up(plan: HistoryPlan) -> str:
    """Return the time of the house's founding by this plan."""
    return f"{plan.first}T12:00:00.000Z"


def nights(
    store: EventStore, property_: str, plan: HistoryPlan, state: HistoryState = NEW, sign: Sign | None = None
) -> Generator[HistoryState, None, None]:
    """Play and close the next day at each step. The store's clock is a `SetClock`.

    `sign` puts a signed head over the stored events. Without it none is made, and the checklist ignores that (a bench).
    Raises TurnedDown, Conflict.
    """
    clock = store.clock
    assert isinstance(clock, SetClock), "nobody but this history says what time it is"
    if not state.days:
        with closing(Desk(store, property_)) as desk:
            demo_house_setup.begin(desk, set_up(plan))
        state = replace(state, position=store.position())
    with closing(AtDesk(store, property_, clock)) as terminal:
        while True:
            state = _day(store, property_, terminal, plan, state, sign)
            yield state


def _day(
    store: EventStore, property_: str, terminal: AtDesk, plan: HistoryPlan, state: HistoryState, sign: Sign | None
) -> HistoryState:
    night = HistoryDay(
        terminal,
        plan,
        _after(plan, state),
        state,
        lambda hit: share_of(store, property_, demo_house_setup.PROGRESSIVE, hit),
    )
    with _one_transaction(store):
        for _ in night.play():
            pass
        accountant_closes_the_day.explain(night, store, state.position)
    _must_be_planted(night, store, state.position)
    _sign(store, sign)
    with _one_transaction(store):
        accountant_closes_the_day.close(night)
    return replace(night.leaves(), position=store.position(), time=store.clock())


def _after(plan: HistoryPlan, state: HistoryState) -> str:
    """Return the next gaming day."""
    return (date.fromisoformat(plan.first) + timedelta(days=state.days)).isoformat()


def _one_transaction(store: EventStore) -> AbstractContextManager[None]:
    """Put all writes to a file store into one transaction."""
    return store.one_transaction() if isinstance(store, SQLiteStore) else nullcontext()


def _sign(store: EventStore, sign: Sign | None) -> None:
    """Sign a head over the day, and report it to the checklist; no read model reads meanwhile."""
    if sign is not None:
        sign()
    head = store.position()
    checklist_system_state_source.register_source(store, lambda: SystemState(readers={}, head=head, aside={}))


def _must_be_planted(night: HistoryDay, store: EventStore, since: int) -> None:
    """Raise Conflict unless the discrepancies found are the planted ones."""
    discrepancies = (
        catalogue.decode(stored_event.type, stored_event.raw).data
        for stored_event in everything(store, since, types=(DiscrepancyFound.TYPE,))
    )
    found_counts = Counter((discrepancy.kind, discrepancy.table or "") for discrepancy in discrepancies)
    planted = Counter((mistake.kind, mistake.table) for mistake in night.planted if mistake.kind != "mispay")
    if found_counts != planted:
        raise Conflict(f"{night.gaming_day}: {dict(found_counts)} were found, {dict(planted)} went wrong on purpose")
