"""Where the stakes of a round went: stakes returned without a result, and commission already taken from winnings."""

import re

import pytest
from django.test import Client

from projections.accounts.models import LateEvent
from projections.floor.models import PlayedRound
from projections.tables.models import TableDay
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
PAGE = f"/tables/FR1/{DAY}"


def test_what_went_back_stands_between_stakes_and_paid(client: Client, evening_house: House) -> None:
    last = PlayedRound.objects.filter(table="FR1").latest("position")
    PlayedRound.objects.filter(id=last.id).update(stakes_minor=987_600, returned_minor=123_400, paid_minor=45_600)
    text = words(client, PAGE)
    assert "Stakes Returned Paid House" in text
    assert "9,876.00 1,234.00 456.00" in text
    answer = client.get(f"/api/v1{PAGE}").json()
    assert answer["rounds"][0]["returned_minor"] == 123_400


def test_what_was_due_stands_beside_what_was_paid_where_they_differ(client: Client, evening_house: House) -> None:
    rows = [round_ for round_ in client.get(f"/api/v1{PAGE}").json()["rounds"] if round_["state"] == "ended"]
    apart = [round_ for round_ in rows if round_["due_minor"] != round_["paid_minor"]]
    assert 0 < len(apart) < len(rows), "the evening has a mispay"
    shown = words(client, PAGE)
    for round_ in apart:
        paid, due = (f"{round_[name] / 100:.2f}" for name in ("paid_minor", "due_minor"))
        assert f" {paid} due {due} " in shown
    assert len(re.findall(r"\d due \d", shown)) == len(apart)


def test_what_came_to_a_closed_day_is_said_to_be_in_no_report(client: Client, evening_house: House) -> None:
    assert "after the day was closed" not in words(client, PAGE)
    late = {"gaming_day": DAY, "stream": f"athens/tables/FR1/{DAY}", "position": 1, "type": "x", "raw": "{}"}
    LateEvent.objects.create(id="late", time="2026-11-21T00:00:00.000Z", actor="ines", **late)
    sentence = "1 event of this table was recorded after the day was closed. It is included here"
    assert sentence in words(client, PAGE)
    LateEvent.objects.update(named=1)
    assert sentence not in words(client, PAGE)


def test_commission_that_was_kept_is_said_where_none_is_added(client: Client, evening_house: House) -> None:
    assert "Commission already deducted" not in words(client, PAGE)
    TableDay.objects.filter(table="FR1").update(kept_millionths=133_100_000_000)
    assert "Commission already deducted from winnings: 1,331.00" in words(client, PAGE)


def test_older_rounds_are_a_page_away(client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backoffice.tables.table_day_page_content.ROUNDS_SHOWN", 2)
    seen: list[int] = []
    before: int | str | None = ""
    while before is not None:
        answer = client.get(f"/api/v1/tables/FR1/{DAY}", {"before": before} if before else {}).json()
        seen += [round_["round"] for round_ in answer["rounds"]]
        before = answer["rounds_older"]
    assert seen == list(range(len(seen), 0, -1))
    assert len(seen) > 4
    page = source(client, f"/tables/FR1/{DAY}")
    assert f'href="?before={seen[1]}#last"' in page
    older = source(client, f"/tables/FR1/{DAY}?before={seen[1]}")
    assert f"/tables/FR1/{DAY}/live?before={seen[1]}" in older, "what follows by itself stays at these rounds"
    assert "Newest rounds" in older
