"""Draws under a steering operator, through the deciders: the results stay uniform, and each attempt raises an alert.

STEERED_DRAWS=1000 plays the long form (`make draws`), which must be uniform with p > 0.001. The short form's bound is
far lower, so that chance alone does not fail it. A vulnerability gives far less: the last test opens one.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from events.inspection_draws import decider
from tests.support.houses.inspection_draw_house import DrawingHouse
from tests.support.pages.raised_alerts import raised
from tests.support.tables.draw_steering_operator import ENTRIES, WANTED, DrawnPeriod, SteeringOperator, uniform_p

LONG = int(os.environ.get("STEERED_DRAWS", "0"))
PERIODS, LEAST_P = (LONG, 1e-3) if LONG else (40, 1e-9)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DrawingHouse]:
    house = DrawingHouse(monkeypatch, tmp_path)
    yield house
    house.close()


def alerts(house: DrawingHouse) -> set[tuple[str, str]]:
    """Return the alerts about draws, as (draw, reason)."""
    events = SimpleNamespace(events=house.store.after(0, 1_000_000))
    data = [msgspec.json.decode(alert.data) for alert in raised(events, "draw")]  # type: ignore[arg-type]
    return {(each["draw"], each["reason"]) for each in data}


def attempts(periods: list[DrawnPeriod]) -> set[tuple[str, str]]:
    """Return the alerts that the operator's attempts must leave."""
    expected = {(draw, "second commitment") for period in periods for draw in period.committed[1:]}
    expected |= {(period.committed[0], "late commitment") for period in periods if period.is_late}
    return expected | {(period.committed[0], "not revealed") for period in periods if not period.drawn}


def test_draws_under_a_steering_operator_are_uniform_or_raise_an_alert(house: DrawingHouse) -> None:
    periods = SteeringOperator(house).run(PERIODS)
    assert all(period.committed for period in periods)
    drawn = [period for period in periods if period.drawn]
    assert {period.draw for period in drawn} <= {period.committed[0] for period in periods}, "the first one counts"
    shown = alerts(house)
    assert attempts(periods) <= shown
    assert {reason for _draw, reason in attempts(periods)} == {"second commitment", "late commitment", "not revealed"}
    repeats = {draw for period in periods for draw in period.committed[1:]}
    assert {draw for draw, reason in shown if reason == "second commitment"} == repeats
    assert len(drawn) == PERIODS * 9 // 10
    p = uniform_p([period.drawn[0] for period in drawn])
    each = [uniform_p([period.drawn[place] for period in drawn]) for place in (1, 2)]
    figures = ", ".join(f"{chance:.4f}" for chance in (p, *each))
    print(f"\n{len(drawn)} of {PERIODS} draws revealed, {len(shown)} alerts, p by place {figures}")
    assert min(p, *each) > LEAST_P


def test_an_operator_who_may_repeat_a_draw_would_be_noticed(
    house: DrawingHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same operator in a house in which a second commitment counts."""
    monkeypatch.setattr(decider, "second_of", lambda *_: "")
    periods = [period for period in SteeringOperator(house, repeats=30).run(30) if period.drawn]
    assert uniform_p([period.drawn[0] for period in periods]) < LEAST_P
    assert sum(period.drawn[0] == WANTED for period in periods) > 2 * len(periods) / ENTRIES
