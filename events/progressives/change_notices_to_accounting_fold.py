"""Notices to accounting of every change of parameters and every corrected meter (NJ 13:69D-1.52(e)3).

The rule requires notice, not consent: the change is valid from its own position on. An accountant who approved it knows
it already; otherwise the notice stays open until an accountant confirms it.
"""

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Forbidden, Refused
from events.progressives import action_structs, event_types, fact_types, level_facts_in_fold
from events.progressives.levels_rounds_and_hits_state import FoldState
from events.roles import DEPARTMENT

SOURCE = "NJ 13:69D-1.52(e)3"
RULE = "house progressive.notice"


def is_told(by: fact_types.People) -> bool:
    """Return whether an accountant is among the people who agreed."""
    return any(DEPARTMENT.get(person.role) == "accounting" for person in by)


def parameters(state: FoldState, fact: fact_types.ParametersFact) -> None:
    """New settings, and the notice of them."""
    level_facts_in_fold.parameters(state, fact)
    _open(state, fact)


def adjust(state: FoldState, fact: fact_types.Adjust) -> None:
    """A corrected meter, and the notice of it."""
    level_facts_in_fold.adjust(state, fact)
    _open(state, fact)


def _open(state: FoldState, fact: fact_types.ParametersFact | fact_types.Adjust) -> None:
    if not is_told(fact.by):
        state.notices[fact.at] = fact.level


def read(state: FoldState, fact: fact_types.NoticeRead) -> None:
    """The notice was read."""
    state.notices.pop(fact.change, None)


def acknowledge(state: FoldState, data: action_structs.AcknowledgeNotice, by: fact_types.People) -> list[EventData]:
    """Accounting has read the notice of the change at a position. Raises Forbidden, Refused."""
    if not is_told(by):
        raise Forbidden(coded("accounting-acknowledges"))
    level = state.notices.get(data.change)
    if level is None:
        raise Refused(RULE, coded("notice-unknown", change=data.change), source=SOURCE, field="data.change")
    return [event_types.NoticeAcknowledged(progressive=state.opening.progressive, level=level, change=data.change)]
