"""Rows of reports have their cells by the names of the columns, in any order."""

import pytest

from backoffice.days.reports.report_and_column_structs import Report, ReportColumn
from backoffice.people.roles_allowed_per_page import DAYS

REPORT = Report(
    name="tips",
    title="Tips",
    meaning="what dealers were given",
    open_to=DAYS,
    columns=(ReportColumn("table", "Table"), ReportColumn("tips_minor", "Tips", "minor")),
    rows=lambda of: [{"table": "FR1", "tips_minor": 1_250}],
)


def test_cells_stand_under_the_names_of_their_columns() -> None:
    row = {"tips_minor": 1_250, "table": "FR1"}
    assert REPORT.values(row) == ["FR1", 1_250]
    assert REPORT.cells(row, "EUR") == ["FR1", "12.50"]


@pytest.mark.parametrize(
    "row", [{"table": "FR1"}, {"table": "FR1", "tips": 1}, {"table": "", "tips_minor": 1, "by": ""}]
)
def test_a_row_with_other_names_is_refused(row: dict[str, object]) -> None:
    with pytest.raises(KeyError):
        REPORT.values(row)
