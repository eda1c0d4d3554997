"""From stored events to the facts of one progressive: a pure mapping, nothing is judged here.

The fold's table is the table's stream ("PROPERTY/tables/TABLE/GAMING-DAY"), so a round's number is good for one
gaming day. The unit is a millionth of a minor unit, so a rate in millionths of the stake is the fold's rate.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from events.errors import Poison
from events.progressives import facts as f
from events.progressives import types as p
from events.progressives.state import KEEP_GROUPS, KEEP_ROUNDS, LevelStart, Opening, Settings
from events.tables.types.common import Seated, Table
from events.tables.types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.types.rounds import RoundEnded, RoundVoided

MICRO = 1_000_000


def fact_of(at: int, stream: str, type_name: str, data: object, progressive: str) -> f.AnyFact | None:
    """The fact that the event at position `at` is to this progressive, or None where it is none of its concern.

    `data` is the event's Struct or its plain dict. Raises Poison where it cannot be what its type says.
    """
    known = _KNOWN.get(type_name)
    if known is None:
        return None
    model, build = known
    try:
        event: Any = data if isinstance(data, model) else msgspec.convert(data, model)
    except msgspec.ValidationError as error:
        raise Poison(f"position {at} is no {type_name}: {error}") from error
    return build(at, stream, event) if event.progressive == progressive else None


def opening_of(event: p.ProgressiveOpened) -> Opening:
    """What the fold of a live progressive starts from."""
    return Opening(
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


def _level_start(level: p.LevelOpened) -> LevelStart:
    return LevelStart(
        level=level.level,
        settings=Settings(
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


def people(approvals: p.Approvals) -> f.People:
    """The people of an event's approvals."""
    return tuple(f.Person(name, role) for name, role in approvals)


def _round(at: int, event: Table) -> int:
    if event.round is None:
        raise Poison(f"position {at} names no round")
    return event.round


def _box(at: int, event: Seated) -> int:
    if event.box is None:
        raise Poison(f"position {at} names no box")
    return event.box


# --- from a table's stream --------------------------------------------------------------------------------------


def _arm(at: int, stream: str, event: ProgressiveArmed) -> f.Arm:
    bets = tuple(f.Stake(bet.box, bet.player, bet.stake_minor) for bet in event.bets)
    name = _round(at, event)
    return f.Arm(at=at, table=stream, round=name, dealer=event.dealer or "", bets=bets, pit=event.pit)


def _hit(at: int, stream: str, event: HitDeclared) -> f.Hit:
    name, box = _round(at, event), _box(at, event)
    return f.Hit(at=at, id=event.hit, table=stream, round=name, box=box, level=event.level)


def _late_hit(at: int, stream: str, event: HitDeclaredLate) -> f.LateHit:
    name, box, by = _round(at, event), _box(at, event), people(event.approvals)
    return f.LateHit(at=at, id=event.hit, table=stream, round=name, box=box, level=event.level, by=by)


def _dealt(at: int, stream: str, event: DealCompleted) -> f.Dealt:
    return f.Dealt(at=at, table=stream, round=_round(at, event))


def _over(at: int, stream: str, event: RoundEnded) -> f.Over:
    return f.Over(at=at, table=stream, round=_round(at, event))


def _void_round(at: int, stream: str, event: RoundVoided) -> f.VoidRound:
    by = people(event.approvals)
    return f.VoidRound(at=at, table=stream, round=_round(at, event), reason=event.reason, by=by)


# --- from the progressive's own stream --------------------------------------------------------------------------


def _authorise(at: int, _stream: str, event: p.HitAuthorised) -> f.Authorise:
    return f.Authorise(at=at, hit=event.hit, by=people(event.approvals))


def _pay(at: int, _stream: str, event: p.JackpotPaid) -> f.Pay:
    return f.Pay(at=at, hit=event.hit, year=event.slip_year, slip=event.slip)


def _envy(at: int, _stream: str, event: p.EnvyPaid) -> f.SlipUsed:
    return f.SlipUsed(at=at, year=event.slip_year, slip=event.slip)


def _void(at: int, _stream: str, event: p.HitVoided) -> f.Void:
    return f.Void(at=at, hit=event.hit, reason=event.reason, by=people(event.approvals))


def _parameters(at: int, _stream: str, event: p.ParametersChanged) -> f.Parameters:
    return f.Parameters(
        at=at,
        level=event.level,
        by=people(event.approvals),
        seed=UNSET if event.seed_minor is UNSET else event.seed_minor * MICRO,
        feed=event.feed_millionths,
        reserve_rate=event.reserve_millionths,
        cap=_micro(event.cap_minor),
        withhold=event.withhold_millionths,
    )


def _adjust(at: int, _stream: str, event: p.MeterAdjusted) -> f.Adjust:
    amount, by = event.amount_minor * MICRO, people(event.approvals)
    return f.Adjust(at=at, level=event.level, amount=amount, reason=event.reason, by=by)


def _lock_said(at: int, _stream: str, event: p.SharesLocked) -> f.LockSaid:
    lock = f.Lock(
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
    return f.LockSaid(at=at, group=event.group, revision=event.revision, lock=lock)


def _withdrawn(at: int, _stream: str, event: p.LockWithdrawn) -> f.LockSaid:
    return f.LockSaid(at=at, group=event.group, revision=event.revision, lock=None)


def _house_paid(at: int, _stream: str, event: p.HousePaid) -> f.HousePaid:
    place = f"{event.table}/{event.gaming_day}#{event.round}/{event.box}"
    amount, year, slip = event.amount_minor, event.slip_year, event.slip
    return f.HousePaid(at=at, place=place, level=event.level, amount=amount, year=year, slip=slip)


def _house_voided(at: int, _stream: str, event: p.HouseVoided) -> f.HouseVoided:
    return f.HouseVoided(at=at, year=event.slip_year, slip=event.slip)


def _variance_found(at: int, _stream: str, event: p.VarianceOpened) -> f.VarianceFound:
    return f.VarianceFound(at=at, case=event.case, level=event.level, variance=event.variance_minor)


def _variance_settled(at: int, _stream: str, event: p.VarianceClosed) -> f.VarianceSettled:
    return f.VarianceSettled(at=at, case=event.case, year=event.slip_year, slip=event.slip)


def _deposited(at: int, _stream: str, event: p.FundDeposited) -> f.Deposited:
    return f.Deposited(at=at, level=event.level, amount=event.amount_minor)


def _notice_read(at: int, _stream: str, event: p.NoticeAcknowledged) -> f.NoticeRead:
    return f.NoticeRead(at=at, change=event.change)


def _waiting_said(at: int, _stream: str, event: p.LevelWaiting) -> f.WaitingSaid:
    return f.WaitingSaid(at=at, hit=event.hit)


_KNOWN: dict[str, tuple[type[Any], Callable[[int, str, Any], f.AnyFact]]] = {
    ProgressiveArmed.TYPE: (ProgressiveArmed, _arm),
    HitDeclared.TYPE: (HitDeclared, _hit),
    HitDeclaredLate.TYPE: (HitDeclaredLate, _late_hit),
    DealCompleted.TYPE: (DealCompleted, _dealt),
    RoundEnded.TYPE: (RoundEnded, _over),
    RoundVoided.TYPE: (RoundVoided, _void_round),
    p.HitAuthorised.TYPE: (p.HitAuthorised, _authorise),
    p.JackpotPaid.TYPE: (p.JackpotPaid, _pay),
    p.EnvyPaid.TYPE: (p.EnvyPaid, _envy),
    p.HousePaid.TYPE: (p.HousePaid, _house_paid),
    p.HouseVoided.TYPE: (p.HouseVoided, _house_voided),
    p.HitVoided.TYPE: (p.HitVoided, _void),
    p.ParametersChanged.TYPE: (p.ParametersChanged, _parameters),
    p.MeterAdjusted.TYPE: (p.MeterAdjusted, _adjust),
    p.SharesLocked.TYPE: (p.SharesLocked, _lock_said),
    p.LockWithdrawn.TYPE: (p.LockWithdrawn, _withdrawn),
    p.VarianceOpened.TYPE: (p.VarianceOpened, _variance_found),
    p.VarianceClosed.TYPE: (p.VarianceClosed, _variance_settled),
    p.FundDeposited.TYPE: (p.FundDeposited, _deposited),
    p.NoticeAcknowledged.TYPE: (p.NoticeAcknowledged, _notice_read),
    p.LevelWaiting.TYPE: (p.LevelWaiting, _waiting_said),
}
FACT_TYPES = frozenset(_KNOWN)
