"""Counts of the tray and of players, exchanges of chips, the drop box under the table, and noted results."""

from typing import ClassVar

from events.tables.event_types.session import Chips, TableEvent


class ShiftCounted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The tray is counted, and the shift ends; `next_shift` begins with the counted tray.

    `amount_minor` are the `chips` less `colours_minor`, the value of the colour chips that players hold;
    `expected_minor` is the amount by the events. `witness` counted with the actor.
    """

    TYPE: ClassVar[str] = "shift.counted.v1"
    next_shift: str
    chips: Chips
    amount_minor: int
    expected_minor: int
    witness: str
    colours_minor: int = 0


class TableCounted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An interim count of the tray: the shift continues, and the next count is measured from this one."""

    TYPE: ClassVar[str] = "table.counted.v1"
    chips: Chips
    amount_minor: int
    expected_minor: int
    witness: str
    colours_minor: int = 0


class ChipsExchanged(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Chips of other denominations for chips: `amount_minor` left the tray, `came_minor` came into it."""

    TYPE: ClassVar[str] = "chips.exchanged.v1"
    chips_out: Chips
    chips_in: Chips
    amount_minor: int
    came_minor: int


class DropPut(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An empty drop box is put under the table: later buy-ins go into it."""

    TYPE: ClassVar[str] = "drop.put.v1"
    drop_box: str


class HeadsCounted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The number of people who played at the table at this time."""

    TYPE: ClassVar[str] = "heads.counted.v1"
    heads: int


class ResultNoted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A result at a table that is counted only. No bet is settled by it."""

    TYPE: ClassVar[str] = "result.noted.v1"
    result: str
