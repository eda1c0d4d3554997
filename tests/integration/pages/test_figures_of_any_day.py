"""Every figure of any gaming day is the total of the events that its link opens.

The days have vouchers, corrections, voids, and payments and slips after the close. Some shifts share a name, and some
days are rolled.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db.models import QuerySet, Sum
from django.http import QueryDict
from django.test import Client

from backoffice.days.day_report_from_rows import report
from backoffice.event_log.filters import read_filters
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from projections.tables.models import TableDay, WagerDay
from tests.accountant.corrected_bets import CorrectedBets
from tests.accountant.random_gaming_days import RandomFloor
from tests.accountant.random_reported_facts import ReportedFactsFloor
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.linked_pages import LinkedPage, linked_figures, linked_pages, templates_with_figures
from tests.support.pages.page_text_and_queries import linked_counts, source

pytestmark = pytest.mark.django_db
STEPS = 250


@pytest.fixture(
    params=[
        (RandomFloor, 1),
        (RandomFloor, 5),
        (ReportedFactsFloor, 2),
        (ReportedFactsFloor, 14),
        (CorrectedBets, 1),
        (CorrectedBets, 4),
    ],
    ids=lambda kind: f"{kind[0].__name__}{kind[1]}",
)
def days(
    request: pytest.FixtureRequest, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RandomFloor]:
    """Yield a house with three random gaming days."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    kind, seed = request.param
    house = kind(seed)
    for _ in range(STEPS):
        house.step()
    evening_with_everything.project(house)
    with serving(house):
        yield house
    house.close()


def events_behind(address: str) -> QuerySet[EventLog]:
    """Return the events that a figure's link finds."""
    filters, errors = read_filters(QueryDict(urlsplit(address).query))
    assert errors == {}, address
    return filters.matching()


def opened(address: str) -> int:
    """Return the total of the events that a figure's link finds: of the sum that it names, else of their amounts."""
    amounts = "counts" if "sum" in parse_qs(urlsplit(address).query) else "amount_minor"
    return int(events_behind(address).aggregate(amount=Sum(amounts))["amount"] or 0)


def is_total(address: str) -> bool:
    """Tell whether a link promises a total: it sums a named amount, or one type of event.

    The events of a count, or of several types, are the inputs of a calculation.
    """
    query = parse_qs(urlsplit(address).query)
    return "sum" in query or (len(query.get("type", ())) == 1 and query["type"] != ["count.settled.v1"])


def wrong(page: LinkedPage) -> list[tuple[str, str, int, int]]:
    """The figures and numbers of a page that are not the sum or the number of the events behind them."""
    wrongs = []
    for figure in linked_figures(page.source):
        if not figure.is_amount:
            if "type" not in parse_qs(urlsplit(figure.address).query):
                continue
            events = events_behind(figure.address).count()
        elif is_total(figure.address):
            is_of_player = page.name == "player-rounds" and figure.key.startswith("win-")  # amounts for the player
            events = opened(figure.address) * (-1 if is_of_player else 1)
        else:
            continue
        if events != figure.value:
            wrongs.append((figure.key, figure.address, figure.value, events))
    return wrongs


def pages() -> set[str]:
    """The floor and the wins of every day, every table's page, and its shifts where the day has it and is not void."""
    rows = TableDay.objects.all()
    days = {row.gaming_day for row in rows}
    tables = {f"/tables/{row.table}/{row.gaming_day}" for row in rows}
    shifts = {f"/days/{day}/tables/{mine.table}" for day in days for mine in report(day).tables}
    return {"/"} | {f"/days/{day}/wins" for day in days} | tables | shifts


def linked_kinds(client: Client) -> set[bool]:
    """Return whether kinds of bets have links: some have, and exactly those whose bets a correction moved have none."""
    links = set[bool]()
    for day in TableDay.objects.all():
        numbers = linked_counts(source(client, f"/tables/{day.table}/{day.gaming_day}"))
        events = EventLog.objects.filter(stream=day.id, type="bet.corrected.v1").values_list("raw", flat=True)
        corrections = [json.loads(bytes(raw))["data"] for raw in events]
        moved = {
            kind
            for data in corrections
            if data.get("wager_before") not in (None, data["wager"])
            for kind in (data["wager"], data["wager_before"])
        }
        for kind in WagerDay.objects.filter(stream=day.id).values_list("wager", flat=True):
            assert (f"w-{kind}-bets" in numbers) == (kind not in moved), (day.id, kind)
            links.add(kind not in moved)
    return links


def faults(client: Client, templates: set[str]) -> dict[str, list[tuple[str, str, int, int]]]:
    """Return the wrong figures by page, of all pages that links lead to; `templates` gets those that rendered them."""
    by_page = dict[str, list[tuple[str, str, int, int]]]()
    addresses = set[str]()
    for page in linked_pages(client):
        templates |= page.templates
        addresses.add(page.address)
        if wrongs := wrong(page):
            by_page[page.address] = wrongs
    assert pages() <= addresses
    return by_page


def test_every_figure_is_the_sum_of_the_events_that_its_link_opens(client: Client, days: RandomFloor) -> None:
    evening_with_everything.post_results(days)
    assert faults(client, set()) == {}
    if isinstance(days, CorrectedBets):
        assert linked_kinds(client) == {True, False}


def test_every_template_with_figures_is_on_a_compared_page(client: Client, evening_house: House) -> None:
    """A new page with figures is compared, or fails this test. The evening gets an unpaid hit and a wrong count."""
    evening_with_everything.finish_blackjack(evening_house)
    count = evening_house.action("table.count", chips={"500": 7}, witness="sid")
    evening_house.ok("tables", "FR2", "ines", count)
    evening_with_everything.project(evening_house)
    evening_with_everything.post_results(evening_house)
    templates = set[str]()
    assert faults(client, templates) == {}
    assert templates_with_figures() - templates == set()


def test_the_rounds_of_a_table_make_its_course(client: Client, days: RandomFloor) -> None:
    """The win of a round is the total of its own events."""
    for row in PlayedRound.objects.all():
        address = f"/events?sum=event-win&table={row.table}&gaming_day={row.gaming_day}&round={row.round}"
        assert row.win_minor == opened(address), row.id
