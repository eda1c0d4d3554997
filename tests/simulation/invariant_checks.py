"""The checks that must pass after every run, with any faults."""

from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
from django.db.models import Model

from events import catalogue
from events.desk.desk import Desk
from events.integrity.audit import audit
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.decider import due_locks
from events.progressives.event_types import LockWithdrawn, SharesLocked
from events.relay.topic_records import parse
from events.store import EventStore, everything
from events.store.in_memory_store import MemoryStore
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.progressives.models import Hit, ProgressiveLevel
from projections.registry import PROJECTORS, projectors
from tests.simulation.simulated_evening import PROGRESSIVE, PROPERTY, SimulatedEvening, Wire, found_house, served
from tests.simulation.whole_house_in_one_thread import SimulatedHouse

MODELS: list[type[Model]] = [model for kind in PROJECTORS.values() for model in kind.models]


def empty(alias: str) -> None:
    """Empty the read models."""
    everything_read: list[type[Model]] = [*MODELS, Reader, PoisonedEvent, WaitingEvent]
    for model in everything_read:
        model._default_manager.using(alias).all().delete()


def check(world: SimulatedHouse, other: str) -> None:
    """All of it. `other` is a second database, for the plain rebuild."""
    store = world.store
    assert not (broken := audit(store, PROPERTY, []).findings), broken
    the_topic_is_the_store(world)
    every_answer_stands_once(world)
    one_lock_a_group(store)
    meters_are_those_of_the_facts(world)
    assert not (faults := findings(world.alias)), faults
    assert rows(world.alias) == rebuilt(store, other)
    if world.clients == 1:
        assert digest(books(using=world.alias)) == undisturbed(world.evening, other)


def the_topic_is_the_store(world: SimulatedHouse) -> None:
    """Distinct ids are the store's, byte for byte; and one incarnation has them all, in the store's order.

    A batch that its sender had given up may have landed behind that: its records are there twice.
    """
    stored = {_id(event.raw): event.raw for event in everything(world.store)}
    records = [record for raw in world.broker.records or [] if (record := parse(raw)) is not None]
    assert all(stored.get(_id(record.raw)) == record.raw for record in records)
    by_incarnation: dict[str, dict[str, None]] = defaultdict(dict)
    for record in records:
        by_incarnation[record.incarnation][_id(record.raw)] = None
    assert any(list(ids) == list(stored) for ids in by_incarnation.values()), "no incarnation has the whole store"


def _id(raw: bytes) -> str:
    event_id: str = msgspec.json.decode(raw)["id"]
    return event_id


def every_answer_stands_once(world: SimulatedHouse) -> None:
    """Assert that the store has exactly the answers of the client, and each action once."""
    by_key: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for event in everything(world.store):
        key = msgspec.json.decode(event.raw).get("causation")
        if key is not None:
            by_key[key].append((event.position, event.raw))
    for key, answer in world.answers.items():
        assert by_key[key] == [(recorded.position, bytes(recorded.event)) for recorded in answer.events], key
    setup = {key for key in by_key if key.startswith("setup:")} - world.answers.keys()
    assert by_key.keys() - setup == world.answers.keys()


def one_lock_a_group(store: EventStore) -> None:
    """Assert that revisions count from 1, and that none repeats the one before."""
    by_group: dict[tuple[str, str], list[SharesLocked | LockWithdrawn]] = defaultdict(list)
    for event in everything(store, types=[SharesLocked.TYPE, LockWithdrawn.TYPE]):
        data = catalogue.decode(event.type, event.raw).data
        by_group[event.stream, data.group].append(data)
    for revisions in by_group.values():
        assert [each.revision for each in revisions] == list(range(1, len(revisions) + 1))
        for lock, next_ in pairwise(revisions):
            assert msgspec.structs.replace(lock, revision=next_.revision) != next_


def meters_are_those_of_the_facts(world: SimulatedHouse) -> None:
    """Assert that a new fold has nothing left to lock, and the same meters as the read models."""
    live = progressive_state_following_store.ProgressiveFollower(PROPERTY, PROGRESSIVE)
    live.catch_up(world.store)
    assert live.fold is not None
    live.fold.check_balance()
    assert not (due := due_locks(live.fold)), due
    levels = list(ProgressiveLevel.objects.using(world.alias).filter(stream=live.stream))
    assert levels
    for level in levels:
        assert level.meter_micro == live.fold.level(level.level).meter


def rows(alias: str) -> dict[str, list[Any]]:
    """Every row of every read model."""
    return {model.__name__: list(model._default_manager.using(alias).order_by("pk").values_list()) for model in MODELS}


def rebuilt(store: EventStore, alias: str) -> dict[str, list[Any]]:
    """The rows that one pass over the store makes."""
    empty(alias)
    applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
    applier.load()
    applier.apply(list(everything(store)))
    return rows(alias)


@cache
def undisturbed(evening: int, alias: str) -> str:
    """Return the books' digest of the same evening on a store, a desk and a reconciler without faults."""
    store = MemoryStore()
    found_house(store)
    empty(alias)
    applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
    applier.load()
    desk = Desk(store, PROPERTY)

    def read() -> None:
        due_lock_and_lapse_appending.reconcile(store, PROPERTY, PROGRESSIVE)
        applier.apply(list(everything(store, applier.position)))

    def share(hit: str, position: int) -> int:
        read()
        share = Hit.objects.using(alias).get(hit=hit, status="locked").share_minor
        assert share is not None
        return share

    SimulatedEvening(evening, Wire(lambda command: served(desk, command)), share).play()
    read()
    return digest(books(using=alias))
