"""Requests to a progressive and their approval: the rules of `authority`, applied to the people of now.

The decider checks whether an action is possible; this module checks whether these people may decide it. The people who
armed, dealt or declared in a hit's round are read from the table's events. These people decide neither its share nor
its validity.
"""

from collections.abc import Iterable, Sequence

import msgspec

from events import catalogue
from events.desk.earlier_round_lookup import events_of_round
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.house import property_currency_lookup as property_currency_lookup
from events.house.current_settings import settings_of
from events.money import single_currency_rule
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.progressives import (
    action_structs,
    event_types,
    history_reader,
    house_error_payments,
    payout_tax_withholding,
)
from events.progressives.decider import decide
from events.progressives.fact_structs import ApprovingPerson, People
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import HitState
from events.progressives.roles import RULES
from events.roles import AuthorityRule
from events.rules.game_declaration_and_registry import game_of, hands_of, installed
from events.rules.ruleset_adoption_and_recording import take
from events.store import EventReader, everything
from events.tables.armed_round_rebuilt_from_events import armed_round
from events.tables.event_types.progressive import ProgressiveArmed
from events.tables.table_session_state_structs import acting


class RequestPlace(msgspec.Struct, frozen=True):
    """The subject of a request: a property's progressive, whose `fold` holds all that `history` has; None: it is not
    open."""

    history: EventReader
    property: str
    fold: Fold | None


def events_of(
    at: RequestPlace, requests: Requests, action: Action, data: ActionData, actor: Who, moment: Moment
) -> Sequence[EventData]:
    """Return the events that an action makes, or the request that it becomes.

    Raises Forbidden, Refused, NotApproved without another person who could approve, Unknown, Conflict.
    """
    return approval_request_lifecycle.decide("progressives", requests, action, data, actor, moment, _judge(at, actor))


def _judge(at: RequestPlace, actor: Who) -> approval_request_lifecycle.Judge:
    """Return the judge of a request, with `actor` in addition to the earlier approvers."""

    def judge(_action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> list[EventData]:
        people = approval_request_lifecycle.all_approvers(before, actor)
        if at.fold is not None and isinstance(data, action_structs.PayHouse) and data.hit is None:
            _must_have_been_dealt(at, at.fold.state.opening.progressive, data)
        involved = _involved(at, data)
        excluded = frozenset[str]().union(*involved.values())
        authority.require_apart(data.TYPE, actor.person, excluded)
        _must_be_known(data, involved, (ACTED,))  # also where it is only asked for
        decided = _decide_request(at, data, tuple(ApprovingPerson(*pair) for pair in people))
        _must_be_known(data, involved, involved)
        rule = _rule(at.fold, data, decided)
        if rule.keys:
            authority.require(rule, people, excluded)
        return decided

    return judge


def _decide_request(at: RequestPlace, data: ActionData, by: People) -> list[EventData]:
    """Return the decision. A progressive takes its ruleset as a table does: by its data, recorded with it where that is
    new. Tax is withheld from payments."""
    if isinstance(data, action_structs.PayJackpot):
        return payout_tax_withholding.withhold(decide(at.fold, data, by), data, settings_of(at.history, at.property))
    if not isinstance(data, action_structs.OpenProgressive):
        return decide(at.fold, data, by)
    ruleset, recorded = take(
        history_reader.recorded_rulesets(at.history, at.property), _game_of(data.ruleset), data.ruleset
    )
    in_currency = single_currency_rule.chosen(
        data.currency, property_currency_lookup.established(at.history, at.property)
    )
    stamped = msgspec.structs.replace(data, ruleset=ruleset.stamp, currency=in_currency)
    opened = [msgspec.structs.replace(event, ruleset_digest=ruleset.digest) for event in decide(at.fold, stamped, by)]
    return [*recorded, *opened]


def _game_of(ruleset: str) -> str:
    """The game of a progressive's ruleset: one with hands that a progressive pays."""
    game = installed().get(game_of(ruleset))
    if game is None or game.hands is None:
        there_are = [game.name for game in installed().values() if game.hands]
        raise Invalid("data.ruleset", coded("ruleset-without-progressive", ruleset=ruleset, games=there_are))
    return game.name


def _must_have_been_dealt(at: RequestPlace, progressive: str, data: action_structs.PayHouse) -> None:
    """Require that the cards were dealt, by the table's stream: the house pays for no others."""
    table, day, round_, _ = house_error_payments.must_name_a_place(data)
    events = [event.data for event in events_of_round(at.history, f"{at.property}/tables/{table}/{day}", round_)]
    hands = hands_of(history_reader.opening(at.history, at.property, progressive)[1].ruleset)
    house_error_payments.check_round(data, armed_round(events, round_), hands)
    house_error_payments.check_progressive(
        progressive, [event for event in events if isinstance(event, ProgressiveArmed)]
    )


def _rule(fold: Fold | None, data: ActionData, decided: Sequence[EventData]) -> AuthorityRule:
    """The rule of the action, in the case that this is."""
    case = ", above the limit" if fold is not None and _is_over_limit(fold, data, decided) else ""
    if isinstance(data, action_structs.CloseVariance):
        case = f", {data.way}{case.removeprefix(',')}"
    return RULES.get(data.TYPE + case, RULES[data.TYPE])


def _is_over_limit(fold: Fold, data: ActionData, decided: Sequence[EventData]) -> bool:
    if isinstance(data, action_structs.AuthoriseHit):
        return fold.is_over_limit(data.hit)
    amounts: list[int] = [getattr(event, "amount_minor", 0) for event in decided if _is_handed_out(event)]
    return any(amount * fold.state.opening.scale > fold.state.opening.surveillance_over for amount in amounts)


def _is_handed_out(event: EventData) -> bool:
    """Return whether the event pays the house's own money by a slip: over the limit surveillance must agree."""
    is_paid = isinstance(event, event_types.VarianceClosed) and event.way == "paid"
    return is_paid or isinstance(event, event_types.HousePaid | event_types.HouseVoided)


ACTED = "acted in the round"
_UNKNOWN = {
    ACTED: coded("deed-unknown"),
    "read the sign": coded("sign-reader-unknown"),
    "declared the hit": coded("declarer-unknown"),
    "authorised the share": coded("authoriser-unknown"),
}
_OF_HITS = action_structs.AuthoriseHit | action_structs.VoidHit | action_structs.PayJackpot | action_structs.PayHouse


# --- who would judge his own work -----------------------------------------------------------------------------------


def _involved(at: RequestPlace, data: ActionData) -> dict[str, set[str]]:
    """Return the people who may not decide this in any role, by their part in it; {} without a round or reading."""
    if at.fold is None:
        return {}
    if isinstance(data, action_structs.CloseVariance):
        return {"read the sign": _read(at, at.fold.state.opening.progressive, data.case)} if data.way == "paid" else {}
    place = _round_of(at, data)
    if place is None:
        return {}
    involved = {ACTED: people_of_round(at.history, *place)}
    hit = at.fold.hit(data.hit) if isinstance(data, _OF_HITS) and data.hit is not None else None
    if hit is not None and hit.late:
        involved["declared the hit"] = _declared_late(at, hit)
    if isinstance(data, action_structs.PayJackpot):
        involved["authorised the share"] = _authorised(at, data.hit)
    return involved


def _must_be_known(data: ActionData, involved: dict[str, set[str]], what_was_done: Iterable[str]) -> None:
    """Raise Refused where no person is recorded for a necessary deed, since then none could be excluded."""
    for deed in what_was_done:
        if not involved.get(deed, True):
            raise Refused(authority.rules_of(data.TYPE)[0].clause, _UNKNOWN[deed])


def _round_of(at: RequestPlace, data: ActionData) -> tuple[str, int] | None:
    """The table's stream and the number of the round that this is about."""
    assert at.fold is not None
    if isinstance(data, _OF_HITS) and data.hit is not None:
        hit = at.fold.hit(data.hit)
        return (hit.table, int(hit.round)) if hit is not None else None
    if isinstance(data, action_structs.PayHouse):
        table, day, round_, _ = house_error_payments.must_name_a_place(data)
    elif (
        isinstance(data, action_structs.VoidHousePayment)
        and (name := house_error_payments.name_by_slip(at.fold, data)) is not None
    ):
        table, day, round_, _ = house_error_payments.place_of(name)
    else:
        return None
    return f"{at.property}/tables/{table}/{day}", round_


def people_of_round(history: EventReader, stream: str, round_: int) -> set[str]:
    """Return who was assigned to deal a round, armed it, dealt or declared in it, by the table's events."""
    events = [event for event in events_of_round(history, stream, round_) if isinstance(event.data, acting())]
    return {event.actor for event in events} | {event.data.dealer for event in events if event.data.dealer}


def _declared_late(at: RequestPlace, hit: HitState) -> set[str]:
    """Return the two people who declared the hit after its deal, by the declaration."""
    [stored] = at.history.after(hit.at - 1, 1, until=hit.at)
    declaration = catalogue.decode(stored.type, stored.raw)
    return {declaration.actor, *(name for name, _ in declaration.data.approvals)}


def _authorised(at: RequestPlace, hit: str) -> set[str]:
    """Return who authorised the hit's share."""
    hit_state = at.fold.hit(hit) if at.fold is not None else None
    authorisations = everything(
        at.history, after=hit_state.at if hit_state else 0, types=(event_types.HitAuthorised.TYPE,)
    )
    events = (catalogue.decode(stored.type, stored.raw).data for stored in authorisations)
    return {name for event in events if event.hit == hit for name, _ in event.approvals}


def _read(at: RequestPlace, progressive: str, case: str) -> set[str]:
    """Return who read the sign when the case was opened: the payment rests on that reading."""
    readers: set[str] = set()
    for stored in everything(at.history, types=(event_types.MeterRead.TYPE, event_types.VarianceOpened.TYPE)):
        event = catalogue.decode(stored.type, stored.raw).data
        if event.progressive != progressive:
            continue
        if isinstance(event, event_types.MeterRead):
            readers = {name for name, _ in event.approvals}
        elif event.case == case:
            return readers
    return set()
