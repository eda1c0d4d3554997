"""A search for events that a device recorded without signal: the page, the API, other languages, and both times."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from backoffice.surveillance.search.english_translation_of_search import field_in_english, field_word, in_english
from backoffice.surveillance.search.field_conditions import FIELDS
from backoffice.surveillance.search.grammar import Mistake
from backoffice.surveillance.search.page_content import _field_label
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from events.envelope import Action
from events.runtime import clock
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import at
from tools.translations import LANGUAGES

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db: None) -> Iterator[House]:
    house = House()
    house.open_table("FR1")
    time = clock.event_time(clock.moment() - timedelta(minutes=2))
    cases: tuple[tuple[str, dict[str, Any]], ...] = (("a", {}), ("b", {"queued": True, "intent": "fact", "time": time}))
    for name, fields in cases:
        if name == "a":
            house.ok("tables", "FR1", "dora", house.action("round.open"))
        stake = house.action("bet.place", bet=name, wager="red", amount_minor=500, player="p", seat=1)
        house.ok("tables", "FR1", "dora", _with(stake, fields))
    with serving(house):
        evening_with_everything.project(house)
        yield house
    house.close()


def _with(action: Action, fields: dict[str, Any]) -> Action:
    return msgspec.structs.replace(action, **fields)


def bets(text: str) -> list[str]:
    return [str(event.position) for event in all_matches(search(text))]


def test_queued_events_are_found_and_all_others(house: House) -> None:
    (queued,) = bets("queued:yes")
    assert bets("has:queued") == bets("table:FR1 queued:yes type:bet.placed") == [queued]
    assert queued not in bets("queued:no")
    assert len(bets("queued:yes")) + len(bets("queued:no")) == len(bets("queued:yes,no")) == house.store.position()
    assert bets("-queued:yes") == bets("queued:no")
    assert bets("-has:queued") == bets("queued:no")
    for wrong in ("queued:perhaps", "queued:"):
        with pytest.raises(Mistake):
            search(wrong)


def test_lists_show_both_times_of_a_queued_event(house: House) -> None:
    page = at("sven").get(f"/events?q={quote('queued:yes')}").content.decode()
    assert "without signal" in page
    assert "Recorded" in page
    replay = at("sven").get("/tables/FR1/2026-11-20/rounds/1").content.decode()
    assert "without signal" in replay


def test_the_page_has_a_label_for_every_field(house: House) -> None:
    assert [field for field in FIELDS if not _field_label(field)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_field_has_a_word_in_each_language(language: str) -> None:
    own = field_word("queued", language)
    assert field_in_english(own, language) == "queued"
    assert in_english(f"{own}:yes", language) == "queued:yes"
