"""The fold of one progressive's facts, in order of position: every meter, share and bonus.

It depends on the set of facts alone: the caller brings each once, in order of position. An armed round costs a few
additions and one record. A fact about a hit costs one step for each hit of its level that can still change.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import Conflict, Refused
from events.progressives import jackpot_hit_facts_in_fold, level_changes_and_notices, round_facts_fold_steps
from events.progressives.fact_structs import (
    Adjust,
    AnyFact,
    Arm,
    Authorise,
    DealFinished,
    DepositFact,
    GroupLock,
    HitFact,
    HousePaidFact,
    HouseVoidedFact,
    LateHitFact,
    LockRecorded,
    NoticeRead,
    ParametersFact,
    Pay,
    RoundOver,
    SlipUsed,
    VarianceFound,
    VarianceSettled,
    Void,
    VoidRoundFact,
    WaitingRecorded,
)
from events.progressives.hit_locks_of_a_level import note_unsaid
from events.progressives.levels_rounds_and_hits_state import (
    ArmedRoundState,
    FoldState,
    HitGroup,
    HitState,
    HousePayout,
    LevelState,
    ProgressiveTerms,
    RecordedLock,
    RoundKey,
    VarianceCase,
    opened,
)

# Increases with every change of a fact's effect on the state; snapshots of another version are ignored.
VERSION = 5


def _lock_said(state: FoldState, fact: LockRecorded) -> None:
    if fact.group in state.groups:
        state.locks[fact.group] = RecordedLock(revision=fact.revision, lock=fact.lock)
        note_unsaid(state, fact.group)


def _slip_used(state: FoldState, fact: SlipUsed) -> None:
    jackpot_hit_facts_in_fold.note_slip(state, fact.year, fact.slip)


def _house_paid(state: FoldState, fact: HousePaidFact) -> None:
    before = state.house.get(fact.place)
    if before is not None and not before.is_void:
        raise Refused("house payment", coded("house-paid-already", year=before.year, slip=before.slip))
    state.house[fact.place] = HousePayout(
        level=fact.level, amount=fact.amount, year=fact.year, slip=fact.slip, tender=fact.tender
    )
    jackpot_hit_facts_in_fold.note_slip(state, fact.year, fact.slip)


def _house_voided(state: FoldState, fact: HouseVoidedFact) -> None:
    for place, paid in state.house.items():
        if (paid.year, paid.slip) == (fact.year, fact.slip) and not paid.is_void:
            state.house[place] = msgspec.structs.replace(paid, is_void=True)
            return
    raise Refused("house payment", coded("house-payment-unknown", year=fact.year, slip=fact.slip))


def _variance_found(state: FoldState, fact: VarianceFound) -> None:
    state.variances[fact.case] = VarianceCase(level=fact.level, variance=fact.variance)


def _variance_settled(state: FoldState, fact: VarianceSettled) -> None:
    if (variance := state.variances.get(fact.case)) is not None:
        state.variances[fact.case] = msgspec.structs.replace(variance, is_open=False)
    jackpot_hit_facts_in_fold.note_slip(state, fact.year, fact.slip)


def _deposited(state: FoldState, fact: DepositFact) -> None:
    if (level := state.levels.get(fact.level)) is not None:
        level.deposited += fact.amount


def _waiting_said(state: FoldState, fact: WaitingRecorded) -> None:
    """Remember the notice for pending hits only."""
    state.alerted = {
        hit
        for hit in state.alerted
        if hit in state.hits and jackpot_hit_facts_in_fold.status(state, state.hits[hit]) == "pending"
    }
    state.alerted.add(fact.hit)


_APPLY: dict[type, Callable[[FoldState, Any], None]] = {
    Arm: round_facts_fold_steps.arm,
    DealFinished: round_facts_fold_steps.dealt,
    RoundOver: round_facts_fold_steps.over,
    VoidRoundFact: round_facts_fold_steps.void_round,
    HitFact: jackpot_hit_facts_in_fold.hit,
    LateHitFact: jackpot_hit_facts_in_fold.late_hit,
    Void: jackpot_hit_facts_in_fold.void,
    Authorise: jackpot_hit_facts_in_fold.authorise,
    Pay: jackpot_hit_facts_in_fold.pay,
    ParametersFact: level_changes_and_notices.change_parameters,
    Adjust: level_changes_and_notices.adjust_meter,
    NoticeRead: level_changes_and_notices.read_notice,
    LockRecorded: _lock_said,
    SlipUsed: _slip_used,
    HousePaidFact: _house_paid,
    HouseVoidedFact: _house_voided,
    VarianceFound: _variance_found,
    VarianceSettled: _variance_settled,
    DepositFact: _deposited,
    WaitingRecorded: _waiting_said,
}


class _Snapshot(msgspec.Struct, frozen=True, array_like=True):
    version: int
    state: msgspec.Raw


class Fold:
    """The state of one progressive, changed in place by `apply`; `copy` is cheap and independent."""

    __slots__ = ("state",)

    def __init__(self, state: FoldState) -> None:
        self.state = state

    @classmethod
    def opened(cls, at: int, opening: ProgressiveTerms) -> "Fold":
        """A progressive as opened at position `at`. Raises Refused or Invalid for an opening that may not be."""
        return cls(opened(at, opening))

    @property
    def at(self) -> int:
        """The position up to which every fact was judged."""
        return self.state.at

    def apply(self, fact: AnyFact) -> None:
        """Judge one fact from those before it, and let it count.

        Raises Refused (with a clause) for a fact that may not be: it changes nothing but the position.
        Raises Conflict for a fact that is not beyond the position: the caller brings them in order, each once.
        """
        if fact.at <= self.state.at:
            raise Conflict(coded("position-judged-before", position=fact.at, at=self.state.at))
        self.state.at = fact.at
        _APPLY[type(fact)](self.state, fact)

    def take(self, facts: Iterable[AnyFact]) -> list[tuple[int, Refused]]:
        """Apply facts in order of position, skipping those judged before; return the refusals by position.

        Live, the ends (and misdeals) of rounds that were never armed come along too: they are left out silently.
        """
        refusals = []
        for fact in facts:
            if fact.at <= self.state.at:
                continue
            if isinstance(fact, DealFinished | RoundOver | VoidRoundFact) and not self.knows(fact.table, fact.round):
                self.state.at = fact.at
                continue
            try:
                self.apply(fact)
            except Refused as error:
                refusals.append((fact.at, error))
        return refusals

    def check(self, fact: AnyFact) -> None:
        """Raise the errors that `apply` would raise, and change nothing."""
        self.copy().apply(fact)

    def copy(self) -> "Fold":
        """Return an independent fold in the same state; shared parts are never changed in place."""
        old = self.state
        state = FoldState(
            at=old.at,
            opening=old.opening,
            levels={name: _copy_level(level) for name, level in old.levels.items()},
            withhold=old.withhold,
            tables=old.tables.copy(),
            rounds=old.rounds.copy(),
            hits=old.hits.copy(),
            groups=old.groups.copy(),
            settled=old.settled.copy(),
            locks=old.locks.copy(),
            unsaid=old.unsaid.copy(),
            slips=old.slips.copy(),
            variances=old.variances.copy(),
            house=old.house.copy(),
            alerted=old.alerted.copy(),
            notices=old.notices.copy(),
        )
        return Fold(state)

    def dump(self) -> bytes:
        """A snapshot: msgpack, with the version of this fold and the position in it."""
        return msgspec.msgpack.encode(_Snapshot(VERSION, msgspec.Raw(msgspec.msgpack.encode(self.state))))

    @classmethod
    def load(cls, raw: bytes) -> "Fold | None":
        """The fold of a snapshot, or None where it was made by another version: then fold the facts again."""
        snapshot = msgspec.msgpack.decode(raw, type=_Snapshot)
        if snapshot.version != VERSION:
            return None
        return cls(msgspec.msgpack.decode(snapshot.state, type=FoldState))

    # --- queries ---------------------------------------------------------------------------------------------

    def level(self, name: str) -> LevelState:
        """The level of that name; for reading only."""
        return self.state.levels[name]

    def hit(self, hit_id: str) -> HitState | None:
        """Return the hit of that id, if remembered."""
        return self.state.hits.get(hit_id)

    def group(self, hit_id: str) -> HitGroup:
        """The group of a hit."""
        return self.state.groups[self.state.hits[hit_id].group]

    def round(self, hit_id: str) -> ArmedRoundState | None:
        """Return the round of a hit, if remembered."""
        hit_state = self.state.hits[hit_id]
        return self.state.rounds.get((hit_state.table, hit_state.round))

    def knows(self, table: str, name: int | str) -> bool:
        """Return whether that round was armed here and is remembered."""
        return (table, name) in self.state.rounds

    def status(self, hit_id: str) -> str:
        """pending | locked | authorised | paid | void."""
        return jackpot_hit_facts_in_fold.status(self.state, self.state.hits[hit_id])

    def lock(self, hit_id: str) -> GroupLock | None:
        """The lock that the hit has part in now."""
        return jackpot_hit_facts_in_fold.lock_of(self.state, self.state.hits[hit_id])

    def is_over_limit(self, hit_id: str) -> bool:
        """Return whether surveillance must authorise the hit's lock too; False without a lock."""
        lock = self.lock(hit_id) if hit_id in self.state.hits else None
        return lock is not None and jackpot_hit_facts_in_fold.is_over_limit(self.state, lock)

    def locks(self, level: str) -> list[GroupLock]:
        """Return the valid, remembered awards of a level, in order of position."""
        locks = [g.lock for g in self.state.groups.values() if g.level == level and g.lock is not None]
        return sorted(locks, key=lambda lock: lock.at)

    def envy(self, hit_id: str) -> list[tuple[str, int]]:
        """(player, minor units) due once this hit is paid."""
        return list(jackpot_hit_facts_in_fold.envy(self.state, hit_id))

    def waiting_hit(self, level: str) -> HitState | None:
        """Return the first hit whose round is not dealt yet: the level's locks wait for it. None where nothing
        waits."""
        waiting = [g for g in self.state.groups.values() if g.level == level and not g.lockable]
        valid_hits = [hit for g in waiting for hit in (self.state.hits[h] for h in g.hits) if not hit.void]
        return min(valid_hits, key=lambda hit: hit.at, default=None)

    def waits_for(self, level: str) -> RoundKey | None:
        """Return the undealt round that delays the level's locks, which raises an alert. None where no lock waits."""
        first = self.waiting_hit(level)
        return (first.table, first.round) if first else None

    def shown_minor(self, level: str) -> int:
        """Return the display: the meter or its cap, floored to the minor unit."""
        level_state = self.state.levels[level]
        cap = level_state.settings.cap
        return (level_state.meter if cap is None else min(level_state.meter, cap)) // self.state.opening.scale

    def overflow(self, level: str) -> int:
        """Return the amount above the cap, in units."""
        level_state = self.state.levels[level]
        return 0 if level_state.settings.cap is None else max(level_state.meter - level_state.settings.cap, 0)

    def check_balance(self) -> None:
        """Assert that every meter is start + seeds + fed + adjusted - locked (invariant 9 of the books)."""
        scale = self.state.opening.scale
        for level in self.state.levels.values():
            booked = level.start + level.seeds + level.fed + level.adjusted - level.locked * scale
            assert level.meter == booked, (level.name, level.meter, booked)


def _copy_level(level: LevelState) -> LevelState:
    fields = {name: getattr(level, name) for name in LevelState.__struct_fields__}
    fields["marks"] = level.marks.copy()
    return LevelState(**fields)
