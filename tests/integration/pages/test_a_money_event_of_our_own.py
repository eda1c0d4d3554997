"""A new money event changes six files (tests/toys/bet_fee.py), and every figure, report, entry and proof counts it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from events.accounting.report import day_reports
from events.integrity import day_proof as day_proof
from events.runtime import cache_until_declarations_change
from projections.accounts.day_accounts_from_rows import table_state
from projections.floor.models import PlayedRound
from projections.invariants import findings
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import event_win_minor
from tests.integration.pages.test_figures_of_any_day import opened, pages, wrong
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.linked_pages import LinkedPage
from tests.support.pages.page_text_and_queries import source
from tests.toys import bet_fee

pytestmark = pytest.mark.django_db
FEE = 1_500
OTHER_WIN = 65_000  # of the worked day without fees


class WithFees(WorkedDay):
    """Each bet on black costs a fee."""

    fees = 0

    def bet(self, name: str, wager: str, amount: int) -> None:
        super().bet(name, wager, amount)
        if wager == "black":
            self.deal("fee.take", bet=name, amount_minor=FEE)
            self.fees += FEE


@pytest.fixture
def house(db: None, tmp_path: Path) -> Iterator[WithFees]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path))
        bet_fee.install(patch)
        house = WithFees()
        house.play()
        evening_with_everything.project(house)
        with serving(house):
            yield house
        house.close()
    cache_until_declarations_change.forget()


def test_the_files_that_change_are_those_of_the_how_to_and_at_most_six() -> None:
    howto = (Path(__file__).parents[3] / "docs" / "howto" / "add-an-event.md").read_text()
    _before, _name, table = howto.partition("**A money event at a table**")
    files = re.findall(r"^\| `([^`]+)` \|", table.partition("\n\nThe amounts")[0], re.MULTILINE)
    assert files == [*bet_fee.CHANGES]
    assert len(files) <= 6


def test_every_figure_has_it(house: WithFees, client: Client) -> None:
    row, win = TableDay.objects.get(), OTHER_WIN + house.fees
    assert (row.commission_minor, event_win_minor(row)) == (house.fees, win)
    assert sum(shift.commission for shift in table_state(row).day.shifts) == house.fees
    assert WagerDay.objects.get(wager="black").commission_minor == house.fees
    assert sum(played.win_minor for played in PlayedRound.objects.all()) == win
    assert opened(f"/events?sum=event-win&table=FR1&gaming_day={DAY}") == win
    linked = (LinkedPage("", url, source(client, url), frozenset()) for url in pages())
    assert {page.address: faults for page in linked if (faults := wrong(page))} == {}
    assert findings() == []


def test_the_report_its_journal_and_its_proof_have_it(house: WithFees) -> None:
    figures: Any = day_reports.make(house.store, PROPERTY, DAY, house.store.position()).figures
    [table], win = figures["tables"], OTHER_WIN + house.fees
    assert (table["day"]["event_win_minor"], table["day"]["parts"]["rest_minor"]) == (win, 0)
    assert figures["journal"]["Income:Tables:FR1"] == f"-{win / 100:.2f}"
    assert bet_fee.FeeTaken.TYPE in day_proof.late_types()
