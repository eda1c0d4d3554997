"""A round that is not known is never shown as round 0: on any page, in any answer to a program, on any terminal."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from projections.alerts.models import Alert
from tests.integration.pages.test_access_log_line_per_address import page_content, reader_of
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.addresses import READ
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

ROUND_0 = re.compile(r"\b(round|won in|settled in)\W{0,4}0\b(?!\.)|/rounds?/0\b", re.IGNORECASE)
SESSION = re.compile(r'"phase":"idle"')  # the state of a table before its first round counts rounds: none yet


@pytest.fixture
def house(evening_house: House) -> House:
    """A house with a payment on a bet that was never laid, at a table that has not played a round."""
    evening_house.install("FR3", "roulette", "roulette-french")
    evening_house.open_table("FR3")
    paid = evening_house.action("payment.make", _intent="fact", bet="never laid", amount_minor=500)
    evening_house.ok("tables", "FR3", "dora", paid)
    closer = {"100": 1_000 - 5, "500": 1_000, "2500": 1_000}
    evening_house.ok("tables", "FR3", "ines", evening_house.action("session.close", closer=closer))
    evening_with_everything.project(evening_house)
    return evening_house


@pytest.fixture
def alert(house: House) -> Alert:
    return Alert.objects.get(name="mispay", table="FR3")


def test_the_alert_names_no_round(house: House, alert: Alert) -> None:
    assert alert.round is None
    out = StringIO()
    call_command("alerts", "--json", "--day", DAY, stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["round"] for line in lines if line.get("table") == "FR3"] == [None]


def test_an_alert_that_an_older_version_raised_names_none_either(house: House, alert: Alert) -> None:
    Alert.objects.filter(pk=alert.pk).update(round=0)
    out = StringIO()
    call_command("alerts", "--json", "--day", DAY, stdout=out)
    assert '"round":0' not in out.getvalue().replace(" ", "")
    assert not ROUND_0.search(page_content(signed_in(Client(), "olga"), f"/alerts/{alert.id}"))


def test_no_address_shows_it(house: House, alert: Alert) -> None:
    own = [(f"/alerts/{alert.id}", None), (f"/api/v1/alerts/{alert.id}", None)]
    own += [(f"/events/{position}", None) for position in events_of_the_table(house)]
    own += [("/timelines/table/FR3", None), ("/tables/FR3", None), ("/events?q=table:FR3", None)]
    for address, rule in [*READ, *own]:
        person = reader_of(house, rule) if rule is not None else "olga"
        text = page_content(signed_in(Client(), person), address)
        match = ROUND_0.search(text)
        assert match is None or SESSION.search(text), (address, text[max(match.start() - 80, 0) : match.end() + 40])


@pytest.mark.parametrize(
    "words", [["alerts"], ["events"], ["books"], ["search", "table:FR3"], ["search", "never laid"]]
)
def test_no_command_shows_it(house: House, words: list[str]) -> None:
    out = StringIO()
    call_command(*words, stdout=out, stderr=StringIO())
    assert not ROUND_0.search(out.getvalue())


def events_of_the_table(house: House) -> list[int]:
    return [stored_event.position for stored_event in house.store.after(0, 10_000) if "/FR3/" in stored_event.stream]
