"""Cells as spreadsheets write them: separators, encodings, amounts, days. Ambiguous cells are refused."""

import pytest

from backoffice.house.opening import cell_values
from backoffice.house.opening.csv_columns import SHEETS, STAFF, template
from backoffice.house.opening.csv_reader import Unreadable, rows

LINES = "id{0}roles{0}name\r\na-001{0}administrator{0}Αγγελική Παππά\r\nb-301{0}pit boss{0}Олег Şahin\r\n"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_separator_and_encoding_of_a_spreadsheet_is_read(separator: str, encoding: str) -> None:
    rows_, faults = rows(STAFF, LINES.format(separator).encode(encoding))
    assert not faults
    assert [(row.line, row["id"], row["name"]) for row in rows_] == [
        (2, "a-001", "Αγγελική Παππά"),
        (3, "b-301", "Олег Şahin"),
    ]


def test_a_greek_code_page_is_read_when_it_is_named_and_refused_with_its_line_when_not() -> None:
    raw = "id;roles;name\r\na-001;administrator;Αγγελική\r\n".encode("cp1253")
    assert rows(STAFF, raw, "cp1253")[0][0]["name"] == "Αγγελική"
    with pytest.raises(Unreadable, match=r"staff.csv, line 2: .*CSV UTF-8") as refused:
        rows(STAFF, raw)
    assert "cp1253" in str(refused.value)


def test_empty_lines_quotes_and_a_line_that_names_the_separator_are_no_mistakes() -> None:
    raw = b'sep=;\r\nID;Roles;Name;;\r\n;;;\r\na-001;administrator;"Vardaki; A.";;\r\n\r\n'
    [row], faults = rows(STAFF, raw)
    assert (row.line, row["name"], faults) == (4, "Vardaki; A.", [])


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"a-001,administrator,x\n", "line 1: The first line must name the columns"),
        (b"id,roles,nmae\n", "There is no column nmae"),
        (b"id,name\n", "The column roles is missing"),
        (b"id,roles,id\n", "The column id appears twice"),
        (b'id,roles\na,"dealer\n', "quotation marks"),
        (b"", "The first line must name the columns"),
    ],
)
def test_a_file_of_another_shape_says_what_is_wrong(raw: bytes, complaint: str) -> None:
    with pytest.raises(Unreadable, match=complaint):
        rows(STAFF, raw)


def test_a_line_of_another_shape_is_named_and_the_others_are_read() -> None:
    rows_, faults = rows(STAFF, b"id,roles\na-1,dealer\n,dealer\na-3,dealer,x,y\na-4,dealer\n")
    assert [str(fault).partition(" The")[0] for fault in faults] == [
        "staff.csv, line 3, column id:",
        "staff.csv, line 4:",
    ]
    assert [row["id"] for row in rows_] == ["a-1", "", "a-4"]


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("1234.5", "EUR", 123_450),
        ("1234,50", "EUR", 123_450),
        ("1.234,50", "EUR", 123_450),
        ("1,234.50", "EUR", 123_450),
        ("1 234,50", "EUR", 123_450),
        ("1\u202f234,50", "EUR", 123_450),
        ("1'234.50", "CHF", 123_450),
        ("1.234.567", "EUR", 123_456_700),
        ("1.234.567,89", "EUR", 123_456_789),
        ("\u221224001,50", "EUR", -2_400_150),
        ("-5 EUR", "EUR", -500),
        ("1234", "JPY", 1_234),
        ("1234.00", "JPY", 1_234),
        ("1.234", "KWD", 1_234),
        ("0", "EUR", 0),
    ],
)
def test_an_amount_is_read_as_it_is_written_in_greek_turkish_russian_and_english(
    text: str, currency: str, minor: int
) -> None:
    assert cell_values.amount(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "complaint"),
    [
        ("1.234", "EUR", "can be read in two ways"),
        ("1,234", "JPY", "can be read in two ways"),
        ("12.345", "EUR", "can be read in two ways"),
        ("0.125", "EUR", "has 3 decimals; EUR has 2"),
        ("12.5", "JPY", "has 1 decimals; JPY has 0"),
        ("1,23,456", "EUR", "is not an amount"),
        ("1,234.567,8", "EUR", "is not an amount"),
        ("1E+05", "EUR", "is not an amount"),
        ("€5", "EUR", "is not an amount"),
        ("٣", "EUR", "is not an amount"),
        ("99999999999999999", "EUR", r"is more than \d+ EUR"),
        ("abc", "EUR", "is not an amount"),
        ("-", "EUR", "is not an amount"),
        (".", "EUR", "is not an amount"),
    ],
)
def test_an_amount_that_may_be_another_one_is_refused(text: str, currency: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        cell_values.amount(text, currency)


@pytest.mark.parametrize(
    ("text", "day"), [("2026-12-1", "2026-12-01"), ("01.12.2026", "2026-12-01"), ("31/12/2026", "2026-12-31")]
)
def test_a_day_is_read(text: str, day: str) -> None:
    assert cell_values.day(text) == day


@pytest.mark.parametrize("text", ["01/12/2026", "2026-02-30", "1.12.26", "tomorrow"])
def test_a_day_that_may_be_another_one_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Write it as 2026-12-01"):
        cell_values.day(text)


@pytest.mark.parametrize(("text", "month"), [("2025-11", "2025-11"), ("11.2025", "2025-11"), ("11/2025", "2025-11")])
def test_a_month_is_read(text: str, month: str) -> None:
    assert cell_values.month(text) == month


@pytest.mark.parametrize("text", ["Nov-25", "2025-13", "2025"])
def test_what_a_spreadsheet_made_of_a_month_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Write it as 2025-11"):
        cell_values.month(text)


@pytest.mark.parametrize(("text", "rate"), [("2,5", 25_000), ("10%", 100_000), ("0.0001", 1), ("100", 1_000_000)])
def test_a_rate_is_read_in_per_cent(text: str, rate: int) -> None:
    assert cell_values.rate(text) == rate


def test_the_example_files_are_read_without_a_fault() -> None:
    for sheet in SHEETS:
        rows_, faults = rows(sheet, template(sheet).encode())
        assert (len(rows_), faults) == (len(sheet.examples), []), sheet.name
