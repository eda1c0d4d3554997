"""The six meters of a level (NJ 13:69E-1.39A): each number is a link to the events that sum to it."""

import re

import pytest
from django.db.models import Count, Sum
from django.test import Client

from backoffice.event_log.filters import Filters, read_filters
from backoffice.event_log.meter_totals import LEVEL_SUMS
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import figures, source, words

pytestmark = pytest.mark.django_db

URL = "/progressives/blazing"
MICRO = 1_000_000


@pytest.fixture
def changed_house(evening_house: House) -> House:
    """The evening, with another rate, a corrected meter, a lock that was replaced, and a round at the new rate."""
    house = evening_house
    for kind, data in (
        ("parameters.change", {"level": "minor", "feed_millionths": 30_000, "reserve_millionths": 1_000}),
        ("meter.adjust", {"level": "minor", "amount_minor": 1_000, "reason": "malfunction"}),
    ):
        request = house.ok("progressives", "blazing", "mark", house.action(kind, **data))[0].data
        give = house.action("approval.give", request=request.request, content=request.content)
        house.ok("progressives", "blazing", "paul", give)
    evening_with_everything.finish_blackjack(house)
    evening_with_everything.feed(house)
    evening_with_everything.project(house)
    return house


def total(client: Client, url: str) -> int:
    match = re.search(r'id="total".*?<data class="money" value="(-?\d+)">', source(client, url), re.DOTALL)
    assert match is not None, url
    return int(match[1])


def test_they_stand_in_the_order_and_by_the_names_of_the_rule(client: Client, changed_house: House) -> None:
    table = re.search(r'<table class="six">.*?</thead>', source(client, URL), re.DOTALL)
    assert table is not None
    heads = re.findall(r"<th[^>]*>([^<]+)</th>", table[0])
    assert heads == ["Level", "In", "Display", "Hits", "Wins", "Overflow", "Reserve"]
    assert "amount on the sign: the meter less its overflow" in words(client, URL)


def test_every_figure_is_the_sum_of_the_events_it_leads_to(client: Client, changed_house: House) -> None:
    figures_ = {name: figure for name, figure in figures(client, URL).items() if "meter=" in figure[0]}
    for level in ("mega", "major", "minor"):
        assert {f"{level}-fed", f"{level}-meter", f"six-{level}-in", f"six-{level}-meter"} <= set(figures_)
    assert {"six-mega-hits", "six-mega-wins", "six-minor-hits", "six-minor-reserve", "minor-adjusted"} <= set(figures_)
    for name, (address, amount) in figures_.items():
        assert total(client, address) == amount, name


def test_in_counts_each_round_at_the_rate_it_was_armed_under(client: Client, changed_house: House) -> None:
    """30.00 staked at 2.5 %, then 10.00 at 3 %."""
    [armed] = re.findall(r'id="six-minor-in" href="([^"]+)"', source(client, URL))
    assert total(client, armed.replace("&amp;", "&")) == 3_000 * 25_000 + 1_000 * 30_000


def test_a_display_at_its_limit_leaves_the_overflow_out(client: Client, changed_house: House) -> None:
    house = changed_house
    level = house.action("parameters.change", level="minor", cap_minor=60_000)
    request = house.ok("progressives", "blazing", "mark", level)[0].data
    give = house.action("approval.give", request=request.request, content=request.content)
    house.ok("progressives", "blazing", "anna", give)
    adjust = house.action("meter.adjust", level="minor", amount_minor=20_000, reason="malfunction")
    request = house.ok("progressives", "blazing", "mark", adjust)[0].data
    house.ok(
        "progressives",
        "blazing",
        "anna",
        house.action("approval.give", request=request.request, content=request.content),
    )
    evening_with_everything.project(house)
    address, amount = figures(client, URL)["six-minor-meter"]
    assert total(client, address) == amount > 60_000 * MICRO
    levels = {level_["level"]: level_ for level_ in client.get(f"/api/v1{URL}").json()["summary"]["levels"]}
    minor = levels["minor"]
    assert minor["shown_minor"] == 60_000
    assert minor["overflow_micro"] == minor["meter_micro"] - 60_000 * MICRO > 0


def test_a_meter_has_to_be_named(client: Client, changed_house: House) -> None:
    page = words(client, "/events?sum=fed", 400)
    assert "fed is counted at one meter. Add meter=PROGRESSIVE/LEVEL." in page
    _filters, errors = read_filters(_FilledForm({"sum": "fed", "meter": "blazing"}))
    assert "sum" in errors
    assert "No event matches" in words(client, "/events?sum=fed&meter=nope/mega")


class _FilledForm(dict[str, str]):
    def getlist(self, name: str, /) -> list[str]:
        return [self[name]] if name in self else []


@pytest.mark.postgres
def test_the_sums_are_the_same_on_both_databases(changed_house: House, other: str) -> None:
    for name in LEVEL_SUMS:
        matching = Filters(sum=name, meter="blazing/minor").matching()
        of = {"events": Count("position"), "amount": Sum("counts")}
        assert matching.using(other).aggregate(**of) == matching.aggregate(**of), name
