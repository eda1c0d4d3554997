"""Fixtures of the conformance tests."""

from collections.abc import Iterator

import pytest

from tests.support.houses.alert_scenario_house import AtWork


@pytest.fixture
def house() -> Iterator[AtWork]:
    """A house at work. At the end, its alerts are computed again event by event."""
    made = AtWork()
    yield made
    made.check()
    made.close()
