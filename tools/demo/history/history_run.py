"""Run of a history: a new house or a stopped one, day after day, then the read models and the result of the books."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.core.management import call_command

from events.errors import Conflict
from events.runtime.clock import start as start_clock
from events.settings.setting_declarations import CLOCK
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from projections.engine import rebuild
from projections.figures_of_all_read_models_with_digest import books
from projections.invariants import findings
from projections.journal.journal_rows_from_events import JournalPosting
from projections.people import people_results_row_posting as results
from projections.registry import PROJECTORS
from tools.demo import demo_house_setup, logins
from tools.demo.demo_run import must_be_new, sign
from tools.demo.final_books_and_checks import compare
from tools.demo.history import state_between_gaming_days as keeping
from tools.demo.history.consecutive_gaming_days import NEW, nights, set_up
from tools.demo.history.state_between_gaming_days import HistoryPlan, HistoryState
from tools.demo.history.terminal_without_network import SetClock
from tools.demo.http_terminal import TurnedDown
from tools.demo.printed_output import Out

Line = Callable[[str], None]


def run(plan: HistoryPlan, days: int, out: Out) -> int:
    """Play until so many days are closed; 0 only if every invariant holds. Raises Conflict."""
    folder = settings().data_folder
    saved = keeping.load(folder)
    state = NEW if saved is None else saved.state
    clock = SetClock(state.time or set_up(plan))
    start_clock(folder / CLOCK, clock.at).stand()
    call_command("migrate", verbosity=0)
    store = open_store(settings().store, clock)
    try:
        _begin(store, plan, state, out)
        try:
            state = _play(store, plan, days, state, out)
            _build(store, out)
        except KeyboardInterrupt:
            return _stopped(folder, days, out)
        except TurnedDown as error:
            raise Conflict(f"{error}\nHas anybody else acted in this house? Another --seed begins a new one") from error
    finally:
        store.close()
    return _verdict(out.line, state)


def _begin(store: EventStore, plan: HistoryPlan, state: HistoryState, out: Out) -> None:
    if state.days:
        out.line(f"A history of {state.days:,} days, {state.position:,} events: it goes on after {state.gaming_day}.")
        return
    store.create()
    if keeping.load(settings().data_folder) is None:
        must_be_new(store)
        demo_house_setup.give_keys()
        logins.let_in(settings().data_folder)
        keeping.save(settings().data_folder, plan, state)
    out.line(f"A new house: {len(demo_house_setup.TABLES)} tables, from {plan.first} on.")


def _play(store: EventStore, plan: HistoryPlan, days: int, state: HistoryState, out: Out) -> HistoryState:
    """Play day after day; each is saved when it is closed."""
    pace = Pace(days, state)
    days_played = nights(store, settings().property_, plan, state, lambda: sign(store))
    while state.days < days:
        state = next(days_played)
        keeping.save(settings().data_folder, plan, state)
        start_clock(settings().data_folder / CLOCK, state.time).stand()
        out.over(pace.line(state))
    days_played.close()
    out.line()
    return state


class Pace:
    """Speed of the run, and its remaining time."""

    def __init__(self, days: int, state: HistoryState) -> None:
        self.days, self.first = days, state
        self.began = time.monotonic()

    def line(self, state: HistoryState) -> str:
        """Return a line of progress."""
        elapsed_s = max(time.monotonic() - self.began, 0.001)
        days_done = state.days - self.first.days
        rate, seconds_left = (
            (state.position - self.first.position) / elapsed_s,
            elapsed_s / days_done * (self.days - state.days),
        )
        return (
            f"{state.gaming_day}: {state.days:,} of {self.days:,} days, {state.rounds:,} rounds, "
            f"{state.position:,} events, {rate:,.0f} a second, {seconds_left:,.0f} s left "
        )


def _stopped(folder: Path, days: int, out: Out) -> int:
    saved = keeping.load(folder)
    days_done = 0 if saved is None else saved.state.days
    out.line()
    out.line(f"Stopped: {days_done:,} of {days:,} days are closed, of the next one nothing is stored.")
    out.line("The same command goes on from there.")
    return 130


def _build(store: EventStore, out: Out) -> None:
    """The read models from the store, all in one reading, and the journal."""
    began = time.monotonic()
    shown_at = [began]

    def tell(progress: rebuild.RebuildProgress) -> None:
        if time.monotonic() - shown_at[0] > 1:
            shown_at[0] = time.monotonic()
            out.over(f"Read models, {progress.doing}: {progress.position:,} of {progress.aim:,} events ")

    rebuild.Rebuild(list(PROJECTORS.values()), store, settings().property_, tell=tell).run()
    entries = JournalPosting(store, settings().property_).catch_up()
    results.PeopleResultsPosting(store, settings().property_).catch_up()
    seconds = time.monotonic() - began
    out.line(f"The read models are built, {entries:,} entries are posted, in {seconds:,.0f} s.")


def _verdict(line: Line, state: HistoryState) -> int:
    """Print the books next to published ones, and whether every invariant holds; return the exit code."""
    compare(line, books())
    line("")
    broken = [str(finding) for finding in findings()]
    for finding in broken:
        line(f"BROKEN: {finding}")
    if not broken:
        line(f"Every invariant holds, and {state.days:,} days are closed.")
    line("")
    for hint in _how_to_go_on(state):
        line(hint)
    return 1 if broken else 0


def _how_to_go_on(state: HistoryState) -> Iterator[str]:
    if demo_logins := logins.saved_logins(settings().data_folder):
        yield from logins.lines(demo_logins, settings().web_port)
        yield ""
    yield "How to go on:"
    yield "  ./manage.py up                  serves this house"
    yield "  ./manage.py hold --by game      drop, win and hold, and what their limits say"
    yield f"  ./manage.py report {state.gaming_day}   the last day as it was closed"
