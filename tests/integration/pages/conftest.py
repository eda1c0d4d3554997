"""An evening in a house of the test's own, as the pages see it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.sign_in import signed_in
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.processes.subscriptions_and_receivers import WebhookReceiver, name_destinations


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def on_each_database(request: pytest.FixtureRequest, db: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let the pages read SQLite, then PostgreSQL. A fixture that is used automatically must request this one first."""
    if request.param == "sqlite":
        yield
        return
    url = request.getfixturevalue("new_database")()
    with django_db_blocker.unblock(), read_models(url) as alias, as_default(alias):
        yield


@pytest.fixture
def house(db: None) -> Iterator[House]:
    """A house without play, whose store and desk belong to this process."""
    house = House()
    with serving(house):
        yield house
    house.close()


@pytest.fixture
def client(db: None) -> Client:
    """The browser of the house's auditor, who reads everything."""
    return signed_in(Client(), "olga")


@pytest.fixture
def evening_house(house: House) -> House:
    """The house after the evening, everything in the read models."""
    evening_with_everything.play(house)
    evening_with_everything.project(house)
    evening_with_everything.post_results(house)
    return house


@pytest.fixture
def other(evening_house: House, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of the same evening's read models on PostgreSQL."""
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        evening_with_everything.project(evening_house, alias)
        yield alias


@pytest.fixture
def hook(evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> WebhookReceiver:
    """The webhook `desk` of the house after the evening."""
    name_destinations(tmp_path, monkeypatch)
    return WebhookReceiver()
