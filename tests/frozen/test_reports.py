"""Reports that were made by each layout are made again, byte for byte, from the events that they were made of.

What these files hold was once the digest of a closed day: no change of the code may change them.
"""

from collections.abc import Iterator

import pytest

from events.accounting.report import canonical, made
from events.accounting.report.layouts import KNOWN
from events.store import EventStore, open_store
from tests.frozen import houses

DAY = "2026-11-20"
CLOSED, RESTATED = "day.closed.v1", "day.amended.v1"


@pytest.fixture(scope="module", params=[1, 2])
def layout(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, layout: int) -> Iterator[EventStore]:
    made_ = open_store(houses.sqlite_url(f"report-{layout}", tmp_path_factory.mktemp("report")))
    yield made_
    made_.close()


@pytest.mark.parametrize(("kind", "name"), [(CLOSED, "closed"), (RESTATED, "restated")])
def test_a_report_of_each_layout_is_made_again(store: EventStore, layout: int, kind: str, name: str) -> None:
    [said] = store.after(0, 10, [kind])
    found = made.make(store, houses.PROPERTY, DAY, said.position)
    assert canonical.encode(found.figures) == houses.read(f"report-{layout}.{name}.json")
    assert (found.basis.status, found.basis.layout, found.is_as_said) == (name, layout, True)


def test_every_layout_has_its_frozen_day() -> None:
    """Who makes another lays a day of it here."""
    assert all((houses.FROZEN / f"report-{layout}.sqlite3.xz").exists() for layout in KNOWN)
