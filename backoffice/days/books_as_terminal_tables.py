"""The books as text for a terminal: tables with both wins, bets, progressives, shares and envy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from backoffice.wording.terminal_tables import grid, micro, money

Row = Mapping[str, Any]
Column = tuple[str, Callable[[Row], object]]


def render(figures: dict[str, Any]) -> Iterator[str]:
    """The books, line by line."""
    of = {progressive["progressive"]: progressive["currency"] for progressive in figures["progressives"]}
    yield from _section("Paid by the house, not by a meter", _HOUSE, figures.get("house_payments", []))
    matters = figures["matters"]
    yield from _section("Tables: float and box (inventory win)", _FLOAT, figures["tables"])
    yield from _section("Tables: bets and payments (event win)", _BETS, figures["tables"])
    yield from _section("The two wins, and what explains their difference", _WINS, figures["tables"])
    yield from _section("By gaming day", _TOTALS, figures["totals"])
    yield from _section("By kind of bet", _WAGERS, figures["wagers"])
    for progressive in figures["progressives"]:
        yield from _progressive(progressive)
    yield from _section("Hits and shares", _HITS, _with_currency(figures["hits"], of))
    yield from _section("Locks", _LOCKS, _with_currency(figures["locks"], of))
    yield from _section("Envy", _ENVY, _with_currency(figures["envy"], of))
    yield from _section("Requests for approval", _REQUESTS, matters["requests"])
    readings = _with_currency(matters["readings"], of)
    yield from _section("Readings of the signs and increment tests", _READINGS, readings)
    yield from _section("Variances", _VARIANCES, _with_currency(matters["variances"], of))
    yield from _section("Notices to accounting", _NOTICES, matters["notices"])
    yield from _section("What did not fit", _MISFITS, matters["misfits"])


def _with_currency(rows: Sequence[Row], of: Mapping[str, str]) -> list[Row]:
    """Rows about a progressive, whose currency it is."""
    return [{**row, "currency": of.get(row["progressive"], "")} for row in rows]


def _progressive(progressive: dict[str, Any]) -> Iterator[str]:
    title = f"Progressive {progressive['progressive']} ({progressive['policy']}, {progressive['currency']})"
    currency = progressive["currency"]
    levels = [{**level, "currency": currency} for level in progressive["levels"]]
    yield from _section(f"{title}: meter = start + seeds + fed + adjusted - locked", _LEVELS, levels)
    rows = [
        {**table, "level": level["level"], "currency": currency}
        for level in progressive["levels"]
        for table in level["tables"]
    ]
    yield from _section(f"{title}: contributions by table", _CONTRIBUTIONS, rows)


def _section(title: str, columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield title
    yield from grid([name for name, _ in columns], [[str(cell(row)) for _, cell in columns] for row in rows])
    yield ""


def _plain_cell(name: str) -> Callable[[Row], object]:
    return lambda row: "-" if row[name] is None else row[name]


def _money(name: str) -> Callable[[Row], object]:
    return lambda row: money(row[name], row["currency"])


def _micro(name: str) -> Callable[[Row], object]:
    return lambda row: micro(row[name], row["currency"])


def _explained_cell(name: str) -> Callable[[Row], object]:
    return lambda row: money(row["explained"][name], row["currency"]) if row["explained"] else "-"


def _corrections(row: Row) -> str:
    """Return the number of corrections, and the amount by which they moved both wins."""
    return f"{row['corrections']}: {money(row['corrected_minor'], row['currency'])}" if row["corrections"] else "-"


def _buy_ins(row: Row) -> str:
    return money(
        row["buyins_cash_minor"] + row["buyins_marker_minor"] + row["buyins_promotional_minor"], row["currency"]
    )


def _drop(row: Row) -> str:
    return money(row["net_drop_minor"], row["currency"]) + ("" if row["basis"] == "counted" else " est.")


_DAY: tuple[Column, ...] = (("day", _plain_cell("gaming_day")), ("table", _plain_cell("table")))
_FLOAT: tuple[Column, ...] = (
    *_DAY,
    ("game", _plain_cell("ruleset")),
    ("status", _plain_cell("status")),
    ("opener", _money("opener_minor")),
    ("buy-ins", _buy_ins),
    ("fills", _money("fills_minor")),
    ("credits", _money("credits_minor")),
    ("drop", _drop),
    ("closer", _money("closer_minor")),
    ("inventory win", _money("inventory_win_minor")),
)
_BETS: tuple[Column, ...] = (
    *_DAY,
    ("rounds", _plain_cell("rounds")),
    ("bets", _plain_cell("bets")),
    ("staked", _money("stakes_minor")),
    ("lost", _money("lost_minor")),
    ("due", _money("due_minor")),
    ("commission", _money("commission_minor")),
    ("kept of due", _micro("kept_millionths")),
    ("paid", _money("paid_minor")),
    ("event win", _money("event_win_minor")),
    ("progressive stakes", _money("progressive_stakes_minor")),
    ("contributed", _micro("contributed_micro")),
    ("irregularities", _plain_cell("irregularities")),
)
_WINS: tuple[Column, ...] = (
    *_DAY,
    ("inventory win", _money("inventory_win_minor")),
    ("basis", _plain_cell("basis")),
    ("event win", _money("event_win_minor")),
    ("difference", _money("difference_minor")),
    ("mispay", _explained_cell("mispay_minor")),
    ("promotional", _explained_cell("promotional_minor")),
    ("drop", _explained_cell("drop_minor")),
    ("uncounted", _explained_cell("uncounted_minor")),
    ("closer", _explained_cell("closer_minor")),
    ("rest", _explained_cell("rest_minor")),
    ("corrections (in both)", _corrections),
)
_TOTALS: tuple[Column, ...] = (
    ("day", _plain_cell("gaming_day")),
    ("currency", _plain_cell("currency")),
    ("tables", _plain_cell("tables")),
    ("rounds", _plain_cell("rounds")),
    ("bets", _plain_cell("bets")),
    ("staked", _money("stakes_minor")),
    ("drop", _money("net_drop_minor")),
    ("inventory win", _money("inventory_win_minor")),
    ("event win", _money("event_win_minor")),
    ("contributed", _micro("contributed_micro")),
)
_WAGERS: tuple[Column, ...] = (
    ("day", _plain_cell("gaming_day")),
    ("game", _plain_cell("ruleset")),
    ("bet", _plain_cell("wager")),
    ("bets", _plain_cell("bets")),
    ("handle", _money("handle_minor")),
    ("win", _money("win_minor")),
    ("paid", _money("paid_minor")),
)
_LEVELS: tuple[Column, ...] = (
    ("level", _plain_cell("level")),
    ("shown", _money("shown_minor")),
    ("meter", _micro("meter_micro")),
    ("start", _micro("start_micro")),
    ("seeds", _micro("seeds_micro")),
    ("fed", _micro("fed_micro")),
    ("adjusted", _micro("adjusted_micro")),
    ("locked", _money("locked_minor")),
    ("above the cap", _micro("overflow_micro")),
    ("reserve", _micro("reserve_micro")),
)
_CONTRIBUTIONS: tuple[Column, ...] = (
    *_DAY,
    ("level", _plain_cell("level")),
    ("rounds", _plain_cell("rounds")),
    ("stakes", _money("stakes_minor")),
    ("to the meter", _micro("fed_micro")),
    ("to the reserve", _micro("reserve_fed_micro")),
)
_HITS: tuple[Column, ...] = (
    ("hit", _plain_cell("hit")),
    ("level", _plain_cell("level")),
    *_DAY,
    ("round", _plain_cell("round")),
    ("box", _plain_cell("box")),
    ("player", _plain_cell("player")),
    ("status", _plain_cell("status")),
    ("share", _money("share_minor")),
    ("slip", _plain_cell("slip")),
)
_LOCKS: tuple[Column, ...] = (
    ("level", _plain_cell("level")),
    ("hits", lambda row: ", ".join(row["hits"])),
    ("meter", _micro("meter_micro")),
    ("each", _money("share_minor")),
    ("from the meter", _money("amount_minor")),
    ("from the house", _money("house_minor")),
    ("new seed", _micro("seed_micro")),
    ("of it from the reserve", _micro("from_reserve_micro")),
)
_ENVY: tuple[Column, ...] = (
    ("for the hit", _plain_cell("hit")),
    ("level", _plain_cell("level")),
    ("table", _plain_cell("table")),
    ("player", _plain_cell("player")),
    ("amount", _money("amount_minor")),
    ("slip", _plain_cell("slip")),
)
_HOUSE: tuple[Column, ...] = (
    ("slip", _plain_cell("slip")),
    ("level", _plain_cell("level")),
    *_DAY,
    ("round", _plain_cell("round")),
    ("box", _plain_cell("box")),
    ("player", _plain_cell("player")),
    ("amount", _money("amount_minor")),
    ("is", lambda row: "void" if row["is_void"] else "paid"),
    ("why", _plain_cell("reason")),
)
_REQUESTS: tuple[Column, ...] = (
    ("request", _plain_cell("request")),
    ("action", _plain_cell("action")),
    ("asked by", _plain_cell("person")),
    ("is", lambda row: row.get("ended") or ("decided" if row["is_done"] else "waiting")),
)
_READINGS: tuple[Column, ...] = (
    ("level", _plain_cell("level")),
    ("what", _plain_cell("kind")),
    ("found", _money("found_minor")),
    ("expected", _micro("expected_micro")),
    ("is", lambda row: "good" if row["is_good"] else "off"),
)
_VARIANCES: tuple[Column, ...] = (
    ("case", _plain_cell("case")),
    ("read", _money("read_minor")),
    ("shown", _money("shown_minor")),
    ("is", lambda row: row["way"] or "open"),
    ("player", _plain_cell("player")),
    ("slip", _plain_cell("slip")),
)
_NOTICES: tuple[Column, ...] = (
    ("level", _plain_cell("level")),
    ("what", _plain_cell("kind")),
    ("changes", _plain_cell("changes")),
    ("told", lambda row: row["told"] or row["read_by"] or "not yet"),
)
_MISFITS: tuple[Column, ...] = (
    ("table", _plain_cell("table")),
    ("round", _plain_cell("round")),
    ("type", _plain_cell("type")),
    ("why", _plain_cell("message")),
    ("clause", _plain_cell("clause")),
)
