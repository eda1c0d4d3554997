"""What one part of a search means: of the log's columns, to come near it quickly; and of the event itself, exactly.

The event decides. `asks` is a condition in SQL that no event misses which `finds` finds; where both are the same,
`is_exact`, its opposite is one as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from django.db.models import Q

from backoffice.queries.search.recorded import Recorded, Words
from backoffice.queries.search.spans import Span
from backoffice.queries.search.ways import Drive

Event: TypeAlias = Mapping[str, Any]
EVERYTHING = Q(position__gt=0)  # an empty Q is lost beside others


class House(msgspec.Struct, frozen=True):
    """What a search is understood by: the currency that amounts are written in, the zone of clock times, the database;
    and the streams that are `kept_back` from who asks (`blind.streams`)."""

    currency: str
    zone: str
    using: str = "default"
    kept_back: tuple[str, ...] = ()


class Condition(msgspec.Struct, frozen=True):
    """One clause as it is asked: `along` an index where there is one, and within a `span` where that is known; of the
    actions that recorded some events where it is about those; along what was `said` where it is words."""

    asks: Q
    finds: Callable[[int, Event], bool]
    is_exact: bool = False
    along: Drive | None = None
    span: Callable[[], Span | None] | None = None
    recorded: Recorded | None = None
    said: Words | None = None

    @property
    def is_quick(self) -> bool:
        """Whether there is a way to it that is shorter than the log."""
        return self.along is not None or self.recorded is not None or self.said is not None

    @property
    def is_its_index(self) -> bool:
        """Whether all that an index has for it is what it finds."""
        return self.along is not None and not self.along.rest

    def opposite(self) -> "Condition":
        """What it does not find."""
        return Condition(
            ~self.asks if self.is_exact else Q(), lambda at, event: not self.finds(at, event), self.is_exact
        )
