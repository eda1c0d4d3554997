"""Who said it, in which role, when, and what it belongs to: stamped on every event of an action, of whatever kind."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from events import authority
from events.envelope import Action, EventData, Meta, Who
from events.kinds import Kind
from events.store import New

RECONCILER = "reconciler"


def of_action(kind: str, action: Action, who: Who, now: str) -> Meta:
    """The Meta of what an action makes happen. Its role is that under which it was allowed."""
    return Meta(
        time=action.time or now,
        actor=who.person,
        actorrole=role_of(kind, action.type, who),
        actordevice=who.device or UNSET,
        causation=action.key,
    )


def of_the_house(now: str) -> Meta:
    """The Meta of what nobody asked for, because it follows from what is stored."""
    return Meta(time=now, actor=RECONCILER, actorrole="system")


def role_of(kind: str, action: str, who: Who) -> str:
    """The role in force that allows it; the very first grant of a house needs none."""
    return authority.role_for(kind, action, who.roles) if who.roles else "system"


def stamp(kind: Kind, stream: str, happened: Sequence[EventData], meta: Meta) -> list[New]:
    """The events with their Meta: the same for all but for what they belong to (round, hit, slip)."""
    metas: dict[str | None, Meta] = {None: meta}
    news = []
    for event in happened:
        belongs = kind.belongs_to(event, stream)
        if belongs not in metas:
            metas[belongs] = replace(meta, correlation=belongs)
        news.append(New(event, metas[belongs]))
    return news
