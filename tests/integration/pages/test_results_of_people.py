"""Pages of dealers and players over time: figures equal to the rounds behind them, and these to their events."""

import html
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db.models import Sum
from django.forms import model_to_dict
from django.http import QueryDict
from django.test import Client

from backoffice.access.models import Look
from backoffice.event_log.filters import read_filters
from backoffice.surveillance.person_results.person_pages import DAYS_SHOWN
from projections.alerts.models import Alert
from projections.people.models import HourResult, RoundResult
from tests.accountant.corrected_bets import CorrectedBets
from tests.accountant.random_gaming_days import RandomFloor
from tests.support.houses import evening_with_everything
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, House, serving
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import figures, queries, source, words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _each(on_each_database: None) -> None:
    """Every test of this module."""


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RandomFloor]:
    """Yield a house with random gaming days: vouchers, corrections, voids, late payments, rolled days."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    house = RandomFloor(5)
    for _ in range(250):
        house.step()
    evening_with_everything.project(house)
    evening_with_everything.post_results(house)
    with serving(house):
        yield house
    house.close()


def linked(client: Client, url: str) -> list[tuple[str, str]]:
    """The figures of a page: where each leads, and its text without words."""
    links = re.findall(r'<a class="fig"\s+href="([^"]+)">(.*?)</a>', source(client, url), flags=re.DOTALL)
    return [(html.unescape(address), re.sub(r"<[^>]+>|\s", "", text)) for address, text in links]


def everybody() -> list[str]:
    dealers = RoundResult.objects.filter(player="").exclude(dealer="").values_list("dealer", flat=True).distinct()
    players = RoundResult.objects.exclude(player="").values_list("player", flat=True).distinct()
    return [*(f"/dealers/{dealer}" for dealer in dealers), *(f"/players/{player}" for player in players)]


def test_every_figure_is_in_the_totals_of_the_rounds_that_its_link_opens(client: Client, days: RandomFloor) -> None:
    tried = 0
    for page in everybody():
        for address, text in linked(client, page):
            listed = source(client, address)
            totals = re.search(r'<dl class="card pad particulars">(.*?)</dl>', listed, flags=re.DOTALL)
            assert totals is not None, address
            shown = [
                re.sub(r"<[^>]+>|\s", "", figure)
                for figure in re.findall(r"<dd>(.*?)</dd>", totals[1], flags=re.DOTALL)
            ]
            assert text in shown, (page, address, text, shown)
            tried += 1
    assert tried > 100


def test_the_rounds_add_up_and_are_their_events(client: Client, days: RandomFloor) -> None:
    for page in everybody():
        for name, (address, amount) in figures(client, f"{page}/rounds").items():
            filters, errors = read_filters(QueryDict(urlsplit(address).query))
            assert errors == {}
            there = int(filters.matching().aggregate(amount=Sum("counts"))["amount"] or 0)
            assert abs(there) == abs(amount), (page, name, address)
        answer = client.get(f"/api/v1{page}/rounds").json()
        assert answer["next"] is None
        for figure in ("handle_minor", "win_minor", "result_minor", "decisions", "bets"):
            assert sum(round_["line"][figure] for round_ in answer["rounds"]) == answer["total"][figure]


def test_periods_add_up(client: Client, days: RandomFloor) -> None:
    for page in everybody():
        whole = client.get(f"/api/v1{page}").json()
        parts = [
            client.get(f"/api/v1{page}?from={day}&to={day}").json()
            for day in {day_["gaming_day"] for day_ in whole["days"]}
        ]
        for figure in ("rounds", "handle_minor", "win_minor", "result_minor", "decisions"):
            in_days = sum(game["line"][figure] for part in parts for game in part["games"])
            assert in_days == sum(game["line"][figure] for game in whole["games"]), (page, figure)
            assert in_days == sum(hour["line"][figure] for hour in whole["hours"]), (page, figure)


def test_a_bet_that_was_recorded_as_another_players_is_in_the_round_of_its_own(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob's buy bet of 20.00 with 1.00 commission was recorded as Ann's. His events do not have the commission."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    house = CorrectedBets(1)
    with serving(house):
        house.lead("CB1", "round.open")
        bets: list[tuple[str, dict[str, Any]]] = [("n1", {"wager": "buy", "number": 4}), ("n2", {"wager": "field"})]
        for name, bet in bets:
            about = {"bet": name, "amount_minor": 2_000, "player": "Ann", "seat": 1, "_intent": "fact"}
            assert house.lead("CB1", "bet.place", **about, **bet)
        rows = results_of(client, house)
        assert rows == {("Ann", 2, 4_000, -100, True)}
        house.correct_bet("CB1", bet="n1", player="Bob", seat=2)
        assert results_of(client, house) == {("Ann", 1, 2_000, 0, False), ("Bob", 1, 2_000, -100, False)}
        house.correct_bet("CB1", bet="n2", player="Bob", seat=2)
        assert results_of(client, house) == {("Ann", 0, 0, 0, False), ("Bob", 2, 4_000, -100, False)}
        house.correct_bet("CB1", bet="n1", player="Ann", seat=1)
        assert results_of(client, house) == {("Ann", 1, 2_000, -100, False), ("Bob", 1, 2_000, 0, False)}
    house.close()


def results_of(client: Client, house: CorrectedBets) -> set[tuple[str, int, int, int, bool]]:
    """Return player, bets, stakes and win of each round of players, and whether the win has a link."""
    evening_with_everything.project(house)
    evening_with_everything.post_results(house)
    results = set[tuple[str, int, int, int, bool]]()
    for player in RoundResult.objects.exclude(player="").values_list("player", flat=True):
        answer = client.get(f"/api/v1/players/{player}/rounds").json()
        is_linked = any(name.startswith("win-") for name in figures(client, f"/players/{player}/rounds"))
        for round_ in answer["rounds"]:
            line = round_["line"]
            results.add((player, line["bets"], line["staked_minor"], line["win_minor"], is_linked))
    return results


@pytest.mark.usefixtures("evening_house")
def test_an_unknown_person_a_day_that_is_none_and_a_period_without_rounds(client: Client) -> None:
    for path in ("/dealers/nobody", "/players/dora", "/dealers/dora?from=yesterday", "/dealers/dora/rounds?only=luck"):
        assert client.get(path).status_code == 404, path
        assert client.get(f"/api/v1{path}").status_code == 404, path
    assert "No rounds in this period" in words(client, "/dealers/dora?from=2001-01-01&to=2001-01-02")
    assert client.get("/api/v1/dealers/dora?from=2001-01-01&to=2001-01-02").json()["games"] == []


@pytest.mark.usefixtures("evening_house")
def test_a_view_leaves_a_line_in_the_access_log(client: Client) -> None:
    before = Look.objects.count()
    for path in ("/dealers/dora", "/players/g-1/rounds", "/api/v1/players/g-1", "/dealers/dora.csv"):
        assert client.get(path).status_code == 200
    assert [look.what for look in Look.objects.filter(number__gt=before).order_by("number")] == [
        "/dealers/dora", "/players/g-1/rounds", "/api/v1/players/g-1", "/dealers/dora.csv"
    ]  # fmt: skip


def test_a_mispay_is_an_error_of_its_round(client: Client, evening_house: House) -> None:
    answer = client.get(f"/api/v1/dealers/dora/rounds?only=mispays&from={DAY}&to={DAY}").json()
    [round_] = answer["rounds"]
    assert (round_["table"], round_["round"], round_["mispay_minor"]) == (
        "FR1",
        3,
        -evening_with_everything.MISPAID_MINOR,
    )
    assert answer["mispays"] == 1


def test_a_longer_past_takes_no_more_queries(client: Client, days: RandomFloor) -> None:
    page = max(everybody(), key=lambda address: len(client.get(f"/api/v1{address}").json()["days"]))
    whole = client.get(f"/api/v1{page}").json()
    assert len(whole["days"]) > 1
    day = whole["days"][0]["gaming_day"]
    assert queries(client, page) == queries(client, f"{page}?from={day}&to={day}")


@pytest.mark.usefixtures("evening_house")
def test_the_timeline_leads_there(client: Client) -> None:
    assert 'href="/dealers/dora"' in source(client, "/timelines/dealer/dora")
    assert 'href="/players/g-1"' in source(client, "/timelines/player/g-1")


def test_the_pages_that_name_people_lead_to_their_results(evening_house: House) -> None:
    evening_with_everything.post_results(evening_house)
    sven = at("sven")
    dealer, player = 'href="/dealers/dora"', 'href="/players/g-1"'
    assert dealer in source(at("olga"), "/people")
    for by, link in (("dealer", dealer), ("player", player)):
        source(sven, f"/days/{DAY}/luck.csv?by={by}")  # it waits for the calculation; the page does not
        assert link in source(sven, f"/days/{DAY}/luck?by={by}")
    assert {dealer, player} & {*re.findall(r'href="[^"]*"', source(sven, f"/alerts/{MISPAY_ALERT}"))}
    mispay = Alert.objects.get(id=MISPAY_ALERT)
    replay = source(sven, f"/tables/{mispay.table}/{mispay.gaming_day}/rounds/{mispay.round}")
    assert dealer in replay
    assert "/players/" in replay
    assert dealer in source(sven, "/timelines/dealer/dora")


def lived_on(days: int) -> str:
    """Copy the hours of the evening to the gaming days before it; return the first of all days."""
    last, rows = date.fromisoformat(DAY), list(HourResult.objects.all())
    earlier = [(last - timedelta(days=number)).isoformat() for number in range(1, days)]
    for row in rows:
        HourResult.objects.bulk_create(
            HourResult(**(model_to_dict(row) | {"id": f"{row.id} {day}", "gaming_day": day})) for day in earlier
        )
    return earlier[-1]


@pytest.mark.usefixtures("evening_house")
@pytest.mark.parametrize("page", ["/dealers/dora", "/players/g-1"])
def test_the_page_of_a_person_is_as_long_after_years_with_the_sums_of_all_days(client: Client, page: str) -> None:
    evening_rounds = client.get(f"/api/v1{page}").json()["games"][0]["line"]["rounds"]
    first = lived_on(820)
    assert client.get(f"/api/v1{page}?from={first}").json()["games"][0]["line"]["rounds"] == 820 * evening_rounds
    url = f"{page}?from={first}"
    days: list[str] = []
    while url:
        text = source(client, url)
        assert len(text) < 100_000
        assert f">{820 * evening_rounds:,}</a>" in text.partition('id="days"')[0], "the sums are of all days"
        shown = re.findall(r'<tr><th scope="row">([\d-]{10})</th>', text)
        assert shown == sorted(shown)
        days = [*dict.fromkeys(shown), *days]
        assert ("Newest" in text) is (len(days) > DAYS_SHOWN)
        url = "".join(page + html.unescape(link) for link in re.findall(r'rel="next"\s+href="([^"#]+)#days"', text))
    assert days == [(date.fromisoformat(first) + timedelta(days=number)).isoformat() for number in range(820)]
    assert client.get(f"{page}?before=x").status_code == 404
