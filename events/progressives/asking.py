"""Who asks a progressive for something, and who agrees: the rules of `authority`, held against the people of now.

The decider says whether something may be; this says whether these people may decide it. Who armed, dealt or declared
in a hit's round is read from the table's events, and judges neither its share nor whether it was one.
"""

from collections.abc import Sequence

import msgspec

from events import approvals, authority, catalogue
from events.approvals import Moment, Requests
from events.envelope import Action, ActionData, EventData, Who
from events.game import hands_of
from events.past import events_of_round
from events.progressives import actions as do
from events.progressives import history, payments
from events.progressives import types as was
from events.progressives.decider import decide
from events.progressives.facts import Person
from events.progressives.fold import Fold
from events.progressives.roles import RULES
from events.roles import Rule
from events.store import Reader, everything
from events.tables.armed import armed_round
from events.tables.state import acting
from events.tables.types.progressive import ProgressiveArmed


class Place(msgspec.Struct, frozen=True):
    """What is asked of: a property's progressive, whose `fold` holds all that `reader` has; None: it is not open."""

    reader: Reader
    property: str
    fold: Fold | None


def events_of(
    at: Place, requests: Requests, action: Action, data: ActionData, who: Who, moment: Moment
) -> Sequence[EventData]:
    """What an action makes happen, or the request that it becomes.

    Raises Forbidden, Refused, NotApproved where nobody else could agree, Unknown, Conflict.
    """
    return approvals.decide("progressives", requests, action, data, who, moment, _judge(at, who))


def _judge(at: Place, who: Who) -> approvals.Judge:
    """How what is asked is judged, with `who` beside those who agreed before."""

    def judge(_action: Action, data: ActionData, before: approvals.Pairs) -> list[EventData]:
        people = approvals.everybody(before, who)
        if at.fold is not None and isinstance(data, do.PayHouse) and data.hit is None:
            _must_have_been_dealt(at, at.fold.state.opening.progressive, data)
        excluded = _excluded(at, data)
        authority.require_apart(data.TYPE, who.person, excluded)
        decided = decide(at.fold, data, tuple(Person(*one) for one in people))
        rule = _rule(at.fold, data, decided)
        if rule.keys:
            authority.require(rule, people, excluded)
        return decided

    return judge


def _must_have_been_dealt(at: Place, progressive: str, data: do.PayHouse) -> None:
    """The house pays for cards that lay there: they are read from the table's stream, which says so for ever."""
    table, day, round_, _ = payments.must_name_a_place(data)
    events = [event.data for event in events_of_round(at.reader, f"{at.property}/tables/{table}/{day}", round_)]
    hands = hands_of(history.opening(at.reader, at.property, progressive)[1].ruleset)
    payments.check_round(data, armed_round(events, round_), hands)
    payments.check_progressive(progressive, [event for event in events if isinstance(event, ProgressiveArmed)])


def _rule(fold: Fold | None, data: ActionData, decided: Sequence[EventData]) -> Rule:
    """The rule of the action, in the case that this is."""
    case = ", above the limit" if fold is not None and _is_over_limit(fold, data, decided) else ""
    if isinstance(data, do.CloseVariance):
        case = f", {data.way}{case.removeprefix(',')}"
    return RULES.get(data.TYPE + case, RULES[data.TYPE])


def _is_over_limit(fold: Fold, data: ActionData, decided: Sequence[EventData]) -> bool:
    if isinstance(data, do.AuthoriseHit):
        return fold.is_over_limit(data.hit)
    amounts: list[int] = [getattr(event, "amount_minor", 0) for event in decided if _is_handed_out(event)]
    return any(amount * fold.state.opening.scale > fold.state.opening.surveillance_over for amount in amounts)


def _is_handed_out(event: EventData) -> bool:
    """Money of the house's own, by a slip: what surveillance must agree to where it is over the limit."""
    is_paid = isinstance(event, was.VarianceClosed) and event.way == "paid"
    return is_paid or isinstance(event, was.HousePaid | was.HouseVoided)


# --- who would judge his own work -----------------------------------------------------------------------------------


def _excluded(at: Place, data: ActionData) -> set[str]:
    """Who may not decide this, whatever his roles."""
    if isinstance(data, do.CloseVariance) and data.way == "paid" and at.fold is not None:
        return _read(at, at.fold.state.opening.progressive, data.case)
    found = _round_of(at, data) if at.fold is not None else None
    if found is None:
        return set()
    excluded = acted(at.reader, *found)
    return excluded | _authorised(at, data.hit) if isinstance(data, do.PayJackpot) else excluded


def _round_of(at: Place, data: ActionData) -> tuple[str, int] | None:
    """The table's stream and the number of the round that this is about."""
    assert at.fold is not None
    if isinstance(data, do.AuthoriseHit | do.VoidHit | do.PayJackpot | do.PayHouse) and data.hit is not None:
        hit = at.fold.hit(data.hit)
        return (hit.table, int(hit.round)) if hit is not None else None
    if isinstance(data, do.PayHouse):
        table, day, round_, _ = payments.must_name_a_place(data)
    elif isinstance(data, do.VoidHousePayment) and (name := payments.name_by_slip(at.fold, data)) is not None:
        table, day, round_, _ = payments.place_of(name)
    else:
        return None
    return f"{at.property}/tables/{table}/{day}", round_


def acted(reader: Reader, stream: str, round_: int) -> set[str]:
    """Who was assigned to deal a round, armed it, dealt or declared in it, as the table's events say."""
    events = [event for event in events_of_round(reader, stream, round_) if isinstance(event.data, acting())]
    return {event.actor for event in events} | {event.data.dealer for event in events if event.data.dealer}


def _authorised(at: Place, hit: str) -> set[str]:
    """Who authorised the hit's share."""
    found = at.fold.hit(hit) if at.fold is not None else None
    said = everything(at.reader, after=found.at if found else 0, types=(was.HitAuthorised.TYPE,))
    events = (catalogue.decode(stored.type, stored.raw).data for stored in said)
    return {name for event in events if event.hit == hit for name, _ in event.approvals}


def _read(at: Place, progressive: str, case: str) -> set[str]:
    """Who read the sign when the case was opened: what is paid is what he says that he saw."""
    readers: set[str] = set()
    for stored in everything(at.reader, types=(was.MeterRead.TYPE, was.VarianceOpened.TYPE)):
        event = catalogue.decode(stored.type, stored.raw).data
        if event.progressive != progressive:
            continue
        if isinstance(event, was.MeterRead):
            readers = {name for name, _ in event.approvals}
        elif event.case == case:
            return readers
    return set()
