"""Metadata of events: actor, role, time and cause, for every event of an action."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from events.envelope import Action, EventData, Meta, Who
from events.people import authority
from events.store import NewEvent, event_size_limit
from events.streams.stream_kind_declaration import Kind

RECONCILER = "reconciler"


def of_action(kind: str, action: Action, actor: Who, now: str) -> Meta:
    """Return the Meta of an action's events, with the role that allowed the action."""
    assert action.intent != "check", "a check appends no event"
    return Meta(
        time=action.time or now,
        actor=actor.person,
        actorrole=_role(kind, action, actor),
        actordevice=actor.device or UNSET,
        causation=action.key,
        intent=action.intent,
        deviceseq=UNSET if action.device_seq is None else action.device_seq,
        queued=action.queued or UNSET,
    )


def of_the_house(now: str) -> Meta:
    """Return the Meta of the system's own events, which follow from the stored ones."""
    return Meta(time=now, actor=RECONCILER, actorrole="system")


def _role(kind: str, action: Action, actor: Who) -> str:
    """Return the role as `role_of`. At a table, people without the role may report a fact."""
    if kind == "tables" and action.intent == "fact" and not {*authority.may(kind, action.type)} & actor.roles:
        return authority.works(actor.roles) or role_of(kind, action.type, actor)
    return role_of(kind, action.type, actor)


def role_of(kind: str, action: str, actor: Who) -> str:
    """Return the role in force that allows the action; the very first grant of a house needs none."""
    return authority.role_for(kind, action, actor.roles) if actor.roles else "system"


def stamp(kind: Kind, stream: str, events: Sequence[EventData], meta: Meta) -> list[NewEvent]:
    """Return the events with their Meta, which differs only in the correlation (round, hit, slip).

    Raises Refused for an event that is too large for a broker.
    """
    belonged, stamp_meta, news, belongs_to = None, meta, [], kind.routing.belongs_to
    for event in events:
        event_size_limit.must_fit(event)
        belongs = belongs_to(event, stream)
        if belongs != belonged:  # seldom: events of an action mostly belong to one round
            belonged, stamp_meta = belongs, meta if belongs is None else replace(meta, correlation=belongs)
        news.append(NewEvent(event, stamp_meta))
    return news
