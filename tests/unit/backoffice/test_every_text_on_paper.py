"""Every text at its limit, in every script, prints on every paper that shows it; what the font lacks, as an escape."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import msgspec
import pytest
from pypdf import PdfReader

from backoffice.cage.cage_overview import SlipSeen
from backoffice.cage.pages import slip_pdf
from backoffice.days import report_json_and_csv
from backoffice.days.reports.catalogue import REPORTS
from backoffice.days.reports.master_report_pdf import day_pdf
from backoffice.printing.list_report import ListedReport, listed_pdf
from backoffice.printing.printable_characters import printable
from backoffice.printing.report_layout import PrintCopy, Stamp, paper, rows
from events.accounting.report import day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay

LIMIT, NAME = 500, 64
SCRIPTS = {
    "Greek": "Λάθος στη μπίλια του τροχού ",
    "Cyrillic": "Шарик вылетел из колеса ",
    "Turkish": "Çarkın topu dışarı fırladı ğüş ",
    "combining": unicodedata.normalize("NFD", "Ȧccėnts ñ ộ ü ") + "q\u0308 ",
    "Chinese": "轮盘球弹出轮盘外面了重新开始",
    "Korean": "공이 휠 밖으로 튀어 나갔다 ",
    "Arabic": "خرجت الكرة من العجلة ",
    "Hebrew": "הכדור עף מהגלגל ",
    "emoji": "🎲🃏 ball out 🙈 ",
    "one word": "Ω",
    "markup": "<b>&amp;</b> ]]> \\u4e2d %(x)s ",
}
NOW = datetime(2026, 11, 21, 2, 0, 5, tzinfo=UTC)
SHOWN = {"Greek", "Cyrillic", "Turkish", "combining", "one word", "markup"}


def full(script: str, limit: int = LIMIT) -> str:
    """Return a text of exactly `limit` characters."""
    return (SCRIPTS[script] * limit)[:limit].strip().ljust(limit, "x")


def letters(words: str) -> str:
    """Return the words without spaces and breaks of lines and pages."""
    return re.sub(r"\s", "", unicodedata.normalize("NFC", words))


def read(pdf: bytes) -> str:
    return " ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


def printed(script: str) -> PrintCopy:
    return PrintCopy(full(script, NAME), NOW, {full(script, NAME): full(script, NAME)}, 2)


def check(pdf: bytes, script: str) -> None:
    """Check that the PDF has the beginning of the text, and explains escapes for characters that the font lacks."""
    words = letters(read(pdf))
    assert letters(printable(full(script)))[:12] in words
    assert ("Unicodeescapes" in words) == (script not in SHOWN or script == "markup")


def listed(report: Any, *rows: list[str]) -> ListedReport:
    return ListedReport(
        title=str(report.title),
        period=DAY,
        heads=[str(column.words) for column in report.columns],
        figures=frozenset(at for at, column in enumerate(report.columns) if column.is_figure),
        lines=rows,
        signed=[str(signatory) for signatory in report.signed],
        is_apart=report.apart,
        digest="0" * 64,
    )


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_declared_reports(report: Any) -> None:
    """Every text in every column of words at once, a line a script."""
    rows = [[full(script) if not column.is_figure else "1,234.50" for column in report.columns] for script in SCRIPTS]
    words = letters(read(listed_pdf(listed(report, *rows), printed("Greek"), 9, "0" * 64)))
    assert "Unicodeescapes" in words
    for script in SCRIPTS:
        assert letters(printable(full(script)))[:5] in words, script


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_reason_is_printed_whole(script: str) -> None:
    report = next(declared for declared in REPORTS if declared.name == "exceptions")
    row = ["1" if column.is_figure else full(script) if column.name == "detail" else "a" for column in report.columns]
    pdf = listed_pdf(listed(report, row), printed(script), 9, "0" * 64)
    check(pdf, script)
    assert letters(printable(full(script))) in letters(read(pdf))


@pytest.fixture(scope="module")
def day() -> Iterator[dict[str, Any]]:
    house = WorkedDay()
    house.play()
    report = day_reports.make(house.store, PROPERTY, DAY, house.store.position())
    yield msgspec.json.decode(
        msgspec.json.encode(report_json_and_csv.report_json(report, SystemState(readers={}, head=10**9, aside={})))
    )
    house.close()


def texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of people's own texts in a report, without amounts and words of the product."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part, (*path, name))
    elif isinstance(value, list) and value:
        yield from texts(value[0], (*path, 0))
    elif isinstance(value, str) and path[-1] in ("table", "shift", "pit", "detail", "progressive", "level"):
        yield path


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_report_of_a_day(day: dict[str, Any], script: str) -> None:
    whole = msgspec.json.decode(msgspec.json.encode(day))
    paths = list(texts(whole))
    assert len(paths) >= 6
    for path in paths:
        place = whole
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = full(script)
    check(day_pdf(whole, printed(script)), script)


@pytest.mark.parametrize("script", SCRIPTS)
def test_slips(script: str) -> None:
    name = full(script)
    slip = SlipSeen(
        kind="fill",
        number=1,
        year="2026",
        table=name,
        gaming_day=DAY,
        chips={500: 20},
        amount_minor=10_000,
        currency="EUR",
        issued_by=name,
        issued_at=NOW,
        position=9,
        asked_by=name,
        runner=name,
        status="open",
        digest="0",
    )
    check(slip_pdf(slip, printed(script)), script)


@pytest.mark.parametrize("script", SCRIPTS)
def test_tables_of_papers(script: str) -> None:
    """Check the tables of papers with several texts in one cell, as on the certificate of a hit."""
    name = full(script)
    body = [["9", f"{name}\n{name}", name, name, "1,234.50", "5"]]
    table = rows(["Event", "From", "Hit", "By", "Share", "Meter"], body, (18, 35, 37, 37, 25, 22), 4)
    check(paper(Stamp(name, name, printed(script).words, 9, "0" * 64), [table]), script)
