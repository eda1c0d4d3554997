"""One award with everything about it: how the amount arose, who was there, who agreed, what was paid."""

import msgspec

from events import catalogue
from events.envelope import AnyEnvelope
from events.errors import Unknown
from events.progressives import history
from events.progressives import types as was
from events.progressives.explain import Explanation, explain
from events.progressives.facts import AnyFact, Hit, LateHit
from events.store import Reader, Stored


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that somebody did about the hit or its level's parameters: when, who, and who agreed in which role."""

    position: int
    time: str
    type: str
    actor: str
    role: str
    approvals: tuple[tuple[str, str], ...] = ()
    amount_minor: int | None = None
    slip: str | None = None
    player: str | None = None


class Award(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that has a share: where it happened, the sum, and the people. Amounts as in `Explanation`."""

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


def progressive_of(reader: Reader, property_: str, hit: str) -> str:
    """The progressive that a hit belongs to. Raises Unknown."""
    for name in history.names(reader, property_):
        if any(
            isinstance(fact, Hit | LateHit) and fact.id == hit for _, fact in history.facts(reader, property_, name)
        ):
            return name
    raise Unknown(f"there is no hit {hit!r:.80}")


def award(reader: Reader, property_: str, hit: str) -> Award:
    """How the hit's share arose. Raises Unknown for no such hit, Refused for one that is pending or void."""
    name = progressive_of(reader, property_, hit)
    found = list(history.facts(reader, property_, name))
    explanation = explain(history.start(reader, property_, name), (fact for _, fact in found), hit)
    stored, declared = _declared(found, hit)
    said = catalogue.decode(stored.type, stored.raw)
    currency = history.opening(reader, property_, name)[1].currency
    return Award(
        property_=property_,
        progressive=name,
        currency=currency,
        table=said.data.table,
        gaming_day=said.data.gaming_day,
        round=said.data.round,
        box=said.data.box,
        player=next(share.player for share in explanation.shares if share.hit == hit),
        dealer=said.data.dealer or "",
        declared_at=said.time,
        explanation=explanation,
        deeds=tuple(_deeds(reader, property_, name, declared, explanation)),
    )


def _declared(found: list[tuple[Stored, AnyFact]], hit: str) -> tuple[Stored, Hit | LateHit]:
    return next((stored, fact) for stored, fact in found if isinstance(fact, Hit | LateHit) and fact.id == hit)


def _deeds(reader: Reader, property_: str, name: str, hit: Hit | LateHit, why: Explanation) -> list[Deed]:
    """The declaration, what the stream says of the hit and its group, and changes that counted in its cycle."""
    stored = reader.after(hit.at - 1, 1, until=hit.at)[0]
    found = [_deed(hit.at, catalogue.decode(stored.type, stored.raw))]
    for stored in reader.stream(history.stream_of(property_, name)):
        said = catalogue.decode(stored.type, stored.raw)
        if _concerns(said, stored.position, hit, why):
            found.append(_deed(stored.position, said))
    return sorted(found, key=lambda deed: deed.position)


def _concerns(said: AnyEnvelope, position: int, hit: Hit | LateHit, why: Explanation) -> bool:
    data = said.data
    if isinstance(data, was.ProgressiveOpened):
        return True
    if isinstance(data, was.ParametersChanged | was.MeterAdjusted):
        return data.level == hit.level and why.opening_at < position < why.lock.at
    if isinstance(data, was.SharesLocked):
        return any(share.hit == hit.id for share in data.shares)
    return isinstance(data, was.HitEvent) and data.hit == hit.id


def _deed(position: int, said: AnyEnvelope) -> Deed:
    data = said.data
    slip = getattr(data, "slip", None)
    return Deed(
        position=position,
        time=said.time,
        type=said.type,
        actor=said.actor,
        role=said.actorrole,
        approvals=getattr(data, "approvals", ()),
        amount_minor=getattr(data, "amount_minor", None),
        slip=f"{data.slip_year}-{slip}" if slip else None,
        player=getattr(data, "player", None),
    )
