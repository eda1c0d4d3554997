"""People by name, rulesets by title, the property's clock and its money: on every page by one path."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from backoffice.models import Person
from projections.eventlog.models import EventLog
from projections.floor.models import Irregularity
from projections.progressives.models import Hit
from projections.tables.models import TableDay
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db
HIT = f"/progressives/blazing/hits/BJ1-{DAY}-1-1"
PAGES = ("/", f"/tables/BJ1/{DAY}", "/progressives/blazing", "/progressives/blazing/matters", HIT, "/events?table=BJ1")


@pytest.fixture
def named_staff(evening_house: House) -> None:
    """The directory knows how the evening's people are called."""
    for person, name in (("dora", "Dora Samara"), ("ines", "Irini Kosta"), ("sven", "Kostas Fotiou")):
        Person.objects.update_or_create(id=person, defaults={"name": name})


@pytest.fixture
def watcher(db: None) -> Client:
    """The browser of surveillance, which may read names."""
    return signed_in(Client(), "sven")


@pytest.mark.usefixtures("named_staff")
@pytest.mark.parametrize("path", [f"/tables/BJ1/{DAY}", "/progressives/blazing", HIT, "/events?table=BJ1"])
def test_people_are_called_by_name_where_the_reader_may_know_it(watcher: Client, client: Client, path: str) -> None:
    assert '<span class="person" title="dora">Dora Samara</span>' in source(watcher, path)
    assert "Samara" not in source(client, path), "an auditor knows ids"
    assert "dora" in source(client, path)


@pytest.mark.usefixtures("named_staff")
@pytest.mark.parametrize("path", PAGES)
def test_names_are_asked_for_once_a_page(watcher: Client, path: str) -> None:
    with CaptureQueriesContext(connection) as captured:
        source(watcher, path)
    assert sum('"backoffice_person"."name" FROM' in query["sql"] for query in captured) <= 1


@pytest.mark.usefixtures("named_staff")
def test_who_is_erased_is_an_id_again(watcher: Client) -> None:
    Person.objects.filter(id="dora").update(name="")
    assert "Samara" not in source(watcher, f"/tables/BJ1/{DAY}")
    assert "dora" in words(watcher, f"/tables/BJ1/{DAY}")


def test_a_ruleset_goes_by_its_title(client: Client, evening_house: House) -> None:
    for path in ("/", f"/tables/FR1/{DAY}"):
        assert ">French roulette, single zero</span>" in source(client, path)
    stamp = TableDay.objects.get(table="FR1").ruleset
    assert f'title="{stamp}"' in source(client, f"/tables/FR1/{DAY}")
    TableDay.objects.update(ruleset="roulette-gone@7")
    assert "roulette-gone@7" in words(client, f"/tables/FR1/{DAY}")


def test_clocks_are_the_property_s_with_utc_at_hand(client: Client, evening_house: House, settings: Any) -> None:
    event = EventLog.objects.get(position=30)
    settings.TIME_ZONE = "Europe/Athens"
    page = source(client, "/events/30")
    local = event.time + timedelta(hours=2)
    assert f">{local:%Y-%m-%d %H:%M:%S} EET</time>" in page
    assert f'title="{event.time:%Y-%m-%d %H:%M:%S}' in page
    assert "Times in Europe/Athens" in words(client, "/events/30")


def test_money_is_written_as_the_property_writes_it(client: Client, evening_house: House, settings: Any) -> None:
    settings.PITLEDGER_MONEY = "1.234,50 €"
    assert "Mega at BJ1: 50.001,50 €" in words(client, HIT)
    page = source(client, "/progressives/blazing")
    assert 'data-exponent="2" data-group="." data-point=","' in page
    text = words(client, "/events?from=1.500,00&to=1500")
    assert "is not an amount" not in text
    assert "15.00 is not an amount" in words(client, "/events?from=15.00", 400)


def test_a_rule_s_sentence_about_a_payment_names_no_minor_units(client: Client, evening_house: House) -> None:
    row = Irregularity.objects.filter(stream__contains="/FR1/").first()
    assert row is not None, "the evening's mispay"
    Irregularity.objects.filter(id=row.id).update(detail="2000 is due on column b-7, not 2500", code="")
    assert "column: due 20.00, paid 25.00" in words(client, f"/tables/FR1/{DAY}")


def test_where_clocks_and_positions_disagree_the_page_says_by_how_much(client: Client, evening_house: House) -> None:
    assert "by position" not in words(client, "/progressives/blazing")
    first, second = Hit.objects.order_by("position")[:2]
    at = EventLog.objects.get(position=second.position).recordedat
    EventLog.objects.filter(position=second.position).update(time=at - timedelta(minutes=4, seconds=15))
    EventLog.objects.filter(position=first.position).update(time=at - timedelta(seconds=1), recordedat=at)
    assert "by position; this device's clock is 4:15 behind" in words(client, "/progressives/blazing")


def test_the_list_and_the_page_of_a_progressive_count_the_same_hits(client: Client, evening_house: House) -> None:
    page = client.get("/api/v1/progressives/blazing").json()["summary"]
    [listed] = client.get("/api/v1/progressives").json()["progressives"]
    for level, other in zip(page["levels"], listed["levels"], strict=True):
        assert (level["locks"], level["hits"]) == (other["locks"], other["hits"])
    shown = words(client, "/progressives/")
    for level in page["levels"]:
        assert f"Hits {level['locks']}" in shown
