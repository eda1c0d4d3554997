"""A table's gaming day: both wins with their parts, and a link from every figure to events with that total."""

import json

import pytest
from django.test import Client

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import figures, log_total, queries, words

pytestmark = pytest.mark.django_db

URL = f"/tables/FR1/{DAY}"


@pytest.mark.parametrize("table", ["FR1", "FR2", "BJ1"])
def test_every_figure_is_the_sum_of_the_events_behind_it(client: Client, evening_house: House, table: str) -> None:
    """Signed words are written without a minus ("5.00 short"), so amounts are compared without their signs."""
    figures_ = figures(client, f"/tables/{table}/{DAY}")
    assert len(figures_) > 15
    for name, (address, amount) in figures_.items():
        assert abs(log_total(client, address)) == abs(amount), (name, address)


def test_every_figure_of_the_floor_is_the_sum_of_the_events_behind_it(client: Client, evening_house: House) -> None:
    figures_ = figures(client, "/")
    assert {"t-FR1-drop", "t-FR1-inventory", "t-BJ1-event", "house-fills"} <= set(figures_)
    for name, (address, amount) in figures_.items():
        assert abs(log_total(client, address)) == abs(amount), (name, address)


def test_the_two_wins_and_what_makes_them_differ(client: Client, evening_house: House) -> None:
    page = words(client, URL)
    for line in ("Drop", "Closer", "Opener", "Vouchers in the boxes, not in the drop", "Stakes lost", "Winnings due"):
        assert line in page
    assert "Mispay, paid too much 5.00 short" in page
    assert "Vouchers exchanged for chips 50.00 short" in page
    assert "No known cause 0.00" in page


def test_wagers_rounds_and_irregularities(client: Client, evening_house: House) -> None:
    answer = client.get(f"/api/v1/tables/FR1/{DAY}").json()
    assert {wager["wager"] for wager in answer["wagers"]} == {"red", "dozen", "straight"}
    assert [round_["round"] for round_ in answer["rounds"]] == [6, 5, 4, 3, 2, 1]
    assert answer["rounds"][0]["result"] == "22"
    assert sum(round_["stakes_minor"] for round_ in answer["rounds"]) == answer["head"]["stakes_minor"]
    assert sum(round_["win_minor"] for round_ in answer["rounds"]) == answer["head"]["reckoning"]["event_win_minor"]
    assert len(answer["irregularities"]) == answer["head"]["irregularities"] == 1
    assert answer["irregularities"][0]["clearer"] == "inspector or pit boss"
    assert "To be cleared by" in words(client, URL)


def test_a_hand_shows_the_dealers_cards(client: Client, evening_house: House) -> None:
    assert "7♦ 9♣ 4♣" in words(client, f"/tables/BJ1/{DAY}")


def test_a_table_in_play_has_no_inventory_win(client: Client, evening_house: House) -> None:
    page = words(client, f"/tables/FR2/{DAY}")
    assert "Table win in play" in page
    assert "in play, compared after the closer" in page


def test_a_table_without_a_day_leads_to_its_last_one(client: Client, evening_house: House) -> None:
    assert client.get("/tables/FR1").headers["Location"] == URL


@pytest.mark.parametrize("url", ["/tables/XX", f"/tables/XX/{DAY}", "/tables/FR1/2020-01-01"])
def test_an_unknown_table_is_not_there(client: Client, evening_house: House, url: str) -> None:
    page = words(client, url, 404)
    assert "Page not found" in page
    assert "Go to my start page" in page


def test_no_query_stands_in_a_loop(client: Client, evening_house: House) -> None:
    before = queries(client, f"/tables/FR2/{DAY}")
    act = evening_house.action
    launch = act("ball.launch", wheel="ccw", ball="cw")
    evening_house.ok("tables", "FR2", "dora", launch, act("bets.close"), act("ball.land", number=3), act("round.end"))
    for spin in range(3, 9):
        evening_with_everything.play_spin(evening_house, "FR2", 17, spin)
    evening_with_everything.project(evening_house)
    assert queries(client, f"/tables/FR2/{DAY}") == before <= 14


def test_json_has_no_drawings(client: Client, evening_house: House) -> None:
    answer = client.get(f"/api/v1/tables/FR1/{DAY}")
    assert "M0 " not in json.dumps(answer.json())
    assert int(answer.headers["Pitledger-Position"]) == evening_house.store.position()
