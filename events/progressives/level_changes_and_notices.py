"""Changes that people decide about a level itself: its parameters, and corrections of its meter.

Accounting gets notice of each (NJ 13:69D-1.52(e)3). The rule requires notice, not consent: the change is valid from its
own position on. An accountant who approved it knows it already; otherwise the notice stays open until an accountant
confirms it.
"""

from msgspec import UNSET

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Forbidden, Refused
from events.progressives import action_structs, event_types
from events.progressives.approver_department_checks import require_two_departments
from events.progressives.fact_structs import Adjust, NoticeRead, ParametersFact, People
from events.progressives.levels_rounds_and_hits_state import (
    FoldState,
    LevelParameters,
    LevelState,
    check_contribution,
    check_settings,
    check_withhold,
)
from events.roles import DEPARTMENT

RULE = "house progressive.parameters"
ADJUST = "house progressive.adjust"
NOTICE = "house progressive.notice"
NOTICE_SOURCE = "NJ 13:69D-1.52(e)3"

# The closed list of WA 695, and the one that only adds (SD 24.02).
READING_VARIANCE = "reading-variance"
REASONS = frozenset({"malfunction", "above-maximum", "reserve-booked-as-receipts", "seed-recovered", READING_VARIANCE})


def _level(state: FoldState, name: str, rule: str) -> LevelState:
    level = state.levels.get(name)
    if level is None:
        raise Refused(rule, coded("level-unknown", level=name), field="data.level")
    return level


def change_parameters(state: FoldState, fact: ParametersFact) -> None:
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
    _open_notice(state, fact)


def adjust_meter(state: FoldState, fact: Adjust) -> None:
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
    _open_notice(state, fact)


def _check_fall(level: LevelState, fact: Adjust) -> None:
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


def _has_accountant(by: People) -> bool:
    """Return whether an accountant is among the people who agreed."""
    return any(DEPARTMENT.get(person.role) == "accounting" for person in by)


def _open_notice(state: FoldState, fact: ParametersFact | Adjust) -> None:
    if not _has_accountant(fact.by):
        state.notices[fact.at] = fact.level


def read_notice(state: FoldState, fact: NoticeRead) -> None:
    """The notice was read."""
    state.notices.pop(fact.change, None)


def acknowledge_notice(state: FoldState, data: action_structs.AcknowledgeNotice, by: People) -> list[EventData]:
    """Accounting has read the notice of the change at a position. Raises Forbidden, Refused."""
    if not _has_accountant(by):
        raise Forbidden(coded("accounting-acknowledges"))
    level = state.notices.get(data.change)
    if level is None:
        raise Refused(NOTICE, coded("notice-unknown", change=data.change), source=NOTICE_SOURCE, field="data.change")
    return [event_types.NoticeAcknowledged(progressive=state.opening.progressive, level=level, change=data.change)]
