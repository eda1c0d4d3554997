"""Faults that one line does not show: what is there twice, what is missing, what does not add up.

Everything that can be known without writing is known here; the deciders judge once more when the actions are sent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Any

from backoffice.house.opening import columns
from backoffice.house.opening.csv_cells import Fault, Row
from backoffice.house.opening.folder import Plan
from backoffice.house.opening.records import CAGE
from backoffice.house.opening.state import State, gaming_day
from backoffice.house.opening.steps import DAYS_NEAR, Step, ordered, settings_after, steps
from events import catalogue, identifiers
from events.errors import Invalid, Refused
from events.fields import HISTORY_MAX
from events.game import at_tables
from events.people import ADMINISTRATOR
from events.recorded import take


def faults(plan: Plan, state: State) -> list[Fault]:
    """Return every mistake of the plan, in the order of the files."""
    if plan.faults:
        return [*plan.faults, *_twice(plan)]
    checks: Sequence[Callable[[Plan, State], Iterable[Fault]]] = (
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
    found = [fault for check in checks for fault in check(plan, state)]
    return found or list(_shapes(steps(plan, state)))


# --- twice, and alike -------------------------------------------------------------------------------------------------


def _twice(plan: Plan) -> Iterator[Fault]:
    """The same thing in two lines."""
    yield from _repeated("setting", ((one.row, one.name) for one in plan.settings))
    yield from _repeated("id", ((one.row, one.person) for one in plan.staff))
    yield from _repeated("level", ((one.row, (one.progressive, one.level)) for one in plan.progressives))
    yield from _repeated("table", ((one.row, one.table) for one in plan.tables))
    yield from _repeated("month", ((one.row, (one.table, one.game, one.month)) for one in plan.history))
    yield from _repeated("denomination", ((one.row, one.denomination) for one in plan.chips))
    lying = ((one.row, (one.row["place"].lower(), one.tender, one.denomination)) for one in plan.balances)
    yield from _repeated("place", lying)
    yield from _repeated("marker", ((one.row, one.marker) for one in plan.markers))


def _repeated(column: str, lines: Iterable[tuple[Row, Any]]) -> Iterator[Fault]:
    first: dict[Any, int] = {}
    for row, about in lines:
        if about in first:
            yield row.fault(column, f"This is in line {first[about]} already. Keep one of the two.")
        first.setdefault(about, row.line)


def _ids(plan: Plan, state: State) -> Iterator[Fault]:
    """Ids that cannot be told apart, or have letters that nobody sees."""
    people = ((one.row, one.person) for one in plan.staff)
    yield from _distinct("id", "person", people, state.roles)
    yield from _distinct("table", "table", ((one.row, one.table) for one in plan.tables), state.floor.tables)
    players = {one.player: one.row for one in plan.markers}
    yield from _distinct("player", "player", ((row, player) for player, row in players.items()), ())


def _distinct(column: str, kind: str, lines: Iterable[tuple[Row, str]], others: Iterable[str]) -> Iterator[Fault]:
    seen = {key: other for other in others for key in identifiers.skeletons(other)}
    for row, name in lines:
        try:
            kept = identifiers.normalized(name)
        except Invalid as error:
            yield row.fault(column, f"{error.message[:1].upper()}{error.message[1:]}.")
            continue
        keys = identifiers.skeletons(kept)
        other = next((seen[key] for key in keys if key in seen), kept)
        if other != kept:
            yield row.fault(column, f"{identifiers.alike(kept, kind, other)}.")
        seen |= {key: kept for key in keys if key not in seen}


# --- settings, people, floor ------------------------------------------------------------------------------------------


def _currency(plan: Plan, state: State) -> Iterator[Fault]:
    row = next((one.row for one in plan.settings if one.name == "currency"), None)
    if row is not None and state.currency not in ("", plan.currency):
        yield row.fault("value", f"The house's currency is {state.currency}. It cannot change.")


def _settings(plan: Plan, state: State) -> Iterator[Fault]:
    for setting, why in ordered(plan, state.values)[1]:
        yield setting.row.fault("value", f"{why[:1].upper()}{why[1:]}.")


def _administrators(plan: Plan, state: State) -> Iterator[Fault]:
    """Somebody must grant each role, and nobody grants one to themselves."""
    there = {person for person, roles in state.roles.items() if ADMINISTRATOR in roles}
    coming = [one for one in plan.staff if ADMINISTRATOR in one.roles]
    if plan.staff and not there and not coming:
        yield Fault(columns.STAFF.file, 0, "roles", "Nobody is an administrator. Give one person this role.")
    if len(there | {one.person for one in coming}) == 1:
        for one in coming:
            if len(one.roles) > 1 and not set(one.roles) <= state.roles.get(one.person, frozenset()):
                message = "The only administrator cannot have another role. Add a second administrator, who grants it."
                yield one.row.fault("roles", message)


def _rulesets(plan: Plan, state: State) -> Iterator[Fault]:
    for table in plan.tables:
        if table.game not in at_tables():
            yield table.row.fault("game", f"There is no game {table.game}. The games are {', '.join(at_tables())}.")
            continue
        try:
            take(state.floor.rulesets, table.game, table.ruleset)
        except (Invalid, Refused) as error:
            hint = "Files of your own stand in the folder that PITLEDGER_RULESETS names."
            yield table.row.fault("ruleset", f"{error.message[:1].upper()}{error.message[1:]}. {hint}")


def _links(plan: Plan, state: State) -> Iterator[Fault]:
    names = {level.progressive for level in plan.progressives} | state.progressives
    for table in plan.tables:
        if table.progressive and table.progressive not in names:
            message = f"There is no progressive {table.progressive}. Add its levels to {columns.PROGRESSIVES.file}."
            yield table.row.fault("progressive", message)


def _months(plan: Plan, state: State) -> Iterator[Fault]:
    """A month that no limit would ever look at is a mistake."""
    tables, now, length = _tables(plan, state), state.now[:7], 0
    for one in plan.history:
        if one.table and one.table not in tables:
            message = f"There is no table {one.table}. Add it to {columns.TABLES.file}, or name its game."
            yield one.row.fault("table", message)
        if one.game and one.game not in at_tables():
            yield one.row.fault("game", f"There is no game {one.game}. The games are {', '.join(at_tables())}.")
        if one.month > now:
            yield one.row.fault("month", f"{one.month} is still to come. Remove the line.")
        length += 12 + len(one.table or one.game) + len(one.month) + len(one.row["drop"]) + len(one.row["win"])
    if length > HISTORY_MAX:
        yield Fault(columns.HISTORY.file, 0, "", "These are too many months. Leave out the oldest.")


def _tables(plan: Plan, state: State) -> set[str]:
    return {table.table for table in plan.tables} | set(state.floor.tables)


# --- the first day's money --------------------------------------------------------------------------------------------


def _places(plan: Plan, state: State) -> Iterator[Fault]:
    tables = _tables(plan, state)
    for one in plan.balances:
        if one.place != CAGE and one.place not in tables:
            message = f"There is no table {one.place}. Write cage, or add the table to {columns.TABLES.file}."
            yield one.row.fault("place", message)
    is_cage_there = any(one.place == CAGE for one in plan.balances)
    if (plan.balances or plan.markers) and not is_cage_there and not state.books.cage.is_known:
        file = columns.BALANCES.file
        yield Fault(file, 0, "place", "The cage has no line. Add what lies in it: its count opens the books.")


def _markers(plan: Plan, state: State) -> Iterator[Fault]:
    """The markers are those that the cage's first count found."""
    listed = sum(one.amount_minor for one in plan.markers)
    row = next((one.row for one in plan.balances if one.tender == "markers"), None)
    counted = sum(one.amount_minor for one in plan.balances if one.tender == "markers")
    if row is not None and plan.markers and listed != counted:
        message = f"The lines of {columns.MARKERS.file} are worth another amount. Correct one of the two."
        yield row.fault("amount", message)
    known = state.books
    new = [one for one in plan.markers if one.marker not in known.markers and not known.is_redeemed(one.marker)]
    open_minor = sum(marker.amount_minor for marker in state.books.markers.values())
    total = open_minor + sum(one.amount_minor for one in new)
    if new and state.books.cage.is_known and total > state.books.cage.expected.marker:
        message = "The open markers are worth more than the cage's first count found. Correct the amounts."
        yield Fault(columns.MARKERS.file, 0, "amount", message)


def _chips(plan: Plan, state: State) -> Iterator[Fault]:
    """More chips cannot lie in the house than it has issued."""
    issued = {one.denomination: one.pieces for one in plan.chips} or state.books.house.chips
    lying = Counter[int]()
    rows: dict[int, Row] = {}
    for one in plan.balances:
        if one.denomination:
            lying[one.denomination] += one.pieces
            rows.setdefault(one.denomination, one.row)
    for denomination, pieces in lying.items():
        if pieces > issued.get(denomination, 0):
            value = rows[denomination]["denomination"]
            message = (
                f"{pieces} chips of {value} lie in the house, and {issued.get(denomination, 0)} are issued. "
                f"Correct the pieces, or {columns.CHIPS.file}."
            )
            yield rows[denomination].fault("pieces", message)
    if plan.chips and state.books.cage.is_known and not any(state.books.house.chips.values()):
        message = "The cage's books are open already. Bring the chips in on the page House instead."
        yield plan.chips[0].row.fault("", message)


def _first_day(plan: Plan, state: State) -> Iterator[Fault]:
    """A first day that is over can no longer be opened."""
    today = date.fromisoformat(gaming_day(settings_after(plan, state), state.now))
    is_over = plan.first_day and date.fromisoformat(plan.first_day) < today - DAYS_NEAR
    if is_over and plan.balances and not state.books.cage.is_known:
        message = f"The first day {plan.first_day} is over: it is {today}. Write the day on which the house opens."
        yield Fault(columns.PROPERTY.file, 0, "first_day", message)


def _shapes(found: Iterable[Step]) -> Iterator[Fault]:
    """Yield a fault for each action whose fields cannot hold their values."""
    for step in found:
        try:
            catalogue.decode_action(step.action())
        except Invalid as error:
            field = error.field.removeprefix("data.").partition(".")[0].partition("[")[0]
            column = step.columns.get(field, field if field in step.row.sheet.names else "")
            yield step.row.fault(column, f"{error.message[:1].upper()}{error.message[1:]}.")
