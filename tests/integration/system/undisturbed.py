"""The demo's day without any process: what its books must be, whatever happens to processes and servers."""

from backoffice.demo import house
from backoffice.demo.day import Day
from events.desk import Desk
from events.progressives import service
from events.store import everything
from events.store.memory import MemoryStore
from projections.books import books, digest
from projections.engine.apply import Applier
from projections.engine.target import Target
from projections.progressives.models import Hit
from projections.registry import projectors
from tests.simulation.evening import PROGRESSIVE, PROPERTY, Wire, found_house, link_tables, served


def undisturbed(seed: int, hours: float, alias: str) -> str:
    """The digest of the day's books, played through a desk and projected into the empty read models `alias`."""
    store = MemoryStore()
    found_house(store)
    desk = Desk(store, PROPERTY)
    applier = Applier(projectors(target=Target(alias)), PROPERTY)
    applier.load()

    def read() -> None:
        service.reconcile(store, PROPERTY, PROGRESSIVE)
        applier.apply(list(everything(store, applier.position)))

    def share(hit: str) -> int | None:
        read()
        return Hit.objects.using(alias).get(hit=hit, status="locked").share_minor

    house.open_progressive(desk)
    wire = Wire(lambda command: served(desk, command))
    link_tables(wire)
    for _ in Day(wire, seed, hours, share).play():
        pass
    read()
    return digest(books(using=alias))
