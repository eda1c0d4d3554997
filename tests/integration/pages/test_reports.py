"""The reports of a gaming day: declared once, the same lines on the screen, as CSV, as a workbook and on paper."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from backoffice.access.models import GivenOut
from backoffice.days import system_state_for_day_close
from backoffice.days.reports.catalogue import REPORTS
from backoffice.days.reports.slips import slips
from backoffice.days.reports.variance_cash_hold_report_lines import report_subject
from backoffice.integrity.remade_document_comparison import handed_out
from backoffice.running.version import version
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.progressives.event_types import JackpotPaid, MeterAdjusted
from projections.accounts.models import SlipAccount
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.eventlog.projector import EventLogProjector
from projections.journal.journal_rows_from_events import JournalPosting
from tests.support.houses import evening_with_everything
from tests.support.houses.sample_event_streams import History
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source, words, written

pytestmark = pytest.mark.django_db

URL = f"/days/{DAY}/reports"
# What each says of the day that was worked out by hand.
EXPECTED_TEXTS = {
    "inventory": (
        "FR1 day 5.00 4,000 200 0 3,706 20,000.00 1,000.00 0.00 18,530.00",
        "FR1 day total 20,000.00 1,000.00 0.00 18,530.00 ines ines, sid",  # nobody else was named at the opener
        "FR1 night total 18,530.00 0.00 500.00 16,305.00 ines, sid ines, dora",  # the dealer on duty
    ),
    "slips": ("credit 2026 1 2026-11-20 FR1 received 500.00 500.00 0.00 sid fill 2026 1 2026-11-20 FR1 received",),
    "discrepancies": (
        "Expected or first count Found or verification count Difference",
        "closer FR1 night 16,330.00 16,305.00 −25.00 recorded",
        "1,210.00 1,200.00 −10.00",
    ),
    "boxes": ("FR1 two night counted cash 1,200.00 1,200.00 0.00 0.0 %",),
    "exceptions": ("mispay FR1 1,300.00 EUR is due on red b, not 1,320.00 EUR. house payment",),
    "adjustments": ("No entries on this day",),
    "paid": ("No entries on this day",),
    "cash": ("Ann 4,200.00 0.00",),
    "progressives": ("blazing mega 50,000.00 0.00 0.00 0.00 0.00 50,000.00 0.00 0.00 0.00 50,000.00",),
    "hold": ("FR1 day 4,700.00 505.00 10.74 % 6,050.00 650.00 10.74 %",),
    "journal": ("goes into the box Assets:DropBoxes Assets:Chips:Tables:FR1 3,000.00",),
    "trial": ("Income:Tables:FR1",),
    "hours": ("4,700.00 1,000.00 500.00 650.00 −20.00 650.00",),
}


@pytest.fixture
def house(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    house = WorkedDay()
    well = SystemState(readers={}, head=10**9, aside={})
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: well)
    checklist_system_state_source.register_source(house.store, lambda: well)
    with serving(house):
        yield house
    house.close()


def test_ms_4_14_every_report_says_the_same_in_every_form_under_its_header(house: WorkedDay) -> None:
    house.play()
    evening_with_everything.project(house)
    JournalPosting(house.store, PROPERTY).catch_up()
    anna = at("anna")
    listed = source(anna, URL)
    assert f'href="{URL}"' in source(anna, f"/days/{DAY}")
    assert EXPECTED_TEXTS.keys() == {report.name for report in REPORTS}
    for name, texts in EXPECTED_TEXTS.items():
        page = words(anna, f"{URL}/{name}").replace("\u00a0", " ")
        for text in texts:
            assert text in page, (name, text, page[page.find("CSV PDF") :][:900])
        assert f'href="{URL}/{name}.csv"' in listed
    for name in ("inventory", "progressives", "journal"):
        says_the_same(anna, f"{URL}/{name}")
    is_headed(anna, f"{URL}/inventory")
    assert "Signatures" in written(anna.get(f"{URL}/inventory/report.pdf").content)
    assert not GivenOut.objects.exists(), "an open day's figures may change"
    assert anna.get(f"{URL}/nothing").status_code == 404
    assert at("ines").get(f"{URL}/slips").status_code == 403


def is_headed(anna: Client, here: str) -> None:
    """Assert the heading of each form: title, software version, period, time, last event, author."""
    with zipfile.ZipFile(io.BytesIO(anna.get(f"{here}/report.xlsx").content)) as book:
        shared = book.read("xl/sharedStrings.xml").decode()
    paper = written(anna.get(f"{here}/report.pdf").content)
    (title,) = (str(report.title) for report in REPORTS if here.endswith(f"/{report.name}"))
    for form in (words(anna, here), source(anna, f"{here}.csv"), shared, paper):
        text = form.replace("\u00a0", " ")
        for part in (title, f"Pitledger {version()}", DAY, "anna"):
            assert part in text, (here, part, text[:600])
        assert re.search(r"(?i)as of event", text), (here, text[:600])
        assert re.search(r"\d\d:\d\d", text), (here, text[:600])


def says_the_same(anna: Client, here: str) -> None:
    digest = re.search(r"SHA-256 of these lines ([0-9a-f]{64})", words(anna, here))
    assert digest is not None
    paper = written(anna.get(f"{here}/report.pdf").content).replace("\u00a0", " ")
    with zipfile.ZipFile(io.BytesIO(anna.get(f"{here}/report.xlsx").content)) as book:
        shared = book.read("xl/sharedStrings.xml").decode()
    for form in (source(anna, f"{here}.csv"), shared, paper):
        assert digest[1] in form, here
        assert "anna" in form
    assert all(words_ in paper for words_ in ("as of event", "Pitledger", "open, figures may change", DAY))


def test_t_6736_2003_11_where_the_law_is_greek_papers_bear_its_names(house: WorkedDay, settings: Any) -> None:
    """Opening advance, additional advance, closing slip."""
    settings.PITLEDGER_LANGUAGE = "el"
    house.begin()
    house.fill(100_000)
    evening_with_everything.project(house)
    sheet = written(at("anna").get(f"{URL}/inventory/report.pdf").content)
    assert "Δελτίο Αρχικής Προκαταβολής · Δελτίο Κλεισίματος (Αποτελέσματος)" in sheet
    assert "Πρόσθετη προκαταβολή 1, σειρά δελτίων 2026 · Δελτίο Πρόσθετης Προκαταβολής" in written(
        at("anna").get("/cage/slips/fill/2026/1/pdf").content
    )


def test_what_tells_of_a_sealed_box_waits_for_its_count(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    evening_with_everything.project(house)
    assert "after every box is counted" in words(at("anna"), URL)
    for name in ("journal", "trial", "hold", "cash"):
        assert at("anna").get(f"{URL}/{name}").status_code == 404
        assert at("anna").get(f"{URL}/{name}/report.pdf").status_code == 404
    assert "3,000.00" not in words(at("anna"), f"{URL}/boxes") + words(at("anna"), f"{URL}/hours")


def test_a_closed_days_reports_are_on_the_list_and_say_which_print_they_are(house: WorkedDay) -> None:
    house.play()
    [closed] = house.ok("days", "", "anna", house.action("day.close"))
    evening_with_everything.project(house)
    anna, here = at("anna"), f"{URL}/slips/report.pdf"
    first, second = (written(anna.get(here).content) for _ in range(2))
    assert closed.data.digest in first
    assert "REPRINT" not in first
    assert "REPRINT, copy 2" in second
    assert "REPRINT" not in written(anna.get(f"{URL}/hours/report.pdf").content), "another report"
    kinds = [*GivenOut.objects.order_by("id").values_list("kind", flat=True)]
    assert kinds == ["report, slips, on paper"] * 2 + ["report, hours, on paper"]
    lines: list[str] = []
    assert [*handed_out([closed.data.digest], house.store, lines.append)] == []
    assert "the events say the same" in lines[0]


PAID: dict[str, Any] = {
    "progressive": "blazing",
    "level": "mega",
    "hit": "h-1",
    "table": "FR1",
    "round": 1,
    "box": 1,
    "player": "g-7",
    "gaming_day": "2026-11-19",
    "tender": "cash",
    "slip_year": "2026",
}


def test_what_was_paid_stands_on_the_day_of_the_cage_with_its_tax_and_what_was_put_right_by_its_amount(
    house: WorkedDay,
) -> None:
    house.begin()
    evening_with_everything.project(house)
    history = History()
    history.events += house.store.after(0, 1_000)
    for day, slip in ((DAY, 1), ("2026-11-21", 2)):
        data = {**PAID, "slip": slip, "paid_gaming_day": day}
        history.append(
            "progressives/blazing", JackpotPaid(**data, amount_minor=500_000, withheld_minor=120_000, form="W")
        )
    for amount in (200_000, -200_001):
        about: dict[str, Any] = {
            "progressive": "blazing",
            "level": "mega",
            "reason": "malfunction",
            "meter_micro": 0,
            "approvals": (),
        }
        history.append("progressives/blazing", MeterAdjusted(**about, amount_minor=amount))
    log = Applier([EventLogProjector(WriteTarget("default"))], PROPERTY)
    log.load()
    log.apply(history.events[log.position :])
    page = words(at("anna"), f"{URL}/paid").replace("\u00a0", " ")
    assert "jackpot blazing 2026-1 FR1 g-7 cash 5,000.00 1,200.00 3,800.00 W" in page
    assert "2026-2" not in page
    page = words(at("anna"), f"{URL}/adjustments").replace("\u00a0", " ")
    assert "−2,000.01" in page
    assert " 2,000.00 " not in page, "over the bound only"


def test_the_net_amount_is_that_of_the_payment_itself(house: WorkedDay, monkeypatch: pytest.MonkeyPatch) -> None:
    house.begin()
    evening_with_everything.project(house)
    history = History()
    history.events += house.store.after(0, 1_000)
    payment = JackpotPaid(**PAID, slip=1, paid_gaming_day=DAY, amount_minor=500_000, withheld_minor=120_000)
    history.append("progressives/blazing", payment)
    log = Applier([EventLogProjector(WriteTarget("default"))], PROPERTY)
    log.load()
    log.apply(history.events[log.position :])
    monkeypatch.setattr(JackpotPaid, "net_minor", property(lambda of: of.amount_minor - 1_000))
    page = words(at("anna"), f"{URL}/paid").replace("\u00a0", " ")
    assert "jackpot blazing 2026-1 FR1 g-7 cash 5,000.00 10.00 4,990.00" in page


def test_a_number_that_nobody_has_issued_is_missing(house: WorkedDay) -> None:
    house.begin()
    for _ in range(3):
        house.slip("fill", 5_000)
    evening_with_everything.project(house)
    SlipAccount.objects.get(number=2).delete()
    lines = [*slips(report_subject(DAY, ("accountant",)))]
    assert [(line["kind"], line["number"], line["status"]) for line in lines] == [
        ("fill", 1, "open"),
        ("fill", 2, "missing"),
        ("fill", 3, "open"),
    ]
