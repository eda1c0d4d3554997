"""Counts of the tray and of players, exchanges of chips, a drop box put under the table, and noted results."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Amount, Chips, Name

HEADS_MAX = 99


class CountShift(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Count the tray and end the shift. The next one, which must have another name, begins with the counted tray.

    `witness` is the second person, who counts with you. `colours_minor`: the value of the colour chips that players
    hold, at roulette. `drop_box`: the empty box that is put under the table in place of the one that is there; then
    the witness is of security. At a table whose box stays, nothing is bought in before it is changed.
    """

    TYPE: ClassVar[str] = "shift.count"
    chips: Chips
    next_shift: Name
    witness: Name
    colours_minor: Amount = 0
    drop_box: Name | None = None


class CountTable(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Count the tray with a second person. The shift continues."""

    TYPE: ClassVar[str] = "table.count"
    chips: Chips
    witness: Name
    colours_minor: Amount = 0


class ExchangeChips(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exchange chips of the tray (`chips_out`) for other denominations (`chips_in`) of the same value."""

    TYPE: ClassVar[str] = "chips.exchange"
    chips_out: Chips
    chips_in: Chips


class PutDrop(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Place an empty drop box at the table. After that, at this table, boxes are put and removed by name."""

    TYPE: ClassVar[str] = "drop.put"
    drop_box: Name


class CountHeads(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record the number of people who play at the table now: usually once an hour."""

    TYPE: ClassVar[str] = "heads.count"
    heads: Annotated[int, Meta(ge=0, le=HEADS_MAX)]


class NoteResult(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Note a result at a table that is counted only: the number, the winning side, the sum of the dice."""

    TYPE: ClassVar[str] = "result.note"
    result: Name
