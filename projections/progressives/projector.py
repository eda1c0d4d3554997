"""The projector of the progressives: meters, what fed them, hits, locks, envy.

A meter is what was fed by the rounds that were armed (at the rates in force there) and what the progressive's own
stream says: locks, adjustments. A lock's revision replaces the one before it. Events of two streams meet here, and
either may be late behind poison: what a table says of a hit and what the progressive says of it touch different
columns, and rates are looked up by position. What does not fit moves nothing and is noted (`misfits.py`); what people
have to see to is in `progressive_matters.py`, what the tables say in `progressive_rounds.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from events.approvals import ApprovalDeclined, ApprovalGiven, ApprovalLapsed, ApprovalRequested, ApprovalWithdrawn
from events.errors import Poison
from events.progressives import types as said
from events.tables.types.common import IrregularityRecorded
from events.tables.types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.types.rounds import RoundEnded, RoundVoided
from projections.engine.facts import Fact
from projections.progressives.matters import ProgressiveMatters
from projections.progressives.matters import json as _json
from projections.progressives.models import MICRO, Envy, Lock, Progressive, ProgressiveLevel, ProgressiveParameters
from projections.progressives.rounds import ProgressiveRounds, progressive_of
from projections.progressives.rows import as_shared, level_id, take


class Progressives(ProgressiveRounds):
    """One row a progressive, level, contributing table, hit, lock, envy bonus, and matter for people."""

    name = "progressives"
    version = 4

    def fold(self, facts: Sequence[Fact]) -> None:
        mine = [(handler, fact) for fact in facts if (handler := self._HANDLERS.get(fact.type)) is not None]
        self._load([fact for _, fact in mine])
        for handler, fact in mine:
            self._at = fact.position
            handler(self, fact, fact.data)

    def needs(self, fact: Fact) -> Sequence[str]:
        """What a table says of a progressive waits for the progressive's own poison: a rate may be in it."""
        if fact.type in self._HANDLERS and getattr(fact.data, "progressive", None):
            return (progressive_of(fact),)
        return ()

    # --- opening and parameters -------------------------------------------------------------------------------

    def _opened(self, fact: Fact, data: said.ProgressiveOpened) -> None:
        low, high = data.stakes_minor
        self._progressives.change(
            fact.stream,
            lambda: Progressive(
                id=fact.stream,
                progressive=data.progressive,
                ruleset=data.ruleset,
                currency=data.currency,
                policy=data.policy,
                stake_low_minor=low,
                stake_high_minor=high,
                envy=_json(data.envy_minor),
                envy_to_winner=data.envy_to_winner,
                withhold_millionths=data.withhold_millionths,
                surveillance_over_minor=data.surveillance_over_minor,
                position=fact.position,
            ),
        )
        for rank, level in enumerate(data.levels):
            self._open_level(fact, data, rank, level)
        self._levels_of.pop(fact.stream, None)

    def _open_level(self, fact: Fact, data: said.ProgressiveOpened, rank: int, level: said.LevelOpened) -> None:
        key = level_id(fact.stream, level.level)
        row = self._levels.change(
            key,
            lambda: ProgressiveLevel(
                id=key,
                stream=fact.stream,
                progressive=data.progressive,
                level=level.level,
                rank=rank,
                start_micro=level.meter_micro,
                meter_micro=level.meter_micro,
                reserve_start_micro=level.reserve_micro,
                reserve_micro=level.reserve_micro,
                seed_micro=level.seed_minor * MICRO,
                cap_micro=None if level.cap_minor is None else level.cap_minor * MICRO,
                feed_millionths=level.feed_millionths,
                reserve_millionths=level.reserve_millionths,
            ),
        )
        self._note_rates(fact, row)

    def _note_rates(self, fact: Fact, level: ProgressiveLevel) -> None:
        key = f"{fact.id}/{level.level}"
        self._parameters.change(
            key,
            lambda: ProgressiveParameters(
                id=key,
                level_id=level.id,
                position=fact.position,
                feed_millionths=level.feed_millionths,
                reserve_millionths=level.reserve_millionths,
            ),
        )
        known = self._rates(level.id)
        rates = (fact.position, level.feed_millionths, level.reserve_millionths)
        if rates not in known:
            known.append(rates)
            known.sort()

    def _changed(self, fact: Fact, data: said.ParametersChanged) -> None:
        level = self._level(fact.stream, data.level)
        self._note_change(fact, data, level)
        if data.seed_minor is not UNSET:
            level.seed_micro = data.seed_minor * MICRO
        if data.cap_minor is not UNSET:
            level.cap_micro = None if data.cap_minor is None else data.cap_minor * MICRO
        if data.feed_millionths is not UNSET:
            level.feed_millionths = data.feed_millionths
        if data.reserve_millionths is not UNSET:
            level.reserve_millionths = data.reserve_millionths
        self._note_rates(fact, level)

    def _adjusted(self, fact: Fact, data: said.MeterAdjusted) -> None:
        level = self._level(fact.stream, data.level)
        self._note_correction(fact, data)
        level.adjusted_micro += data.amount_minor * MICRO
        level.meter_micro += data.amount_minor * MICRO

    # --- hits -----------------------------------------------------------------------------------------------------

    def _authorised(self, fact: Fact, data: said.HitAuthorised) -> None:
        hit = self._hit(fact.stream, data.hit)
        hit.approved = _json(sorted({*msgspec.json.decode(hit.approved), data.amount_minor}))
        self._settle(hit)

    def _paid(self, fact: Fact, data: said.JackpotPaid) -> None:
        hit = self._hit(fact.stream, data.hit)
        hit.share_minor, hit.slip = data.amount_minor, f"{data.slip_year}-{data.slip}"
        self._level(fact.stream, data.level).paid_minor += data.amount_minor
        self._settle(hit, "paid")

    def _voided(self, fact: Fact, data: said.HitVoided) -> None:
        self._settle(self._hit(fact.stream, data.hit), "void")
        self._clear_waits(fact.stream, "hit void", hit=data.hit)

    def _envied(self, fact: Fact, data: said.EnvyPaid) -> None:
        key = f"{fact.stream}/{data.hit}/{data.player}"
        row = self._envy.change(
            key, lambda: Envy(id=key, stream=fact.stream, hit=data.hit, player=data.player, amount_minor=0)
        )
        row.amount_minor += data.amount_minor
        row.slip = f"{data.slip_year}-{data.slip}"

    # --- locks ----------------------------------------------------------------------------------------------------

    def _locked(self, fact: Fact, data: said.SharesLocked) -> None:
        key = f"{fact.stream}/{data.group}"
        level = self._level(fact.stream, data.level)
        lock = self._locks.change(
            key,
            lambda: Lock(
                id=key, stream=fact.stream, level=data.level, group=data.group, revision=0, is_standing=False, hits="[]"
            ),
        )
        self._take_back(level, lock, revision=data.revision)
        lock.is_standing, lock.as_of, lock.position = True, data.as_of, fact.position
        lock.hits = _json([share.hit for share in data.shares])
        lock.share_minor = data.shares[0].share_minor
        lock.amount_minor, lock.house_minor = data.amount_minor, data.house_minor
        lock.meter_micro, lock.seed_micro = data.meter_micro, data.seed_minor * MICRO
        lock.from_reserve_micro = data.seed_from_reserve_micro
        take(level, lock, 1)
        for share in data.shares:
            hit = self._hit(fact.stream, share.hit)
            if hit.status != "paid":
                hit.share_minor = share.share_minor
                self._settle(hit, as_shared(hit))

    def _withdrawn(self, fact: Fact, data: said.LockWithdrawn) -> None:
        lock = self._locks.get(f"{fact.stream}/{data.group}")
        if lock is None:
            raise Poison(f"{fact.stream} never locked {data.group!r:.80}")
        lock = self._locks.change(lock.id, Lock)
        self._take_back(self._level(fact.stream, data.level), lock, revision=data.revision)
        lock.position = fact.position
        if data.reason == "void":
            for name in msgspec.json.decode(lock.hits):
                hit = self._hit(fact.stream, name)
                if hit.status != "paid":
                    self._settle(hit, "void")

    def _take_back(self, level: ProgressiveLevel, lock: Lock, revision: int) -> None:
        """What the last revision did to the level and to its hits is undone. Raises Poison for an old revision."""
        if revision <= lock.revision:
            raise Poison(f"revision {revision} of {lock.id} comes after revision {lock.revision}")
        lock.revision = revision
        if not lock.is_standing:
            return
        take(level, lock, -1)
        lock.is_standing = False
        for name in msgspec.json.decode(lock.hits):
            hit = self._hit(lock.stream, name)
            if hit.status not in ("paid", "void"):
                hit.share_minor = None
                self._settle(hit)

    _HANDLERS: ClassVar[dict[str, Callable[["Progressives", Fact, Any], None]]] = {
        said.ProgressiveOpened.TYPE: _opened,
        said.ParametersChanged.TYPE: _changed,
        said.MeterAdjusted.TYPE: _adjusted,
        ProgressiveArmed.TYPE: ProgressiveRounds._armed,
        DealCompleted.TYPE: ProgressiveRounds._dealt,
        RoundEnded.TYPE: ProgressiveRounds._ended,
        RoundVoided.TYPE: ProgressiveRounds._round_voided,
        HitDeclared.TYPE: ProgressiveRounds._declared,
        HitDeclaredLate.TYPE: ProgressiveRounds._declared,
        said.HitAuthorised.TYPE: _authorised,
        said.JackpotPaid.TYPE: _paid,
        said.HitVoided.TYPE: _voided,
        said.EnvyPaid.TYPE: _envied,
        said.HousePaid.TYPE: ProgressiveMatters._house_paid,
        said.HouseVoided.TYPE: ProgressiveMatters._house_voided,
        IrregularityRecorded.TYPE: ProgressiveMatters._irregular,
        said.SharesLocked.TYPE: _locked,
        said.LockWithdrawn.TYPE: _withdrawn,
        said.MeterRead.TYPE: ProgressiveMatters._read,
        said.IncrementTested.TYPE: ProgressiveMatters._tested,
        said.VarianceOpened.TYPE: ProgressiveMatters._variance_opened,
        said.VarianceClosed.TYPE: ProgressiveMatters._variance_closed,
        said.LevelWaiting.TYPE: ProgressiveMatters._waiting,
        said.NoticeAcknowledged.TYPE: ProgressiveMatters._acknowledged,
        ApprovalRequested.TYPE: ProgressiveMatters._requested,
        ApprovalGiven.TYPE: ProgressiveMatters._agreed,
        ApprovalDeclined.TYPE: ProgressiveMatters._gone,
        ApprovalWithdrawn.TYPE: ProgressiveMatters._gone,
        ApprovalLapsed.TYPE: ProgressiveMatters._gone,
    }
