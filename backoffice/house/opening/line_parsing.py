"""Read the lines of each file into records: a mistake in a cell is a fault, and its line is left out."""

from collections.abc import Callable
from typing import Any

from backoffice.house.opening import cell_values
from backoffice.house.opening.csv_reader import Fault, Row
from backoffice.house.opening.import_record_types import (
    CAGE,
    COUNTED_ONLY,
    FIRST_DAY,
    RECORDED,
    Balance,
    ChipRecord,
    Employee,
    MarkerRecord,
    MeterLevel,
    MonthBefore,
    SettingRecord,
    TableRecord,
)
from events.error_codes import ErrorText, coded
from events.errors import Invalid
from events.fields import is_table_name
from events.house import settings
from events.people.role_grant_decider import ROLES
from events.text import id_spelling_normalization

MICRO = 1_000_000  # meters are millionths of a minor unit
PERSON_MAX, MARKER_MAX = 64, 200  # characters
_WHOLE = frozenset({"business_year_begins", "tax_millionths"})


def _as_kept(text: str) -> str:
    """Return an id in the spelling of events; an invalid one stays unchanged, and is a fault later."""
    try:
        return id_spelling_normalization.normalized(text)
    except Invalid:
        return text


class LineReader:
    """Reader of the lines of each sheet. An error in a line is a fault, and the line is left out."""

    def __init__(self, currency: str, faults: list[Fault]) -> None:
        self.currency = currency
        self.faults = faults
        self.first_day = ""
        self.of_house: list[SettingRecord] = []
        self._opened_progressives: set[str] = set()

    def right_lines(self, name: str, lines: list[Row]) -> list[Any]:
        """The lines of a sheet that are right."""
        read_line: Callable[[_LineCells], Any] = getattr(self, f"_{name.replace('-', '_')}")
        records = []
        for row in lines:
            line = _LineCells(row, self.currency)
            record = read_line(line)
            self.faults += line.faults
            if not line.faults:
                records.append(record)
        return records

    def settings(self, lines: list[Row]) -> None:
        """The settings, and the first gaming day."""
        for row in lines:
            line = _LineCells(row, self.currency)
            name = row["setting"].lower()
            if name == FIRST_DAY:
                self.first_day = line.take("value", cell_values.day, "")
            elif (setting := self._setting(line, name)) is not None:
                self.of_house.append(setting)
            self.faults += line.faults

    def _setting(self, line: "_LineCells", name: str) -> SettingRecord | None:
        name = name if name in settings.NAMES else f"{name}_minor"
        if name not in settings.NAMES or name == "hold_history":
            offered = [setting for setting in settings.NAMES if setting != "hold_history"]
            names = [FIRST_DAY, *(setting.removesuffix("_minor") for setting in offered)]
            is_history = name == "hold_history"
            unknown = coded("import-setting-unknown", setting=line.row["setting"], settings=names)
            line.note_mistake("setting", coded("import-setting-in-file") if is_history else unknown)
            return None
        value: str | int = line.row["value"].upper() if name == "currency" else line.row["value"]
        if name.endswith("_minor"):
            value = line.take("value", lambda text: cell_values.not_below_zero(text, self.currency), 0)
        elif name in _WHOLE:
            value = line.take("value", cell_values.chip_count, 0)
        return SettingRecord(line.row, name, value)

    def _staff(self, line: "_LineCells") -> Employee:
        roles = tuple(role.strip().lower() for role in line.row["roles"].split("/") if role.strip())
        for role in roles:
            if role not in ROLES or role == "system":
                line.note_mistake("roles", coded("import-role-unknown", role=role, roles=sorted(ROLES - {"system"})))
        line.at_most("id", PERSON_MAX)
        return Employee(line.row, _as_kept(line.row["id"]), tuple(dict.fromkeys(roles)), line.row["name"])

    def _tables(self, line: "_LineCells") -> TableRecord:
        kind = line.row["kind"].lower() or COUNTED_ONLY
        if kind not in (COUNTED_ONLY, RECORDED):
            kinds = [COUNTED_ONLY, RECORDED]
            line.note_mistake("kind", coded("import-table-kind", kind=line.row["kind"], kinds=kinds))
        if not is_table_name(line.row["table"]):
            line.note_mistake("table", coded("import-table-name", table=line.row["table"]))
        if line.row["table"].lower() == CAGE:
            line.note_mistake("table", coded("import-table-is-cage"))
        return TableRecord(
            line.row,
            line.row["table"],
            line.row["pit"],
            line.row["game"].lower(),
            line.row["ruleset"],
            kind == RECORDED,
            line.row["progressive"],
            line.money("smallest_chip") if line.row["smallest_chip"] else None,
        )

    def _chips(self, line: "_LineCells") -> ChipRecord:
        return ChipRecord(line.row, line.money("denomination"), line.take("pieces", cell_values.chip_count, 0))

    def _opening_balances(self, line: "_LineCells") -> Balance:
        place, tender = line.row["place"], line.row["tender"].lower()
        place = CAGE if place.lower() == CAGE or place.lower().startswith(f"{CAGE} ") else place
        if place == CAGE and tender in ("cash", "markers"):
            line.note_empty_cells("amount")
            return Balance(line.row, place, tender, 0, 0, line.not_negative("amount"))
        if tender != "chips":
            line.note_mistake("tender", coded("import-tender", tender=line.row["tender"], place=place))
            return Balance(line.row, place, tender, 0, 0, 0)
        line.note_empty_cells("denomination", "pieces")
        denomination, pieces = line.money("denomination"), line.take("pieces", cell_values.chip_count, 0)
        amount = denomination * pieces
        if (
            line.row["amount"]
            and line.take("amount", lambda text: cell_values.amount(text, self.currency), 0) != amount
        ):
            line.note_mistake("amount", coded("import-amount-product"))
        return Balance(line.row, place, tender, denomination, pieces, amount)

    def _history(self, line: "_LineCells") -> MonthBefore:
        table, game = line.row["table"], line.row["game"].lower()
        if bool(table) == bool(game):
            line.note_mistake("table", coded("import-table-or-game"))
        drop = line.take("drop", lambda text: cell_values.not_below_zero(text, self.currency), 0)
        win = line.take("win", lambda text: cell_values.amount(text, self.currency), 0)
        return MonthBefore(line.row, table, game, line.take("month", cell_values.month, ""), drop, win)

    def _markers(self, line: "_LineCells") -> MarkerRecord:
        issued = line.take("issued", cell_values.day, "") if line.row["issued"] else ""
        line.at_most("marker", MARKER_MAX)
        line.at_most("player", PERSON_MAX)
        number, player = _as_kept(line.row["marker"]), _as_kept(line.row["player"])
        return MarkerRecord(line.row, number, player, line.money("amount"), issued)

    def _progressives(self, line: "_LineCells") -> MeterLevel:
        row, name = line.row, line.row["progressive"]
        first: dict[str, Any] = {}
        if name not in self._opened_progressives:
            self._opened_progressives.add(name)
            line.note_empty_cells("stakes", "withhold_percent", "surveillance_over")
            first = {
                "ruleset": row["ruleset"] or "blazing7s",
                "policy": row["policy"] or "split",
                "stakes_minor": line.pair("stakes"),
                "withhold_millionths": line.take("withhold_percent", cell_values.rate, 0),
                "surveillance_over_minor": line.not_negative("surveillance_over"),
            }
        data = {
            "level": row["level"],
            "seed_minor": line.not_negative("seed"),
            "meter_micro": line.not_negative("meter") * MICRO,
            "reserve_micro": line.not_negative("reserve") * MICRO,
            "feed_millionths": line.take("feed_percent", cell_values.rate, 0),
            "reserve_millionths": line.take("reserve_percent", cell_values.rate, 0),
            "cap_minor": line.money("cap") if row["cap"] else None,
        }
        return MeterLevel(row, name, row["level"], data, line.pair("envy"), first)


class _LineCells:
    """A line during reading: takes cells, and collects their faults."""

    def __init__(self, row: Row, currency: str) -> None:
        self.row = row
        self.currency = currency
        self.faults: list[Fault] = []

    def note_mistake(self, column: str, text: ErrorText) -> None:
        """Note a mistake."""
        self.faults.append(self.row.fault(column, text))

    def at_most(self, column: str, characters: int) -> None:
        """Note a cell with more characters."""
        if len(self.row[column]) > characters:
            self.note_mistake(column, coded("import-text-length", most=characters))

    def note_empty_cells(self, *names: str) -> None:
        """Note each cell that is empty."""
        for name in names:
            if not self.row[name]:
                self.note_mistake(name, coded("import-cell-empty"))

    def take(self, column: str, convert: Callable[[str], Any], default: Any) -> Any:
        """The value of a cell; the default where it is empty or wrong."""
        if not self.row[column]:
            return default
        try:
            return convert(self.row[column])
        except cell_values.CellError as error:
            self.note_mistake(column, error.text)
            return default

    def money(self, column: str) -> int:
        """An amount over zero."""
        return int(self.take(column, lambda text: cell_values.positive(text, self.currency), 1))

    def pair(self, column: str) -> tuple[int, int]:
        """Two amounts with / between them."""
        parts = [part.strip() for part in self.row[column].split("/")]
        if len(parts) != 2 and self.row[column]:
            self.note_mistake(column, coded("import-two-amounts", text=self.row[column]))
        try:
            first, second = (cell_values.not_below_zero(part, self.currency) for part in parts)
        except cell_values.CellError as error:
            if len(parts) == 2:
                self.note_mistake(column, error.text)
            return 0, 0
        return first, second

    def not_negative(self, column: str) -> int:
        """An amount of zero or more; zero where the cell is empty."""
        return int(self.take(column, lambda text: cell_values.not_below_zero(text, self.currency), 0))
