"""The books: every figure of the read models, as plain data. A handful of queries, however many tables there are."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables.moved_amount_declarations import EVENT_WIN, total
from projections.matters.models import ApprovalRequest, HousePayment, Misfit, Notice, Reading, Variance
from projections.progressives.models import Envy, Hit, Lock, Progressive, ProgressiveLevel, ProgressiveTable
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import event_win_minor, net_drop_minor, wins

Books = dict[str, Any]


def books(gaming_day: str | None = None, using: str = "default") -> Books:
    """Return every figure, of one gaming day or of all; amounts in minor units ("_micro": millionths of one).

    The meters of the progressives and their open items are as of now, for any day. Contributions, hits and envy are the
    day's.
    """
    of_day = {"gaming_day": gaming_day} if gaming_day else {}
    by_session: dict[str, list[ProgressiveTable]] = {}
    days = list(TableDay.objects.using(using).filter(**of_day).order_by("gaming_day", "table"))
    contributions = list(ProgressiveTable.objects.using(using).filter(**of_day).order_by("session", "level_id"))
    for row in contributions:
        by_session.setdefault(row.session, []).append(row)
    wagers = list(WagerDay.objects.using(using).filter(**of_day).order_by("stream", "wager"))
    hits = list(Hit.objects.using(using).filter(**of_day).order_by("stream", "hit"))
    return {
        "gaming_day": gaming_day,
        "tables": [_table(day, by_session.get(day.id, [])) for day in days],
        "totals": _totals(days, contributions),
        "wagers": _wagers(days, wagers),
        "progressives": _progressives(contributions, using),
        "hits": [_hit(hit) for hit in hits],
        "locks": _locks(hits, using),
        "envy": _envy(hits, using),
        "matters": _matters(using),
        **_house_payments(of_day, using),
    }


def digest(books: Books) -> str:
    """SHA-256 over the books as canonical JSON. No clock, position or hash is in them: equal for equal days."""
    return hashlib.sha256(msgspec.json.encode(books, order="deterministic")).hexdigest()


# --- tables -----------------------------------------------------------------------------------------------------


def _table(day: TableDay, contributions: Sequence[ProgressiveTable]) -> Books:
    return {
        **_columns(day, "table", "gaming_day", "pit", "game"),
        "ruleset": taken_ruleset(day.ruleset).stamp,
        **_columns(day, "currency", "status", *_SUMMED),
        **_columns(day, "expected_minor", "closer_minor", "drop_minor", "drop_promotional_minor"),
        "net_drop_minor": net_drop_minor(day),
        **msgspec.to_builtins(wins(day)),
        "contributed_micro": sum(row.fed_micro for row in contributions),
        "reserved_micro": sum(row.reserve_fed_micro for row in contributions),
        "progressive": day.progressive,
    }


_SUMMED = (
    "opener_minor",
    "buyins_cash_minor",
    "buyins_marker_minor",
    "buyins_promotional_minor",
    "fills_minor",
    "credits_minor",
    "stakes_minor",
    "lost_minor",
    "due_minor",
    "paid_minor",
    "commission_minor",
    "rounded_millionths",
    "kept_millionths",
    "progressive_stakes_minor",
    "rounds",
    "rounds_voided",
    "bets",
    "irregularities",
    "corrections",
    "corrected_minor",
)


def _totals(days: Sequence[TableDay], contributions: Sequence[ProgressiveTable]) -> list[Books]:
    """The sums by gaming day and currency. A day's table win is there once every table has one."""
    totals = []
    for key in sorted({(day.gaming_day, day.currency) for day in days}):
        days_of_key = [day for day in days if (day.gaming_day, day.currency) == key]
        ids = {day.id for day in days_of_key}
        all_wins = [wins(day) for day in days_of_key]
        inventory = [win.inventory_win_minor for win in all_wins if win.inventory_win_minor is not None]
        bases = {win.basis for win in all_wins}
        totals.append(
            {
                "gaming_day": key[0],
                "currency": key[1],
                "tables": len(days_of_key),
                **{name: sum(getattr(day, name) for day in days_of_key) for name in _SUMMED},
                "net_drop_minor": sum(map(net_drop_minor, days_of_key)),
                "event_win_minor": sum(map(event_win_minor, days_of_key)),
                "inventory_win_minor": sum(inventory) if len(inventory) == len(days_of_key) else None,
                "basis": next((basis for basis in ("open", "estimated") if basis in bases), "counted"),
                "contributed_micro": sum(row.fed_micro for row in contributions if row.session in ids),
            }
        )
    return totals


def _wagers(days: Sequence[TableDay], wagers: Iterable[WagerDay]) -> list[Books]:
    """Return handle and win by gaming day, game and kind of bet. A bet without a version was played by the first
    one.
    """
    about = {day.id: day for day in days}
    sums: dict[tuple[str, str, str, str], dict[str, int]] = {}
    names = ("bets", "handle_minor", "lost_minor", "due_minor", "commission_minor", "paid_minor", "kept_millionths")
    for row in wagers:
        day = about[row.stream]
        key = (day.gaming_day, day.currency, taken_ruleset(row.ruleset).stamp, row.wager)
        into = sums.setdefault(key, dict.fromkeys(names, 0))
        for name in names:
            into[name] += getattr(row, name)
    return [
        {
            "gaming_day": day,
            "currency": currency,
            "ruleset": ruleset,
            "wager": wager,
            **sums_of,
            "win_minor": _recorded_win(sums_of),
        }
        for (day, currency, ruleset, wager), sums_of in sorted(sums.items(), key=_order)
    ]


def _recorded_win(sums_of: Mapping[str, int]) -> int:
    return total(EVENT_WIN, lambda name: sums_of[f"{name}_minor"])


def _order(row: tuple[tuple[str, str, str, str], Any]) -> tuple[Any, ...]:
    """A ruleset by its name, then by its version: "baccarat@1" before "baccarat-no-commission@1"."""
    day, currency, ruleset, wager = row[0]
    return day, currency, ruleset.partition("@"), wager


# --- progressives -----------------------------------------------------------------------------------------------


def _progressives(contributions: Sequence[ProgressiveTable], using: str) -> list[Books]:
    levels = list(ProgressiveLevel.objects.using(using).order_by("stream", "rank"))
    return [
        {
            "progressive": row.progressive,
            "ruleset": taken_ruleset(row.ruleset).stamp,
            "currency": row.currency,
            "policy": row.policy,
            "stakes_minor": [row.stake_low_minor, row.stake_high_minor],
            "withhold_millionths": row.withhold_millionths,
            "levels": [_level(level, contributions) for level in levels if level.stream == row.id],
        }
        for row in Progressive.objects.using(using).order_by("id")
    ]


def _level(level: ProgressiveLevel, contributions: Sequence[ProgressiveTable]) -> Books:
    names = (
        "level",
        "meter_micro",
        "shown_minor",
        "overflow_micro",
        "cap_micro",
        "start_micro",
        "seeds_micro",
        "fed_micro",
        "adjusted_micro",
        "locked_minor",
        "locks",
        "paid_minor",
        "house_minor",
        "reserve_micro",
        "reserve_start_micro",
        "reserve_fed_micro",
        "seed_micro",
        "feed_millionths",
        "reserve_millionths",
    )
    of_table = ("table", "gaming_day", "rounds", "stakes_minor", "fed_micro", "reserve_fed_micro")
    tables = [_columns(row, *of_table) for row in contributions if row.level_id == level.id]
    return {**_columns(level, *names), "tables": tables}


def _columns(row: Any, *names: str) -> Books:
    """Return these columns of a row."""
    return {name: getattr(row, name) for name in names}


def _name(stream: str) -> str:
    return stream.rpartition("/")[2]


def _hit(hit: Hit) -> Books:
    names = ("hit", "level", "status", "share_minor", "slip", "is_late", "table", "gaming_day", "round", "box")
    return {"progressive": _name(hit.stream), **_columns(hit, *names, "player", "dealer")}


def _locks(hits: Sequence[Hit], using: str) -> list[Books]:
    """Return the standing locks of these hits, in order of their positions."""
    about = {(hit.stream, hit.hit) for hit in hits}
    amounts = ("meter_micro", "share_minor", "amount_minor", "house_minor", "seed_micro", "from_reserve_micro")
    locks = []
    for lock in Lock.objects.using(using).filter(is_standing=True).order_by("stream", "level", "as_of"):
        names = msgspec.json.decode(lock.hits)
        if any((lock.stream, name) in about for name in names):
            about_lock = {"progressive": _name(lock.stream), "level": lock.level, "hits": names}
            locks.append({**about_lock, **_columns(lock, *amounts)})
    return locks


def _envy(hits: Sequence[Hit], using: str) -> list[Books]:
    hits_by_id = {(hit.stream, hit.hit): hit for hit in hits}
    return [
        {
            "progressive": _name(row.stream),
            **_columns(row, "hit", "player", "amount_minor", "slip"),
            **_columns(hits_by_id[row.stream, row.hit], "table", "level"),
        }
        for row in Envy.objects.using(using).order_by("stream", "hit", "player")
        if (row.stream, row.hit) in hits_by_id
    ]


# --- open items of people ---------------------------------------------------------------------------------------


def _house_payments(of_day: dict[str, str], using: str) -> Books:
    """Return the house's payments outside the meters, void ones included; an empty dict without payments."""
    names = (
        "level",
        "hit",
        "table",
        "gaming_day",
        "round",
        "box",
        "player",
        "amount_minor",
        "slip",
        "tender",
        "reason",
    )
    payments = [
        {
            "progressive": _name(row.stream),
            **{_KEYS.get(name, name): getattr(row, name) for name in names},
            "paid_gaming_day": row.paid_gaming_day,
            "is_void": row.void_at is not None,
        }
        for row in HousePayment.objects.using(using).filter(**of_day).order_by("stream", "position")
    ]
    return {"house_payments": payments} if payments else {}


_KEYS = {"accounting_person": "told"}  # of the books, where a field has another name


def _matters(using: str) -> Books:
    """Requests, readings, variances, notices, misfits. Levels that waited are not: that is a matter of clocks."""
    return {
        "requests": _requests(using),
        "readings": _plainly(Reading, ("level", "kind", "found_minor", "expected_micro", "is_good"), using),
        "variances": _plainly(
            Variance, ("case", "level", "read_minor", "shown_minor", "way", "player", "slip"), using, done="closed_at"
        ),
        "notices": _plainly(Notice, ("level", "kind", "changes", "reason", "accounting_person", "read_by"), using),
        "misfits": _plainly(Misfit, ("table", "gaming_day", "round", "type", "clause", "message"), using),
    }


def _requests(using: str) -> list[Books]:
    """Return the requests. `ended` names an end other than a decision."""
    rows = _plainly(ApprovalRequest, ("request", "action", "person", "ended"), using, done="decided_at")
    return [row if row["ended"] else {name: row[name] for name in row if name != "ended"} for row in rows]


def _plainly(model: Any, names: Sequence[str], using: str, done: str = "") -> list[Books]:
    """Return the rows in order of position; `done` is the column that is None while a person has work on the row."""
    return [
        {
            "progressive": _name(row.stream),
            **{_KEYS.get(name, name): getattr(row, name) for name in names},
            **({"is_done": getattr(row, done) is not None} if done else {}),
        }
        for row in model.objects.using(using).filter(stream__contains="/progressives/").order_by("stream", "position")
    ]
