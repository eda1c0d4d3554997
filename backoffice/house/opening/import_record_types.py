"""Records of the files' lines, one class for each file."""

from collections.abc import Mapping
from typing import Any

import msgspec

from backoffice.house.opening.csv_reader import Row

FIRST_DAY = "first_day"
CAGE = "cage"
COUNTED_ONLY, RECORDED = "counted only", "recorded"


class SettingRecord(msgspec.Struct, frozen=True):
    """A setting of the house, as the action takes it."""

    row: Row
    name: str
    value: str | int


class Employee(msgspec.Struct, frozen=True):
    """A member of the staff."""

    row: Row
    person: str
    roles: tuple[str, ...]
    name: str


class TableRecord(msgspec.Struct, frozen=True):
    """A table. `chip_minor` is its smallest chip, where that is given."""

    row: Row
    table: str
    pit: str
    game: str
    ruleset: str
    is_recorded: bool
    progressive: str
    chip_minor: int | None


class ChipRecord(msgspec.Struct, frozen=True):
    """Chips of one denomination that the house has issued."""

    row: Row
    denomination: int
    pieces: int


class Balance(msgspec.Struct, frozen=True):
    """An opening balance at a place: chips of a denomination, or in the cage cash or markers (`denomination` 0 then).

    `place` is "cage" or a table.
    """

    row: Row
    place: str
    tender: str
    denomination: int
    pieces: int
    amount_minor: int


class MonthBefore(msgspec.Struct, frozen=True):
    """Drop and win of a month, of a table or of a game (the other is "")."""

    row: Row
    table: str
    game: str
    month: str
    drop_minor: int
    win_minor: int


class MarkerRecord(msgspec.Struct, frozen=True):
    """A marker that a player has not redeemed. `issued` is a day or ""."""

    row: Row
    marker: str
    player: str
    amount_minor: int
    issued: str


class MeterLevel(msgspec.Struct, frozen=True):
    """A level of a progressive. `first` has the values of its first line only: stakes, withhold, limit, ruleset,
    policy.
    """

    row: Row
    progressive: str
    level: str
    data: Mapping[str, Any]
    envy_minor: tuple[int, int]
    first: Mapping[str, Any]
