"""Progressives: meters that add up, contributions, hits with their shares, envy."""

import pytest
from django.test import Client

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import figures, queries, source, words

pytestmark = pytest.mark.django_db

URL = "/progressives/blazing"


def test_all_meters_stand_in_the_list(client: Client, evening_house: House) -> None:
    page = words(client, "/progressives/")
    assert "blazing" in page
    assert "tables: BJ1" in page
    assert "1 hit pending" in page


def test_a_meter_is_written_exactly_with_its_parts(client: Client, evening_house: House) -> None:
    """Mega: 50,000.00 + seed 25,000.00 + fed 30.00 x 10 % - locked 50,001.50 = 25,001.50."""
    levels = {level["level"]: level for level in client.get(f"/api/v1{URL}").json()["summary"]["levels"]}
    mega = levels["mega"]
    assert mega["shown_minor"] == 2_500_150
    assert mega["locked_minor"] == 5_000_150
    parts = mega["start_micro"] + mega["seeds_micro"] + mega["fed_micro"] + mega["adjusted_micro"]
    assert mega["meter_micro"] == parts - mega["locked_minor"] * 1_000_000
    page = words(client, URL)
    assert "does not add up" not in page
    assert "− awarded 50,001.50 Meter, exact 25,001.50" in page


def test_hits_stand_with_status_share_lock_and_envy(client: Client, evening_house: House) -> None:
    answer = client.get(f"/api/v1{URL}").json()
    pending, paid = answer["hits"]
    assert (pending["level"], pending["status"], pending["share_minor"]) == ("minor", "pending", None)
    assert (paid["level"], paid["status"], paid["share_minor"]) == ("mega", "paid", 5_000_150)
    assert paid["as_of"] == paid["position"]
    assert [(bonus["player"], bonus["amount_minor"]) for bonus in paid["envy"]] == [("g-8", 100_000)]
    assert "mega of g-7 at BJ1" in words(client, URL)


def test_growth_is_drawn_with_the_hits_marked(client: Client, evening_house: House) -> None:
    page = source(client, URL)
    assert page.count('class="mark"') == 2
    assert 'aria-label="mega: from 50,000 to 25,001.50, 1 hits"' in page
    assert " style=" not in page


def test_contributions_are_by_table_and_level(client: Client, evening_house: House) -> None:
    [line] = client.get(f"/api/v1{URL}").json()["contributions"]
    assert (line["table"], line["rounds"], line["stakes_minor"]) == ("BJ1", 2, 3_000)
    assert line["fed_micro"] == [300_000_000, 120_000_000, 75_000_000]
    assert line["reserve_fed_micro"] == 30_000_000


def test_figures_lead_to_their_events(client: Client, evening_house: House) -> None:
    figures_ = figures(client, URL)
    assert figures_["mega-locked"][1] == 5_000_150
    for address, _amount in figures_.values():
        assert "<strong>0</strong>" not in source(client, address)


def test_an_unknown_progressive_is_not_there(client: Client, evening_house: House) -> None:
    assert "There is no progressive nope." in words(client, "/progressives/nope", 404)
    assert client.get("/api/v1/progressives/nope").headers["Content-Type"] == "application/problem+json"


def test_no_progressive_explains_itself(client: Client, house: House) -> None:
    assert "No progressives yet" in words(client, "/progressives/")


def test_no_query_stands_in_a_loop(client: Client, evening_house: House) -> None:
    before = queries(client, URL), queries(client, "/progressives/")
    act = evening_house.action
    rest = [act("card.deal", to="box", box=2, card="2C"), act("deal.complete")]
    rest += [act("hand.stand", box=1), act("hand.stand", box=2)]
    rest += [act("card.deal", to="dealer", card="9H"), act("card.deal", to="dealer", card="4H"), act("round.end")]
    evening_house.ok("tables", "BJ1", "dora", *rest)
    evening_with_everything.project(evening_house)
    assert (queries(client, URL), queries(client, "/progressives/")) == before
    assert max(before) <= 10
