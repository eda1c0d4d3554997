"""The actions of a plan in the order in which a house takes them, each with its necessary earlier steps.

Chips are brought in and the tables opened before the first count of the cage. That count opens the books, so chips at
tables and with players are not deducted from it. Surveillance is granted last: after that it must approve roles.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import msgspec
from django.utils.translation import gettext_noop as _

from backoffice.house.opening.csv_reader import Row, error_text
from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.house_state_reader_for_import import HouseState, gaming_day, shift
from backoffice.house.opening.import_record_types import CAGE, MeterLevel, SettingRecord
from events.accounting.cage_inventory import Holding
from events.envelope import Action
from events.error_codes import ErrorText
from events.errors import Invalid
from events.house import settings
from events.money import past_monthly_drop_win_file
from events.money.past_monthly_drop_win_file import Month
from events.people.role_grant_decider import ADMINISTRATOR
from events.streams.stream_kind_declaration import Target

WATCH = "surveillance"
DAYS_NEAR = timedelta(days=1)  # a gaming day is opened within so much of the house's clock
REASON = "moving in: the chips that the house has issued"


class OpeningStep(msgspec.Struct, frozen=True, kw_only=True):
    """An action of the opening import. `about` describes it in English, with the places of `particulars`; `row` is its
    line in the file.

    `needs` are the names of the steps before it. `is_done` checks in the state whether it is as planned. `columns`: the
    column of each field of the action.
    """

    name: str
    group: str
    about: str
    row: Row
    target: Target
    type: str
    data: Mapping[str, Any]
    is_done: Callable[[HouseState], bool]
    needs: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}
    particulars: Mapping[str, str] = {}
    is_of_day: bool = False

    @property
    def key(self) -> str:
        """The action's key: the same for the same content, so that nothing is done twice."""
        content = msgspec.json.encode([self.type, self.name, self.data], order="deterministic")
        return f"move-in:{hashlib.sha256(content).hexdigest()[:32]}"

    def action(self, key: str = "") -> Action:
        """Return the action for the desk."""
        return Action(type=self.type, key=key or self.key, data=msgspec.Raw(msgspec.json.encode(self.data)))


def steps(plan: OpeningPlan, state: HouseState) -> list[OpeningStep]:
    """Return every step of a plan, done or not, in order."""
    before_cage = [*_roles(plan), *_settings(plan, state), *_progressives(plan), *_tables(plan), *_history(plan)]
    return [*before_cage, *_chips(plan), *_openings(plan, state), *_cage(plan, state), *_markers(plan)]


# --- people and settings ----------------------------------------------------------------------------------------------


def _roles(plan: OpeningPlan) -> Iterator[OpeningStep]:
    def order(pair: tuple[Any, str]) -> int:
        return 0 if pair[1] == ADMINISTRATOR else 2 if pair[1] == WATCH else 1

    pairs = [(employee, role) for employee in plan.staff for role in employee.roles]
    for employee, role in sorted(pairs, key=order):
        person = employee.person
        yield OpeningStep(
            name=f"role {person} {role}",
            group="staff",
            about=_("grant %(person)s the role %(role)s"),
            particulars={"person": person, "role": role},
            row=employee.row,
            target=Target("people"),
            type="role.grant",
            data={"person": person, "role": role},
            is_done=lambda state, person=person, role=role: role in state.roles.get(person, ()),  # type: ignore[misc]  # bound defaults
            columns={"person": "id", "role": "roles"},
        )


def ordered(
    plan: OpeningPlan, values: Mapping[str, Any]
) -> tuple[list[SettingRecord], list[tuple[SettingRecord, ErrorText]]]:
    """Return the settings in an order in which each is valid after those before it; and the invalid ones, with the
    reason.
    """
    pending_settings = sorted(plan.settings, key=lambda setting: setting.name != "currency")
    accepted_values, accepted = dict(values), list[SettingRecord]()
    while pending_settings:
        faults = []
        for setting in pending_settings:
            try:
                accepted_values[setting.name] = settings.valid_value(
                    accepted_values, setting.name, setting.value, plan.currency
                )
                accepted.append(setting)
            except Invalid as error:
                faults.append((setting, error_text(error)))
        if len(faults) == len(pending_settings):
            return accepted, faults
        pending_settings = [setting for setting, _why in faults]
    return accepted, []


def settings_after(plan: OpeningPlan, state: HouseState) -> settings.HouseSettings:
    """The settings that the house has when the plan's are in force."""
    chosen = {setting.name: setting.value for setting in ordered(plan, state.values)[0]}
    return settings.settings_from({**state.values, **chosen})


def _settings(plan: OpeningPlan, state: HouseState) -> Iterator[OpeningStep]:
    for setting in ordered(plan, state.values)[0]:
        yield _setting(setting.name, setting.value, setting.row)


def _setting(name: str, value: Any, row: Row) -> OpeningStep:
    def is_done(state: HouseState) -> bool:
        return bool(getattr(settings.settings_from(state.values), name) == value)

    return OpeningStep(
        name=f"setting {name}",
        group="property" if name != "hold_history" else "history",
        about=_("import the months") if name == "hold_history" else _("set %(setting)s to %(value)s"),
        particulars={"setting": name, "value": str(value)},
        row=row,
        target=Target("house"),
        type="setting.change",
        data={"setting": name, "value": value},
        is_done=is_done,
        needs=() if name == "currency" else ("setting currency",),
        columns={"setting": "setting", "value": "value"},
    )


def _history(plan: OpeningPlan) -> Iterator[OpeningStep]:
    """Yield the step that sets all months: they are one setting, which replaces earlier months."""
    if plan.history:
        records = [
            Month(
                table=month.table,
                game=month.game,
                month=month.month,
                drop_minor=month.drop_minor,
                win_minor=month.win_minor,
            )
            for month in plan.history
        ]
        yield _setting(
            "hold_history", past_monthly_drop_win_file.months_text(records, plan.currency), plan.history[0].row
        )


# --- the floor --------------------------------------------------------------------------------------------------------


def _progressives(plan: OpeningPlan) -> Iterator[OpeningStep]:
    by_name: dict[str, list[MeterLevel]] = {}
    for level in plan.progressives:
        by_name.setdefault(level.progressive, []).append(level)
    for name, levels in by_name.items():
        data = {
            "progressive": name,
            "currency": plan.currency,
            "levels": [level.data for level in levels],
            "envy_minor": {level.level: level.envy_minor for level in levels},
            **levels[0].first,
        }
        yield OpeningStep(
            name=f"progressive {name}",
            group="progressives",
            about=_("open the progressive %(progressive)s with its meters"),
            particulars={"progressive": name},
            row=levels[0].row,
            target=Target("progressives", name),
            type="progressive.open",
            data=data,
            is_done=lambda state, name=name: name in state.progressives,  # type: ignore[misc]  # bound defaults
            needs=("setting currency",),
            columns={"stakes_minor": "stakes", "withhold_millionths": "withhold_percent", "envy_minor": "envy"},
        )


def _tables(plan: OpeningPlan) -> Iterator[OpeningStep]:
    for table in plan.tables:
        data = {
            "pit": table.pit,
            "table": table.table,
            "game": table.game,
            "ruleset": table.ruleset,
            "currency": plan.currency,
            "recorded": table.is_recorded,
            **({"progressive": table.progressive} if table.progressive else {}),
            **({"chip_minor": table.chip_minor} if table.chip_minor else {}),
        }
        yield OpeningStep(
            name=f"table {table.table}",
            group="tables",
            about=_("install the table %(table)s"),
            particulars={"table": table.table},
            row=table.row,
            target=Target("floor"),
            type="table.install",
            data=data,
            is_done=lambda state, data=data: _is_installed(state, data),  # type: ignore[misc]  # bound defaults
            needs=("setting currency", *([f"progressive {table.progressive}"] if table.progressive else [])),
            columns={"recorded": "kind", "chip_minor": "smallest_chip"},
        )


def _is_installed(state: HouseState, data: Mapping[str, Any]) -> bool:
    """Return whether the floor has this table as the plan wants it, by the ruleset's name or one of its versions."""
    table = state.floor.tables.get(data["table"])
    if table is None:
        return False
    stamp, ruleset = table.ruleset, data["ruleset"]
    has_ruleset = stamp == ruleset if "@" in ruleset else stamp.partition("@")[0] == ruleset
    same = (table.pit, table.game, table.recorded) == (data["pit"], data["game"], data["recorded"])
    links = (table.progressive, table.chip_minor) == (data.get("progressive"), data.get("chip_minor"))
    return has_ruleset and same and links


# --- the first gaming day ---------------------------------------------------------------------------------------------


def opening_day(plan: OpeningPlan, state: HouseState) -> str:
    """The gaming day on which the books open: the one that the plan names, else the one of now."""
    return plan.first_day or gaming_day(settings_after(plan, state), state.now)


def opens_today(plan: OpeningPlan, state: HouseState) -> bool:
    """Return whether the first gaming day can be opened now, by the house's clock."""
    today = date.fromisoformat(gaming_day(settings_after(plan, state), state.now))
    return abs(date.fromisoformat(opening_day(plan, state)) - today) <= DAYS_NEAR


def _chips(plan: OpeningPlan) -> Iterator[OpeningStep]:
    if plan.chips:
        chips = _pieces_by_denomination((chip.denomination, chip.pieces) for chip in plan.chips)
        yield OpeningStep(
            name="chips",
            group="chips",
            about=_("issue the chips of the house"),
            row=plan.chips[0].row,
            target=Target("house"),
            type="chips.issue",
            data={"chips": chips, "way": "brought in", "reason": REASON, "currency": plan.currency},
            is_done=lambda state: any(state.books.house.chips.values()),
            needs=("setting currency",),
            columns={"chips": "pieces"},
        )


def _openings(plan: OpeningPlan, state: HouseState) -> Iterator[OpeningStep]:
    by_place: dict[str, list[Any]] = {}
    for balance in plan.balances:
        if balance.place != CAGE:
            by_place.setdefault(balance.place, []).append(balance)
    day = opening_day(plan, state)
    for table, balances in by_place.items():
        opener = _pieces_by_denomination((balance.denomination, balance.pieces) for balance in balances)
        now = shift(settings_after(plan, state), state.now)
        yield OpeningStep(
            name=f"opening {table}",
            group="balances",
            about=_("open the table %(table)s for %(day)s with its tray"),
            particulars={"table": table, "day": day},
            row=balances[0].row,
            target=Target("tables", table),
            type="session.open",
            data={"gaming_day": day, "shift": now, "opener": opener},
            is_done=lambda state, table=table: table in state.opened or state.books.cage.is_known,  # type: ignore[misc]  # bound defaults
            needs=(f"table {table}", "chips", *_days_settings(plan)),
            columns={"opener": "pieces"},
            is_of_day=True,
        )


def _days_settings(plan: OpeningPlan) -> tuple[str, ...]:
    """The settings by which the first day is opened: its zone, its beginning and its shifts."""
    return tuple(
        f"setting {setting.name}" for setting in plan.settings if setting.name in ("zone", "day_begins", "shifts")
    )


def _cage(plan: OpeningPlan, state: HouseState) -> Iterator[OpeningStep]:
    balances = [balance for balance in plan.balances if balance.place == CAGE]
    if not balances:
        return
    holdings = holding(plan)
    tables = dict.fromkeys(balance.place for balance in plan.balances if balance.place != CAGE)
    day = opening_day(plan, state)
    yield OpeningStep(
        name="cage",
        group="balances",
        about=_("open the cage for %(day)s with its first count"),
        particulars={"day": day},
        row=balances[0].row,
        target=Target("cage"),
        type="cage.open",
        data={
            "gaming_day": day,
            "chips": {str(piece): count for piece, count in holdings.chips.items()},
            "cash_minor": holdings.cash,
            "marker_minor": holdings.marker,
        },
        is_done=lambda state: state.books.cage.is_known,
        needs=("setting currency", "chips", *(f"opening {table}" for table in tables), *_days_settings(plan)),
        columns={"chips": "pieces", "cash_minor": "amount"},
        is_of_day=True,
    )


def holding(plan: OpeningPlan) -> Holding:
    """Return the content of the cage, all tills together, with the open markers."""
    balances = [balance for balance in plan.balances if balance.place == CAGE]
    chips = _pieces_by_denomination(
        (balance.denomination, balance.pieces) for balance in balances if balance.denomination
    )
    return Holding(
        chips={int(piece): count for piece, count in chips.items()},
        cash=sum(balance.amount_minor for balance in balances if balance.tender == "cash"),
        marker=sum(marker.amount_minor for marker in plan.markers) or _counted_markers(plan),
    )


def _counted_markers(plan: OpeningPlan) -> int:
    return sum(balance.amount_minor for balance in plan.balances if balance.tender == "markers")


def _pieces_by_denomination(counts: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Pieces by denomination, as an action names them."""
    chips: dict[int, int] = {}
    for denomination, count in counts:
        chips[denomination] = chips.get(denomination, 0) + count
    return {str(denomination): count for denomination, count in sorted(chips.items()) if count}


def _markers(plan: OpeningPlan) -> Iterator[OpeningStep]:
    for marker in plan.markers:
        data = {"marker": marker.marker, "player": marker.player, "amount_minor": marker.amount_minor}
        yield OpeningStep(
            name=f"marker {marker.marker}",
            group="markers",
            about=_("carry over the marker %(marker)s"),
            particulars={"marker": marker.marker},
            row=marker.row,
            target=Target("cage"),
            type="marker.carry",
            data=data | ({"issued": marker.issued} if marker.issued else {}),
            is_done=lambda state, name=marker.marker: (  # type: ignore[misc]  # bound defaults
                name in state.books.markers or state.books.is_redeemed(name)
            ),
            needs=("cage",),
            columns={"amount_minor": "amount"},
            is_of_day=True,
        )
