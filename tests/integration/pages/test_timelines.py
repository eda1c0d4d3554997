"""Everything that touched a player, a dealer with a player, a table, a box, a slip, a shoe, a die, a progressive."""

from datetime import UTC, datetime, timedelta
from unicodedata import normalize
from urllib.parse import quote

import msgspec
import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.surveillance import entity_event_queries, timeline_page
from backoffice.surveillance.player_statistics import _seconds_played
from backoffice.surveillance.search.completion import completions
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.eventlog.models import EventLog
from tests.integration.pages.test_drawn_games import project
from tests.support.houses.small_house import DAY
from tests.support.pages.page_text_and_queries import source, words
from tests.unit.tables import test_baccarat
from tests.unit.tables.test_craps import numbered, throw

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _each(on_each_database: None) -> None:
    """Every test of this module."""


def positions(client: Client, path: str) -> list[int]:
    return [touch["position"] for touch in client.get(f"/api/v1/timelines/{path}").json()["touches"]]


def logged(**filters: object) -> list[int]:
    return list(EventLog.objects.filter(**filters).order_by("position").values_list("position", flat=True))


@pytest.mark.usefixtures("evening_house")
@pytest.mark.parametrize(
    ("path", "filters"),
    [
        ("player/g-1", {"player": "g-1"}),
        ("dealer/dora?gaming_day=2026-11-20&player=g-1", {"dealer": "dora", "player": "g-1"}),
        ("drop-box/b-1", {"type__in": ["drop.removed.v1", "drop.counted.v1"]}),
    ],
)
def test_it_is_all_that_the_log_has_and_nothing_else(client: Client, path: str, filters: dict[str, object]) -> None:
    events = logged(**filters)
    assert positions(client, path) == events
    assert events


@pytest.mark.usefixtures("evening_house")
def test_a_long_one_goes_on_from_page_to_page_and_its_sums_are_of_all(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_page, "SHOWN", 25)
    wanted = logged(table="FR1")
    positions_, pages = list[int](), 0
    after: int | None = 0
    while after is not None:
        page = client.get(f"/api/v1/timelines/table/FR1?after={after}").json()
        assert sum(sum_["events"] for sum_ in page["sums"]) == page["events"] == len(wanted)
        positions_ += [touch["position"] for touch in page["touches"]]
        after, pages = page["next"], pages + 1
    assert positions_ == wanted
    assert pages == -(-len(wanted) // 25) > 2
    assert 'rel="next" href="?after=' in source(client, "/timelines/table/FR1")


@pytest.mark.usefixtures("evening_house")
def test_a_slip_is_told_by_all_who_name_it(client: Client) -> None:
    raws = EventLog.objects.order_by("position").values_list("position", "raw")
    wanted = [at for at, raw in raws if msgspec.json.decode(bytes(raw))["data"].get("slip") == 1]
    assert positions(client, "slip/1") == wanted
    assert len(wanted) > 1


@pytest.mark.usefixtures("evening_house")
def test_a_search_for_a_slip_finds_what_its_timeline_has(client: Client) -> None:
    assert searched("slip:1") == positions(client, "slip/1")
    assert set(searched("slip:1")) < set(searched("slip:1..999"))


def searched(text: str) -> list[int]:
    return [event.position for event in all_matches(search(text))]


@pytest.mark.usefixtures("evening_house")
def test_what_was_not_looked_at_is_said(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/api/v1/timelines/drop-box/b-1").json()["is_whole"]
    monkeypatch.setattr(entity_event_queries, "LOOKED_AT", 1)
    assert not client.get("/api/v1/timelines/drop-box/b-1").json()["is_whole"]
    assert "Too many events to total" in words(client, "/timelines/drop-box/b-1")


@pytest.mark.usefixtures("evening_house")
def test_a_player_s_sums_are_those_of_his_events(client: Client) -> None:
    sums = {sum_["type"]: sum_ for sum_ in client.get("/api/v1/timelines/player/g-1").json()["sums"]}
    rows = EventLog.objects.filter(player="g-1", type="bet.placed.v1")
    assert sums["bet.placed.v1"]["amount_minor"] == sum(row.amount_minor or 0 for row in rows)
    assert sums["bet.placed.v1"]["events"] == len(rows)


@pytest.mark.usefixtures("evening_house")
def test_a_progressive_has_its_own_events_and_those_of_its_tables(client: Client) -> None:
    types = {sum_["type"] for sum_ in client.get("/api/v1/timelines/progressive/blazing").json()["sums"]}
    assert {"progressive.opened.v1", "progressive.armed.v1", "hit.declared.v1"} <= types


@pytest.mark.usefixtures("house")
def test_a_shoe_has_its_cards_until_the_next_one_is_loaded(client: Client) -> None:
    table = test_baccarat.deal(test_baccarat.closed(), "7C 8D 2H TS")
    project(table.pay().end().lead("shoe.load", shoe="S-next", packs=8))
    (first, second) = EventLog.objects.filter(type="shoe.loaded.v1", table=table.state.table).order_by("position")
    dealt = logged(table=table.state.table, type__in=["card.dealt.v1", "cards.burnt.v1"])
    name = table.events[[event.TYPE for event in table.events].index("shoe.loaded.v1")]
    positions_ = positions(client, f"shoe/{getattr(name, 'shoe', '')}")
    assert positions_ == [first.position, *dealt]
    assert positions(client, "shoe/S-next") == [second.position]
    shoe = getattr(name, "shoe", "")
    assert searched(f"shoe:{shoe}") == positions_
    assert searched(f"shoe:S-next,{shoe} -type:card.dealt") == [
        at for at in (*positions_, second.position) if at not in logged(type="card.dealt.v1")
    ]


@pytest.mark.usefixtures("house")
def test_a_die_has_the_throws_that_it_was_in(client: Client) -> None:
    project(throw(numbered(), 2, 4))
    types = [touch["type"] for touch in client.get("/api/v1/timelines/dice/K1").json()["touches"]]
    assert types == ["dice.put.v1", "dice.chosen.v1", "dice.rolled.v1"]
    assert [touch["type"] for touch in client.get("/api/v1/timelines/dice/K5").json()["touches"]] == ["dice.put.v1"]
    assert searched("die:K1") == searched("die:K1,K5") == positions(client, "dice/K1")
    assert client.get("/api/v1/timelines/dice/4").status_code == 404, "it is what a die showed, and no die"
    assert searched("die:4") == []


@pytest.mark.usefixtures("evening_house")
def test_the_page_leads_to_events_and_to_rounds(client: Client) -> None:
    page = source(client, "/timelines/player/g-1")
    assert f'href="/tables/FR1/{DAY}/rounds/3"' in page
    text = words(client, "/timelines/player/g-1")
    assert "bet placed red" in text
    assert "bet settled red lost" in text


@pytest.mark.usefixtures("evening_house")
@pytest.mark.parametrize("path", ["player/nobody", "ghost/x", "player/g-1?after=x", "shoe/none"])
def test_what_nothing_touched_is_said(client: Client, path: str) -> None:
    assert client.get(f"/timelines/{path}").status_code == 404
    assert client.get(f"/api/v1/timelines/{path}").status_code == 404


@pytest.mark.usefixtures("evening_house")
def test_a_round_leads_to_its_players_and_its_dealer(client: Client) -> None:
    page = source(client, f"/tables/FR1/{DAY}/rounds/3?step=5")
    for path in ("player/g-1", "dealer/dora"):
        assert f'href="/timelines/{path}?gaming_day={DAY}"' in page


@pytest.mark.usefixtures("evening_house")
def test_who_looks_leaves_a_line(client: Client) -> None:
    source(client, "/timelines/player/g-1")
    (line,) = Look.objects.values_list("person", "kind", "what")
    assert line == ("olga", "search", "/timelines/player/g-1")


@pytest.mark.usefixtures("evening_house")
def test_a_dealers_gaming_day_is_summed_whole_however_many_events_it_has(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.timeline_page.MOST", 3)
    whole = client.get(f"/api/v1/timelines/dealer/dora?gaming_day={DAY}").json()
    assert (whole["is_whole"], whole["events"]) == (True, EventLog.objects.filter(dealer="dora").count())
    assert "Too many events to total" not in words(client, f"/timelines/dealer/dora?gaming_day={DAY}")
    bought = EventLog.objects.filter(dealer="dora", type="buyin.made.v1").values_list("amount_minor", flat=True)
    assert [sum_["amount_minor"] for sum_ in whole["sums"] if sum_["type"] == "buyin.made.v1"] == [
        sum(amount or 0 for amount in bought)
    ]
    assert whole["play"] is not None
    first = client.get("/api/v1/timelines/dealer/dora").json()
    assert (first["is_whole"], first["events"], first["play"]) == (False, 3, None)
    assert "Choose one gaming day" in words(client, "/timelines/dealer/dora")


@pytest.mark.usefixtures("evening_house")
def test_a_player_has_net_win_average_bet_and_time_played(client: Client) -> None:
    events = [
        msgspec.json.decode(bytes(raw)) for raw in EventLog.objects.filter(player="g-1").values_list("raw", flat=True)
    ]
    settled = [event["data"] for event in events if event["type"] == "bet.settled.v1"]
    stakes = [event["data"]["amount_minor"] for event in events if event["type"] == "bet.placed.v1"]
    net = sum(event["profit_minor"] - event.get("commission_minor", 0) for event in settled)
    play = client.get("/api/v1/timelines/player/g-1").json()["play"]
    assert (play["net_win_minor"], play["bets"], play["stakes_minor"]) == (net, len(stakes), sum(stakes))
    assert play["average_minor"] == round(sum(stakes) / len(stakes))
    begun = datetime(2026, 11, 20, 20, tzinfo=UTC)
    for minutes, position in zip((0, 10, 25, 90, 95), logged(player="g-1"), strict=False):
        EventLog.objects.filter(position=position).update(time=begun + timedelta(minutes=minutes))
    some = EventLog.objects.filter(position__in=logged(player="g-1")[:5])
    assert _seconds_played(some.order_by("time").values_list("time", flat=True)) == 30 * 60, (
        "a pause of an hour is no play"
    )
    text = words(client, "/timelines/player/g-1")
    assert "Net win of the player" in text
    assert "Average bet" in text
    assert client.get("/api/v1/timelines/drop-box/b-1").json()["play"] is None


@pytest.mark.usefixtures("evening_house")
def test_the_touches_of_one_round_are_folded_together(client: Client) -> None:
    page = source(client, "/timelines/player/g-1")
    folded = page.count('<details class="card fold touches"')
    assert 1 < folded < len(logged(player="g-1"))
    assert "Replay round" in page


@pytest.mark.usefixtures("evening_house")
@pytest.mark.parametrize("name", [normalize("NFC", "José"), normalize("NFD", "José")], ids=["composed", "decomposed"])
def test_a_name_is_found_in_both_spellings(client: Client, name: str) -> None:
    """Events from before ids were normalized can have either spelling."""
    events_of_player = logged(player="g-1")
    both = [normalize("NFC", "José"), normalize("NFD", "José")]
    for spelling, some in zip(both, (events_of_player[::2], events_of_player[1::2]), strict=True):
        EventLog.objects.filter(position__in=some).update(player=spelling)
    assert positions(client, f"player/{quote(name)}") == events_of_player
    assert positions(client, f"dealer/dora?gaming_day=2026-11-20&player={quote(name)}") == events_of_player
    for typed in (name, "Jos"):
        offers = completions(f"player:{typed}", 7 + len(typed), {})
        assert sorted(offer.value for offer in offers) == sorted(both)
    raw = msgspec.json.encode({"data": {"shoe": both[0], "serials": [{"serial": both[1]}]}})
    assert entity_event_queries._has_name(raw, ("shoe",), name)
    assert entity_event_queries._has_name(raw, ("serials",), name)
