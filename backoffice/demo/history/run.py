"""Runs a history: a new house or one that was stopped, day after day, the read models, what the books say."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.core.management import call_command

from backoffice.demo import house, logins
from backoffice.demo.history import kept as keeping
from backoffice.demo.history.at_desk import Hand
from backoffice.demo.history.kept import Kept, Plan
from backoffice.demo.history.nights import NEW, nights, set_up
from backoffice.demo.out import Out
from backoffice.demo.report import compare
from backoffice.demo.run import must_be_new, sign
from backoffice.demo.terminal import TurnedDown
from events.clock import start as start_clock
from events.errors import Conflict
from events.settings import CLOCK, settings
from events.store import EventStore, open_store
from projections.books import books
from projections.engine import rebuild
from projections.invariants import findings
from projections.journal.posting import Posting
from projections.registry import PROJECTORS

Line = Callable[[str], None]


def run(plan: Plan, days: int, out: Out) -> int:
    """Play until so many days are closed; 0 only if every invariant holds. Raises Conflict."""
    folder = settings().data_folder
    found = keeping.load(folder)
    kept = NEW if found is None else found.kept
    clock = Hand(kept.time or set_up(plan))
    start_clock(folder / CLOCK, clock.at).stand()
    call_command("migrate", verbosity=0)
    store = open_store(settings().store, clock)
    try:
        _begin(store, plan, kept, out)
        try:
            kept = _play(store, plan, days, kept, out)
            _build(store, out)
        except KeyboardInterrupt:
            return _stopped(folder, days, out)
        except TurnedDown as error:
            raise Conflict(f"{error}\nHas anybody else acted in this house? Another --seed begins a new one") from error
    finally:
        store.close()
    return _verdict(out.line, kept)


def _begin(store: EventStore, plan: Plan, kept: Kept, out: Out) -> None:
    if kept.days:
        out.line(f"A history of {kept.days:,} days, {kept.position:,} events: it goes on after {kept.gaming_day}.")
        return
    store.create()
    if keeping.load(settings().data_folder) is None:
        must_be_new(store)
        house.give_keys()
        logins.let_in(settings().data_folder)
        keeping.save(settings().data_folder, plan, kept)
    out.line(f"A new house: {len(house.TABLES)} tables, from {plan.first} on.")


def _play(store: EventStore, plan: Plan, days: int, kept: Kept, out: Out) -> Kept:
    """Day after day; each is kept as soon as it is closed."""
    pace = Pace(days, kept)
    more = nights(store, settings().property_, plan, kept, lambda: sign(store))
    while kept.days < days:
        kept = next(more)
        keeping.save(settings().data_folder, plan, kept)
        start_clock(settings().data_folder / CLOCK, kept.time).stand()
        out.over(pace.line(kept))
    more.close()
    out.line()
    return kept


class Pace:
    """How quick it goes, and how long it will take."""

    def __init__(self, days: int, kept: Kept) -> None:
        self.days, self.first = days, kept
        self.began = time.monotonic()

    def line(self, kept: Kept) -> str:
        """How far it is."""
        gone = max(time.monotonic() - self.began, 0.001)
        done = kept.days - self.first.days
        rate, left = (kept.position - self.first.position) / gone, gone / done * (self.days - kept.days)
        return (
            f"{kept.gaming_day}: {kept.days:,} of {self.days:,} days, {kept.rounds:,} rounds, "
            f"{kept.position:,} events, {rate:,.0f} a second, {left:,.0f} s left "
        )


def _stopped(folder: Path, days: int, out: Out) -> int:
    found = keeping.load(folder)
    done = 0 if found is None else found.kept.days
    out.line()
    out.line(f"Stopped: {done:,} of {days:,} days are closed, of the next one nothing is stored.")
    out.line("The same command goes on from there.")
    return 130


def _build(store: EventStore, out: Out) -> None:
    """The read models from the store, all in one reading, and the journal."""
    began = time.monotonic()
    shown = [began]

    def tell(progress: rebuild.Progress) -> None:
        if time.monotonic() - shown[0] > 1:
            shown[0] = time.monotonic()
            out.over(f"Read models, {progress.doing}: {progress.position:,} of {progress.aim:,} events ")

    rebuild.Rebuild(list(PROJECTORS.values()), store, settings().property_, tell=tell).run()
    entries = Posting(store, settings().property_).catch_up()
    seconds = time.monotonic() - began
    out.line(f"The read models are built, {entries:,} entries are posted, in {seconds:,.0f} s.")


def _verdict(line: Line, kept: Kept) -> int:
    """What the books say beside published ones, and whether everything holds."""
    compare(line, books())
    line("")
    broken = [str(one) for one in findings()]
    for one in broken:
        line(f"BROKEN: {one}")
    if not broken:
        line(f"Every invariant holds, and {kept.days:,} days are closed.")
    line("")
    for one in _how_to_go_on(kept):
        line(one)
    return 1 if broken else 0


def _how_to_go_on(kept: Kept) -> Iterator[str]:
    if found := logins.kept(settings().data_folder):
        yield from logins.lines(found, settings().web_port)
        yield ""
    yield "How to go on:"
    yield "  ./manage.py up                  serves this house"
    yield "  ./manage.py hold --by game      drop, win and hold, and what their limits say"
    yield f"  ./manage.py report {kept.gaming_day}   the last day as it was closed"
