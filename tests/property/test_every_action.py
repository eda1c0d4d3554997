"""Every action of every stream, valid, nearly valid and hostile: refused with field or clause, or stored and shown.

More of them, and other seeds: `python -m tests.support.tables.generated_actions --seed N --actions N`.
"""

from collections.abc import Callable, Iterator

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.plugin import DjangoDbBlocker

from events import catalogue
from projections.engine.models import PoisonedEvent, WaitingEvent
from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.sign_in import signed_in
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.tables import generated_actions

ACTIONS = 3_000
SEED = 11


@pytest.fixture
def house(db: None) -> Iterator[House]:
    """After an evening with jackpots, so that every page has something to show, with tables open for more."""
    house = House()
    with serving(house):
        evening_with_everything.play(house)
        generated_actions.house_at_play(house)
        yield house
    house.close()


@pytest.fixture
def on_postgres(new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of read models on PostgreSQL."""
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        yield alias


def test_every_action_is_answered_and_what_is_stored_is_read_and_shown(
    house: House, on_postgres: str, client: Client
) -> None:
    report = generated_actions.send(house, SEED, ACTIONS)
    for using in ("default", on_postgres):
        evening_with_everything.project(house, using)
        assert not PoisonedEvent.objects.using(using).exists()
        assert not WaitingEvent.objects.using(using).exists()
        assert EventLog.objects.using(using).count() == report.events
    shown = generated_actions.render(signed_in(client, "olga"), house)
    assert shown > 100
    with as_default(on_postgres), CaptureQueriesContext(connections[on_postgres]) as captured:
        assert generated_actions.render(signed_in(client, "olga"), house) == shown
    assert len(captured) > shown, "the pages read another database"
    accepted = sum(count for (_, outcome), count in report.answers.items() if outcome == "stored")
    assert accepted > ACTIONS // 60, "too few to say anything"  # most break a rule: the house is in one state only


def test_the_generator_makes_every_type_and_each_in_every_way() -> None:
    generator, made = generated_actions.Generator(SEED), set()
    for kind in sorted(catalogue.action_types()):
        made |= {(kind, generator.body(kind)[0]) for _ in range(60)}
    ways = ("valid", "nearly valid", "hostile")
    assert made == {(kind, how) for kind in catalogue.action_types() for how in ways}


def test_the_same_seed_makes_the_same_actions() -> None:
    left, right = generated_actions.Generator(SEED), generated_actions.Generator(SEED)
    assert [left.next() for _ in range(300)] == [right.next() for _ in range(300)]


def test_what_is_made_valid_is_valid() -> None:
    """Its data can be read, even if the rules then refuse it. Chips of too high a value are the exception."""
    generator = generated_actions.Generator(SEED)
    for kind, shape in sorted(catalogue.action_types().items()):
        for _ in range(20):
            how, body = generator.body(kind)
            if how == "valid":
                catalogue.decode_action(generated_actions.action_of(body))
            assert kind == shape.TYPE
