"""Rounds of cards and of dice on their pages: the drawing shows the real cards, dice and bets."""

import pytest
from django.test import Client

from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import projectors
from tests.support.houses.sample_event_streams import History
from tests.support.houses.small_house import DAY
from tests.support.pages.page_text_and_queries import source, words
from tests.support.tables.in_memory_tables import TableInMemory
from tests.unit.tables import test_baccarat
from tests.unit.tables.test_craps import bet, line, throw

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture(autouse=True)
def _each(on_each_database: None) -> None:
    """Every test of this module."""


def project(table: TableInMemory) -> str:
    """Project the events of a table, and return the address of its rounds."""
    history = History()
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    applier = Applier(projectors(target=WriteTarget("default")), "athens")
    applier.load()
    applier.apply(history.events)
    return f"/tables/{table.state.table}/{DAY}/rounds"


def at(client: Client, path: str) -> dict[str, int]:
    """The last step of each type of event."""
    return {step["type"]: step["number"] for step in client.get(f"/api/v1{path}").json()["steps"]}


@pytest.mark.usefixtures("evening_house")
def test_blackjack_shows_its_cards_and_names_them(client: Client) -> None:
    path = f"/tables/BJ1/{DAY}/rounds/1"
    step = at(client, path)["hit.declared.v1"]
    step_ = client.get(f"/api/v1{path}?step={step}").json()
    cards = [card for hand in step_["hands"] for card in hand["cards"]]
    page = source(client, f"{path}?step={step}")
    assert (len(cards), page.count('class="card-face')) == (4, 4)
    assert "hit declared" in words(client, f"{path}?step={step}")
    assert "Box 1" in words(client, f"{path}?step={step}")
    before = source(client, f"{path}?step={step - 1}")
    assert (before.count('class="l-on"'), page.count('class="l-on"')) == (0, 1)


def test_craps_shows_the_puck_on_the_point_the_dice_and_bets_of_an_earlier_throw(client: Client) -> None:
    table = throw(line().ask("bet.place", **bet("h", "hardway", number=8)), 2, 4)
    path = f"{project(throw(table, 1, 2))}/1"
    rolls = [step for step in client.get(f"/api/v1{path}").json()["steps"] if step["type"] == "dice.rolled.v1"]
    first, second = (roll["number"] for roll in rolls)
    seen = []
    for step in (first - 1, first, second - 1, second):
        page = source(client, f"{path}?step={step}")
        seen.append((page.count('class="l-off"'), page.count('class="l-on"'), page.count('class="die"')))
    assert seen == [(1, 0, 0), (0, 1, 2), (0, 1, 0), (0, 1, 2)]
    lies = {bet["bet"]: bet["stake_minor"] for bet in client.get(f"/api/v1{path}?step={second}").json()["lies"]}
    assert lies == {"p": 1_000, "h": 1_000}


def test_baccarat_shows_both_sides_and_what_is_due(client: Client) -> None:
    table = test_baccarat.deal(test_baccarat.closed(), "7C 8D 2H TS")
    path = f"{project(table)}/1"
    steps = at(client, path)
    page = source(client, f"{path}?step={steps['bet.settled.v1']}")
    assert page.count('class="card-face') == 4
    assert page.count(" due") >= 1
    text = words(client, f"{path}?step={steps['coup.ended.v1']}")
    assert "Player 7♣ 2♥" in text
    assert "Banker 8♦ 10♠" in text
