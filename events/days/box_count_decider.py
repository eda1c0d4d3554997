"""Blind counts of boxes by two people, and explanations of discrepancies: pure.

The first figures come sealed (`CountContext.sealed`), and are opened for the decision on the second: see docs/adr/0061.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.drop_box_content_structs import Tenders
from events.accounting.event_types.cage import IrregularityFound
from events.accounting.event_types.soft_count import (
    CountDiffered,
    CountEntered,
    CountSettled,
    DiscrepancyExplained,
    Figures,
)
from events.accounting.live_books_for_decisions import DecidedEvents
from events.accounting.soft_count_progress import CountProgress, at_table, name_of, recorded_buyins
from events.controls import discrepancy_event_and_severity, refused_fact_reasons
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.days.roles import CLAUSE, COUNTERS, DISCREPANCY, EXPLAIN_LATE, RULES
from events.days.soft_count_action_structs import (
    BoxCount,
    EnterCount,
    ExplainDiscrepancy,
    SettleCount,
    VerifyCount,
)
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded, recorded_text
from events.errors import NotApproved, Refused, Unknown
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import GiveApproval, Moment, Request, Requests
from events.roles import DEPARTMENT
from events.rules.chip_sums_by_denomination import chips_minor, worth

Events: TypeAlias = list[EventData]
APART = {"pit", "surveillance"}  # roles that neither count nor verify


class CountContext(msgspec.Struct, frozen=True, gc=False):
    """Further input of a decision. Of a count the first figures `sealed` now, or those of the entry opened (None: their
    key is lost); of an explanation the `people` of its discrepancy."""

    sealed: str = ""
    first: Figures | None = None
    people: frozenset[str] = frozenset()


class CountCase(msgspec.Struct, frozen=True, gc=False):
    """An action on its way to a decision; `before` are those who agreed to it before."""

    books: Books
    of: str  # the property
    gaming_day: str
    who: Who
    before: approval_request_lifecycle.Pairs
    context: CountContext
    roles: Mapping[str, frozenset[str]] = {}  # of all people
    is_fact: bool = False
    irregularities: list[EventData] = []

    @property
    def people(self) -> approval_request_lifecycle.Pairs:
        """Return all people who agree to it, this person included."""
        return approval_request_lifecycle.all_approvers(self.before, self.who)

    def forbid(self, kind: str, refused: Refused | Unknown, **about: Any) -> None:
        """A rule forbids this. Asked for, it is refused; reported as a fact, it is recorded with an irregularity."""
        if not self.is_fact:
            raise refused
        clause = refused.clause if isinstance(refused, Refused) else CLAUSE
        fields: dict[str, Any] = {"gaming_day": self.gaming_day, "kind": kind, "clause": clause}
        fields |= recorded_text(refused.text, self.books.settings.currency)
        self.irregularities.append(IrregularityFound(**fields, **about))


def decide(
    books: Books, stream: str, action: Action, data: ActionData, actor: Who, moment: Moment, context: CountContext
) -> DecidedEvents:
    """Return the events that an action makes on its day. Raises Refused, Invalid, Forbidden, Unknown, Conflict."""
    property_, _, day = stream.split("/", 2)

    def judge(action: Action, request_data: ActionData, before: approval_request_lifecycle.Pairs) -> Events:
        handler = _HANDLERS.get(type(request_data))
        if handler is None:
            raise Refused(CLAUSE, coded("not-an-action-of-day", action=action.type))
        is_fact = action.intent == "fact"
        case = CountCase(books, property_, day, actor, before, context, moment.roles, is_fact, [])
        if isinstance(request_data, BoxCount):  # the person who requests a recount, and the people who approve it
            _must_count(case)
        return [*_record_report(case, handler, request_data), *case.irregularities]

    requests = books.requests.get(stream, {})
    data = _as_agreement(requests, data, actor, moment) if isinstance(data, SettleCount) else data
    events = approval_request_lifecycle.decide(
        "days", requests, action, data, actor, moment, judge, fields=lambda: {"gaming_day": day}
    )
    return DecidedEvents(stream, events)


def _record_report(case: CountCase, handler: Callable[[CountCase, Any], Events], request_data: ActionData) -> Events:
    """Record a report. Raises Refused for a reason on the list (`events/controls/refused_fact_reasons.py`)."""
    try:
        return handler(case, request_data)
    except NotApproved:
        raise
    except Refused as refused:
        if not case.is_fact:
            raise
        reason = "count procedure" if isinstance(request_data, BoxCount) else "house decision"
        raise refused_fact_reasons.fact_refusal(reason, refused.clause, refused.text, field=refused.field) from refused


def _as_agreement(requests: Requests, data: SettleCount, actor: Who, moment: Moment) -> ActionData:
    """Both enter the recount: the second one's entry of the same figures is the approval of the first one's.

    Raises Refused for other figures while the first ones are valid.
    """
    waiting_requests = [
        request
        for request in requests.values()
        if _is_recount(request, data) and approval_request_lifecycle.why_lapsed(request, moment) is None
    ]
    if not waiting_requests:
        return data
    request = waiting_requests[0].event
    if actor.person in waiting_requests[0].names:
        raise Refused(CLAUSE, coded("own-recount-waits", box=data.drop_box))
    if figures(_recount(waiting_requests[0])) != figures(data):
        message = coded("recount-differs", person=request.person, box=data.drop_box)
        raise Refused(CLAUSE, message)
    return GiveApproval(request=request.request, content=request.content)


def _is_recount(request: Request, data: SettleCount) -> bool:
    if request.done or request.event.action != SettleCount.TYPE:
        return False
    recount = _recount(request)
    return (recount.table, recount.drop_box) == (data.table, data.drop_box)


def _recount(request: Request) -> SettleCount:
    return msgspec.convert(request.event.input, SettleCount, str_keys=True)


def _must_count(case: CountCase) -> None:
    """Refuse counters of the pit or of surveillance, also if they have other roles."""
    person = case.who
    if APART & {DEPARTMENT.get(role, "") for role in person.roles}:
        message = coded("counter-of-pit-or-surveillance", person=person.person)
        case.forbid("wrong counter", Refused("house count (WA 610)", message))


# --- counting ---------------------------------------------------------------------------------------------------------


def enter(case: CountCase, data: EnterCount) -> Events:
    """The first counter; again only where the key of his figures is lost."""
    entry, _, _ = _box(case, data)
    if entry.settled is not None or entry.first is not None:
        raise Refused(
            CLAUSE,
            coded("box-counted", box=data.drop_box),
            field="data.drop_box",
        )
    if entry.sealed and case.context.first is not None:
        raise Refused(
            CLAUSE,
            coded("count-waits-for-second", box=data.drop_box),
            field="data.drop_box",
        )
    return [CountEntered(**_box_fields(case, data), counter=case.who.person, sealed=case.context.sealed)]


def verify(case: CountCase, data: VerifyCount) -> Events:
    """The second counter: equal figures settle the count, others are both shown."""
    entry, shift, bought_in = _box(case, data)
    if not entry.sealed:
        raise Refused(CLAUSE, coded("no-count-to-verify", box=data.drop_box), field="data.drop_box")
    if case.who.person == entry.counter:
        raise Refused(CLAUSE, coded("counter-verifies-own", person=entry.counter), field="data.drop_box")
    if (first := case.context.first) is None:
        raise Refused(CLAUSE, coded("count-key-lost"))
    counters, second = (entry.counter, case.who.person), figures(data)
    if first != second:
        event = CountDiffered(**_box_fields(case, data), counters=counters, first=first, second=second)
        return [event, _counters_differ(case, data, counters, first, second)]
    counted = CountProgress(first=first, second=second)
    return [_settle_count(case, data, shift, counters, counted), *_count_discrepancies(case, data, bought_in, counters)]


def settle(case: CountCase, data: SettleCount) -> Events:
    """The recount, by two people: of a box whose counters differed, or whose count was wrong."""
    entry, shift, bought_in = _box(case, data)
    if entry.first is None and entry.settled is None:
        raise Refused(
            CLAUSE,
            coded("no-count-differs", box=data.drop_box),
            field="data.drop_box",
        )
    if entry.settled is None:
        _must_be_the_counters(case, entry)
    authority.require(RULES["count.settle"], case.people)
    counters = tuple(dict.fromkeys(name for name, _ in case.people))
    return [_settle_count(case, data, shift, counters, entry), *_count_discrepancies(case, data, bought_in, counters)]


def _must_be_the_counters(case: CountCase, entry: CountProgress) -> None:
    """Require both counters for a recount. Another person may replace a counter who no longer has the role."""
    left = [counter for counter in entry.counters if not {*COUNTERS} & case.roles.get(counter, frozenset())]
    others = {name for name, _ in case.people} - {*entry.counters}
    if len(others) > len(left):
        raise Refused(CLAUSE, coded("both-count-again", counters=entry.counters))


def figures(data: BoxCount) -> Figures:
    """Return the counted figures. Raises Invalid."""
    for name in ("cash", "chips"):
        chips_minor(getattr(data, name), f"data.{name}")
    return Figures(
        cash=_ordered_pieces(data.cash),
        marker_minor=data.marker_minor,
        promotional_minor=data.promotional_minor,
        chips=_ordered_pieces(data.chips),
    )


def _ordered_pieces(of: Mapping[int, int]) -> dict[int, int]:
    """Return the pieces in order of denomination, without zeros, so that equal figures have equal bytes."""
    return {denomination: of[denomination] for denomination in sorted(of) if of[denomination]}


def _box(case: CountCase, data: BoxCount) -> tuple[CountProgress, str, Tenders]:
    name = name_of(case.of, data, case.gaming_day)
    box = recorded_buyins(case.books.counting, name)
    if box is None:
        message = coded("box-not-of-table", box=data.drop_box, table=data.table, day=case.gaming_day)
        if (box := at_table(case.books.counting, name)) is None:
            raise Unknown(message)
        case.forbid("box not taken", Unknown(message), table=data.table)
    return case.books.counting.entries.get(name, CountProgress()), *box


def _box_fields(case: CountCase, data: BoxCount) -> dict[str, Any]:
    return {"table": data.table, "gaming_day": case.gaming_day, "drop_box": data.drop_box}


def _settle_count(
    case: CountCase, data: BoxCount, shift: str, counters: tuple[str, ...], entry: CountProgress
) -> CountSettled:
    figures_found = figures(data)
    return CountSettled(
        **_box_fields(case, data),
        shift=shift,
        counters=counters,
        counted=figures_found,
        cash_minor=worth(figures_found.cash),
        chips_minor=worth(figures_found.chips),
        first=entry.first,
        second=entry.second,
        before=entry.settled,
        approvals=case.people if isinstance(data, SettleCount) else (),
    )


# --- differences ------------------------------------------------------------------------------------------------------


def _counters_differ(
    case: CountCase, data: BoxCount, counters: tuple[str, ...], first: Figures, second: Figures
) -> DiscrepancyFound:
    totals = (sum(_tenders(first).values()), sum(_tenders(second).values()))
    about: dict[str, Any] = {**_box_fields(case, data), "counted_by": counters}
    return discrepancy_event_and_severity.discrepancy_event("counters", *totals, case.books.settings, **about)


def _count_discrepancies(
    case: CountCase, data: BoxCount, bought_in: Tenders, counters: tuple[str, ...]
) -> list[DiscrepancyFound]:
    """A difference in any tender is a discrepancy, also where the totals agree: one a box, with its tenders."""
    found_tenders = _tenders(figures(data))
    box = name_of(case.of, data, case.gaming_day)
    vouchers = _expected_vouchers(
        bought_in.promotional, case.books.counting.staked.get(box, 0), found_tenders["promotional"]
    )
    expected_tenders = {"cash": bought_in.cash, "marker": bought_in.marker, "promotional": vouchers, "chips": 0}
    if found_tenders == expected_tenders:
        return []
    details: dict[str, Any] = {**_box_fields(case, data), "counted_by": counters}
    details |= {
        "expected_tenders": expected_tenders,
        "found_tenders": found_tenders,
        "tender": _single_difference(expected_tenders, found_tenders),
    }
    return [
        discrepancy_event_and_severity.discrepancy_event(
            "box", sum(expected_tenders.values()), sum(found_tenders.values()), case.books.settings, **details
        )
    ]


def _single_difference(expected: Mapping[str, int], found_tenders: Mapping[str, int]) -> str | None:
    """The tender that differs, where it is one."""
    differing = [tender for tender in expected if expected[tender] != found_tenders[tender]]
    return differing[0] if len(differing) == 1 else None


def _expected_vouchers(bought_in: int, staked: int, found_minor: int) -> int:
    """Return the expected vouchers, with those staked: these are in the box without a buy-in."""
    return min(max(found_minor, bought_in), bought_in + staked)


def _tenders(of: Figures) -> dict[str, int]:
    return {
        "cash": worth(of.cash),
        "marker": of.marker_minor,
        "promotional": of.promotional_minor,
        "chips": worth(of.chips),
    }


def explain(case: CountCase, data: ExplainDiscrepancy) -> Events:
    """Record accounting's explanation, once; of a closed day with a second person.

    A person concerned by a discrepancy cannot explain it.
    """
    discrepancy = case.books.discrepancies.get(data.discrepancy)
    if discrepancy is None or discrepancy.gaming_day != case.gaming_day:
        raise Unknown(coded("discrepancy-unknown", discrepancy=data.discrepancy, day=case.gaming_day))
    people = case.context.people
    authority.require_known(data.TYPE, people)
    authority.require_apart(data.TYPE, case.who.person, people)
    if discrepancy.reason is not None:
        raise Refused(DISCREPANCY, coded("discrepancy-explained", reason=discrepancy.reason), field="data.discrepancy")
    if case.gaming_day in case.books.closed:
        authority.require(RULES[EXPLAIN_LATE], case.people, people)
    explained = DiscrepancyExplained(
        gaming_day=case.gaming_day, discrepancy=data.discrepancy, kind=discrepancy.kind, reason=data.reason
    )
    return [explained]


_HANDLERS: Mapping[type[ActionData], Callable[[CountCase, Any], Events]] = {
    EnterCount: enter,
    VerifyCount: verify,
    SettleCount: settle,
    ExplainDiscrepancy: explain,
}
