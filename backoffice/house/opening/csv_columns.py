"""The files of the opening import: their columns, the content of a column, and an example line of each."""

from collections.abc import Sequence

import msgspec
from django.utils.translation import gettext_noop as _

EXAMPLE_DAY = "2026-12-01"


class ImportColumn(msgspec.Struct, frozen=True):
    """A column. `example` is in the template's example lines; a column that is not needed may be left out."""

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
    _("Property"),
    (
        _c("setting", _("name of a house setting (docs/reference/house-settings.md), or first_day"), needed=True),
        _c("value", _("value of the setting; an amount for settings in money"), needed=True),
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
    _("Tables"),
    (
        _c("table", _("short name of the table: letters, digits and -"), needed=True),
        _c("pit", _("pit of the table"), needed=True),
        _c("game", _("baccarat, blackjack, craps or roulette"), needed=True),
        _c("ruleset", _("ruleset of the game, also one of the house"), needed=True),
        _c("kind", _("counted only (no bets are recorded) or recorded; default: counted only")),
        _c("progressive", _("progressive that the table is linked to")),
        _c("smallest_chip", _("smallest chip, if it is not the smallest chip of the opener")),
    ),
    (
        ("R1", "A", "roulette", "roulette-french", "counted only", "", ""),
        ("BJ1", "B", "blackjack", "blackjack-trilux", "recorded", "blazing", ""),
    ),
)
CHIPS = ImportSheet(
    "chips",
    _("Chips issued"),
    (
        _c("denomination", _("value of one chip, as an amount"), needed=True),
        _c("pieces", _("number of chips issued"), needed=True),
    ),
    (("1.00", "2000"), ("5.00", "10000"), ("25.00", "6000"), ("100.00", "2000")),
)
STAFF = ImportSheet(
    "staff",
    _("Staff"),
    (
        _c("id", _("id that does not reveal the person; it appears in events permanently"), needed=True),
        _c("roles", _("one role, or several separated by /"), needed=True),
        _c("name", _("name, kept in the directory only; it can be erased")),
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
    _("Opening balances"),
    (
        _c("place", _("cage, a till such as cage till 1, or a table"), needed=True),
        _c("tender", _("chips; in the cage also cash or markers"), needed=True),
        _c("denomination", _("chips: value of one chip")),
        _c("pieces", _("chips: number")),
        _c("amount", _("cash and markers: amount")),
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
    _("Monthly history"),
    (
        _c("table", _("table, or game, not both")),
        _c("game", _("game, if months are not known by table")),
        _c("month", _("month, as 2025-11"), needed=True),
        _c("drop", _("drop of the month"), needed=True),
        _c("win", _("win of the month, negative for a loss"), needed=True),
    ),
    (("R1", "", "2025-11", "123456.00", "24001.50"), ("R1", "", "2025-12", "131000.00", "26180.00")),
)
MARKERS = ImportSheet(
    "markers",
    _("Open markers"),
    (
        _c("marker", _("number on the marker"), needed=True),
        _c("player", _("player id"), needed=True),
        _c("amount", _("amount owed"), needed=True),
        _c("issued", _("day of the signature, as 2025-10-31")),
    ),
    (("M-1001", "g-17", "500.00", "2025-10-31"),),
)
PROGRESSIVES = ImportSheet(
    "progressives",
    _("Progressives"),
    (
        _c("progressive", _("name of the progressive; one line for each level"), needed=True),
        _c("level", _("level of the ruleset: mega, major, minor"), needed=True),
        _c("seed", _("start amount of a new meter"), needed=True),
        _c("meter", _("current meter"), needed=True),
        _c("feed_percent", _("share of each stake for the meter, in percent"), needed=True),
        _c("reserve_percent", _("share of each stake for the reserve, in percent")),
        _c("reserve", _("current reserve")),
        _c("cap", _("cap of the meter, if any")),
        _c("envy", _("envy bonuses of this level for the low and the high stake, separated by /"), needed=True),
        _c("stakes", _("low and high stake, separated by /, in the first line of the progressive")),
        _c("withhold_percent", _("house fee in percent, in the first line")),
        _c("surveillance_over", _("Surveillance approves awards above this amount, in the first line")),
        _c("ruleset", _("ruleset, in the first line; default: blazing7s")),
        _c("policy", _("tie rule, in the first line; default: split")),
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
