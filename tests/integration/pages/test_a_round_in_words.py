"""A game whose declaration has no drawing: its rounds have the same steps, in words."""

from collections.abc import Iterator

import pytest
from django.test import Client

from events.rules import game_declaration_and_registry
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source, words
from tests.toys.bigsix.game_declaration import GAME

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    game_declaration_and_registry.register(GAME)
    yield
    game_declaration_and_registry.withdraw(GAME.name)


def test_it_is_told_step_by_step(client: Client, house: House) -> None:
    act = house.action
    house.install("BS1", "bigsix", "bigsix")
    house.open_table("BS1")
    bet = act("bet.place", bet="a", wager="ten", amount_minor=300, player="g-1")
    stop = act("wheel.stop", symbol="ten", turns=4)
    house.ok("tables", "BS1", "dora", act("round.open"), bet, act("bets.close"), stop)
    evening_with_everything.project(house)
    path = f"/tables/BS1/{DAY}/rounds/1"
    text = words(client, f"{path}?step=4")
    assert "wheel at rest: symbol ten, turns 4" in text
    assert "This game has no drawing. Its rounds are described in text." in text
    assert "g-1 Results of a player ten 3.00" in text
    assert "<svg viewBox=" not in source(client, f"{path}/print").split("<main")[1]
    answer = client.get(f"/api/v1{path}").json()
    assert [step["type"] for step in answer["steps"]][:4] == [
        *("round.opened.v1", "bet.placed.v1", "bets.closed.v1", "wheel.stopped.v1"),
    ]
    assert answer["due_minor"] == 3_000
