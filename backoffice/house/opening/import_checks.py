"""Faults across lines: duplicates, missing lines, totals that differ.

These checks write nothing. The deciders check again when the actions are sent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Any

from backoffice.house.opening import csv_columns
from backoffice.house.opening.csv_reader import Fault, Row, error_text
from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.house_state_reader_for_import import HouseState, gaming_day
from backoffice.house.opening.import_record_types import CAGE
from backoffice.house.opening.opening_actions_in_order import DAYS_NEAR, OpeningStep, ordered, settings_after, steps
from events import catalogue
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.fields import HISTORY_MAX
from events.people.role_grant_decider import ADMINISTRATOR
from events.rules.game_declaration_and_registry import at_tables
from events.rules.ruleset_adoption_and_recording import take
from events.text import id_spelling_normalization


def faults(plan: OpeningPlan, state: HouseState) -> list[Fault]:
    """Return every mistake of the plan, in the order of the files."""
    if plan.faults:
        return [*plan.faults, *_twice(plan)]
    checks: Sequence[Callable[[OpeningPlan, HouseState], Iterable[Fault]]] = (
        lambda plan, _state: _twice(plan),
        _ids,
        _currency,
        _settings,
        _administrators,
        _rulesets,
        _links,
        _months,
        _places,
        _markers,
        _chips,
        _first_day,
    )
    mistakes = [fault for check in checks for fault in check(plan, state)]
    return mistakes or list(_shapes(steps(plan, state)))


# --- twice, and alike -------------------------------------------------------------------------------------------------


def _twice(plan: OpeningPlan) -> Iterator[Fault]:
    """Yield faults of two lines about the same thing."""
    yield from _repeated("setting", ((setting.row, setting.name) for setting in plan.settings))
    yield from _repeated("id", ((employee.row, employee.person) for employee in plan.staff))
    yield from _repeated("level", ((level.row, (level.progressive, level.level)) for level in plan.progressives))
    yield from _repeated("table", ((table.row, table.table) for table in plan.tables))
    yield from _repeated("month", ((month.row, (month.table, month.game, month.month)) for month in plan.history))
    yield from _repeated("denomination", ((chip.row, chip.denomination) for chip in plan.chips))
    lying = (
        (balance.row, (balance.row["place"].lower(), balance.tender, balance.denomination)) for balance in plan.balances
    )
    yield from _repeated("place", lying)
    yield from _repeated("marker", ((marker.row, marker.marker) for marker in plan.markers))


def _repeated(column: str, lines: Iterable[tuple[Row, Any]]) -> Iterator[Fault]:
    first: dict[Any, int] = {}
    for row, about in lines:
        if about in first:
            yield row.fault(column, coded("import-line-twice", line=first[about]))
        first.setdefault(about, row.line)


def _ids(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield faults of ids that cannot be distinguished, or have invisible letters."""
    people = ((employee.row, employee.person) for employee in plan.staff)
    yield from _distinct("id", "person", people, state.roles)
    yield from _distinct("table", "table", ((table.row, table.table) for table in plan.tables), state.floor.tables)
    players = {marker.player: marker.row for marker in plan.markers}
    yield from _distinct("player", "player", ((row, player) for player, row in players.items()), ())


def _distinct(column: str, kind: str, lines: Iterable[tuple[Row, str]], existing: Iterable[str]) -> Iterator[Fault]:
    by_skeleton = {
        key: identifier for identifier in existing for key in id_spelling_normalization.skeletons(identifier)
    }
    for row, name in lines:
        try:
            normal = id_spelling_normalization.normalized(name)
        except Invalid as error:
            yield row.fault(column, error_text(error))
            continue
        keys = id_spelling_normalization.skeletons(normal)
        twin = next((by_skeleton[key] for key in keys if key in by_skeleton), normal)
        if twin != normal:
            yield row.fault(column, id_spelling_normalization.resemblance_refusal(normal, kind, twin))
        by_skeleton |= {key: normal for key in keys if key not in by_skeleton}


# --- settings, people, floor ------------------------------------------------------------------------------------------


def _currency(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    row = next((setting.row for setting in plan.settings if setting.name == "currency"), None)
    if row is not None and state.currency not in ("", plan.currency):
        yield row.fault("value", coded("currency-is-fixed", currency=state.currency))


def _settings(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    for setting, why in ordered(plan, state.values)[1]:
        yield setting.row.fault("value", why)


def _administrators(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield faults of roles that no one could grant: an administrator cannot grant roles to themselves."""
    present = {person for person, roles in state.roles.items() if ADMINISTRATOR in roles}
    coming = [employee for employee in plan.staff if ADMINISTRATOR in employee.roles]
    if plan.staff and not present and not coming:
        yield Fault(csv_columns.STAFF.file, 0, "roles", coded("import-no-administrator"))
    if len(present | {employee.person for employee in coming}) == 1:
        for employee in coming:
            if len(employee.roles) > 1 and not set(employee.roles) <= state.roles.get(employee.person, frozenset()):
                yield employee.row.fault("roles", coded("import-only-administrator"))


def _rulesets(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    for table in plan.tables:
        if table.game not in at_tables():
            yield table.row.fault("game", coded("import-game-unknown", game=table.game, games=list(at_tables())))
            continue
        try:
            take(state.floor.rulesets, table.game, table.ruleset)
        except (Invalid, Refused) as error:
            yield table.row.fault("ruleset", coded("import-ruleset", why=error_text(error)))


def _links(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    names = {level.progressive for level in plan.progressives} | state.progressives
    for table in plan.tables:
        if table.progressive and table.progressive not in names:
            text = coded("import-progressive-unknown", progressive=table.progressive)
            yield table.row.fault("progressive", text)


def _months(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield faults of months that no limit of the hold would use."""
    tables, now, length = _tables(plan, state), state.now[:7], 0
    for record in plan.history:
        if record.table and record.table not in tables:
            yield record.row.fault("table", coded("import-table-unknown", table=record.table))
        if record.game and record.game not in at_tables():
            text = coded("import-game-unknown", game=record.game, games=list(at_tables()))
            yield record.row.fault("game", text)
        if record.month > now:
            yield record.row.fault("month", coded("import-month-future", month=record.month))
        length += (
            12 + len(record.table or record.game) + len(record.month) + len(record.row["drop"]) + len(record.row["win"])
        )
    if length > HISTORY_MAX:
        yield Fault(csv_columns.HISTORY.file, 0, "", coded("import-months-count"))


def _tables(plan: OpeningPlan, state: HouseState) -> set[str]:
    return {table.table for table in plan.tables} | set(state.floor.tables)


# --- the first day's money --------------------------------------------------------------------------------------------


def _places(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    tables = _tables(plan, state)
    for balance in plan.balances:
        if balance.place != CAGE and balance.place not in tables:
            yield balance.row.fault("place", coded("import-table-unknown", table=balance.place))
    is_cage_there = any(balance.place == CAGE for balance in plan.balances)
    if (plan.balances or plan.markers) and not is_cage_there and not state.books.cage.is_known:
        yield Fault(csv_columns.BALANCES.file, 0, "place", coded("import-cage-missing"))


def _markers(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield faults of markers that differ from the cage's first count."""
    listed = sum(marker.amount_minor for marker in plan.markers)
    row = next((balance.row for balance in plan.balances if balance.tender == "markers"), None)
    counted = sum(balance.amount_minor for balance in plan.balances if balance.tender == "markers")
    if row is not None and plan.markers and listed != counted:
        yield row.fault("amount", coded("import-markers-differ"))
    books = state.books
    new = [
        marker for marker in plan.markers if marker.marker not in books.markers and not books.is_redeemed(marker.marker)
    ]
    open_minor = sum(marker.amount_minor for marker in state.books.markers.values())
    total = open_minor + sum(marker.amount_minor for marker in new)
    if new and state.books.cage.is_known and total > state.books.cage.expected.marker:
        yield Fault(csv_columns.MARKERS.file, 0, "amount", coded("import-markers-over"))


def _chips(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield a fault for more chips in the house than it has issued."""
    issued_pieces = {chip.denomination: chip.pieces for chip in plan.chips} or state.books.house.chips
    lying = Counter[int]()
    rows: dict[int, Row] = {}
    for balance in plan.balances:
        if balance.denomination:
            lying[balance.denomination] += balance.pieces
            rows.setdefault(balance.denomination, balance.row)
    for denomination, pieces in lying.items():
        if pieces > issued_pieces.get(denomination, 0):
            row = rows[denomination]
            value, count = row["denomination"], issued_pieces.get(denomination, 0)
            yield row.fault("pieces", coded("import-chips-over", pieces=pieces, denomination=value, issued=count))
    if plan.chips and state.books.cage.is_known and not any(state.books.house.chips.values()):
        yield plan.chips[0].row.fault("", coded("import-chips-late"))


def _first_day(plan: OpeningPlan, state: HouseState) -> Iterator[Fault]:
    """Yield a fault for a first day that is over: it can no longer be opened."""
    today = date.fromisoformat(gaming_day(settings_after(plan, state), state.now))
    is_over = plan.first_day and date.fromisoformat(plan.first_day) < today - DAYS_NEAR
    if is_over and plan.balances and not state.books.cage.is_known:
        text = coded("import-first-day-over", day=plan.first_day, today=today.isoformat())
        yield Fault(csv_columns.PROPERTY.file, 0, "first_day", text)


def _shapes(planned: Iterable[OpeningStep]) -> Iterator[Fault]:
    """Yield a fault for each action whose fields cannot hold their values."""
    for step in planned:
        try:
            catalogue.decode_action(step.action())
        except Invalid as error:
            field = error.field.removeprefix("data.").partition(".")[0].partition("[")[0]
            column = step.columns.get(field, field if field in step.row.sheet.names else "")
            yield step.row.fault(column, error_text(error))
