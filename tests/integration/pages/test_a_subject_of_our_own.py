"""A subject with people and a page needs few files: its stream, its page, its forms and its approval follow."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from events.store import everything
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import at, done, forms, open_door
from tests.support.pages.page_text_and_queries import queries, words
from tests.toys import lost_property

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]
FILES_MAX = 10


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house with lost property."""
    lost_property.install(monkeypatch)
    ours: dict[str, Any] = settings.TEMPLATES[0]
    templates = [{**ours, "DIRS": [*ours["DIRS"], str(ROOT / "tests" / "toys" / "templates")]}]
    house = House()
    changed = override_settings(TEMPLATES=templates, ROOT_URLCONF=lost_property.addresses())
    with changed, serving(house), open_door(house):
        evening_with_everything.project(house)
        yield house
    house.close()
    lost_property.withdraw()


def test_its_files_are_those_of_the_how_to_and_at_most_ten() -> None:
    howto = (ROOT / "docs" / "howto" / "add-a-subject.md").read_text()
    files = re.findall(r"^\| `([^`]+)` \|", howto, re.MULTILINE)
    assert [file for file in files if not file.startswith("tests/")] == [*lost_property.CHANGES]
    assert len(lost_property.CHANGES) <= FILES_MAX


def test_an_item_is_noted_on_the_page_and_returned_by_two(house: House) -> None:
    assert "Nothing was left behind" in words(at("dora"), "/lost")
    answer, _ = done(at("dora"), "/lost/do/item.find", item="watch", table="FR1", worth_minor="50.00")
    assert answer.status_code in (200, 302)
    assert "watch: FR1" in words(at("dora"), "/lost")
    done(at("ines"), "/lost/do/item.return", item="watch", player="p-1")
    assert "watch: FR1" in words(at("dora"), "/lost")
    [approve] = forms(at("sven").get("/inbox").content.decode(), "approval.give")
    done(at("sven"), approve)
    assert "Nothing was left behind" in words(at("dora"), "/lost")
    assert [event.type for event in everything(house.store)][-2:] == ["approval.given.v1", "item.returned.v1"]


def test_its_page_makes_one_query_for_its_items(house: House) -> None:
    client = at("dora")
    before = queries(client, "/lost")
    for number in range(5):
        house.ok("lost", "", "dora", house.action("item.find", item=f"hat {number}", table="FR1", worth_minor=1_000))
    evening_with_everything.project(house)
    assert queries(client, "/lost") == before
