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
    """An open item. `roles` can continue it, but not the people in `but`; `stake_minor` depends on it."""

    kind: str
    state: State
    title: str
    place: ActionPlace
    position: int
    time: datetime | None
    roles: frozenset[str]
    but: frozenset[str] = frozenset()
    only: str = ""  # whose it is, where it is one person's
    by: str = ""
    says: tuple[str, Any] | None = None  # an action and its data
    hit: str = ""  # that it is about
    further_lines: tuple[SummaryLine, ...] = ()
    stake_minor: int | None = None
    until: datetime | None = None
    is_lapsing: bool = False
    dos: tuple[DueAction, ...] = ()
    own: tuple[DueAction, ...] = ()  # rights of the requester
    ways: tuple[PageLink, ...] = ()  # to the pages where it is done

    @property
    def lines(self) -> tuple[SummaryLine, ...]:
        """Return its lines, before and after. They are read when shown."""
        return (*(request_lines(self.place, *self.says) if self.says else ()), *self.further_lines)

    def is_for(self, person: str, roles: Collection[str]) -> bool:
        """Return whether a person in these roles can resolve it."""
        return bool(self.roles.intersection(roles)) and person not in self.but and self.only in ("", person)


def place_of(places: Places, stream: str) -> ActionPlace:
    """A stream in words: its kind, its name, its currency."""
    _property, kind, *name = stream.split("/")
    day = name[-1] if stream_kind_declaration.of_stream(stream).has_days else ""
    return ActionPlace(kind, name[0] if name else "", stream_currencies.of_stream(places, stream), day)
