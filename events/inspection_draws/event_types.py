"""Actions and events of the draw. Stream PROPERTY/draws."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from events.envelope import ActionData, EventData
from events.fields import Name, Note, TableName, Text, Time

ENTRIES_MAX = 1_000
TABLES_MAX = 60
WEIGHT_MAX = 1_000_000
Weight = Annotated[int, Meta(ge=1, le=WEIGHT_MAX)]
Minutes = Annotated[int, Meta(ge=5, le=1_440)]
Number = Annotated[int, Meta(ge=1, le=ENTRIES_MAX)]
Way = Literal["live", "recording"]
Finding = Literal["in order", "minor finding", "serious finding"]


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table and a time that can be drawn. An entry of weight 2 is drawn first twice as often as one of weight 1."""

    table: str
    since: str
    until: str
    weight: int = 1


class WeightedTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of the list. All its times have this weight."""

    table: TableName
    weight: Weight = 1


Tables = Annotated[tuple[WeightedTable, ...], Meta(min_length=1, max_length=TABLES_MAX)]
Inspectors = Annotated[tuple[Name, ...], Meta(max_length=50)]


class CommitDraw(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Commit a draw of tables and times to inspect. The program makes a secret that no one sees.

    The list has an entry for each table and each `slot_minutes` of the period; `number` of them are drawn.

    The first witnessed head that is signed at or after `draw_at` decides. That is at least ten minutes from now.

    Only the `inspectors` see a drawn entry before its inspection is recorded or its time is over. Without names, all of
    surveillance inspects. The time ends at `inspect_by`, or with the entry.
    """

    TYPE: ClassVar[str] = "draw.commit"
    draw: TableName
    since: Time
    until: Time
    tables: Tables
    slot_minutes: Minutes = 60
    number: Number
    draw_at: Time
    inspect_by: Time | None = None
    inspectors: Inspectors = ()


class RevealDraw(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reveal a draw: the witnessed head that counts decides with the secret. Inspectors see the result at once."""

    TYPE: ClassVar[str] = "draw.reveal"
    draw: TableName


class RecordInspection(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Record the inspection of a drawn entry, by its number in the list, with its subject and the finding.

    Do not enter names.
    """

    TYPE: ClassVar[str] = "inspection.record"
    draw: TableName
    entry: Number
    way: Way
    looked_at: Text
    finding: Finding
    note: Note = ""


class DrawCommitted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The terms of a draw and the SHA-256 of its secret. `sealed` is the secret, encrypted with the house's key.

    `second_of`: an earlier commitment for the same period, which alone counts. `is_late`: the period had begun.
    """

    TYPE: ClassVar[str] = "draw.committed.v1"
    draw: str
    since: str
    until: str
    entries: tuple[Candidate, ...]
    number: int
    draw_at: str
    commitment: str
    sealed: str
    inspect_by: str | None = None
    inspectors: tuple[str, ...] = ()
    second_of: str = ""
    is_late: bool = False


class DrawRevealed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The head that counts, by number and SHA-256 of its bytes. The secret stays encrypted until `draw.opened`."""

    TYPE: ClassVar[str] = "draw.revealed.v1"
    draw: str
    head: int
    head_digest: str
    head_time: str


class InspectionRecorded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A drawn table was inspected. `entry` is its number in the list."""

    TYPE: ClassVar[str] = "inspection.recorded.v1"
    draw: str
    entry: int
    table: str
    since: str
    until: str
    way: Way
    looked_at: str
    finding: Finding
    note: str = ""


class DrawOpened(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Every drawn entry is inspected or over: the secret in hexadecimal, and the drawn entries in order."""

    TYPE: ClassVar[str] = "draw.opened.v1"
    draw: str
    secret: str
    drawn: tuple[int, ...]
