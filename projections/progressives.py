"""The projector of the progressives: meters, what fed them, hits, locks, envy.

A meter is what was fed by the rounds that were armed (at the rates in force there) and what the progressive's own
stream says: locks, adjustments. A lock's revision replaces the one before it. Events of two streams meet here, and
either may be late behind poison: what a table says of a hit and what the progressive says of it touch different
columns, and rates are looked up by position.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from events.errors import Poison
from events.progressives import types as said
from events.tables import types as was
from projections.facts import Fact
from projections.models import (
    ArmedRound,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)
from projections.models.progressives import MICRO
from projections.progressive_rows import ProgressiveRows, level_id, take


class Progressives(ProgressiveRows):
    """One row a progressive, level, contributing table, hit, lock and envy bonus."""

    name = "progressives"
    version = 1

    def fold(self, facts: Sequence[Fact]) -> None:
        mine = [(handler, fact) for fact in facts if (handler := self._HANDLERS.get(fact.type)) is not None]
        self._rounds.load({_round_id(fact) for _, fact in mine if fact.type in _OF_ROUNDS and fact.data.progressive})
        for handler, fact in mine:
            handler(self, fact, fact.data)

    def needs(self, fact: Fact) -> Sequence[str]:
        """What a table says of a progressive waits for the progressive's own poison: a rate may be in it."""
        if fact.type in self._HANDLERS and getattr(fact.data, "progressive", None):
            return (_stream(fact),)
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
        level.adjusted_micro += data.amount_minor * MICRO
        level.meter_micro += data.amount_minor * MICRO

    # --- rounds at the tables -----------------------------------------------------------------------------------

    def _armed(self, fact: Fact, data: was.ProgressiveArmed) -> None:
        stream, key = _stream(fact), _round_id(fact)
        bets = [(bet.box, bet.player, bet.stake_minor) for bet in data.bets]
        levels = self._level_ids(stream)
        rates = [(level, found) for level in levels if (found := self._rates_at(level, fact.position))]
        may_be = bool(rates) and self._rounds.get(key) is None and self._are_stakes(stream, bets)
        self._rounds.change(
            key,
            lambda: ArmedRound(
                id=key,
                stream=stream,
                session=fact.stream,
                round=data.round or 0,
                position=fact.position,
                status="armed" if may_be else "refused",
                bets=_json(bets),
            ),
        )
        if may_be:
            stakes = sum(stake for _, _, stake in bets)
            for level, (_, feed, reserve) in rates:
                self._feed(fact, level, stakes, stakes * feed, stakes * reserve)

    def _are_stakes(self, stream: str, bets: list[tuple[int, str, int]]) -> bool:
        """One bet a box, of one of the two stakes: the same that the progressive's fold takes (BLZ-5)."""
        progressive = self._progressives.get(stream)
        if progressive is None or not bets or len({box for box, _, _ in bets}) != len(bets):
            return False
        return {stake for _, _, stake in bets} <= {progressive.stake_low_minor, progressive.stake_high_minor}

    def _feed(self, fact: Fact, level_id: str, stakes_minor: int, fed_micro: int, reserve_micro: int) -> None:
        level = self._levels.change(level_id, ProgressiveLevel)
        level.fed_micro += fed_micro
        level.meter_micro += fed_micro
        level.reserve_fed_micro += reserve_micro
        level.reserve_micro += reserve_micro
        key, data = f"{fact.stream}|{level_id}", fact.data
        table = self._tables.change(
            key,
            lambda: ProgressiveTable(
                id=key, session=fact.stream, level_id=level_id, table=data.table, gaming_day=data.gaming_day
            ),
        )
        table.rounds += 1
        table.stakes_minor += stakes_minor
        table.fed_micro += fed_micro
        table.reserve_fed_micro += reserve_micro

    def _round_goes_on(self, fact: Fact, status: str) -> ArmedRound | None:
        """The round moves on; None where it was never armed."""
        found = self._rounds.get(_round_id(fact)) if fact.data.progressive else None
        if found is None or found.status == "refused":
            return None
        found = self._rounds.change(found.id, ArmedRound)
        found.status = status
        if self._pending_hits(found.stream):
            self._wake.add(fact.data.progressive)
        return found

    def _dealt(self, fact: Fact, data: was.DealCompleted) -> None:
        self._round_goes_on(fact, "dealt")

    def _ended(self, fact: Fact, data: was.RoundEnded) -> None:
        self._round_goes_on(fact, "over")

    def _round_voided(self, fact: Fact, data: was.RoundVoided) -> None:
        """The hits of a misdeal are void; a lock that stands is withdrawn by the progressive itself."""
        found = self._round_goes_on(fact, "void")
        if found is not None:
            for hit in self._hits_of(found):
                if hit.status == "pending":
                    self._settle(self._hits.change(hit.id, Hit), "void")

    # --- hits -----------------------------------------------------------------------------------------------------

    def _declared(self, fact: Fact, data: was.HitDeclared | was.HitDeclaredLate) -> None:
        stream = _stream(fact)
        player = self._player_of(fact, data)
        hit = self._hit(stream, data.hit)
        if hit.position and hit.position != fact.position:
            return  # the first declaration of a name counts, as in the fold
        hit.level, hit.position, hit.session = data.level, fact.position, fact.stream
        hit.table, hit.gaming_day, hit.round = data.table, data.gaming_day, data.round or 0
        hit.box, hit.player, hit.dealer = data.box or 0, player or data.player or "", data.dealer or ""
        hit.is_late = isinstance(data, was.HitDeclaredLate)
        self._settle(hit, hit.status if player is not None else "refused")
        if hit.status == "pending":
            self._wake.add(data.progressive)

    def _player_of(self, fact: Fact, data: was.HitDeclared | was.HitDeclaredLate) -> str | None:
        """Whose bet is hit; None where the progressive's fold takes no hit: no bet, another hit there, out of time."""
        armed, stream = self._rounds.get(_round_id(fact)), _stream(fact)
        in_time = ("dealt", "over") if isinstance(data, was.HitDeclaredLate) else ("armed",)
        if armed is None or armed.status not in in_time:
            return None
        if level_id(stream, data.level) not in self._level_ids(stream):
            return None
        others = (hit for hit in self._hits_of(armed) if hit.box == data.box and hit.hit != data.hit)
        if any(hit.status not in ("void", "refused") for hit in others):
            return None
        return next((player for box, player, _ in _bets(armed) if box == data.box), None)

    def _hits_of(self, armed: ArmedRound) -> list[Hit]:
        self._hits.flush()
        rows = self.target.select(Hit, "session = %s AND round = %s", [armed.session, armed.round])
        return self._hits.adopt(rows)

    def _authorised(self, fact: Fact, data: said.HitAuthorised) -> None:
        hit = self._hit(fact.stream, data.hit)
        hit.approved = _json(sorted({*msgspec.json.decode(hit.approved), data.amount_minor}))
        self._settle(hit)

    def _paid(self, fact: Fact, data: said.JackpotPaid) -> None:
        hit = self._hit(fact.stream, data.hit)
        hit.share_minor, hit.slip = data.amount_minor, f"{data.slip_year}-{data.slip}"
        self._settle(hit, "paid")

    def _voided(self, fact: Fact, data: said.HitVoided) -> None:
        self._settle(self._hit(fact.stream, data.hit), "void")

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
        lock.is_standing, lock.as_of = True, data.as_of
        lock.hits = _json([share.hit for share in data.shares])
        lock.share_minor = data.shares[0].share_minor
        lock.amount_minor, lock.house_minor = data.amount_minor, data.house_minor
        lock.meter_micro, lock.seed_micro = data.meter_micro, data.seed_minor * MICRO
        lock.from_reserve_micro = data.seed_from_reserve_micro
        take(level, lock, 1)
        for share in data.shares:
            hit = self._hit(fact.stream, share.hit)
            if hit.status != "paid":
                hit.share_minor, hit.status = share.share_minor, "locked"
                self._settle(hit)

    def _withdrawn(self, fact: Fact, data: said.LockWithdrawn) -> None:
        lock = self._locks.get(f"{fact.stream}/{data.group}")
        if lock is None:
            raise Poison(f"{fact.stream} never locked {data.group!r:.80}")
        lock = self._locks.change(lock.id, Lock)
        self._take_back(self._level(fact.stream, data.level), lock, revision=data.revision)
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
        was.ProgressiveArmed.TYPE: _armed,
        was.DealCompleted.TYPE: _dealt,
        was.RoundEnded.TYPE: _ended,
        was.RoundVoided.TYPE: _round_voided,
        was.HitDeclared.TYPE: _declared,
        was.HitDeclaredLate.TYPE: _declared,
        said.HitAuthorised.TYPE: _authorised,
        said.JackpotPaid.TYPE: _paid,
        said.HitVoided.TYPE: _voided,
        said.EnvyPaid.TYPE: _envied,
        said.SharesLocked.TYPE: _locked,
        said.LockWithdrawn.TYPE: _withdrawn,
    }


_OF_ROUNDS = frozenset(
    kind.TYPE
    for kind in (
        was.ProgressiveArmed,
        was.DealCompleted,
        was.RoundEnded,
        was.RoundVoided,
        was.HitDeclared,
        was.HitDeclaredLate,
    )
)


def _stream(fact: Fact) -> str:
    """The stream of the progressive that a table's event names."""
    return f"{fact.event.source}/progressives/{fact.data.progressive}"


def _round_id(fact: Fact) -> str:
    return f"{fact.stream}#{fact.data.round}"


def _bets(armed: ArmedRound) -> list[tuple[int, str, int]]:
    bets: list[tuple[int, str, int]] = msgspec.json.decode(armed.bets)
    return bets


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
