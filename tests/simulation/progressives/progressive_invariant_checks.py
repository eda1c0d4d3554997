"""The checks after a simulated day: the invariants 9 to 18 of the books, and equality with a plain fold.

The plain fold is one thread that reads the store from its first event. Another calculation of the money uses no fold.
"""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import msgspec

from events import catalogue
from events.integrity.audit import audit
from events.progressives import (
    due_lock_and_lapse_appending,
    event_types,
    history_reader,
    progressive_state_following_store,
)
from events.progressives.award_report import award
from events.progressives.event_to_fact_mapping import MICRO, opening_of
from events.progressives.fact_structs import Adjust, AnyFact, Arm
from events.progressives.fold import Fold
from events.progressives.hit_amount_explanation import explain
from events.progressives.level_changes_and_notices import REASONS
from events.store import Stored
from tests.simulation.progressives.linked_tables_day import LinkedTablesDay
from tests.support.houses.progressive_house import NAME, PROPERTY


def check(day: LinkedTablesDay) -> None:
    """Assert all of it."""
    facts = list(history_reader.facts(day.store, PROPERTY, NAME))
    fold, refused = plain_fold(day, facts)
    own = [
        (event, catalogue.decode(event.type, event.raw).data)
        for event in day.store.stream(f"{PROPERTY}/progressives/{NAME}")
    ]
    what_is_said_is_what_the_facts_make(day)
    every_worker_knows_the_same(day, facts, fold, refused)
    fed_is_stakes_times_rate(facts, own, refused, fold)
    shares_are_amounts(fold)
    one_hit_one_lock_one_payment(fold, own)
    envy_is_participants(fold, own)
    cycles_are_apart(day, facts, fold)


def what_is_said_is_what_the_facts_make(day: LinkedTablesDay) -> None:
    """20: no event edited or removed; and the audit, which folds again, finds every share, payment and meter right."""
    assert audit(day.store, PROPERTY, []).findings == []


def plain_fold(day: LinkedTablesDay, facts: list[tuple[Stored, AnyFact]]) -> tuple[Fold, set[int]]:
    """9, 13: every meter balances at every position, and falls only by a lock, a void, or a listed correction."""
    fold = history_reader.start(day.store, PROPERTY, NAME)
    refused: set[int] = set()
    for _, fact in facts:
        before = {name: (level.meter, level.locked, level.seeds) for name, level in fold.state.levels.items()}
        refused |= {at for at, _ in fold.take((fact,))}
        fold.check_balance()
        for name, level in fold.state.levels.items():
            meter, locked, seeds = before[name]
            fell = level.meter < meter and (locked, seeds) == (level.locked, level.seeds)
            listed = isinstance(fact, Adjust) and fact.reason in REASONS
            assert not fell or listed, f"{name} fell at {fact.at} by {type(fact).__name__}"
            cap = level.settings.cap
            top = level.meter if cap is None else min(level.meter, cap)
            assert fold.shown_minor(name) * MICRO <= top < (fold.shown_minor(name) + 1) * MICRO
            assert top + fold.overflow(name) == level.meter
            assert level.meter >= 0
            assert level.reserve >= 0
    return fold, refused


def every_worker_knows_the_same(
    day: LinkedTablesDay, facts: list[tuple[Stored, AnyFact]], fold: Fold, refused: set[int]
) -> None:
    """Check invariant 15: repeated, late and indirect facts change nothing, and no award is due."""
    again = history_reader.start(day.store, PROPERTY, NAME)
    for first, second in pairwise([fact for _, fact in facts]):
        again.take((first, first, second, first))
    assert again.state == fold.state
    opening = opening_of(history_reader.opening(day.store, PROPERTY, NAME)[1])
    for worker in (day.store, *day.workers):
        assert due_lock_and_lapse_appending.reconcile(worker, PROPERTY, NAME) == 0
        live = progressive_state_following_store.live(worker, PROPERTY, NAME)
        assert live.fold is not None
        assert msgspec.structs.replace(live.fold.state.opening, keep_groups=None) == fold.state.opening
        assert live.fold.state.opening == opening
        assert _figures(live.fold) == _figures(fold)
        assert {misfit.position for misfit in live.misfits} == refused


def _figures(fold: Fold) -> dict[str, Any]:
    """Return the figures of a fold, without the number of kept rounds."""
    state = fold.state
    fields = {name: getattr(state, name) for name in state.__struct_fields__ if name != "opening"}
    return fields | {"at": state.at}


def fed_is_stakes_times_rate(
    facts: list[tuple[Stored, AnyFact]], own: list[tuple[Stored, Any]], refused: set[int], fold: Fold
) -> None:
    """10, 17, 18: every stake of every round armed counts once, at the rates in force there; fractions are carried."""
    rates: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    fed, reserved = Counter[str](), Counter[str]()
    for stored, data in own:
        if isinstance(data, event_types.ProgressiveOpened):
            for start in data.levels:
                rates[start.level].append((stored.position, start.feed_millionths, start.reserve_millionths))
        elif isinstance(data, event_types.ParametersChanged):
            _, feed, reserve = rates[data.level][-1]
            new_feed = feed if data.feed_millionths is msgspec.UNSET else data.feed_millionths
            new_reserve = reserve if data.reserve_millionths is msgspec.UNSET else data.reserve_millionths
            rates[data.level].append((stored.position, new_feed, new_reserve))
    for stored, fact in facts:
        if isinstance(fact, Arm) and fact.at not in refused:
            stakes = sum(bet.stake for bet in fact.bets)
            for name, known in rates.items():
                _, feed, reserve = [rate for rate in known if rate[0] < stored.position][-1]
                fed[name] += stakes * feed
                reserved[name] += stakes * reserve
    for name, level in fold.state.levels.items():
        assert (level.fed, level.reserve_fed) == (fed[name], reserved[name])


def shares_are_amounts(fold: Fold) -> None:
    """Check invariant 11: shares are paid from the meter and by the house, and the remainder stays on the meter."""
    for name, level in fold.state.levels.items():
        locks = fold.locks(name)
        for lock in locks:
            assert lock.share * len(lock.hits) == lock.amount + lock.house
            assert 0 <= lock.amount * MICRO <= max(lock.meter, 0) or lock.amount == 0
            assert lock.house == 0 or fold.state.opening.policy == "full-each" or fold.group(lock.hits[0]).fixed
        assert level.locked == sum(lock.amount for lock in locks)
        assert level.seeds == sum(lock.seed for lock in locks)


def one_hit_one_lock_one_payment(fold: Fold, own: list[tuple[Stored, Any]]) -> None:
    """Check invariant 14: one award and one payment a hit, the last revision as in the fold, and no gap."""
    in_locks = Counter(hit for name in fold.state.levels for lock in fold.locks(name) for hit in lock.hits)
    paid = Counter(data.hit for _, data in own if isinstance(data, event_types.JackpotPaid))
    slips = [
        (data.slip_year, data.slip)
        for _, data in own
        if isinstance(data, event_types.JackpotPaid | event_types.EnvyPaid)
    ]
    assert slips == [("2026", number) for number in range(1, len(slips) + 1)]
    for hit in fold.state.hits:
        status = fold.status(hit)
        assert in_locks[hit] == (status in ("locked", "authorised", "paid"))
        assert paid[hit] == (status == "paid")
    locks: dict[str, Any] = {}
    for _, data in own:
        if isinstance(data, event_types.SharesLocked | event_types.LockWithdrawn):
            assert data.revision == (locks[data.group].revision + 1 if data.group in locks else 1)
            locks[data.group] = data
    for key, group in fold.state.groups.items():
        word = locks.get(key)
        if group.lock is None:
            assert word is None or isinstance(word, event_types.LockWithdrawn)
        else:
            assert isinstance(word, event_types.SharesLocked)
            assert (word.as_of, word.meter_micro, word.amount_minor) == (
                group.lock.at,
                group.lock.meter,
                group.lock.amount,
            )
            assert [share.hit for share in word.shares] == list(group.lock.hits)
    for _, data in own:
        if isinstance(data, event_types.JackpotPaid):
            stands = fold.lock(data.hit)
            assert stands is not None
            assert data.amount_minor == stands.share, "paid is paid"


def envy_is_participants(fold: Fold, own: list[tuple[Stored, Any]]) -> None:
    """Check invariant 16: each participant gets the bonus of his stake.

    The winner gets it only for the hits of others.
    """
    got: dict[str, dict[str, int]] = defaultdict(dict)
    for _, data in own:
        if isinstance(data, event_types.EnvyPaid):
            assert data.player not in got[data.hit]
            got[data.hit][data.player] = data.amount_minor
    for hit in fold.state.hits.values():
        armed = fold.state.rounds[hit.table, hit.round]
        low, high = fold.state.opening.envy[hit.level]
        due: dict[str, int] = {}
        for bet in armed.bets:
            if bet.player != hit.player and hit.paid:
                due[bet.player] = max(due.get(bet.player, 0), high if bet.stake == 1_000 else low)
        assert got[hit.id] == due


def cycles_are_apart(day: LinkedTablesDay, facts: list[tuple[Stored, AnyFact]], fold: Fold) -> None:
    """12: a contribution belongs to one cycle, by its position; every share can be explained by its own."""
    start = history_reader.start(day.store, PROPERTY, NAME)
    for name in fold.state.levels:
        used: set[int] = set()
        for lock in fold.locks(name):
            why = explain(start, [fact for _, fact in facts], lock.hits[0])
            assert award(day.store, PROPERTY, lock.hits[0]).explanation == why, "the cycle tells what the life does"
            mine = {line.at for line in why.contributions}
            assert not mine & used
            assert all(at < lock.at for at in mine)
            used |= mine
