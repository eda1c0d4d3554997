"""The locks of one level, computed from its marks as of each group's position, and the final locks.

Rules of this file: groups are locked in order of position. A group waits while an earlier one of its level is not
lockable. A lock sees all earlier positions and no later one. A payment is final; the rest is computed from the valid
hits.
"""

from collections.abc import Collection

import msgspec
from msgspec.structs import replace

from events.progressives.fact_structs import GroupLock
from events.progressives.levels_rounds_and_hits_state import Base, FoldState, HitGroup, HitMark, LevelState
from events.progressives.meter import displayed_minor, meter_after_shares
from events.progressives.sharing_policies import Policy, policy


class LevelStanding(msgspec.Struct, kw_only=True):
    """A level with its valid hits: amounts as in `LevelState`; each group's lock, None for a pending or void group."""

    meter: int
    reserve: int
    locked: int
    seeds: int
    pending: int
    locks: dict[str, GroupLock | None]


def settle(state: FoldState, level: LevelState, voiding: Collection[str] = ()) -> LevelStanding:
    """Return the level as if the hits `voiding` were void too. Changes nothing; costs one step a mark."""
    rules = policy(state.opening.policy, state.opening.policy_version)
    base = level.base
    now = LevelStanding(
        meter=base.meter, reserve=base.reserve, locked=base.locked, seeds=base.seeds, pending=0, locks={}
    )
    is_waiting = False
    for mark in level.marks:
        now.meter += mark.meter
        now.reserve += mark.reserve
        group = state.groups[state.hits[mark.hit].group]
        hits = _standing_hits(state, group, voiding)
        if not hits:
            now.locks[group.key] = None
        elif mark.hit == _anchor(group, hits):
            is_waiting = is_waiting or not group.lockable
            if is_waiting:
                now.pending += len(hits)
                now.locks[group.key] = None
            else:
                _take(now, _lock(state.opening.scale, rules, group, hits, mark, now), state.opening.scale, group.key)
    now.meter += level.tail_meter
    now.reserve += level.tail_reserve
    return now


def _standing_hits(state: FoldState, group: HitGroup, voiding: Collection[str] = ()) -> tuple[str, ...]:
    return tuple(hit for hit in group.hits if not state.hits[hit].void and hit not in voiding)


def _anchor(group: HitGroup, hits: tuple[str, ...]) -> str:
    """Return the hit that gives the group its position: the first valid one, or the one of the first payment."""
    return group.fixed.anchor if group.fixed else hits[0]


def _lock(
    scale: int, rules: Policy, group: HitGroup, hits: tuple[str, ...], mark: HitMark, now: LevelStanding
) -> GroupLock:
    """Return the group's shares from the meter `now` at its mark. Shares of a fixed group never change."""
    if group.fixed:
        share = group.fixed.share
    else:
        top = now.meter if mark.cap is None else min(now.meter, mark.cap)
        share = rules.share(displayed_minor(top, scale), len(hits))
    amount = min(rules.taken(share, len(hits)), displayed_minor(now.meter, scale))
    return GroupLock(
        at=mark.at,
        hits=hits,
        meter=now.meter,
        share=share,
        amount=amount,
        house=share * len(hits) - amount,
        seed=mark.seed,
        from_reserve=min(now.reserve, mark.seed),
        cap=mark.cap,
        version=mark.version,
    )


def _take(now: LevelStanding, lock: GroupLock, scale: int, key: str) -> None:
    """Apply a lock to the level: subtract the amount, and add the seed, as far as possible from the reserve."""
    now.meter = meter_after_shares(now.meter, lock.seed, lock.amount, scale)
    now.reserve -= lock.from_reserve
    now.locked += lock.amount
    now.seeds += lock.seed
    now.locks[key] = lock


def relock(state: FoldState, level: LevelState) -> None:
    """Bring the level's groups up to date after a change of its hits, and drop final ones."""
    now = settle(state, level)
    level.meter, level.reserve = now.meter, now.reserve
    level.locked, level.seeds, level.pending = now.locked, now.seeds, now.pending
    for key, lock in now.locks.items():
        group = state.groups[key]
        if group.lock != lock:
            state.groups[key] = replace(group, lock=lock)
        note_unsaid(state, key)
    _compact(state, level)


def note_unsaid(state: FoldState, key: str) -> None:
    """Remember whether the stream lacks the event of this group's lock."""
    recorded = state.locks.get(key)
    if state.groups[key].lock == (recorded.lock if recorded else None):
        state.unsaid.discard(key)
    else:
        state.unsaid.add(key)


def _compact(state: FoldState, level: LevelState) -> None:
    """Fold the first marks that can no longer change into the base: void hits, and groups with only final hits."""
    dropped = 0
    for mark in level.marks:
        group = state.groups[state.hits[mark.hit].group]
        hits = _standing_hits(state, group)
        is_anchor = bool(hits) and mark.hit == _anchor(group, hits)
        if is_anchor and not all(state.hits[hit].final for hit in hits):
            break
        level.base = _base_after_lock(level.base, mark, group.lock if is_anchor else None, state.opening.scale)
        dropped += 1
        left = {later.hit for later in level.marks[dropped:]}
        if left.isdisjoint(group.hits):
            state.settled.append(group.key)
    del level.marks[:dropped]


def _base_after_lock(base: Base, mark: HitMark, lock: GroupLock | None, scale: int) -> Base:
    """Return the base moved past a mark and its lock."""
    meter, reserve = base.meter + mark.meter, base.reserve + mark.reserve
    if lock is None:
        return Base(meter=meter, reserve=reserve, locked=base.locked, seeds=base.seeds)
    return Base(
        meter=meter_after_shares(meter, lock.seed, lock.amount, scale),
        reserve=reserve - lock.from_reserve,
        locked=base.locked + lock.amount,
        seeds=base.seeds + lock.seed,
    )
