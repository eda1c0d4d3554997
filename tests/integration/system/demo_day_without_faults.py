"""The demo's day without processes: the expected books for any faults of processes and servers."""

from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.desk import Desk
from events.progressives import due_lock_and_lapse_appending
from events.store import everything
from events.store.in_memory_store import MemoryStore
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.progressives.models import Hit
from projections.registry import projectors
from tests.simulation.simulated_evening import PROGRESSIVE, PROPERTY, Wire, found_house, link_tables, served
from tools.demo import accountant_closes_the_day, demo_house_setup
from tools.demo.gaming_day_play import DemoDay

NOON_AFTER = "2026-11-21T12:00:00.000Z"  # no clock of the day, nor of the morning after it, lies ahead of that


def undisturbed(seed: int, hours: float, alias: str, *, closed: bool = False) -> str:
    """The digest of the day's books, played through a desk and projected into the empty read models `alias`.

    `closed`: accounting has closed the day, and restated it, as at the end of the demo.
    """
    store = MemoryStore(lambda: NOON_AFTER)
    checklist_system_state_source.register_source(
        store, lambda: SystemState(readers={}, head=store.position(), aside={})
    )
    found_house(store)
    desk = Desk(store, PROPERTY)
    applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
    applier.load()

    def read() -> None:
        due_lock_and_lapse_appending.reconcile(store, PROPERTY, PROGRESSIVE)
        applier.apply(list(everything(store, applier.position)))

    def share(hit: str) -> int | None:
        read()
        return Hit.objects.using(alias).get(hit=hit, status="locked").share_minor

    demo_house_setup.open_progressive(desk)
    wire = Wire(lambda command: served(desk, command))
    link_tables(wire)
    day = DemoDay(wire, seed, hours, share)
    for _ in day.play():
        pass
    if closed:
        accountant_closes_the_day.play(day, store, read)
    read()
    return digest(books(using=alias))
