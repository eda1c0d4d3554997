"""One gaming day after another through the desk: played, counted, explained and closed, each in two transactions.

    store = open_store(url, Hand(set_up(plan)))
    for kept in nights(store, property_, plan):
        if kept.position >= 10_000_000:
            break

It goes on for as long as it is asked, and begins behind whatever `kept` says. A day that was broken off is played again
under the same keys: what is stored of it is answered, the rest is done.
"""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import date, timedelta

from msgspec.structs import replace

from backoffice.demo import house, morning
from backoffice.demo.history.at_desk import AtDesk, Hand, share_of
from backoffice.demo.history.kept import Kept, Plan
from backoffice.demo.history.night import Night
from events import catalogue
from events.accounting.report import around
from events.accounting.report.around import Around
from events.desk import Desk
from events.discrepancies import DiscrepancyFound
from events.errors import Conflict
from events.store import EventStore, everything
from events.store.sqlite import SQLiteStore

Sign = Callable[[], object]
NEW = Kept()


def set_up(plan: Plan) -> str:
    """When the house of this plan is founded."""
    return f"{plan.first}T12:00:00.000Z"


def nights(
    store: EventStore, property_: str, plan: Plan, kept: Kept = NEW, sign: Sign | None = None
) -> Generator[Kept, None, None]:
    """Play and close the next day, each time it is asked. The store's clock is a `Hand`.

    `sign` puts a signed head over what is stored; without it nobody does, which the checklist is not told (a bench).
    Raises TurnedDown, Conflict.
    """
    clock = store.clock
    assert isinstance(clock, Hand), "nobody but this history says what time it is"
    if not kept.days:
        with closing(Desk(store, property_)) as desk:
            house.begin(desk, set_up(plan))
        kept = replace(kept, position=store.position())
    with closing(AtDesk(store, property_, clock)) as terminal:
        while True:
            kept = _day(store, property_, terminal, plan, kept, sign)
            yield kept


def _day(store: EventStore, property_: str, terminal: AtDesk, plan: Plan, kept: Kept, sign: Sign | None) -> Kept:
    night = Night(
        terminal, plan, _after(plan, kept), kept, lambda hit: share_of(store, property_, house.PROGRESSIVE, hit)
    )
    with _together(store):
        for _ in night.play():
            pass
        morning.explain(night, store, kept.position)
    _must_be_planted(night, store, kept.position)
    _sign(store, sign)
    with _together(store):
        morning.close(night)
    return replace(night.leaves(), position=store.position(), time=store.clock())


def _after(plan: Plan, kept: Kept) -> str:
    """The next gaming day."""
    return (date.fromisoformat(plan.first) + timedelta(days=kept.days)).isoformat()


def _together(store: EventStore) -> AbstractContextManager[None]:
    """In a file everything that is written meanwhile is one transaction."""
    return store.together() if isinstance(store, SQLiteStore) else nullcontext()


def _sign(store: EventStore, sign: Sign | None) -> None:
    """A head over the day; the checklist is told that it is there, and that no read model reads meanwhile."""
    if sign is not None:
        sign()
    head = store.position()
    around.tell(store, lambda: Around(readers={}, head=head, aside={}))


def _must_be_planted(night: Night, store: EventStore, since: int) -> None:
    """What was found is what was planted. Raises Conflict."""
    said = (
        catalogue.decode(one.type, one.raw).data for one in everything(store, since, types=(DiscrepancyFound.TYPE,))
    )
    found = Counter((one.kind, one.table or "") for one in said)
    planted = Counter((one.kind, one.table) for one in night.planted if one.kind != "mispay")
    if found != planted:
        raise Conflict(f"{night.gaming_day}: {dict(found)} were found, {dict(planted)} went wrong on purpose")
