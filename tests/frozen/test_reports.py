"""A report of each layout is made again, byte for byte, from its events.

The digests in these files belong to closed days: no change of the code may change them.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from events.accounting.report import canonical_report_bytes, day_reports
from events.accounting.report.canonical_report_from_ledger import KNOWN
from events.accounting.report.report_diff import changes
from events.store import EventStore, open_store
from tests.frozen import frozen_stores

DAY = "2026-11-20"
# By file: the layout that its day was closed with. The one with mistakes is `tests/support/houses/mistaken_day.py` by
# layout 2.
FILES = {"report-1": 1, "report-2": 2, "report-2-mistakes": 2, "report-3": 3, "report-4": 4}
CLOSED, RESTATED = "day.closed.v1", "day.amended.v1"


@pytest.fixture(scope="module", params=FILES)
def file(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, file: str) -> Iterator[EventStore]:
    made_ = open_store(frozen_stores.sqlite_url(file, tmp_path_factory.mktemp("report")))
    yield made_
    made_.close()


@pytest.mark.parametrize(("kind", "name"), [(CLOSED, "closed"), (RESTATED, "restated")])
def test_a_report_of_each_layout_is_made_again(store: EventStore, file: str, kind: str, name: str) -> None:
    [closing] = store.after(0, 10, [kind])
    report = day_reports.make(store, frozen_stores.PROPERTY, DAY, closing.position)
    assert canonical_report_bytes.encode(report.figures) == frozen_stores.read(f"{file}.{name}.json")
    assert (report.basis.status, report.basis.layout, report.is_as_said) == (name, FILES[file], True)


def test_changes_and_entries_of_a_closed_day_follow_its_layout(store: EventStore, file: str) -> None:
    """The journal's entries sum up to the report's journal. The restatement's steps cover the changed figures."""
    [closed], [amended] = (store.after(0, 10, [kind]) for kind in (CLOSED, RESTATED))
    report = day_reports.make(store, frozen_stores.PROPERTY, DAY, closed.position)
    sums: Counter[str] = Counter()
    for entry in day_reports.entries(store, frozen_stores.PROPERTY, DAY, report.basis):
        sums[entry.debit] += entry.micro
        sums[entry.credit] -= entry.micro
    expenses = {name: text for name, text in (report.figures["journal"] or {}).items() if name.startswith("Expenses")}
    assert {name: canonical_report_bytes.decimal(sums[name], "EUR") for name in expenses} == expenses
    before, after = report.figures, day_reports.make(store, frozen_stores.PROPERTY, DAY, amended.position).figures
    steps = [*day_reports.restated(store, frozen_stores.PROPERTY, DAY, amended.position)]
    assert {change.place for change in day_reports.summed(steps)} == {change.place for change in changes(before, after)}


def test_every_layout_has_its_frozen_day() -> None:
    """Each layout has a stored day. The author of a new layout adds one."""
    assert all((frozen_stores.FROZEN / f"report-{layout}.sqlite3.xz").exists() for layout in KNOWN)
