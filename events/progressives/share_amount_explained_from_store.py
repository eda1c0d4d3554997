"""Explanation of a hit's share, from the store and at the cost of its cycle: from the lock before it to its own.

The locks are in the progressive's own stream; those not yet recorded come from the present fold (kept as a snapshot and
in memory). Of the tables, only the rounds armed between two locks are read, by position. The result must make the
meter of the lock to the last fraction. Where it does not, since the fold refused one of these rounds, the whole life is
folded again.
"""

from collections.abc import Sequence
from itertools import takewhile

import structlog
from msgspec import UNSET

from events import catalogue
from events.error_codes import coded
from events.errors import Refused
from events.progressives import due_lock_and_lapse_appending, event_types, history_reader, round_facts_fold_steps
from events.progressives.event_to_fact_mapping import fact_of, opening_of
from events.progressives.fact_structs import Adjust, AnyFact, Arm, GroupLock, LockRecorded, ParametersFact
from events.progressives.fold import Fold
from events.progressives.hit_amount_explanation import (
    Adjustment,
    Explanation,
    RoundContribution,
    ShareLine,
    checked_explanation,
    contribution,
    explain,
)
from events.progressives.meter import displayed_minor
from events.progressives.sharing_policies import policy
from events.store import EventReader, EventStore, Stored, everything
from events.tables.event_types.progressive import ProgressiveArmed

log = structlog.get_logger(__name__)

_LOCKING = (event_types.SharesLocked.TYPE, event_types.LockWithdrawn.TYPE)
_SETTING = (event_types.ParametersChanged.TYPE, event_types.MeterAdjusted.TYPE)


class _LevelLife:
    """One level by the progressive's own stream, and the present fold."""

    def __init__(self, store: EventStore, property_: str, name: str, level: str, own: Sequence[Stored]) -> None:
        self.property, self.name, self.level = property_, name, level
        self.now = due_lock_and_lapse_appending.current(store, property_, name)
        self.opened_at, self.opened = history_reader.opening(store, property_, name)
        self.shares: dict[str, event_types.Share] = {}
        self.settings: list[ParametersFact | Adjust] = []
        self._locks: dict[str, GroupLock | None] = {}
        for stored in own:
            if stored.type in (*_LOCKING, *_SETTING):
                self._note(stored)
        groups = self.now.state.groups.values()
        self._locks |= {group.key: group.lock for group in groups if group.level == level}

    def _note(self, stored: Stored) -> None:
        data = catalogue.decode(stored.type, stored.raw).data
        fact = fact_of(stored.position, stored.stream, stored.type, data, self.name)
        if data.level != self.level:
            return
        if isinstance(fact, LockRecorded):
            self._locks[fact.group] = fact.lock
            self.shares |= {share.hit: share for share in getattr(data, "shares", ())}
        elif isinstance(fact, ParametersFact | Adjust):
            self.settings.append(fact)

    @property
    def locks(self) -> list[GroupLock]:
        """Return the valid locks, in order of position."""
        return sorted((lock for lock in self._locks.values() if lock is not None), key=lambda lock: lock.at)

    def share_line(self, hit: str, share_minor: int) -> ShareLine:
        """Return the line of a winner. A hit that the fold has dropped was paid, for nothing can happen to its group
        any more."""
        hit_state = self.now.hit(hit)
        if hit_state is not None:
            return ShareLine(
                hit=hit,
                player=hit_state.player,
                table=hit_state.table,
                round=hit_state.round,
                share_minor=share_minor,
                status=self.now.status(hit),
            )
        share = self.shares[hit]
        return ShareLine(
            hit=hit,
            player=share.player,
            table=f"{self.property}/tables/{share.table}/{share.gaming_day}",
            round=share.round,
            share_minor=share_minor,
            status="paid",
        )


def explain_share(store: EventStore, property_: str, declaring_event: Stored, own: Sequence[Stored]) -> Explanation:
    """Return the calculation of the share of the hit declared there; `own` is the progressive's stream.

    Raises Unknown for an unknown progressive, Refused for a pending, void or refused hit.
    """
    data = catalogue.decode(declaring_event.type, declaring_event.raw).data
    life = _LevelLife(store, property_, data.progressive, data.level, own)
    lock = next((lock for lock in life.locks if data.hit in lock.hits), None)
    if lock is None:
        raise Refused(
            "house progressive.hit", coded("hit-without-share", hit=data.hit, status=_status(life.now, data.hit))
        )
    if (explanation := _of_cycle(store, life, data.hit, lock)) is not None:
        return explanation
    log.info("the whole life is folded: the cycle has rounds that were refused", progressive=life.name, hit=data.hit)
    facts = (fact for _, fact in history_reader.facts(store, property_, life.name))
    return explain(history_reader.start(store, property_, life.name), facts, data.hit)


def _status(now: Fold, hit: str) -> str:
    return now.status(hit) if now.hit(hit) is not None else "void, or was refused"


def _of_cycle(history: EventReader, life: _LevelLife, hit: str, lock: GroupLock) -> Explanation | None:
    """Return the explanation by the contributions between two locks; None where they do not make the meter."""
    terms = opening_of(life.opened)
    previous = max(
        (earlier for earlier in life.locks if earlier.at < lock.at), key=lambda earlier: earlier.at, default=None
    )
    if previous is not None:
        opening, since = previous.seed + previous.meter - previous.amount * terms.scale, previous.at
    else:
        (level,) = (level for level in terms.levels if level.level == life.level)
        opening, since = level.meter, life.opened_at
    lines = _meter_movements(history, life, since, lock.at)
    if opening + sum(line.amount for line in lines) != lock.meter or not _is_at_hand(life, hit, lock):
        return None
    return checked_explanation(
        terms,
        hit,
        life.level,
        lock,
        previous,
        opening_is="previous lock" if previous else "start",
        opening_at=since,
        opening=opening,
        lines=lines,
        shares=tuple(life.share_line(winning_hit, lock.share) for winning_hit in lock.hits),
    )


def _is_at_hand(life: _LevelLife, hit: str, lock: GroupLock) -> bool:
    """Return whether the fold has made this lock. A lock of the stream alone must be one that a policy gives."""
    if life.now.hit(hit) is not None:
        return True
    terms = opening_of(life.opened)
    top = lock.meter if lock.cap is None else min(lock.meter, lock.cap)
    share = policy(terms.policy, terms.policy_version).share(displayed_minor(top, terms.scale), len(lock.hits))
    return lock.share == share


def _meter_movements(
    history: EventReader, life: _LevelLife, since: int, until: int
) -> list[RoundContribution | Adjustment]:
    """Return the movements of the meter between two positions, in order: rounds armed at the rates in force, and
    corrections."""
    terms = opening_of(life.opened)
    feed = next(level.feed_millionths for level in life.opened.levels if level.level == life.level)
    movements: list[RoundContribution | Adjustment] = []
    for fact in _merged(life.settings, _armed(history, life.name, since, until), until):
        if isinstance(fact, Arm):
            try:
                round_facts_fold_steps.check_bets(terms, fact)
            except Refused:
                continue
            movements.append(contribution(fact, feed))
        elif isinstance(fact, ParametersFact):
            feed = feed if fact.feed is UNSET else fact.feed
        elif isinstance(fact, Adjust) and fact.at > since:
            movements.append(Adjustment(at=fact.at, reason=fact.reason, amount=fact.amount))
    return movements


def _merged(settings: Sequence[ParametersFact | Adjust], armed: Sequence[Arm], until: int) -> list[AnyFact]:
    before = takewhile(lambda fact: fact.at < until, settings)
    return sorted((*before, *armed), key=lambda fact: fact.at)


def _armed(history: EventReader, name: str, since: int, until: int) -> list[Arm]:
    """The rounds armed between two positions, as facts of this progressive."""
    arms = []
    for stored in everything(history, since, [ProgressiveArmed.TYPE], until=until - 1):
        data = catalogue.decode(stored.type, stored.raw).data
        fact = fact_of(stored.position, stored.stream, stored.type, data, name)
        if isinstance(fact, Arm):
            arms.append(fact)
    return arms
