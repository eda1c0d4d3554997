"""A sheet as a workbook: the head and the lines of its CSV, whole numbers as numbers, and no formula."""

import io
import zipfile

from backoffice.kit.csv_sheet_to_workbook import workbook_file
from backoffice.kit.page_declaration import CsvSheet


def test_a_workbook_says_what_its_csv_says_and_counts_with_whole_numbers() -> None:
    lines = iter([("R1", -12_345, None), ("=1+1", 10**16, True)])
    made = workbook_file(CsvSheet("Hold", ("Gaming day", "2026-11-20"), ("name", "win_minor", "x"), lines), 42, "hold")
    assert made.name == "pitledger-hold.xlsx"
    with zipfile.ZipFile(io.BytesIO(made.content)) as book:
        cells, words = book.read("xl/worksheets/sheet1.xml").decode(), book.read("xl/sharedStrings.xml").decode()
    assert "<v>-12345</v>" in cells
    assert "<v>42</v>" in cells
    assert "<f>" not in cells
    for text in ("=1+1", "10000000000000000", "SHA-256 of these lines as CSV", "2026-11-20"):
        assert f">{text}</t>" in words, text
