"""Liability and what-if as pages: the command's own figures, for permitted readers, within a time limit."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest

from backoffice.days import report_at_past_time_calculation
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress
from backoffice.jobs.job_state_and_lease_files import Basis, JobFolder, JobState
from backoffice.jobs.on_demand_jobs import Jobs, background_jobs
from backoffice.progressives import liability_page
from backoffice.progressives.liability_funds_and_odds_report import report
from backoffice.progressives.what_if_day_comparison import compare_day
from events.accounting.report import day_reports, folded_accounts_snapshot
from events.accounting.report_rules_version_numbers import LAST
from events.progressives.whatif import LevelChange, WhatIfChange
from events.store import Stored
from events.store.past_view import PastStore
from projections.tables.models import TableDay
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

LIABILITY, WHAT_IF = "/progressives/blazing/liability", "/progressives/blazing/what-if"


@pytest.fixture
def room(evening_house: House, tmp_path: Path) -> Iterator[Jobs]:
    """Jobs of this test alone."""
    jobs = Jobs(tmp_path)
    with installation().replaced(background_jobs, jobs):
        yield jobs
    jobs.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine needs its time."""
    monkeypatch.setitem(cast(dict[str, Any], Jobs.ask.__kwdefaults__), "wait_s", 20.0)


def test_what_is_owed_and_funded_is_what_the_command_says(room: Jobs, evening_house: House) -> None:
    page = words(at("anna"), LIABILITY)
    report_ = report(evening_house.store, PROPERTY, "blazing")
    for level in report_.liability:
        assert f"{level.owed // 1_000_000 // 100:,}" in page
    assert "SHORT" not in page
    assert ("Deposit the shortfall" in page) == report_.is_short
    assert f"up to {evening_house.store.position()}" in page
    assert "in range" in page


def test_it_is_worked_out_anew_where_something_has_happened(room: Jobs, evening_house: House) -> None:
    client = at("mark")
    waiting = words(client, LIABILITY)
    assert re.search(r"waiting minor ?: tables/BJ1", waiting)
    assert "Winning bets" in waiting, "a shared jackpot is one hit on the other pages"
    assert "Bets Hits" not in waiting
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.project(evening_house)
    page = words(client, LIABILITY)
    assert "waiting minor" not in page
    assert "1,200.75" in page


def test_a_day_again_under_other_parameters_in_words_and_in_figures(room: Jobs, evening_house: House) -> None:
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.project(evening_house)
    client = at("mark")
    page = words(client, f"{WHAT_IF}?day={DAY}&minor-seed=400.00&minor-feed=5&mega-none=on&policy=")
    change = WhatIfChange(levels={"minor": LevelChange(feed=Fraction(1, 20), seed=40_000)})
    result = compare_day(evening_house.store, "blazing", DAY, change, lambda facts: facts)
    assert result.players is not None
    assert "Minor: contribution rate 2.5 % → 5 %" in page
    assert "Minor: seed 500.00 → 400.00" in page
    assert "minor.seed" not in page
    assert "The winners would have received" in page
    assert "more" in page
    assert f"BJ1-{DAY}-2-1" in page
    same = words(client, f"{WHAT_IF}?day={DAY}&minor-feed=2.5&policy=")
    assert "No difference." in same


def test_a_day_of_long_ago_can_be_asked_for(room: Jobs, evening_house: House) -> None:
    """More than two months of days were played since, as many as are offered elsewhere."""
    row, client = TableDay.objects.filter(gaming_day=DAY)[0], at("anna")
    for number in range(61):
        row.id, row.gaming_day = (
            f"{PROPERTY}/tables/FR1/later-{number}",
            f"2027-{1 + number // 28:02}-{1 + number % 28:02}",
        )
        row.save(force_insert=True)
    assert f'min="{DAY}" max="2027-03-05"' in source(client, WHAT_IF)
    assert "Calculated from" in words(client, f"{WHAT_IF}?day={DAY}&minor-feed=5")


def test_it_says_what_cannot_be_understood(room: Jobs) -> None:
    client = at("anna")
    assert "Calculate" in words(client, WHAT_IF)
    assert "Change at least one rate" in words(client, f"{WHAT_IF}?day={DAY}", 422)
    assert "Enter a cap or choose no cap, not both." in words(
        client, f"{WHAT_IF}?day={DAY}&mega-cap=9&mega-none=on", 422
    )
    assert "Enter a number" in words(client, f"{WHAT_IF}?day={DAY}&mega-feed=x", 422)
    for day in ("1999-01-01", "yesterday"):
        assert "No rounds on this" in words(client, f"{WHAT_IF}?day={day}&mega-feed=1", 422)
    assert "Null characters" in words(client, f"{WHAT_IF}?day=%00&mega-feed=1", 422)
    refused = words(client, f"{WHAT_IF}?day={DAY}&mega-feed=99&major-feed=99")
    assert re.search(r"contribution|more than|stake", refused)
    assert "There is no progressive" in words(client, "/progressives/nope/what-if", 404)
    assert "There is no progressive" in words(client, "/progressives/nope/liability", 404)
    assert "There is no progressive" in words(client, "/progressives/nope/liability/part", 404)


def test_a_reader_sees_how_much_is_done(evening_house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "_work", lambda self: None)
    monkeypatch.setitem(cast(dict[str, Any], Jobs.ask.__kwdefaults__), "wait_s", 0.0)
    with installation().replaced(background_jobs, Jobs(tmp_path)):
        client = at("anna")
        page = source(client, LIABILITY)
        assert f'hx-get="{LIABILITY}/part"' in page
        assert "Calculating… 0 %" in page
        assert "<progress" in source(client, f"{LIABILITY}/part")
        address = f"{WHAT_IF}?day={DAY}&mega-feed=9&policy="
        assert f'hx-get="{WHAT_IF}/part?day={DAY}&amp;mega-feed=9&amp;policy="' in source(client, address)
        crowd = [source(client, f"{WHAT_IF}?day={DAY}&mega-feed={n}") for n in range(1, 12)]
        assert "Many calculations are waiting" in crowd[-1]


def test_a_failure_names_its_reason_and_offers_to_calculate_again(
    room: Jobs, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = at("anna")
    with monkeypatch.context() as broken:
        broken.setattr(liability_page, "report", lambda *arguments: 1 / 0)
        page = words(client, LIABILITY)
        assert "The calculation failed. Check the log of the web process." in page
        assert "./manage.py" not in page
    assert "The calculation failed" in words(client, LIABILITY)
    assert f'href="{LIABILITY}?retry=1"' in source(client, LIABILITY)
    assert f"up to {evening_house.store.position()}" in words(client, f"{LIABILITY}?retry=1")


def test_the_way_there_is_shown_to_whoever_may_go(evening_house: House) -> None:
    assert f'href="{LIABILITY}"' in source(at("mark"), "/progressives/blazing")
    assert f'href="{WHAT_IF}"' in source(at("anna"), "/progressives/blazing")
    for person in ("ines", "cage", "sven"):
        assert LIABILITY not in source(at(person), "/progressives/blazing")
        assert at(person).get(LIABILITY).status_code == 403
        assert at(person).get(WHAT_IF).status_code == 403


def test_the_accounts_of_a_report_are_folded_on_from_their_checkpoint(evening_house: House, tmp_path: Path) -> None:
    """A process was killed in a long fold. The next process reads only events after the checkpoint."""
    store, folder = evening_house.store, JobFolder(tmp_path)
    last, hours = store.position(), iter(range(0, 10**9, 3_600))
    first = Progress(folder, JobState(basis=Basis(last), version=""), clock=lambda: float(next(hours)))
    folded = report_at_past_time_calculation._accounts(first, store, PROPERTY, last, LAST)
    read: list[int] = []

    class Reads(PastStore):
        def after(self, position: int, limit: int, types: Any = (), until: int | None = None) -> list[Stored]:
            read.append(position)
            return super().after(position, limit, types, until)

    again = report_at_past_time_calculation._accounts(
        Progress(folder, JobState(basis=Basis(last), version="")), Reads(store, last), PROPERTY, last, LAST
    )
    assert read == [last]
    assert (
        folded_accounts_snapshot.dump(again)
        == folded_accounts_snapshot.dump(folded)
        == folded_accounts_snapshot.dump(day_reports.accounts_at(store, PROPERTY, last))
    )
