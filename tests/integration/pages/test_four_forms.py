"""The reports of random days with many mistakes: each report has the same figures in all four forms."""

import csv
import html
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from django.test import Client

from backoffice.days import system_state_for_day_close
from backoffice.days.reports.catalogue import REPORTS
from backoffice.days.reports.report_and_column_structs import Report, ReportColumn
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from projections.journal.journal_rows_from_events import JournalPosting
from tests.accountant.random_gaming_days import RandomFloor
from tests.accountant.random_jackpot_events import DAYS
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source, written

pytestmark = pytest.mark.django_db

SEED, STEPS = 3, 200
WELL = SystemState(readers={}, head=10**9, aside={})
AMOUNT = re.compile(r"[−-]?[\d,]+\.\d\d")
NUMBER = re.compile(r"-?\d+")
BOOK = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Rows = list[list[str]]


class Forms(NamedTuple):
    """A report of a day, as text and as lines of cells."""

    screen: str
    sheet: str
    book: str
    paper: str
    on_screen: Rows
    in_sheet: Rows
    in_book: Rows


def worked() -> House:
    """Return the house of the day that was calculated by hand, with all its counts and its close."""
    house = WorkedDay()
    checklist_system_state_source.register_source(house.store, lambda: WELL)
    house.play()
    house.ok("days", "", "anna", house.action("day.close"))
    return house


def as_they_come() -> RandomFloor:
    """Days with mistakes everywhere, hardly one of them closed."""
    house = RandomFloor(SEED)
    for _ in range(STEPS):
        house.step()
    return house


@pytest.mark.parametrize(("made", "days"), [(worked, [DAY]), (as_they_come, DAYS)])
def test_every_report_has_the_same_figures_on_screen_in_sheet_and_workbook_and_on_paper(
    made: Callable[[], Any], days: Sequence[str], db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: WELL)
    house, seen = made(), Counter[str]()
    with serving(house):
        evening_with_everything.project(house)
        JournalPosting(house.store, PROPERTY).catch_up()
        anna = at("anna")
        for day in days:
            for report in REPORTS:
                here = f"/days/{day}/reports/{report.name}"
                if made is as_they_come and anna.get(here).status_code == 404:
                    continue  # it tells what a box holds that is not counted, or nothing was recorded of the day
                forms = read(anna, report, here)
                assert is_headed(forms, report, day), here
                assert says_one_thing(forms, report) == [], here
                is_reprint = "REPRINT, copy 2" in written(anna.get(f"{here}/report.pdf").content)
                assert is_reprint == ("figures may change" not in forms.paper), "a closed day's figures are final"
                seen[report.name] += len(forms.in_sheet)
    house.close()
    assert sum(seen.values()) > 40


def says_one_thing(forms: Forms, report: Report) -> list[str]:
    """Return the differences between the forms, cell by cell of the sheet."""
    counts = {len(rows) for rows in (forms.on_screen, forms.in_sheet, forms.in_book)}
    problems = (
        [] if len(counts) == 1 else [f"lines: {len(forms.on_screen)}, {len(forms.in_sheet)}, {len(forms.in_book)}"]
    )
    for lines in zip(forms.in_sheet, forms.in_book, forms.on_screen, strict=False):
        for column, sheet_text, in_book, on_screen in zip(report.columns, *lines, strict=True):
            if not (is_same(column, sheet_text, in_book) and is_shown(column, sheet_text, on_screen)):
                problems.append(
                    f"{column.name}: {sheet_text!r} in the sheet, {in_book!r} in the book, {on_screen!r} on screen"
                )
    shown = Counter(amount for line in forms.on_screen for cell in line for amount in AMOUNT.findall(cell))
    lacks = shown - Counter(AMOUNT.findall(forms.paper))
    return problems + [f"the paper lacks {amount}, {times} times" for amount, times in lacks.items()]


def is_same(column: ReportColumn, sheet_text: str, in_book: str) -> bool:
    """Tell whether sheet and workbook agree. A sheet has minor units or millionths, a workbook has currency units."""
    if not NUMBER.fullmatch(sheet_text):
        return in_book == sheet_text.removeprefix("'")
    return Decimal(sheet_text) / {"minor": 100, "micro": 100_000_000}.get(column.kind, 1) == Decimal(in_book)


def is_shown(column: ReportColumn, value: str, on_screen: str) -> bool:
    """Tell whether the screen shows an amount with the digits of its currency.

    Another test checks the words for codes.
    """
    if column.kind != "minor" or not NUMBER.fullmatch(value):
        return bool(on_screen) or not value
    return Decimal(value) / 100 == Decimal(on_screen.replace("−", "-").replace(",", ""))


def is_headed(forms: Forms, report: Report, day: str) -> bool:
    """Each has title, version, day, person and position, and the digest of the lines that all have."""
    digest = re.search(r"SHA-256 of these lines (\w{64})", forms.screen)
    assert digest is not None
    parts = (str(report.title), "Pitledger 0.", day, "anna", "s of event")
    papers = (forms.screen, forms.sheet, forms.book, forms.paper)
    return all(part in form for form in papers for part in parts) and all(
        digest[1] in form.replace(" ", "") for form in papers
    )


# --- reading them -----------------------------------------------------------------------------------------------------


def read(anna: Client, report: Report, here: str) -> Forms:
    page, sheet = source(anna, here), source(anna, f"{here}.csv")
    lines = [line for line in csv.reader(io.StringIO(sheet)) if line]
    first = next(number for number, line in enumerate(lines) if tuple(line) == report.names)
    book = anna.get(f"{here}/report.xlsx").content
    about, (_, *in_book) = tab(book, 1), tab(book, 2)
    paper = written(anna.get(f"{here}/report.pdf").content).replace("\u00a0", " ")
    width = len(report.columns)
    on_screen = [cells for body in re.findall(r"<tbody.*?</tbody>", page, re.DOTALL) for cells in cells_of(body)]
    *above, last = sheet.splitlines(keepends=True)
    assert last.split(",") == ["SHA-256 of the lines above", f"{sha256(''.join(above).encode()).hexdigest()}\r\n"]
    return Forms(
        text(page), sheet, str(about), paper,
        [cells for cells in on_screen if len(cells) == width],
        lines[first + 1 : -1],
        [line + [""] * (width - len(line)) for line in in_book],
    )  # fmt: skip


def text(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def cells_of(body: str) -> Rows:
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    return [[text(cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)] for row in rows]


def tab(content: bytes, number: int) -> Rows:
    """A tab of a workbook, as its numbers and words."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        shared = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314 - our own
        sheet = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))  # noqa: S314 - our own
    strings = ["".join(text.text or "" for text in item.iter(f"{BOOK}t")) for item in shared.iter(f"{BOOK}si")]
    return [line(row, strings) for row in sheet.iter(f"{BOOK}row")]


def line(row: Any, strings: list[str]) -> list[str]:
    cells: list[str] = []
    for cell in row:
        value, where = cell.find(f"{BOOK}v"), re.sub(r"\d", "", cell.get("r"))
        column = sum((ord(letter) - 64) * 26**place for place, letter in enumerate(reversed(where)))
        cells += [""] * (column - 1 - len(cells))
        written = "" if value is None else str(value.text)
        cells.append(strings[int(written)] if cell.get("t") == "s" else written)
    return cells
