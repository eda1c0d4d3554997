"""Close of a gaming day by accounting, on figures that no person can have changed, and later restatements: pure.

Later events change no figure of a closed day until an amendment names them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

import msgspec

from events.accounting import fill_and_credit_slip_states
from events.accounting.discrepancies_with_explanations import unexplained
from events.accounting.event_types.day_close import DayAmended, DayClosed, DayOverridden, Item
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report import canonical_report_bytes, canonical_report_from_ledger
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closed_days_fold import ClosedDay
from events.accounting.report.closing_checklist import NEVER, CheckedItem, checklist, failing
from events.accounting.report.property_ledger_fold import Ledger
from events.days.day_close_override_amend_structs import AmendDay, CloseDay, OverrideItem
from events.days.roles import CLOSE, OVERRIDE, OVERRIDE_A_REST, OVERRIDE_DISCREPANCIES, RULES
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import ErrorText, coded
from events.errors import Conflict, Refused, Unknown
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment

UNEXPLAINED: Item = "discrepancies_explained"
_RULES: Mapping[Item, str] = {"no_rest": OVERRIDE_A_REST, UNEXPLAINED: OVERRIDE_DISCREPANCIES}
ACTIONS = (CloseDay, OverrideItem, AmendDay)
Events: TypeAlias = Sequence[EventData]


class NextRestatement(msgspec.Struct, frozen=True, kw_only=True):
    """The next restatement, made of stored events: `after` so many earlier ones, with these `events`."""

    after: int
    events: frozenset[str]
    position: int
    layout: int
    digest: str


class CloseContext(msgspec.Struct, frozen=True, kw_only=True):
    """Further input of a decision: the store's last position, and the state of the programs.

    It also has the requested restatement, and the people concerned by each unexplained discrepancy of the day.
    """

    position: int
    system_state: SystemState
    restated: NextRestatement | None = None
    people: Mapping[str, frozenset[str]] = {}


class DayCloseCase(msgspec.Struct, frozen=True, gc=False):
    """An action on its way to a decision; `before` are those who agreed to it before."""

    ledger: Ledger
    gaming_day: str
    who: Who
    before: approval_request_lifecycle.Pairs
    context: CloseContext

    @property
    def people(self) -> approval_request_lifecycle.Pairs:
        """Return all people who agree to it, this person included."""
        return approval_request_lifecycle.all_approvers(self.before, self.who)

    @property
    def closing(self) -> ClosedDay | None:
        """Return the close of the day, if there is one."""
        return self.ledger.closings.closed_day(self.gaming_day)

    @property
    def overridden(self) -> Mapping[str, DayOverridden]:
        """The items that were overridden."""
        return self.ledger.closings.overridden.get(self.gaming_day, {})

    def must_be_open(self) -> None:
        """Raise Unknown, Refused."""
        if self.gaming_day not in self.ledger.days:
            raise Unknown(coded("day-without-events", day=self.gaming_day))
        if self.closing is not None:
            raise Refused(CLOSE, coded("day-closed", day=self.gaming_day))


def decide(
    ledger: Ledger, stream: str, action: Action, data: ActionData, actor: Who, moment: Moment, context: CloseContext
) -> Events:
    """Return the events that an action makes on its day. Raises Refused, Forbidden, Unknown, Conflict."""
    day = stream.rpartition("/")[2]

    def judge(_action: Action, request_data: ActionData, before: approval_request_lifecycle.Pairs) -> Events:
        return _HANDLERS[type(request_data)](DayCloseCase(ledger, day, actor, before, context), request_data)

    requests = ledger.requests.get(stream, {})
    return approval_request_lifecycle.decide(
        "days", requests, action, data, actor, moment, judge, fields=lambda: {"gaming_day": day}
    )


def _reasons(checks: Sequence[CheckedItem]) -> ErrorText:
    """Return the texts of all checks, each under its item, as one text."""
    texts = [coded("checklist-item", item=check.item, why=check.text) for check in checks]
    return reduce(lambda first, second: coded("two-reasons", first=first, second=second), texts)


def close(case: DayCloseCase, _data: CloseDay) -> Events:
    """Every item of the checklist holds, is not known yet, or was overridden."""
    case.must_be_open()
    failing_checks = failing(checklist(case.ledger, case.gaming_day, case.context.system_state), case.overridden)
    if failing_checks:
        raise Refused(
            CLOSE,
            coded(
                "day-not-closable",
                checks=[check.item for check in failing_checks],
                why=_reasons(failing_checks),
            ),
        )
    figures = canonical_report_from_ledger.figures(
        case.ledger, case.gaming_day, case.context.position, layout=case.ledger.layout
    )
    return [
        DayClosed(
            gaming_day=case.gaming_day,
            position=case.context.position,
            layout=case.ledger.layout,
            digest=canonical_report_bytes.digest(figures),
            overridden=_still_failing(case),
        )
    ]


def must_belong(ledger: Ledger, gaming_day: str, closed_at: int, named: Mapping[str, AccountingEvent | None]) -> None:
    """Raises Refused for an event that is not the day's, or was there at the close. None: no event of the accounts.

    The cage voids or receives a slip on its next day: that event concerns every closed day on which the slip was open.
    """
    for id_, fact in named.items():
        if fact is None or fact.position <= closed_at or gaming_day not in _days_of(ledger, fact, gaming_day):
            raise Refused(CLOSE, coded("event-not-late", event=id_, day=gaming_day), field="data.events")


def _days_of(ledger: Ledger, fact: AccountingEvent, gaming_day: str) -> set[str]:
    """The day of an event, and the day asked for where the event settles a slip that was open then."""
    slip = fill_and_credit_slip_states.settled_by(ledger.slips, fact.data)
    was_open = slip is not None and slip.gaming_day <= gaming_day
    return {ledger.day_then(fact), gaming_day} if was_open else {ledger.day_then(fact)}


def must_be_whole(missing: str | None) -> None:
    """Raise Refused where an event rests on one that was not named."""
    if missing is not None:
        raise Refused(
            CLOSE,
            coded("amendment-incomplete", event=missing),
            field="data.events",
        )


def _still_failing(case: DayCloseCase) -> tuple[Item, ...]:
    checks = checklist(case.ledger, case.gaming_day, case.context.system_state)
    return tuple(check.item for check in checks if check.holds is False)


def override(case: DayCloseCase, data: OverrideItem) -> Events:
    """Override one blocking item of the checklist, with a reason. Some items cannot be overridden."""
    case.must_be_open()
    if data.item in NEVER:
        raise Refused(CLOSE, coded("check-never-overridden", item=data.item), field="data.item")
    if data.item in case.overridden:
        raise Refused(
            CLOSE,
            coded("check-overridden-already", item=data.item, reason=case.overridden[data.item].reason),
            field="data.item",
        )
    check = {item.item: item for item in checklist(case.ledger, case.gaming_day, case.context.system_state)}[data.item]
    if check.holds is not False:
        raise Refused(CLOSE, coded("check-holds", item=data.item), field="data.item")
    people = _people_of_discrepancies(case) if data.item == UNEXPLAINED else frozenset[str]()
    authority.require_apart(data.TYPE, case.who.person, people)
    authority.require(RULES[_RULES.get(data.item, OVERRIDE)], case.people, people)
    return [
        DayOverridden(
            gaming_day=case.gaming_day,
            item=data.item,
            detail=check.detail,
            reason=data.reason,
            approvals=case.people,
        )
    ]


def _people_of_discrepancies(case: DayCloseCase) -> frozenset[str]:
    """Return the people of the open discrepancies of the day. Raises Conflict for one that was found just now."""
    open_ids = unexplained(case.ledger.discrepancies, case.gaming_day)
    if not case.context.people.keys() >= set(open_ids):
        raise Conflict(coded("discrepancy-found-meanwhile"))
    for id_ in open_ids:
        authority.require_known(OverrideItem.TYPE, case.context.people[id_])
    return frozenset[str]().union(*(case.context.people[id_] for id_ in open_ids))


def amend(case: DayCloseCase, data: AmendDay) -> Events:
    """The next restatement, with the events that it names for the first time."""
    closing, restatement = case.closing, case.context.restated
    if closing is None:
        raise Refused(CLOSE, coded("day-not-closed", day=case.gaming_day))
    if already_named := sorted(closing.named & set(data.events)):
        raise Refused(CLOSE, coded("event-counted-already", event=already_named[0]), field="data.events")
    if restatement is None or (restatement.after, restatement.events) != (len(closing.amended), frozenset(data.events)):
        raise Conflict(coded("day-restated-meanwhile"))
    authority.require(RULES["day.amend"], case.people)
    return [
        DayAmended(
            gaming_day=case.gaming_day,
            restatement=restatement.after + 1,
            position=restatement.position,
            layout=restatement.layout,
            digest=restatement.digest,
            events=tuple(sorted(restatement.events)),
            reason=data.reason,
            approvals=case.people,
        )
    ]


_HANDLERS: Mapping[type[ActionData], Callable[[DayCloseCase, Any], Events]] = {
    CloseDay: close,
    OverrideItem: override,
    AmendDay: amend,
}
