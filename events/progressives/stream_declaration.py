"""The progressives, declared: one stream each, judged at its own position by every fact before it."""

from typing import Any

from events.envelope import EventData
from events.progressives.displayed_names import WORDS
from events.progressives.due_lock_and_lapse_appending import follow_progressive
from events.progressives.roles import RULES
from events.streams.stream_kind_declaration import Decisions, Kind, Routing


def _belongs_to(event: EventData, _stream: str) -> str | None:
    """A hit's events and a group's locks are found together."""
    belongs: Any = getattr(event, "hit", None) or getattr(event, "group", None) or getattr(event, "request", None)
    return belongs or None


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/progressives/NAME",
        title="Of a progressive",
        summary="Decide about a progressive",
        types=("events.progressives.action_structs", "events.progressives.event_types"),
        rules=RULES,
        words=WORDS,
        decisions=Decisions(
            follow=follow_progressive,
        ),
        routing=Routing(
            belongs_to=_belongs_to,
            # the data of the chosen ruleset: recorded by the person who decides last
            appends_to={"progressive.open": ("floor",), "approval.give": ("floor",)},
        ),
    )
