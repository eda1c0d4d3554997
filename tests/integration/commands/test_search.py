"""`./manage.py search`: pages by cursor, the events' own bytes, and errors that name the column."""

import io
import json
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from backoffice.management.commands.search import _options_first
from events.store import everything
from tests import evening
from tests.house import House, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db: None) -> Iterator[House]:
    """After an evening, everything in the read models."""
    house = House()
    with serving(house):
        evening.play(house)
        evening.project(house)
        yield house
    house.close()


def said(*words: str, **options: object) -> tuple[list[str], str]:
    """What it prints, and what it says beside it."""
    out, beside = io.StringIO(), io.StringIO()
    call_command("search", *words, stdout=out, stderr=beside, **options)
    return out.getvalue().splitlines(), beside.getvalue()


def test_search_prints_the_stores_own_bytes_page_by_page(house: House) -> None:
    stored = [one.raw.decode() for one in everything(house.store) if one.type == "bet.placed.v1"]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        *lines, last = said(
            "type:bet.placed", "--oldest", "--json", "--limit=3", *(["--after", cursor] if cursor else [])
        )[0]
        seen += lines
        cursor = json.loads(last)["next"]
    assert seen == stored
    *newest, last = said("type:bet.placed", "--json", "--limit=100000")[0]
    assert (newest, last) == (stored[::-1], '{"next":null}')


def test_search_is_read_by_people_too(house: House) -> None:
    lines, beside = said("player:g-7 type:hit.declared")
    assert len(lines) == 2
    assert "\thit declared\tBJ1/2026-11-20/" in lines[0]
    assert beside == ""
    assert "more: --after " in said("--limit=1")[1]


def test_search_explains_itself(house: House) -> None:
    lines, _ = said("table:BJ1 mispay", explain=True)
    assert [line for line in lines if line.startswith("along the index of ")]
    assert not [line for line in said("seat:3", explain=True)[0] if line.startswith("along")]
    assert lines[:2] == ["column 1: table:BJ1: by its index or column", "column 11: mispay: then by each event itself"]


def test_an_error_names_the_column_and_ends_with_2(house: House) -> None:
    with pytest.raises(CommandError, match="Column 12: there is no field 'tabel'; did you mean table") as caught:
        said("table:BJ1 -tabel:BJ2")
    assert caught.value.returncode == 2
    assert str(caught.value).endswith(f"\ntable:BJ1 -tabel:BJ2\n{' ' * 11}^")


def test_a_search_may_begin_with_a_dash() -> None:
    assert _options_first(["-table:BJ1", "--json"]) == ["--json", "--", "-table:BJ1"]
    assert _options_first(["--limit", "5", "x"]) == ["--limit", "5", "x"]
