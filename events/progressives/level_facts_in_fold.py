"""Facts that people decide about a level itself: its parameters, and corrections of its meter."""

from msgspec import UNSET

from events.error_codes import coded
from events.errors import Refused
from events.progressives.approver_department_checks import require_two_departments
from events.progressives.fact_types import Adjust, ParametersFact
from events.progressives.levels_rounds_and_hits_state import (
    FoldState,
    Level,
    LevelParameters,
    check_contribution,
    check_settings,
    check_withhold,
)

RULE = "house progressive.parameters"
ADJUST = "house progressive.adjust"

# The closed list of WA 695, and the one that only adds (SD 24.02).
READING_VARIANCE = "reading-variance"
REASONS = frozenset({"malfunction", "above-maximum", "reserve-booked-as-receipts", "seed-recovered", READING_VARIANCE})


def _level(state: FoldState, name: str, rule: str) -> Level:
    level = state.levels.get(name)
    if level is None:
        raise Refused(rule, coded("level-unknown", level=name), field="data.level")
    return level


def parameters(state: FoldState, fact: ParametersFact) -> None:
    """Rates count for rounds armed later, the seed for locks positioned later, the cap from now on (NJ 1.52)."""
    level = _level(state, fact.level, RULE)
    old = level.settings
    new = LevelParameters(
        seed=old.seed if fact.seed is UNSET else fact.seed,
        feed=old.feed if fact.feed is UNSET else fact.feed,
        reserve_rate=old.reserve_rate if fact.reserve_rate is UNSET else fact.reserve_rate,
        cap=old.cap if fact.cap is UNSET else fact.cap,
    )
    if all(value is UNSET for value in (fact.seed, fact.feed, fact.reserve_rate, fact.cap, fact.withhold)):
        raise Refused(RULE, coded("nothing-changed"))
    check_settings(new)
    others = [other.settings for other in state.levels.values() if other is not level]
    check_contribution([new, *others], state.opening.scale)
    if fact.cap is not UNSET and new.cap is not None and new.cap < level.meter:
        raise Refused(RULE, coded("cap-below-meter", level=level.name), field="data.cap_minor")
    withhold = state.withhold if fact.withhold is UNSET else fact.withhold
    check_withhold(withhold, state.opening.scale)
    require_two_departments(fact.by, RULE)
    state.withhold = withhold
    level.settings = new
    level.version += 1


def adjust(state: FoldState, fact: Adjust) -> None:
    """The meter is corrected; it never falls without a listed reason, nor while a hit of the level is pending."""
    level = _level(state, fact.level, ADJUST)
    if fact.amount == 0:
        raise Refused(ADJUST, coded("adjustment-of-zero"), field="data.amount_minor")
    if fact.reason not in REASONS:
        raise Refused(
            ADJUST, coded("adjustment-reason-unknown", reasons=sorted(REASONS)), source="WA 695", field="data.reason"
        )
    if fact.amount < 0:
        _check_fall(level, fact)
    require_two_departments(fact.by, ADJUST)
    level.adjusted += fact.amount
    level.meter += fact.amount
    level.tail_meter += fact.amount


def _check_fall(level: Level, fact: Adjust) -> None:
    if fact.reason == READING_VARIANCE:
        raise Refused(
            ADJUST,
            coded("variance-only-added"),
            source="SD 24.02 (20:18:17)",
            field="data.amount_minor",
        )
    if level.pending:
        raise Refused(ADJUST, coded("meter-held-by-hit", level=level.name), field="data.amount_minor")
    if level.meter + fact.amount < 0:
        raise Refused("house progressive.meter", coded("meter-below-zero", level=level.name), field="data.amount_minor")
