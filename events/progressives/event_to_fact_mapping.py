"""From stored events to the facts of one progressive: a pure mapping without decisions.

The fold's table is the table's stream ("PROPERTY/tables/TABLE/GAMING-DAY"), so a round's number is good for one gaming
day. The unit is a millionth of a minor unit, so a rate in millionths of the stake is the fold's rate.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types, fact_structs
from events.progressives.levels_rounds_and_hits_state import (
    KEEP_GROUPS,
    KEEP_ROUNDS,
    LevelParameters,
    LevelStart,
    ProgressiveTerms,
)
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import Seated, TableEvent

MICRO = 1_000_000


def fact_of(at: int, stream: str, type_name: str, data: object, progressive: str) -> fact_structs.AnyFact | None:
    """Return the fact of the event at position `at` for this progressive, or None for an event of no concern to it.

    `data` is the event's Struct or its plain dict. Raises `Poison` where its data does not fit its type.
    """
    fact_builder = _KNOWN.get(type_name)
    if fact_builder is None:
        return None
    model, build = fact_builder
    try:
        event: Any = data if isinstance(data, model) else msgspec.convert(data, model)
    except msgspec.ValidationError as error:
        raise Poison(coded("event-not-of-type", position=at, type=type_name, why=str(error))) from error
    return build(at, stream, event) if event.progressive == progressive else None


def opening_of(event: event_types.ProgressiveOpened) -> ProgressiveTerms:
    """Return the start of a live progressive's fold."""
    return ProgressiveTerms(
        progressive=event.progressive,
        scale=MICRO,
        levels=tuple(_level_start(level) for level in event.levels),
        policy=event.policy,
        policy_version=event.policy_version,
        stakes=event.stakes_minor,
        envy=event.envy_minor,
        envy_to_winner=event.envy_to_winner,
        surveillance_over=event.surveillance_over_minor * MICRO,
        withhold=event.withhold_millionths,
        keep_rounds=KEEP_ROUNDS,
        keep_groups=KEEP_GROUPS,
    )


def _level_start(level: event_types.LevelOpened) -> LevelStart:
    return LevelStart(
        level=level.level,
        settings=LevelParameters(
            seed=level.seed_minor * MICRO,
            feed=level.feed_millionths,
            reserve_rate=level.reserve_millionths,
            cap=_micro(level.cap_minor),
        ),
        meter=level.meter_micro,
        reserve=level.reserve_micro,
    )


Maybe = TypeVar("Maybe", None, UnsetType, None | UnsetType)


def _micro(minor: int | Maybe) -> int | Maybe:
    return minor * MICRO if isinstance(minor, int) else minor


def people(approvals: event_types.Approvals) -> fact_structs.People:
    """The people of an event's approvals."""
    return tuple(fact_structs.ApprovingPerson(name, role) for name, role in approvals)


def _round(at: int, event: TableEvent) -> int:
    if event.round is None:
        raise Poison(coded("event-without-round", position=at))
    return event.round


def _box(at: int, event: Seated) -> int:
    if event.box is None:
        raise Poison(coded("event-without-box", position=at))
    return event.box


# --- from a table's stream --------------------------------------------------------------------------------------


def _arm(at: int, stream: str, event: ProgressiveArmed) -> fact_structs.Arm:
    bets = tuple(fact_structs.ArmedStake(bet.box, bet.player, bet.stake_minor) for bet in event.bets)
    name = _round(at, event)
    return fact_structs.Arm(at=at, table=stream, round=name, dealer=event.dealer or "", bets=bets, pit=event.pit)


def _hit(at: int, stream: str, event: HitDeclared) -> fact_structs.HitFact:
    name, box = _round(at, event), _box(at, event)
    return fact_structs.HitFact(at=at, id=event.hit, table=stream, round=name, box=box, level=event.level)


def _late_hit(at: int, stream: str, event: HitDeclaredLate) -> fact_structs.LateHitFact:
    name, box, by = _round(at, event), _box(at, event), people(event.approvals)
    return fact_structs.LateHitFact(at=at, id=event.hit, table=stream, round=name, box=box, level=event.level, by=by)


def _void_round(at: int, stream: str, event: RoundVoided) -> fact_structs.VoidRoundFact:
    by = people(event.approvals)
    return fact_structs.VoidRoundFact(at=at, table=stream, round=_round(at, event), reason=event.reason, by=by)


# --- from the progressive's own stream --------------------------------------------------------------------------


def _parameters(at: int, _stream: str, event: event_types.ParametersChanged) -> fact_structs.ParametersFact:
    return fact_structs.ParametersFact(
        at=at,
        level=event.level,
        by=people(event.approvals),
        seed=UNSET if event.seed_minor is UNSET else event.seed_minor * MICRO,
        feed=event.feed_millionths,
        reserve_rate=event.reserve_millionths,
        cap=_micro(event.cap_minor),
        withhold=event.withhold_millionths,
    )


def _adjust(at: int, _stream: str, event: event_types.MeterAdjusted) -> fact_structs.Adjust:
    amount, by = event.amount_minor * MICRO, people(event.approvals)
    return fact_structs.Adjust(at=at, level=event.level, amount=amount, reason=event.reason, by=by)


def _lock_said(at: int, _stream: str, event: event_types.SharesLocked) -> fact_structs.LockRecorded:
    lock = fact_structs.GroupLock(
        at=event.as_of,
        hits=tuple(share.hit for share in event.shares),
        meter=event.meter_micro,
        share=event.shares[0].share_minor,
        amount=event.amount_minor,
        house=event.house_minor,
        seed=event.seed_minor * MICRO,
        from_reserve=event.seed_from_reserve_micro,
        cap=_micro(event.cap_minor),
        version=event.parameters_version,
    )
    return fact_structs.LockRecorded(at=at, group=event.group, revision=event.revision, lock=lock)


def _house_paid(at: int, _stream: str, event: event_types.HousePaid) -> fact_structs.HousePaidFact:
    place = f"{event.table}/{event.gaming_day}#{event.round}/{event.box}"
    return fact_structs.HousePaidFact(
        at=at,
        place=place,
        level=event.level,
        amount=event.amount_minor,
        year=event.slip_year,
        slip=event.slip,
        tender=event.tender,
    )


_BUILDERS: dict[type[EventData], Callable[[int, str, Any], fact_structs.AnyFact]] = {
    ProgressiveArmed: _arm,
    HitDeclared: _hit,
    HitDeclaredLate: _late_hit,
    DealCompleted: lambda at, stream, event: fact_structs.DealFinished(at=at, table=stream, round=_round(at, event)),
    RoundEnded: lambda at, stream, event: fact_structs.RoundOver(at=at, table=stream, round=_round(at, event)),
    RoundVoided: _void_round,
    event_types.HitAuthorised: lambda at, _stream, event: fact_structs.Authorise(
        at=at, hit=event.hit, by=people(event.approvals)
    ),
    event_types.JackpotPaid: lambda at, _stream, event: fact_structs.Pay(
        at=at, hit=event.hit, year=event.slip_year, slip=event.slip
    ),
    event_types.EnvyPaid: lambda at, _stream, event: fact_structs.SlipUsed(
        at=at, year=event.slip_year, slip=event.slip
    ),
    event_types.HousePaid: _house_paid,
    event_types.HouseVoided: lambda at, _stream, event: fact_structs.HouseVoidedFact(
        at=at, year=event.slip_year, slip=event.slip
    ),
    event_types.HitVoided: lambda at, _stream, event: fact_structs.Void(
        at=at, hit=event.hit, reason=event.reason, by=people(event.approvals)
    ),
    event_types.ParametersChanged: _parameters,
    event_types.MeterAdjusted: _adjust,
    event_types.SharesLocked: _lock_said,
    event_types.LockWithdrawn: lambda at, _stream, event: fact_structs.LockRecorded(
        at=at, group=event.group, revision=event.revision, lock=None
    ),
    event_types.VarianceOpened: lambda at, _stream, event: fact_structs.VarianceFound(
        at=at, case=event.case, level=event.level, variance=event.variance_minor
    ),
    event_types.VarianceClosed: lambda at, _stream, event: fact_structs.VarianceSettled(
        at=at, case=event.case, year=event.slip_year, slip=event.slip
    ),
    event_types.FundDeposited: lambda at, _stream, event: fact_structs.DepositFact(
        at=at, level=event.level, amount=event.amount_minor
    ),
    event_types.NoticeAcknowledged: lambda at, _stream, event: fact_structs.NoticeRead(at=at, change=event.change),
    event_types.LevelWaiting: lambda at, _stream, event: fact_structs.WaitingRecorded(at=at, hit=event.hit),
}
_KNOWN = {model.TYPE: (model, build) for model, build in _BUILDERS.items()}
FACT_TYPES = frozenset(_KNOWN)
