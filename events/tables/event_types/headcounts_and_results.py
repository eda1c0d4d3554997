"""Observations at a table without money: heads, and results of a table that is counted only."""

from typing import ClassVar

from events.tables.event_types.session import Table


class HeadsCounted(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The number of people who played at the table at this time."""

    TYPE: ClassVar[str] = "heads.counted.v1"
    heads: int


class ResultNoted(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A result at a table that is counted only. No bet is settled by it."""

    TYPE: ClassVar[str] = "result.noted.v1"
    result: str
