"""One award with everything about it: its calculation, the people present, the approvals, the payments."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from events import catalogue
from events.envelope import AnyEnvelope
from events.progressives import event_types, history_reader, share_amount_explained_from_store
from events.progressives.hit_amount_explanation import Explanation
from events.store import EventStore, Stored

_OF_AMOUNTS = (event_types.SharesLocked.TYPE, event_types.HitAuthorised.TYPE, event_types.JackpotPaid.TYPE)
_OF_LEVELS = (event_types.ProgressiveOpened.TYPE, event_types.ParametersChanged.TYPE, event_types.MeterAdjusted.TYPE)
_OF_THE_HOUSE = (event_types.HousePaid.TYPE, event_types.HouseVoided.TYPE)


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """An action about the hit or its level's parameters: time, actor, and the roles of those who agreed."""

    position: int
    time: str
    type: str
    actor: str
    role: str
    approvals: tuple[tuple[str, str], ...] = ()
    amount_minor: int | None = None
    slip: str | None = None
    player: str | None = None
    hit: str | None = None  # of which other hit, where it was not this one's
    withheld_minor: int | msgspec.UnsetType = msgspec.UNSET  # by law, of the payment; unset without a payment
    form: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def net_minor(self) -> int:
        """Return the amount that the player got."""
        return (self.amount_minor or 0) - (self.withheld_minor or 0)


class AwardDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between the stream and the facts at a position: an amount of the hit's, in minor units."""

    position: int
    what: Literal["locked", "authorised", "paid"]
    said_minor: int
    made_minor: int


class Award(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hit that has a share: where it happened, the sum, and the people. Amounts as in `Explanation`.

    The explanation is by the facts alone. `differences` is empty unless something else was locked or paid.
    """

    property_: str = msgspec.field(name="property")
    progressive: str
    currency: str
    table: str
    gaming_day: str
    round: int
    box: int
    player: str
    dealer: str
    declared_at: str
    explanation: Explanation
    deeds: tuple[Deed, ...]
    differences: tuple[AwardDifference, ...] = ()


def award(store: EventStore, property_: str, hit: str) -> Award:
    """Return the calculation of the hit's share. Raises Unknown for an unknown hit, Refused for a pending, void or
    refused one.
    """
    declaring_event = history_reader.declared(store, property_, hit)
    declaration = catalogue.decode(declaring_event.type, declaring_event.raw)
    name = declaration.data.progressive
    own = store.stream(history_reader.stream_of(property_, name))
    explanation = share_amount_explained_from_store.explain_share(store, property_, declaring_event, own)
    return Award(
        property_=property_,
        progressive=name,
        currency=history_reader.opening(store, property_, name)[1].currency,
        table=declaration.data.table,
        gaming_day=declaration.data.gaming_day,
        round=declaration.data.round,
        box=declaration.data.box,
        player=next(share.player for share in explanation.shares if share.hit == hit),
        dealer=declaration.data.dealer or "",
        declared_at=declaration.time,
        explanation=explanation,
        deeds=tuple(_hit_actions(own, declaring_event, explanation)),
        differences=tuple(_differences(own, explanation)),
    )


def _differences(own: Sequence[Stored], explanation: Explanation) -> Iterator[AwardDifference]:
    """The last word of the stream about the hit's lock, its authorisation and its payment, against the sum."""
    named = msgspec.json.encode(explanation.hit)
    last: dict[Literal["locked", "authorised", "paid"], tuple[int, int]] = {}
    for stored_event in own:
        if named not in stored_event.raw or stored_event.type not in _OF_AMOUNTS:
            continue
        data = catalogue.decode(stored_event.type, stored_event.raw).data
        if isinstance(data, event_types.SharesLocked):
            for share in data.shares:
                if share.hit == explanation.hit:
                    last["locked"] = stored_event.position, share.share_minor
        elif data.hit == explanation.hit:
            last["paid" if isinstance(data, event_types.JackpotPaid) else "authorised"] = (
                stored_event.position,
                data.amount_minor,
            )
    for stage, (position, amount) in last.items():
        is_in_force = stage != "authorised" or explanation.status in (
            "authorised",
            "paid",
        )  # another share's has lapsed
        if is_in_force and amount != explanation.lock.share:
            yield AwardDifference(position=position, what=stage, said_minor=amount, made_minor=explanation.lock.share)


def _hit_actions(own: Sequence[Stored], declaring_event: Stored, explanation: Explanation) -> list[Deed]:
    """Return the declaration, the stream's events about the hit and its group, and changes that counted in its
    cycle."""
    declaration = catalogue.decode(declaring_event.type, declaring_event.raw)
    deeds = [_deed_from_event(declaring_event.position, declaration)]
    named = msgspec.json.encode(explanation.hit)
    relocked = set()
    for stored_event in own:
        if stored_event.type in _OF_LEVELS or stored_event.type in _OF_THE_HOUSE or named in stored_event.raw:
            event = catalogue.decode(stored_event.type, stored_event.raw)
            if _concerns(event, stored_event.position, explanation) or _is_paid_there(event.data, declaration.data):
                deeds.append(_deed_from_event(stored_event.position, event))
                relocked |= {event.causation} if isinstance(event.data, event_types.SharesLocked) else set()
    deeds += _voids(own, declaration, explanation, relocked)
    return sorted(deeds, key=lambda deed: deed.position)


def _voids(
    own: Sequence[Stored], declared: AnyEnvelope, explanation: Explanation, relocked: set[Any]
) -> Iterator[Deed]:
    """The voids of other hits by which the share became another: of the same round, or with a new lock of this hit."""
    round_ = (explanation.level, declared.data.table, declared.data.gaming_day, declared.data.round)
    for stored in own:
        if stored.type == event_types.HitVoided.TYPE:
            event = catalogue.decode(stored.type, stored.raw)
            void = event.data
            if event.causation in relocked or (void.level, void.table, void.gaming_day, void.round) == round_:
                yield msgspec.structs.replace(_deed_from_event(stored.position, event), hit=void.hit)


def _concerns(event: AnyEnvelope, position: int, explanation: Explanation) -> bool:
    data = event.data
    if isinstance(data, event_types.ProgressiveOpened):
        return True
    if isinstance(data, event_types.ParametersChanged | event_types.MeterAdjusted):
        return data.level == explanation.level and explanation.opening_at < position < explanation.lock.at
    if isinstance(data, event_types.SharesLocked):
        return any(share.hit == explanation.hit for share in data.shares)
    return isinstance(data, event_types.HitEvent) and data.hit == explanation.hit


def _is_paid_there(data: Any, hit: Any) -> bool:
    """Return whether the house paid for the box of the hit, or reversed that, with the share or in place of one."""
    place = (hit.level, hit.table, hit.gaming_day, hit.round, hit.box)
    of_the_house = isinstance(data, event_types.HousePlace)
    return of_the_house and (data.level, data.table, data.gaming_day, data.round, data.box) == place


def _deed_from_event(position: int, event: AnyEnvelope) -> Deed:
    data = event.data
    slip = getattr(data, "slip", None)
    return Deed(
        position=position,
        time=event.time,
        type=event.type,
        actor=event.actor,
        role=event.actorrole,
        approvals=getattr(data, "approvals", ()),
        amount_minor=getattr(data, "amount_minor", None),
        slip=f"{data.slip_year}-{slip}" if slip else None,
        player=getattr(data, "player", None),
        withheld_minor=getattr(data, "withheld_minor", 0) or msgspec.UNSET,
        form=getattr(data, "form", "") or msgspec.UNSET,
    )
