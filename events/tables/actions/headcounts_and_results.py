"""Observations at a table without money: heads, and results of a table that is counted only."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Name

HEADS_MAX = 99


class CountHeads(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record the number of people who play at the table now: usually once an hour."""

    TYPE: ClassVar[str] = "heads.count"
    heads: Annotated[int, Meta(ge=0, le=HEADS_MAX)]


class NoteResult(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Note a result at a table that is counted only: the number, the winning side, the sum of the dice."""

    TYPE: ClassVar[str] = "result.note"
    result: Name
