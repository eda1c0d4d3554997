"""The same books, suggestions and lists on SQLite and on PostgreSQL, for any collation of the database."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import msgspec
import pytest
from django.db.models import CharField, Model, TextField
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Person
from backoffice.people import staff_list_and_name_lookup
from backoffice.surveillance.search.completion import completions
from backoffice.surveillance.search.field_conditions import FIELDS
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from backoffice.tables.floor_page_content import floor
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.registry import PROJECTORS, projectors
from tests.integration.store.test_sessions import made_so
from tests.servers import PostgreSQL
from tests.support.houses.sample_event_streams import DAY, History, SampleTableDay
from tests.support.processes.scratch_databases import as_default, migrated, new_file

# Cases, digits, hyphens, accents and scripts that a linguistic collation sorts otherwise than bytes.
NAMES = ("G1", "g1", "g10", "g2", "G-10", "g-1", "z", "Z", "_x", "ab", "a-b", "A", "Ä", "é", "ά", "Ω", "ж", "骰")
KINDS = {
    "sqlite": "",
    "bytes": "ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0",
    "C.UTF-8": "ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8' TEMPLATE template0",
    "en-US": "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8' TEMPLATE template0",
    "el": "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'el' LOCALE 'C.UTF-8' TEMPLATE template0",
}


@pytest.fixture(scope="module")
def houses(
    postgres_server: PostgreSQL,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[dict[str, str]]:
    """The same night in read models of each kind: their aliases."""
    history = History()
    for number, name in enumerate(NAMES):
        table = SampleTableDay(history, f"T{name}", dealer=f"d{name}").open()
        table.buy_in(1_000, player=name)
        table.bet(1_000 + number, 1_000, paid=900, player=name)
    with django_db_blocker.unblock(), ExitStack() as stack:
        aliases = {}
        for number, (kind, how) in enumerate(KINDS.items()):
            if kind == "sqlite":
                url = new_file(tmp_path_factory.mktemp("sqlite"))
            else:
                url = stack.enter_context(made_so(postgres_server, f"sorts_{number}", f"CREATE DATABASE {{}} {how}"))
            aliases[kind] = alias = stack.enter_context(migrated(url))  # a copy would sort as its template
            applier = Applier(projectors(target=WriteTarget(alias)), "athens")
            applier.load()
            applier.apply(history.events)
            for name in NAMES:
                Person.objects.using(alias).create(id=f"s-{name}", name=f"Eleni {name.upper()}")
        yield aliases


def same(houses: dict[str, str], look: Any) -> Any:
    """Return the result of `look`, which must be the same on every database."""
    seen = {}
    for kind, alias in houses.items():
        with as_default(alias):
            seen[kind] = look()
    assert seen == dict.fromkeys(seen, seen["sqlite"])
    return seen["sqlite"]


def test_books_have_one_digest(houses: dict[str, str]) -> None:
    result = same(houses, lambda: [digest(books()), msgspec.to_builtins(books())])
    names = [row["table"] for row in result[1]["tables"]]
    assert names == sorted(names)
    assert len(names) == len(NAMES)


@pytest.mark.parametrize("field", sorted(name for name in FIELDS if name.isidentifier()))
def test_completions_are_the_same(houses: dict[str, str], field: str) -> None:
    prefixes = {"", *(name[:length] for name in NAMES for length in (1, 2, 3)), "d", "dG", "T", "Tg", "20"}
    typed = [f"{field}:{prefix}" for prefix in sorted(prefixes)]
    same(houses, lambda: [[completion.value for completion in completions(text, len(text), {})] for text in typed])


def test_all_that_begins_so_is_offered(houses: dict[str, str]) -> None:
    for prefix in ("G", "g", "g1", "a", "Ä", "ά"):
        typed = f"player:{prefix}"
        offered = same(
            houses, lambda typed=typed: [completion.value for completion in completions(typed, len(typed), {})]
        )
        assert offered == sorted(name for name in NAMES if name.startswith(prefix))


def test_what_is_found_is_the_same(houses: dict[str, str]) -> None:
    for name in NAMES:
        for text in (f'player:"{name}"', f'table:"T{name}"'):
            positions = same(houses, lambda text=text: [event.position for event in all_matches(search(text))])
            assert positions, text


def test_people_are_found_by_their_names_whatever_the_case(houses: dict[str, str]) -> None:
    for part in ("eleni ä", "ELENI ά", "eleni Ω", "eleni ж", "Ж"):
        assert same(houses, lambda part=part: staff_list_and_name_lookup.ids_by_name(part)), part


def test_rows_come_in_one_order_from_every_table(houses: dict[str, str]) -> None:
    """Every read model is read in the order of each of its text columns."""
    tried = 0
    for model in _models():
        for field in model._meta.concrete_fields:
            if isinstance(field, CharField | TextField):
                name = field.attname
                rows = model._default_manager.filter(**{f"{name}__isnull": False}).order_by(name, "pk")
                rows_ = same(
                    houses, lambda rows=rows, name=name: list(rows.using("default").values_list(name, flat=True))
                )
                assert rows_ == sorted(rows_), (model, name)
                tried += 1
    assert tried > 50


def _models() -> list[type[Model]]:
    return [model for kind in PROJECTORS.values() for model in kind.models]


def test_the_floor_is_the_same(houses: dict[str, str]) -> None:
    same(houses, lambda: [table.table for table in floor(DAY).tables])
