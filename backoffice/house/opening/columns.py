"""The files of a house that moves in: their columns, what a column holds, and an example line of each."""

from collections.abc import Sequence

import msgspec

EXAMPLE_DAY = "2026-12-01"


class ImportColumn(msgspec.Struct, frozen=True):
    """A column. `example` stands in the template's example lines; a column that is not needed may be left out."""

    name: str
    meaning: str
    is_needed: bool = False


class ImportSheet(msgspec.Struct, frozen=True):
    """A file of the folder. `examples` are the lines of the template, `rows_max` the most lines that are read."""

    name: str
    title: str
    columns: tuple[ImportColumn, ...]
    examples: tuple[tuple[str, ...], ...]
    rows_max: int = 10_000

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.csv"

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns, in the order of the template."""
        return [column.name for column in self.columns]


def _c(name: str, meaning: str, *, needed: bool = False) -> ImportColumn:
    return ImportColumn(name, meaning, needed)


PROPERTY = ImportSheet(
    "property",
    "Property",
    (
        _c("setting", "a name of docs/reference/house-settings.md, or first_day", needed=True),
        _c("value", "its value; an amount where the setting is money", needed=True),
    ),
    (
        ("currency", "EUR"),
        ("zone", "Europe/Athens"),
        ("day_begins", "06:00"),
        ("shifts", "day 06:00, evening 18:00"),
        ("first_day", EXAMPLE_DAY),
    ),
)
TABLES = ImportSheet(
    "tables",
    "Tables",
    (
        _c("table", "the table's short name: letters, digits and -", needed=True),
        _c("pit", "the pit where it stands", needed=True),
        _c("game", "baccarat, blackjack, craps or roulette", needed=True),
        _c("ruleset", "a ruleset of that game, the house's own included", needed=True),
        _c("kind", "counted only (no bets are recorded) or recorded; empty: counted only"),
        _c("progressive", "the progressive that it is linked to"),
        _c("smallest_chip", "its smallest chip, where that is not the smallest of its opener"),
    ),
    (
        ("R1", "A", "roulette", "roulette-french", "counted only", "", ""),
        ("BJ1", "B", "blackjack", "blackjack-trilux", "recorded", "blazing", ""),
    ),
)
CHIPS = ImportSheet(
    "chips",
    "Chips issued",
    (
        _c("denomination", "the value of one chip, as an amount", needed=True),
        _c("pieces", "how many of it the house has issued", needed=True),
    ),
    (("1.00", "2000"), ("5.00", "10000"), ("25.00", "6000"), ("100.00", "2000")),
)
STAFF = ImportSheet(
    "staff",
    "Staff",
    (
        _c("id", "an id that says nothing about the person: it stands in events for ever", needed=True),
        _c("roles", "one role, or several with / between them", needed=True),
        _c("name", "kept in the directory only; it can be erased"),
    ),
    (
        ("a-001", "administrator", "Example Administrator"),
        ("b-301", "pit boss", "Example Pit Boss"),
        ("c-401", "cage", "Example Cashier"),
        ("k-601", "accountant", "Example Accountant"),
        ("p-701", "progressive manager", "Example Manager"),
        ("i-201", "inspector", "Example Inspector"),
        ("d-101", "dealer", "Example Dealer"),
        ("n-501", "count", "Example Counter"),
        ("n-502", "count", "Example Second Counter"),
        ("y-811", "security", "Example Guard"),
        ("s-801", "surveillance", "Example Observer"),
    ),
)
BALANCES = ImportSheet(
    "opening-balances",
    "Opening balances",
    (
        _c("place", "cage, a till of it such as cage till 1, or a table", needed=True),
        _c("tender", "chips, or in the cage cash or markers", needed=True),
        _c("denomination", "of chips: the value of one"),
        _c("pieces", "of chips: how many"),
        _c("amount", "of cash and markers: the amount"),
    ),
    (
        ("cage", "cash", "", "", "400000.00"),
        ("cage", "chips", "1.00", "1600", ""),
        ("cage", "chips", "5.00", "8600", ""),
        ("cage", "chips", "25.00", "5800", ""),
        ("cage", "chips", "100.00", "2000", ""),
        ("R1", "chips", "1.00", "400", ""),
        ("R1", "chips", "5.00", "1000", ""),
        ("BJ1", "chips", "5.00", "400", ""),
        ("BJ1", "chips", "25.00", "200", ""),
    ),
)
HISTORY = ImportSheet(
    "history",
    "Months before",
    (
        _c("table", "the table; or the game, never both"),
        _c("game", "the game, where the months are not known by table"),
        _c("month", "as 2025-11", needed=True),
        _c("drop", "the drop of that month", needed=True),
        _c("win", "the win of that month; below zero with a minus", needed=True),
    ),
    (("R1", "", "2025-11", "123456.00", "24001.50"), ("R1", "", "2025-12", "131000.00", "26180.00")),
)
MARKERS = ImportSheet(
    "markers",
    "Open markers",
    (
        _c("marker", "the number on the marker", needed=True),
        _c("player", "the player's opaque id", needed=True),
        _c("amount", "what the player owes", needed=True),
        _c("issued", "the day on which it was signed, as 2025-10-31"),
    ),
    (("M-1001", "g-17", "500.00", "2025-10-31"),),
)
PROGRESSIVES = ImportSheet(
    "progressives",
    "Progressives",
    (
        _c("progressive", "its name; one line for each of its levels", needed=True),
        _c("level", "mega, major, minor: as its ruleset has them", needed=True),
        _c("seed", "what a new meter begins with", needed=True),
        _c("meter", "what the meter holds now", needed=True),
        _c("feed_percent", "the part of each stake that the meter grows by", needed=True),
        _c("reserve_percent", "the part that is put aside for the next seed"),
        _c("reserve", "what is put aside now"),
        _c("cap", "the meter's limit, where it has one"),
        _c("envy", "the two envy bonuses of this level, one a stake, with / between them", needed=True),
        _c("stakes", "the two stakes, with / between them: in the first line of the progressive"),
        _c("withhold_percent", "the house's withhold: in the first line"),
        _c("surveillance_over", "surveillance agrees to hits over this: in the first line"),
        _c("ruleset", "empty: blazing7s; in the first line"),
        _c("policy", "empty: split; in the first line"),
    ),
    (
        ("blazing", "mega", "25000.00", "41372.50", "10", "1", "0", "", "500.00/1000.00",
         "5.00/10.00", "15", "5000.00", "blazing7s", "split"),
        ("blazing", "major", "5000.00", "7619.40", "4", "", "0", "", "125.00/250.00", "", "", "", "", ""),
        ("blazing", "minor", "500.00", "1184.15", "2.5", "", "0", "2500.00", "25.00/50.00", "", "", "", "", ""),
    ),
)  # fmt: skip
SHEETS = (PROPERTY, STAFF, PROGRESSIVES, TABLES, HISTORY, CHIPS, BALANCES, MARKERS)
BY_NAME = {sheet.name: sheet for sheet in SHEETS}


def template(sheet: ImportSheet) -> str:
    """The text of an example file: the columns, then the example lines. Lines end as spreadsheets end them."""
    lines = [sheet.names, *sheet.examples]
    return "".join(f"{','.join(map(_quoted, line))}\r\n" for line in lines)


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell
