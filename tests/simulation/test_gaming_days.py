"""See `gaming_days`: seeds of it, a few in every run."""

import pytest

from tests.simulation.gaming_days import SimulatedDays


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [0, 1, 20, 33, 1079])  # two closed a table for good once, the last had it open twice
def test_no_table_is_open_twice_nor_closed_for_good(seed: int) -> None:
    days = SimulatedDays(seed)
    days.play()
    assert days.answers["session.open done"] > 1
