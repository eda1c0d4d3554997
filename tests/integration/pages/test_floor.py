"""The floor: every table with both wins, the causes of their difference, and the age of the figures."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from backoffice.tables.counted_win_against_recorded_win import compare_wins, worst_state
from events.runtime import clock
from projections.engine.models import PoisonedEvent, Reader
from projections.eventlog.models import EventLog
from projections.tables.models import TableDay
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import queries, source, words

pytestmark = pytest.mark.django_db


def _launch(house: House) -> None:
    """Append one event, at FR2."""
    house.ok("tables", "FR2", "dora", house.action("ball.launch", wheel="ccw", ball="cw"))


def test_every_table_is_there_with_its_figures(client: Client, evening_house: House) -> None:
    page = words(client, "/")
    for table in ("FR1", "FR2", "BJ1", "R9"):
        assert table in page
    assert "not opened on this gaming day" in page
    assert "Dealer: dora Inspector: ines" in page
    assert "in round 3" in page


def test_a_difference_is_judged_in_words(client: Client, evening_house: House) -> None:
    page = words(client, "/")
    assert "5.00 short mispay" in page
    assert "in play, compared after the closer" in page


def test_totals_are_the_sums_of_the_tables(client: Client, evening_house: House) -> None:
    answer = client.get("/api/v1/tables").json()
    for pit in answer["pits"]:
        for name in ("stakes_minor", "drop_minor", "fills_minor", "credits_minor"):
            assert pit["totals"][name] == sum(table[name] for table in pit["tables"])
    assert answer["totals"]["fills_minor"] == 100_000
    wins = [table["reckoning"]["event_win_minor"] for pit in answer["pits"] for table in pit["tables"]]
    assert answer["totals"]["event_win_minor"] == sum(wins)


def test_a_float_that_is_out_by_a_hundred_is_red(client: Client, evening_house: House) -> None:
    day = TableDay.objects.get(table="FR1")
    TableDay.objects.filter(table="FR1").update(closer_minor=(day.closer_minor or 0) - 10_000)
    assert "state-red" in source(client, "/")
    assert "tray or box differs by 100 or more" in words(client, "/")


@pytest.mark.parametrize(
    ("vouchers", "mispaid", "state", "reason"),
    [
        (0, 0, "green", "wins agree"),
        (20_00, 0, "green", "promotional vouchers only"),
        (20_00, 5_00, "amber", "mispay, vouchers"),
    ],
)
def test_wins_that_differ_by_vouchers_are_not_said_to_agree(
    vouchers: int, mispaid: int, state: str, reason: str
) -> None:
    begin, cash, lost, due = 1_000_00, 50_00, 70_00, 35_00
    end = begin - cash - vouchers + lost - due - mispaid
    counted = {"opener_minor": begin, "closer_minor": end, "expected_minor": end, "drop_minor": cash}
    bought = {"buyins_cash_minor": cash, "buyins_promotional_minor": vouchers}
    played = {"stakes_minor": lost, "resolved_minor": lost, "lost_minor": lost}
    day = TableDay(recorded=True, **counted, **bought, **played, due_minor=due, paid_minor=due + mispaid)
    result = compare_wins(day)
    assert (result.state, result.reason) == (state, reason)
    house = "differences at 1 of 1 tables" if mispaid else "promotional vouchers only"
    assert worst_state([result]) == (state, house if vouchers else "wins agree at every table")


def test_the_page_says_how_far_it_has_read(client: Client, evening_house: House) -> None:
    last = EventLog.objects.order_by("-position").values_list("position", flat=True)[0]
    page = source(client, "/")
    assert 'data-state="current"' in page
    assert f'as of event <a href="/events?before={last + 1}">{last:,}</a>' in page, "the log up to there"


def test_what_comes_while_a_page_is_made_is_fetched_after_it(client: Client, evening_house: House) -> None:
    """Figures are never older than the page states, as otherwise it would not fetch them again."""
    queries: list[str] = []

    def in_between(execute: Any, sql: str, *arguments: Any) -> Any:
        answer = execute(sql, *arguments)
        if not queries and "projections_tableday" in sql:
            queries.append(sql)
            _launch(evening_house)
            evening_with_everything.project(evening_house)
        return answer

    before = source(client, "/floor/live")
    with connection.execute_wrapper(in_between):
        page = source(client, "/")
    assert queries
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert seen is not None
    assert f'value="{seen[1]}"' in before, "as old as before the look"
    assert client.get("/floor/live", {"seen": seen[1]}).status_code == 200


def test_figures_look_old_when_the_projector_lags(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.freshness.freshness.LATE_SECONDS", -1.0)
    _launch(evening_house)
    assert "1 event behind, " in words(client, "/")
    assert 'data-state="late"' in source(client, "/")
    assert re.search(r'<span data-age="\d+">\d+ s</span> –', source(client, "/")), "the seconds run on in the page"


def test_who_lags_says_by_how_many_as_they_become_more(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For unchanged figures, the page asks only for their age."""
    monkeypatch.setattr("backoffice.freshness.freshness.LATE_SECONDS", -1.0)
    _launch(evening_house)
    seen = re.search(r'name="seen" value="([^"]+)"', source(client, "/floor/live"))
    assert seen is not None
    assert client.get("/floor/live", {"seen": seen[1]}).status_code == 204
    buyin = evening_house.action("buyin.make", seat=2, player="g-2", amount_minor=5_000)
    evening_house.ok("tables", "FR2", "ines", buyin)
    late = client.get("/floor/live", {"seen": seen[1]})
    assert (late.status_code, late.headers["HX-Reswap"]) == (200, "none")
    text = late.content.decode()
    assert "2 events behind, " in " ".join(text.split())
    assert ('hx-swap-oob="true"' in text, "<table" in text) == (True, False)


def test_figures_look_old_when_the_store_does_not_answer(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> int:
        raise OSError("no such store")

    monkeypatch.setattr(type(evening_house.store), "position", broken)
    assert 'data-state="unknown"' in source(client, "/")


@pytest.mark.parametrize("change", [{"position": 10**15}, {"digest": "00"}], ids=["ahead", "another history"])
def test_figures_look_old_when_they_are_not_of_this_store(
    client: Client, evening_house: House, change: dict[str, Any]
) -> None:
    Reader.objects.filter(projection="tables").update(**change)
    assert "The figures do not match the event store" in words(client, "/")
    assert 'data-state="astray"' in source(client, "/")
    assert client.get("/api/v1/position").json()["freshness"]["state"] == "astray"


def test_events_put_aside_are_announced(client: Client, evening_house: House) -> None:
    aside = {"projection": "tables", "position": 3, "stream": "s", "type": "t", "error": "e", "raw": b"{}"}
    PoisonedEvent.objects.create(id="tables/3", **aside)
    assert "1 event could not be processed and is in quarantine" in words(client, "/")


def test_the_fragment_is_sent_only_when_there_is_something_new(client: Client, evening_house: House) -> None:
    seen = re.search(r'name="seen" value="([^"]+)"', source(client, "/floor/live"))
    assert seen is not None
    assert client.get("/floor/live", {"seen": seen[1]}).status_code == 204
    _launch(evening_house)
    evening_with_everything.project(evening_house)
    assert client.get("/floor/live", {"seen": seen[1]}).status_code == 200


def test_an_empty_floor_explains_itself(client: Client, house: House) -> None:
    page = words(client, "/")
    assert "No tables yet" in page
    assert "./manage.py" not in page


def test_another_gaming_day_has_its_own_floor(client: Client, evening_house: House) -> None:
    assert "Gaming day 2026-11-19" in words(client, "/?gaming_day=2026-11-19")
    assert "Later gaming day, 2026-11-20" in source(client, "/?gaming_day=2026-11-19")


def test_money_of_several_currencies_is_not_added_up(client: Client, evening_house: House) -> None:
    TableDay.objects.filter(table="FR2").update(currency="TRY")
    assert client.get("/api/v1/tables").json()["currency"] == ""
    assert "house-drop" not in source(client, "/")


def test_no_query_stands_in_a_loop(client: Client, evening_house: House) -> None:
    before = queries(client, "/")
    for name in ("FR3", "FR4"):
        evening_house.install(name, "roulette", "roulette-french")
        evening_house.open_table(name)
    evening_with_everything.project(evening_house)
    assert queries(client, "/") == before <= 10


@pytest.mark.usefixtures("evening_house")
def test_ages_are_left_out_where_the_house_has_a_clock_of_its_own(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of a demo goes faster than the browser's, which counts the seconds of an age on."""
    page = words(client, "/")
    assert re.search(r"as of event [\d,]+ ?, \d\d:\d\d:\d\d", page)
    assert " ago" not in page
    monkeypatch.setattr(clock, "house_clock", lambda: clock.machine)
    assert re.search(r"as of event [\d,]+ ?, \S+ \w+ ago", words(client, "/"))
