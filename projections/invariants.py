"""Invariants between the figures of the read models. Each check yields a finding for a violation.

The names are those of the list of invariants in the reference pages. Figures calculated twice, by independent ways, are
compared here.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TypeVar, cast

import msgspec
from django.db import models

from projections.engine.models import PoisonedEvent
from projections.matters.models import HousePayment, LevelWait, Misfit, Notice, Variance
from projections.progressives.models import (
    MICRO,
    ArmedRound,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)
from projections.progressives.table_event_checks_by_rows import LINK
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import wins


class Violation(msgspec.Struct, frozen=True):
    """A violated invariant: its name, its subject, and the difference. Amounts in minor units."""

    invariant: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message} [{self.invariant}]"


Findings = Iterator[Violation]
M = TypeVar("M", bound=models.Model)


class LoadedRows:
    """Every row of the requested models. Later reads see later rows: read all within one moment."""

    def __init__(self, using: str = "default") -> None:
        self._using = using
        self._rows: dict[type[models.Model], list[models.Model]] = {}

    def all(self, model: type[M], *order: str) -> list[M]:
        """The rows of a model, in the order of these columns; of its primary key, where none is named."""
        if model not in self._rows:
            # In Python's order: a database may have a collation of its own.
            self._rows[model] = sorted(model._default_manager.using(self._using).all(), key=attrgetter("pk"))
        rows = cast("list[M]", self._rows[model])
        return sorted(rows, key=attrgetter(*order)) if order else rows


def findings(using: str = "default", rows: LoadedRows | None = None) -> list[Violation]:
    """Return the violations over all read models; empty where every invariant holds."""
    rows = rows or LoadedRows(using)
    return [finding for check in CHECKS for finding in check(rows)]


def _standing_locks(rows: LoadedRows, *order: str) -> list[Lock]:
    return [lock for lock in rows.all(Lock, *order) if lock.is_standing]


def both_wins(rows: LoadedRows) -> Findings:
    """Check that table win and recorded win differ only by explained amounts, and that every stake was decided."""
    for day in rows.all(TableDay):
        if day.closer_minor is None:
            continue
        explanation = wins(day).explained
        if explanation is not None and explanation.rest_minor:
            yield Violation("both wins", day.id, f"{explanation.rest_minor} of the difference is not explained")
        if day.stakes_minor != day.resolved_minor:
            message = f"staked {day.stakes_minor}, decided {day.resolved_minor}"
            yield Violation("every stake is decided", day.id, message)
        if day.paid_minor != day.due_minor and not day.irregularities:
            message = f"paid {day.paid_minor}, due {day.due_minor}, and no irregularity"
            yield Violation("a mispay is an irregularity", day.id, message)


_BY_KIND = ("bets", "lost_minor", "due_minor", "commission_minor", "paid_minor", "kept_millionths")


def kinds_make_the_table(rows: LoadedRows) -> Findings:
    """Check that the figures by kind of bet add up to those of the table."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows.all(WagerDay):
        sums[row.stream].update({name: getattr(row, name) for name in _BY_KIND})
    for day in rows.all(TableDay):
        for name in _BY_KIND:
            if getattr(day, name) != sums[day.id][name]:
                message = f"{name} is {getattr(day, name)}, by kind of bet {sums[day.id][name]}"
                yield Violation("kinds of bet = table", day.id, message)


def opener_is_last_closer(rows: LoadedRows) -> Findings:
    """Denomination by denomination (NJ 1.21), unless a discrepancy was recorded at the opening."""
    days = [day for day in rows.all(TableDay, "property", "table", "gaming_day") if day.status != "new"]
    for before, day in pairwise(days):
        same_table = (before.property, before.table) == (day.property, day.table)
        if same_table and before.closer_chips != day.opener_chips and not day.irregularities:
            message = f"opener {day.opener_chips}, last closer {before.closer_chips}, no discrepancy recorded"
            yield Violation("opener = last closer", day.id, message)


def meter_equation(rows: LoadedRows) -> Findings:
    """meter = start + seeds + fed + adjusted - locked; neither meter nor reserve is below 0."""
    for level in rows.all(ProgressiveLevel):
        booked = level.start_micro + level.seeds_micro + level.fed_micro + level.adjusted_micro
        booked -= level.locked_minor * MICRO
        if level.meter_micro != booked:
            message = f"the meter is {level.meter_micro} micro, its parts make {booked}"
            yield Violation("meter = start + seeds + fed + adjusted - locked", level.id, message)
        if level.meter_micro < 0 or level.reserve_micro < 0:
            yield Violation("no meter below 0", level.id, f"meter {level.meter_micro}, reserve {level.reserve_micro}")


def fed_is_stakes_times_rate(rows: LoadedRows) -> Findings:
    """Recomputed round by round at the rates in force where each was armed; the sum over the tables is the same."""
    rates, rounds = _rates(rows), _stakes(rows)
    tables: Counter[str] = Counter()
    for table in rows.all(ProgressiveTable):
        tables[table.level_id] += table.fed_micro
    for level in rows.all(ProgressiveLevel):
        fed_micro = 0
        for position, stakes in rounds[level.stream]:
            place = bisect_left(rates[level.id], (position, 0))
            fed_micro += stakes * rates[level.id][place - 1][1]
        if not level.fed_micro == fed_micro == tables[level.id]:
            message = f"fed {level.fed_micro} micro, by its rounds {fed_micro}, by its tables {tables[level.id]}"
            yield Violation("fed = sum of stake x rate", level.id, message)


def progressive_stakes(rows: LoadedRows) -> Findings:
    """Check that a table's armed stakes equal those of its rounds, every stake once."""
    armed: Counter[str] = Counter()
    for row in rows.all(ArmedRound):
        armed[row.session] += sum(stake for _, _, stake in msgspec.json.decode(row.bets))
    for day in rows.all(TableDay):
        if day.progressive_stakes_minor != armed[day.id]:
            message = f"armed {day.progressive_stakes_minor} at the table, {armed[day.id]} in its rounds"
            yield Violation("every progressive stake is accounted for", day.id, message)


def shares_are_amount(rows: LoadedRows) -> Findings:
    """Shares = taken from the meter + paid by the house. A level loses its locks and gets its seeds."""
    locked_by_level: Counter[str] = Counter()
    seeds: Counter[str] = Counter()
    hits = {(hit.stream, hit.hit): hit for hit in rows.all(Hit)}
    in_locks: Counter[tuple[str, str]] = Counter()
    for lock in _standing_locks(rows):
        names = msgspec.json.decode(lock.hits)
        locked_by_level[f"{lock.stream}/{lock.level}"] += lock.amount_minor
        seeds[f"{lock.stream}/{lock.level}"] += lock.seed_micro
        in_locks.update((lock.stream, name) for name in names)
        if lock.share_minor * len(names) != lock.amount_minor + lock.house_minor:
            message = f"{len(names)} x {lock.share_minor} is not {lock.amount_minor} + {lock.house_minor}"
            yield Violation("shares + remainder = amount", lock.id, message)
        if lock.amount_minor * MICRO > max(lock.meter_micro, 0):
            yield Violation(
                "a lock takes no more than there is", lock.id, f"{lock.amount_minor} of {lock.meter_micro} micro"
            )
        for name in names:
            hit = hits.get((lock.stream, name))
            if hit is None or hit.share_minor != lock.share_minor:
                yield Violation("shares + remainder = amount", lock.id, f"the hit {name} has another share")
    for level in rows.all(ProgressiveLevel):
        if (level.locked_minor, level.seeds_micro) != (locked_by_level[level.id], seeds[level.id]):
            message = f"locked {level.locked_minor}, its locks {locked_by_level[level.id]}"
            message += f"; seeds {level.seeds_micro}, of its locks {seeds[level.id]}"
            yield Violation("shares + remainder = amount", level.id, message)
    for key, hit in sorted(hits.items()):
        wanted = 1 if hit.status in ("locked", "authorised", "paid") else 0
        if in_locks[key] != wanted:
            yield Violation("one hit, one lock", hit.id, f"{hit.status}, and in {in_locks[key]} locks")


def locks_are_of_the_meter(rows: LoadedRows) -> Findings:
    """The meter of a lock is the level's amount at its position: start, contributions, corrections, earlier locks."""
    locks_by_level: dict[str, list[Lock]] = defaultdict(list)
    for lock in _standing_locks(rows, "as_of"):
        locks_by_level[f"{lock.stream}/{lock.level}"].append(lock)
    moved = _movements_by_level(rows)
    for level in (level for level in rows.all(ProgressiveLevel) if level.id in locks_by_level):
        meter = _MeterCourse(level.start_micro, moved[level.id])
        for lock in locks_by_level[level.id]:
            if (booked := meter.at(lock.as_of)) != lock.meter_micro:
                message = f"locked from a meter of {lock.meter_micro} micro; it was {booked} at {lock.as_of}"
                yield Violation("a lock takes from the meter as it stood", lock.id, message)
            meter.taken += lock.seed_micro - lock.amount_minor * MICRO


class _MeterCourse:
    """Meter of one level at ascending positions; `moved` is (position, micro)."""

    def __init__(self, start_micro: int, moved: list[tuple[int, int]]) -> None:
        self.taken = 0  # by the locks so far, their seeds given back
        self._positions = [position for position, _ in sorted(moved)]
        self._sums = list(accumulate((amount for _, amount in sorted(moved)), initial=start_micro))

    def at(self, position: int) -> int:
        """Return the meter before the event at this position."""
        return self._sums[bisect_left(self._positions, position)] + self.taken


def _movements_by_level(rows: LoadedRows) -> dict[str, list[tuple[int, int]]]:
    """Return the movements by level: contributions of its rounds at the rates in force, and corrections."""
    moves_by_level: dict[str, list[tuple[int, int]]] = defaultdict(list)
    rates, rounds = _rates(rows), _stakes(rows)
    for level, settings in rates.items():
        for position, stakes in rounds[level.rpartition("/")[0]]:
            moves_by_level[level].append((position, stakes * settings[bisect_left(settings, (position, 0)) - 1][1]))
    for row in (row for row in rows.all(Notice) if row.kind == "correction"):
        ((_, before, after),) = msgspec.json.decode(row.changes)
        moves_by_level[f"{row.stream}/{row.level}"].append((row.position, after - before))
    return moves_by_level


def _rates(rows: LoadedRows) -> dict[str, list[tuple[int, int]]]:
    """Return the contribution rates by level, each with its first position."""
    rates: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in rows.all(ProgressiveParameters, "position"):
        rates[row.level_id].append((row.position, row.feed_millionths))
    return rates


def _stakes(rows: LoadedRows) -> dict[str, list[tuple[int, int]]]:
    """Return the rounds by progressive: positions of arming, and stakes."""
    rounds: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for armed in (armed for armed in rows.all(ArmedRound) if armed.status != "refused"):
        stakes = sum(stake for _, _, stake in msgspec.json.decode(armed.bets))
        rounds[armed.stream].append((armed.position, stakes))
    return rounds


def hits_and_wins(rows: LoadedRows) -> Findings:
    """A level's hits are its valid locks, its wins the paid shares (NJ 13:69E-1.39A)."""
    locks = Counter(f"{lock.stream}/{lock.level}" for lock in _standing_locks(rows))
    paid: Counter[str] = Counter()
    for hit in (hit for hit in rows.all(Hit) if hit.status == "paid"):
        paid[f"{hit.stream}/{hit.level}"] += hit.share_minor or 0
    for level in rows.all(ProgressiveLevel):
        if (level.locks, level.paid_minor) != (locks[level.id], paid[level.id]):
            message = f"{level.locks} locks, {level.paid_minor} paid; by its rows {locks[level.id]}, {paid[level.id]}"
            yield Violation("hits = locks, wins = shares paid", level.id, message)


def what_is_refused_is_told(rows: LoadedRows) -> Findings:
    """Check that every refused round and hit, which moved nothing, is shown to people as a misfit."""
    misfit_places = {(misfit.stream, misfit.position) for misfit in rows.all(Misfit)}
    refused: list[ArmedRound | Hit] = [*rows.all(ArmedRound), *rows.all(Hit)]
    for row in refused:
        if row.status == "refused" and (row.stream, row.position) not in misfit_places:
            yield Violation("what is refused is told", row.id, "refused, and nobody is told")


def tables_feed_their_own(rows: LoadedRows) -> Findings:
    """A table feeds a progressive that is open, in its own currency."""
    for misfit in (misfit for misfit in rows.all(Misfit, "position") if misfit.clause == LINK):
        place = f"round {misfit.round} of {misfit.gaming_day}" if misfit.round else misfit.gaming_day
        message = f"{place}: {misfit.message}"
        yield Violation("a table feeds a progressive that is open", misfit.table, message)
    currencies = {row.id: row.currency for row in rows.all(Progressive)}
    streams = {fed.session: fed.level_id.rpartition("/")[0] for fed in rows.all(ProgressiveTable)}
    for day in (day for day in rows.all(TableDay) if day.id in streams):
        if day.currency and day.currency != (of := currencies[streams[day.id]]):
            message = f"it plays in {day.currency} and feeds {streams[day.id]}, which is in {of}"
            yield Violation("a table feeds a progressive of its own currency", day.id, message)


def accounting_is_told(rows: LoadedRows) -> Findings:
    """Every change of parameters is a notice: a level has as many as it had settings, the opening's apart."""
    notices = Counter(f"{row.stream}/{row.level}" for row in rows.all(Notice) if row.kind == "parameters")
    settings = Counter(row.level_id for row in rows.all(ProgressiveParameters))
    for level in rows.all(ProgressiveLevel):
        if notices[level.id] != settings[level.id] - 1:
            message = f"{settings[level.id] - 1} changes, {notices[level.id]} notices"
            yield Violation("accounting is told of every change", level.id, message)


def matters_are_real(rows: LoadedRows) -> Findings:
    """Check that each level has one open variance at most, and waits only for a pending hit."""
    cases = Counter(f"{row.stream}/{row.level}" for row in rows.all(Variance) if row.closed_at is None)
    for level, number in sorted(cases.items()):
        if number > 1:
            yield Violation("one open variance a level", level, f"{number} cases are open")
    pending = {hit.id for hit in rows.all(Hit) if hit.status == "pending"}
    for wait in (wait for wait in rows.all(LevelWait) if wait.cleared_at is None):
        if wait.id not in pending:
            yield Violation("a level waits for a pending hit", wait.id, "the hit is not pending")


def envy_is_participants(rows: LoadedRows) -> Findings:
    """Check that a paid hit pays the envy bonus to each player of its round, to the winner only by rule."""
    paid: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for row in rows.all(Envy):
        paid[row.stream, row.hit][row.player] = row.amount_minor
    progressives = {row.id: row for row in rows.all(Progressive)}
    rounds = {row.id: row for row in rows.all(ArmedRound)}
    for hit in rows.all(Hit):
        due: dict[str, int] = {}
        armed = rounds.get(f"{hit.session}#{hit.round}")
        if hit.status == "paid" and armed is not None:
            due = envy_due(progressives[hit.stream], armed, hit)
        if paid[hit.stream, hit.hit] != due:
            message = f"paid {paid[hit.stream, hit.hit]}, due {due}"
            yield Violation("envy = participants", hit.id, message)


def envy_due(progressive: Progressive, armed: ArmedRound, hit: Hit) -> dict[str, int]:
    """Bonus by player: by his highest stake in the round, once; not for a hit of his own unless so opened (BLZ-6)."""
    low, high = msgspec.json.decode(progressive.envy).get(hit.level, (0, 0))
    highest: dict[str, int] = {}
    for _, player, stake in msgspec.json.decode(armed.bets):
        highest[player] = max(stake, highest.get(player, 0))
    amounts = {player: low if stake == progressive.stake_low_minor else high for player, stake in highest.items()}
    return {
        player: amount
        for player, amount in amounts.items()
        if amount and (player != hit.player or progressive.envy_to_winner)
    }


def house_pays_once(rows: LoadedRows) -> Findings:
    """Check that the house pays once, by a slip, for each box of a round that a meter cannot corrected."""
    valid_payments = [row for row in rows.all(HousePayment) if row.void_at is None]
    paid = Counter((row.stream, row.table, row.gaming_day, row.round, row.box) for row in valid_payments)
    for (stream, table, day, round_, box), number in sorted(paid.items()):
        if number > 1:
            yield Violation(
                "the house pays once", stream, f"{number} times for box {box} of round {round_}, {table} {day}"
            )
    slips = {(row.stream, row.slip): row.id for row in rows.all(Hit) if row.status == "paid"}
    slips |= {(row.stream, row.slip): row.id for row in rows.all(Envy)}
    for row in rows.all(HousePayment):
        if (row.stream, row.slip) in slips:
            yield Violation("a slip is used once", row.id, f"slip {row.slip} is that of {slips[row.stream, row.slip]}")


def nothing_put_aside(rows: LoadedRows) -> Findings:
    """No event waits to be decoded or applied."""
    for row in rows.all(PoisonedEvent):
        yield Violation("no event is put aside", f"{row.stream} at {row.position}", f"{row.type}: {row.error}")


CHECKS: tuple[Callable[[LoadedRows], Findings], ...] = (
    both_wins,
    kinds_make_the_table,
    opener_is_last_closer,
    meter_equation,
    fed_is_stakes_times_rate,
    progressive_stakes,
    shares_are_amount,
    locks_are_of_the_meter,
    hits_and_wins,
    what_is_refused_is_told,
    tables_feed_their_own,
    accounting_is_told,
    matters_are_real,
    envy_is_participants,
    house_pays_once,
    nothing_put_aside,
)
