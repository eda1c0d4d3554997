"""An alert of the product is a rule and a watch (tests/toys/watch.py): raised once, with its evidence."""

import msgspec
import pytest

from events.tables.event_types.money import FillReceived
from tests.support.houses.sample_event_streams import DAY, History, SampleTableDay
from tests.support.pages.raised_alerts import raised
from tests.toys import watch


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> History:
    watch.install(monkeypatch)
    return History()


def fill(history: History, table: str, slip: int) -> None:
    where = SampleTableDay(history, table).where
    history.append(
        f"tables/{table}/{DAY}", FillReceived(**where, slip=slip, chips={2500: 4}, amount_minor=10_000, year="2026")
    )


@pytest.mark.parametrize("step", [1, 1_000])
def test_the_third_fill_of_a_session_raises_it_once_with_all_three_as_evidence(history: History, step: int) -> None:
    for slip in (1, 2, 3, 4):
        fill(history, "R1", slip)
    (alert,) = raised(history, watch.RULE.name, step=step)
    assert (alert.table, alert.severity, msgspec.json.decode(alert.data)) == ("R1", "low", {"fills": 3})
    assert len(msgspec.json.decode(alert.events)) == 3


def test_two_fills_at_each_of_two_tables_raise_none(history: History) -> None:
    for slip, table in enumerate(("R1", "R1", "R2", "R2"), 1):
        fill(history, table, slip)
    assert raised(history, watch.RULE.name) == []
