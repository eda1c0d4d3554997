"""Timelines of the acceptance format, recorded as events: the read models are what the timeline expects."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from projections.apply import Applier
from projections.models import Envy, Hit, Lock, ProgressiveLevel
from projections.models.progressives import MICRO
from projections.registry import projectors
from projections.target import Target
from tests import timelines

CASES = timelines.cases()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_read_models_are_what_a_timeline_expects(case: dict[str, Any], using: str) -> None:
    recorder = timelines.Recorder(case["given"])
    applier = Applier(projectors(target=Target(using)), recorder.history.property)
    applier.load()
    events = recorder.history.events
    for first in range(0, len(events), 7):
        assert applier.apply(events[first : first + 7]).poisoned == 0
    expect = case["expect"]
    assert levels(using) == {name: whole(level) for name, level in expect["levels"].items()}
    assert hits(using) == expect["hits"]
    assert locks(using, expect["locks"]) == {
        name: [{key: whole(lock[key]) for key in LOCK} for lock in found] for name, found in expect["locks"].items()
    }
    assert envy(using) == expect["envy"]


def whole(value: Any) -> Any:
    """Amounts as the read models have them compared: exact."""
    if isinstance(value, dict):
        return {name: whole(amount) for name, amount in value.items()}
    return Fraction(value) if isinstance(value, int | str) else value


def levels(using: str) -> dict[str, dict[str, Fraction]]:
    return {
        row.level: {
            "meter": Fraction(row.meter_micro, MICRO),
            "shown": Fraction(row.shown_minor),
            "overflow": Fraction(row.overflow_micro, MICRO),
            "reserve": Fraction(row.reserve_micro, MICRO),
            "fed": Fraction(row.fed_micro, MICRO),
            "locked": Fraction(row.locked_minor),
            "adjusted": Fraction(row.adjusted_micro, MICRO),
            "seeds": Fraction(row.seeds_micro, MICRO),
        }
        for row in ProgressiveLevel.objects.using(using)
    }


def hits(using: str) -> dict[str, dict[str, Any]]:
    return {
        row.hit: {"status": row.status} | ({} if row.share_minor is None else {"share": row.share_minor})
        for row in Hit.objects.using(using)
    }


LOCK = ("meter", "amount", "house", "seed", "seed_from_reserve")


def locks(using: str, expected: dict[str, Any]) -> dict[str, list[dict[str, Fraction]]]:
    """The locks that stand, in order of position; positions themselves are the recording's own."""
    found: dict[str, list[dict[str, Fraction]]] = {name: [] for name in expected}
    for row in Lock.objects.using(using).filter(is_standing=True).order_by("as_of"):
        assert msgspec.json.decode(row.hits)
        found[row.level].append(
            {
                "meter": Fraction(row.meter_micro, MICRO),
                "amount": Fraction(row.amount_minor),
                "house": Fraction(row.house_minor),
                "seed": Fraction(row.seed_micro, MICRO),
                "seed_from_reserve": Fraction(row.from_reserve_micro, MICRO),
            }
        )
    return found


def envy(using: str) -> dict[str, int]:
    sums: dict[str, int] = {}
    for row in Envy.objects.using(using):
        sums[row.player] = sums.get(row.player, 0) + row.amount_minor
    return sums
