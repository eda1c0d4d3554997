"""An idle process returns its free memory once after it worked, not at every check."""

import time

import pytest

from backoffice.running.status_reports_of_parts_into_database import LOOKS, USED_S, SpareMemory


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    at = {"now": 0.0, "used": 0.0}
    monkeypatch.setattr(time, "monotonic", lambda: at["now"])
    monkeypatch.setattr(time, "process_time", lambda: at["used"])
    return at


def test_it_is_given_back_after_work_only(clock: dict[str, float]) -> None:
    times: list[float] = []
    spare = SpareMemory(lambda: times.append(clock["now"]))

    def look(used_s: float) -> None:
        clock["now"] += 5.0
        clock["used"] += used_s
        spare.look()

    look(4.0)
    assert times == [], "it is at work"
    for _ in range(6):
        look(0.01)
    assert times == [10.0, 15.0][:LOOKS], "idle: nothing more to give back"
    look(3.0)
    look(0.01)
    assert times[LOOKS:] == [45.0]
    for _ in range(int(USED_S / 0.02) + 5):
        look(0.02)
    assert len(times) > LOOKS + 2, "little by little it has worked again"
