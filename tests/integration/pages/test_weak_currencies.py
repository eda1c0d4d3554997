"""A day in Lebanese pounds, whose amounts are a hundred thousand times those in dollars."""

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.core.management import call_command

from backoffice.days import system_state_for_day_close
from backoffice.days.reports.journal import journal as posted_journal
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.fields import DENOMINATION_MAX, MONEY_MAX, STAKE_MAX
from events.store import open_store
from projections.journal.journal_rows_from_events import JournalPosting
from projections.journal.models import JournalEntry
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db

WELL = SystemState(readers={}, head=10**9, aside={})
POUNDS = 100  # minor units
CHIP, CASH = 100_000_000 * POUNDS, 900_000_000_000 * POUNDS  # 1,100 and 10,000,000 dollars
CHIPS = {str(CHIP): 5_000, str(CHIP * 10): 500}  # 10,000,000,000 pounds in one chip are 110,000 dollars


class Beirut(WorkedDay):
    currency = "LBP"


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Beirut]:
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: WELL)
    path = request.getfixturevalue("tmp_path") / "events.sqlite3"
    url = f"sqlite:///{path}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    monkeypatch.setenv("PITLEDGER_DATA", str(path.parent))
    monkeypatch.setenv("PITLEDGER_STORE", url)
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    store = open_store(url)
    made = Beirut(store)
    checklist_system_state_source.register_source(store, lambda: WELL)
    with serving(made):
        yield made
    made.close()


def play(house: Beirut) -> None:
    """A player stakes 100,000 dollars, and wins."""
    house.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    issue = house.action("chips.issue", chips=CHIPS, way="brought in", reason="opening of the house")
    house.agreed("house", "", ("cage", "sven"), issue)
    house.lead("session.open", gaming_day=DAY, opener={str(CHIP): 1_000})
    house.lead("limits.post", minimum_minor=CHIP, maxima_minor={})
    house.lead("staff.assign", post="dealer", person="dora")
    house.lead("staff.assign", post="inspector", person="ines")
    house.lead("drop.put", drop_box="one")
    house.buy(200 * CHIP)
    house.deal("round.open")
    house.bet("a", "red", 90 * CHIP)
    house.red_falls()
    house.deal("payment.make", bet="a", amount_minor=90 * CHIP)
    house.deal("round.end")


def test_a_day_is_played_shown_and_posted_exactly(house: Beirut) -> None:
    play(house)
    evening_with_everything.project(house)
    assert JournalPosting(house.store, PROPERTY).catch_up()
    worth = sum(int(chip) * number for chip, number in CHIPS.items())
    [issued] = JournalEntry.objects.filter(rule="chips.issued")
    assert issued.minor * 10**6 + issued.micro == worth * 10**6
    anna = at("anna")
    assert "900,000,000,000.00" in words(anna, f"/cage/{DAY}")
    posted = list(posted_journal(cast(Any, SimpleNamespace(day=DAY))))
    sides = ("Assets:Chips:Cage", "Liabilities:Chips:Issued")
    amounts = [row["amount_micro"] for row in posted if (row["debit"], row["credit"]) == sides]
    assert amounts == [worth * 10**6]
    for path in (
        "/",
        f"/tables/FR1/{DAY}",
        f"/days/{DAY}",
        "/house",
        f"/days/{DAY}/reports/slips",
        f"/days/{DAY}/luck",
    ):
        assert anna.get(path).status_code == 200, path
    for command in (("report", DAY), ("report", DAY, "--json"), ("journal", DAY), ("cash", DAY, "--all"), ("books",)):
        out = io.StringIO()
        call_command(*command, stdout=out, stderr=io.StringIO())
        assert out.getvalue()
    out = io.StringIO()
    call_command("cash", DAY, stdout=out, stderr=io.StringIO())
    assert "20,000,000,000.00" in out.getvalue()


def test_what_is_beyond_the_bounds_is_refused_with_them(house: Beirut) -> None:
    play(house)
    act = house.action
    issue = {"way": "brought in", "reason": "new series"}
    for problem in (
        house.no("cage", "", "cage", act("cage.cash_in", player="Ann", amount_minor=MONEY_MAX + 1)),
        house.no("tables", "FR1", "dora", act("buyin.make", seat=1, player="Ann", amount_minor=10**18, tender="cash")),
        house.no("tables", "FR1", "dora", act("bet.place", bet="z", wager="red", amount_minor=STAKE_MAX + 1, seat=1)),
        house.no("house", "", "cage", act("chips.issue", chips={str(DENOMINATION_MAX + 1): 1}, **issue)),
        house.no("house", "", "cage", act("chips.issue", chips={str(DENOMINATION_MAX): 10**6}, **issue)),
    ):
        assert problem.status == 400
        assert problem.detail
