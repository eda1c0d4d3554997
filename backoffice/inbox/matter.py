"""An open item of a person, and its place."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import msgspec

from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine, request_lines
from backoffice.kit.due_action_and_link_structs import DueAction, PageLink
from backoffice.progressives.open_item_rows_and_counts import State
from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events.streams import stream_kind_declaration


class Matter(msgspec.Struct, frozen=True):
    """An open item. People in `roles` can resolve it, except `barred_people`; `stake_minor` depends on it."""

    kind: str
    state: State
    title: str
    place: ActionPlace
    position: int
    time: datetime | None
    roles: frozenset[str]
    barred_people: frozenset[str] = frozenset()
    assignee: str = ""  # the one person who can resolve it
    requester: str = ""
    request: tuple[str, Any] | None = None  # an action and its data
    hit: str = ""
    further_lines: tuple[SummaryLine, ...] = ()
    stake_minor: int | None = None
    until: datetime | None = None
    is_lapsing: bool = False
    actions: tuple[DueAction, ...] = ()
    requester_actions: tuple[DueAction, ...] = ()
    links: tuple[PageLink, ...] = ()  # to the pages where it is resolved

    @property
    def lines(self) -> tuple[SummaryLine, ...]:
        """Return its lines, before and after. They are read when shown."""
        return (*(request_lines(self.place, *self.request) if self.request else ()), *self.further_lines)

    def is_for(self, person: str, roles: Collection[str]) -> bool:
        """Return whether a person in these roles can resolve it."""
        return (
            bool(self.roles.intersection(roles)) and person not in self.barred_people and self.assignee in ("", person)
        )


def place_of(places: Places, stream: str) -> ActionPlace:
    """A stream in words: its kind, its name, its currency."""
    _property, kind, *name = stream.split("/")
    day = name[-1] if stream_kind_declaration.of_stream(stream).has_days else ""
    return ActionPlace(kind, name[0] if name else "", stream_currencies.of_stream(places, stream), day)
