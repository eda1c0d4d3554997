"""Two people, terminals or displays with similar ids arrive at once: one of them is refused."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, connections
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Device, Display, IdClaim, Person
from backoffice.people import (
    badge_and_key_authentication,
    display_keys,
    password_setup_links,
    staff_list_and_name_lookup,
)
from events.errors import Invalid
from tests.support.processes.scratch_databases import as_default, read_models

ALIKE = ("m-10", "M-10", "m\u201010", "m-1O")
DEEDS: dict[str, Callable[[str], object]] = {
    "added": lambda id_: staff_list_and_name_lookup.add(id_, ""),
    "invited": lambda id_: password_setup_links.invite(id_, "adam"),
    "given a badge": badge_and_key_authentication.issue_badge,
    "terminal": lambda id_: badge_and_key_authentication.issue_device_key(id_, "BJ1"),
    "display": lambda id_: display_keys.invite(id_, "adam"),
}


@pytest.fixture(params=["sqlite", "postgres"])
def alias(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/read.sqlite3" if is_file else str(request.getfixturevalue("postgres_url"))
    with django_db_blocker.unblock(), read_models(url) as name:
        yield name


def at_once(alias: str, deed: Callable[[str], object]) -> list[str]:
    """The ids that were taken, each tried in a thread of its own."""
    gate = threading.Barrier(len(ALIKE))

    def take(id_: str) -> str:
        with as_default(alias):
            gate.wait()
            try:
                deed(id_)
            except Invalid:
                return ""
            finally:
                connections[alias].close()
            return id_

    with ThreadPoolExecutor(len(ALIKE)) as pool:
        return [id_ for id_ in pool.map(take, ALIKE) if id_]


@pytest.mark.parametrize("name", DEEDS)
def test_one_is_taken(alias: str, name: str) -> None:
    [taken] = at_once(alias, DEEDS[name])
    with as_default(alias):
        ids = [id_ for model in (Person, Device, Display) for id_ in model.objects.values_list("pk", flat=True)]
        assert ids == [taken]
        DEEDS[name](taken)
        with pytest.raises(Invalid, match="letters that look alike"):
            DEEDS[name](next(id_ for id_ in ALIKE if id_ != taken))


def test_ids_from_before_the_claims_go_on(alias: str) -> None:
    with as_default(alias):
        for id_ in ("anna-1", "Anna-1", "otto"):
            Person.objects.create(id=id_)
        migration = import_module("backoffice.migrations.0012_id_claims")
        with connection.schema_editor() as editor:
            migration.claim_ids(apps, editor)
        assert IdClaim.objects.get(key="person#anna-1").name == "Anna-1"
        for id_ in ("anna-1", "Anna-1", "otto"):
            badge_and_key_authentication.issue_badge(id_)
        with pytest.raises(Invalid, match=r"Otto differs from the person otto only by case.*Use that id\."):
            badge_and_key_authentication.issue_badge("Otto")
