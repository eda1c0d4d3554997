"""The progressive as a decider: actions of people, judged by the fold over all earlier facts, and the locks then due.

`decide` never changes the given fold. The caller appends all returned events in one transaction, at the position up to
which the fold was caught up. The fold reads them back from the store like any other event.
"""

from collections.abc import Callable
from typing import Any, TypedDict

from msgspec.structs import asdict

from events.envelope import ActionData, EventData
from events.error_codes import ErrorText, coded
from events.errors import Forbidden, NotYet, Refused, Unknown
from events.fields import METER_MAX as POOL_MAX
from events.money import single_currency_rule
from events.progressives import (
    action_structs,
    event_types,
    fact_structs,
    house_error_payments,
    level_changes_and_notices,
    sign_readings_and_variance_cases,
)
from events.progressives.approver_department_checks import require_two_departments
from events.progressives.decider_base_functions import apply, approvals, known_level, table_and_day
from events.progressives.event_to_fact_mapping import MICRO, opening_of
from events.progressives.fold import Fold
from events.progressives.liability import is_short, liability
from events.roles import DEPARTMENT

METER_MAX = POOL_MAX * MICRO
# Amounts added by hits or stakes in a whole life: this many fit into the 64 bits of a read model's column.
SEED_MAX, STAKE_MAX = 10**10 * MICRO, 10**9


def decide(fold: Fold | None, data: ActionData, by: fact_structs.People) -> list[EventData]:
    """Return the events of an action that `by` requested and approved: due locks, the decision, locks due by it.

    `fold` holds all earlier facts, None for a progressive that is not open. Raises Refused with the clause, NotApproved
    where only an approval is missing, Forbidden for a role, Unknown for an unknown progressive or level.
    """
    if isinstance(data, action_structs.OpenProgressive):
        return [_open(fold, data, by)]
    if fold is None:
        raise Unknown(coded("progressive-is-not-open"))
    judge = _JUDGES.get(type(data))
    if judge is None:
        raise Refused("house progressive", coded("not-an-action-of-progressive", action=data.TYPE))
    next_fold = fold.copy()
    due = _say(next_fold)
    decided = judge(next_fold, data, by)
    _must_hold(fold, next_fold)
    return [*due, *decided, *_say(next_fold)]


def _must_hold(before: Fold, after: Fold) -> None:
    """Require that increases by an action stay within the bounds of every read model, however often they are repeated.
    Raises Refused."""
    for name, level in after.state.levels.items():
        old_level = before.level(name)
        if level.settings.seed > max(old_level.settings.seed, SEED_MAX):
            raise Refused("house progressive.parameters", coded("seed-too-high", maximum=SEED_MAX // MICRO))
        grown = (
            (old_level.meter, level.meter),
            (abs(old_level.adjusted), abs(level.adjusted)),
            (old_level.deposited, level.deposited),
        )
        if any(new > max(old, METER_MAX) for old, new in grown):
            raise Refused("house progressive.meter", coded("meter-too-high", level=name, maximum=METER_MAX // MICRO))


def due_locks(fold: Fold) -> list[event_types.SharesLocked | event_types.LockWithdrawn]:
    """Return the events that the stream still lacks: a revision for every group whose lock has changed since its
    record.

    In order of level and position, withdrawals before new locks. After their append no event is due, so repeated calls
    append once.
    """
    withdrawn: list[event_types.SharesLocked | event_types.LockWithdrawn] = []
    share_locks: list[event_types.SharesLocked] = []
    for key in sorted(fold.state.unsaid):
        group = fold.state.groups[key]
        if group.lock is None:
            withdrawn.append(_withdrawn(fold, key))
        else:
            share_locks.append(_locked(fold, key, group.lock))
    order = list(fold.state.levels)
    return [*withdrawn, *sorted(share_locks, key=lambda event: (order.index(event.level), event.as_of))]


def _say(next_fold: Fold) -> list[event_types.SharesLocked | event_types.LockWithdrawn]:
    """Return the due locks, and note in the fold that they are recorded."""
    due = due_locks(next_fold)
    for event in due:
        apply(next_fold, event)
    return due


# --- locks ------------------------------------------------------------------------------------------------------


def _revision(fold: Fold, key: str) -> int:
    recorded = fold.state.locks.get(key)
    return recorded.revision + 1 if recorded else 1


def _withdrawn(fold: Fold, key: str) -> event_types.LockWithdrawn:
    group = fold.state.groups[key]
    pending = any(not fold.state.hits[hit].void for hit in group.hits)
    return event_types.LockWithdrawn(
        progressive=fold.state.opening.progressive,
        level=group.level,
        group=key,
        revision=_revision(fold, key),
        reason="pending" if pending else "void",
    )


def _locked(fold: Fold, key: str, lock: fact_structs.GroupLock) -> event_types.SharesLocked:
    opening = fold.state.opening
    first = fold.state.hits[lock.hits[0]]
    table, day = table_and_day(first.table)
    return event_types.SharesLocked(
        progressive=opening.progressive,
        level=first.level,
        group=key,
        revision=_revision(fold, key),
        as_of=lock.at,
        table=table,
        gaming_day=day,
        round=int(first.round),
        meter_micro=lock.meter,
        amount_minor=lock.amount,
        house_minor=lock.house,
        seed_minor=lock.seed // MICRO,
        seed_from_reserve_micro=lock.from_reserve,
        shares=tuple(_share(fold, hit, lock.share) for hit in lock.hits),
        policy=opening.policy,
        policy_version=opening.policy_version,
        parameters_version=lock.version,
        cap_minor=None if lock.cap is None else lock.cap // MICRO,
    )


def _share(fold: Fold, hit: str, share_minor: int) -> event_types.Share:
    hit_state = fold.state.hits[hit]
    table, day = table_and_day(hit_state.table)
    return event_types.Share(
        hit=hit,
        player=hit_state.player,
        box=int(hit_state.box),
        table=table,
        gaming_day=day,
        round=int(hit_state.round),
        share_minor=share_minor,
    )


class _HitPlace(TypedDict):
    progressive: str
    level: str
    hit: str
    table: str
    gaming_day: str
    round: int
    box: int
    pit: str
    dealer: str


def _where(fold: Fold, hit: str) -> _HitPlace:
    """The fields that all events of one hit have in common, the player apart."""
    hit_state = fold.state.hits[hit]
    table, day = table_and_day(hit_state.table)
    armed = fold.round(hit)
    return _HitPlace(
        progressive=fold.state.opening.progressive,
        level=hit_state.level,
        hit=hit,
        table=table,
        gaming_day=day,
        round=int(hit_state.round),
        box=int(hit_state.box),
        pit=armed.pit if armed else "",
        dealer=hit_state.dealer,
    )


RESERVE = "reserve"  # the journal's Liabilities:Progressive:{progressive}:reserve

# --- actions ----------------------------------------------------------------------------------------------------


def _open(
    fold: Fold | None, data: action_structs.OpenProgressive, by: fact_structs.People
) -> event_types.ProgressiveOpened:
    if fold is not None:
        raise Refused(
            "house progressive.open",
            coded("progressive-open-already", progressive=data.progressive),
            field="data.progressive",
        )
    low, high = data.stakes_minor
    if not 0 < low <= high:
        raise Refused(
            "blazing7s L.1",
            coded("low-and-high-stake-needed"),
            source="004 L103",
            reading="BLZ-5",
            field="data.stakes_minor",
        )
    if high > STAKE_MAX or any(level.seed_minor * MICRO > SEED_MAX for level in data.levels):
        most = coded("progressive-limits", stake=STAKE_MAX, seed=SEED_MAX // MICRO)
        raise Refused("house progressive.open", most)
    if any(level.level == RESERVE for level in data.levels):
        reason = coded("level-name-reserved", name=RESERVE)
        raise Refused("house progressive.open", reason, field="data.levels")
    fields = {name: getattr(data, name) for name in data.__struct_fields__}
    fields["currency"] = single_currency_rule.chosen(data.currency, "")
    fields["levels"] = tuple(event_types.LevelOpened(**asdict(level)) for level in data.levels)
    event = event_types.ProgressiveOpened(**fields, approvals=approvals(by))
    Fold.opened(0, opening_of(event))
    require_two_departments(by, "house progressive.open")
    return event


def _authorise(next_fold: Fold, data: action_structs.AuthoriseHit, by: fact_structs.People) -> list[EventData]:
    if next_fold.hit(data.hit) and next_fold.status(data.hit) == "pending":
        raise NotYet(_reason_for_waiting(next_fold, data.hit))
    lock = next_fold.lock(data.hit) if next_fold.hit(data.hit) else None
    if lock is not None and lock.share != data.amount_minor:
        raise Refused(
            "house progressive.hit",
            coded("share-is-another", share=lock.share, amount=data.amount_minor),
            field="data.amount_minor",
        )
    next_fold.check(fact_structs.Authorise(at=next_fold.at + 1, hit=data.hit, by=by))
    player = next_fold.state.hits[data.hit].player
    event = event_types.HitAuthorised(
        **_where(next_fold, data.hit), player=player, amount_minor=data.amount_minor, approvals=approvals(by)
    )
    apply(next_fold, event)
    return [event]


def _reason_for_waiting(next_fold: Fold, hit: str) -> ErrorText:
    """Return why a hit has no share yet: the first round that its level waits for, its own or an earlier winner's."""
    first = next_fold.waiting_hit(next_fold.state.hits[hit].level)
    assert first is not None, "a pending hit waits for a round"
    table, _ = table_and_day(first.table)
    return coded("share-waits-for-deal", hit=hit, round=first.round, table=table)


def _pay(next_fold: Fold, data: action_structs.PayJackpot, by: fact_structs.People) -> list[EventData]:
    if not any(person.role == "cage" for person in by):
        raise Forbidden(coded("cage-pays-shares"))
    next_fold.check(fact_structs.Pay(at=next_fold.at + 1, hit=data.hit))
    lock = next_fold.lock(data.hit)
    assert lock is not None, "what may be paid is locked"
    year = data.gaming_day[:4]
    slip = next_fold.state.slips.get(year, 0) + 1
    place, player = _where(next_fold, data.hit), next_fold.state.hits[data.hit].player
    paid = event_types.JackpotPaid(
        **place,
        player=player,
        amount_minor=lock.share,
        slip=slip,
        slip_year=year,
        paid_gaming_day=data.gaming_day,
        tender=data.tender,
        approvals=approvals(by),
    )
    envy = [
        event_types.EnvyPaid(
            **place,
            player=other,
            winner=player,
            amount_minor=amount,
            slip=slip + number,
            slip_year=year,
            paid_gaming_day=data.gaming_day,
            tender=data.tender,
        )
        for number, (other, amount) in enumerate(next_fold.envy(data.hit), 1)
    ]
    for event in (paid, *envy):
        apply(next_fold, event)
    return [paid, *envy]


def _void(next_fold: Fold, data: action_structs.VoidHit, by: fact_structs.People) -> list[EventData]:
    next_fold.check(fact_structs.Void(at=next_fold.at + 1, hit=data.hit, reason=data.reason, by=by))
    player = next_fold.state.hits[data.hit].player
    event = event_types.HitVoided(
        **_where(next_fold, data.hit), player=player, reason=data.reason, approvals=approvals(by)
    )
    apply(next_fold, event)
    return [event]


def _parameters(next_fold: Fold, data: action_structs.ChangeParameters, by: fact_structs.People) -> list[EventData]:
    event = event_types.ParametersChanged(
        progressive=next_fold.state.opening.progressive,
        **asdict(data),
        parameters_version=known_level(next_fold, data.level).version + 1,
        approvals=approvals(by),
    )
    apply(next_fold, event)
    return [event]


def _adjust(next_fold: Fold, data: action_structs.AdjustMeter, by: fact_structs.People) -> list[EventData]:
    meter = known_level(next_fold, data.level).meter + data.amount_minor * MICRO
    event = event_types.MeterAdjusted(
        progressive=next_fold.state.opening.progressive, **asdict(data), meter_micro=meter, approvals=approvals(by)
    )
    apply(next_fold, event)
    return [event]


def _deposit(next_fold: Fold, data: action_structs.DepositFund, by: fact_structs.People) -> list[EventData]:
    """Cage or accounting bring it, another department agrees (WA 455)."""
    return [_of_the_fund(next_fold, data, data.amount_minor, by)]


def _withdraw(next_fold: Fold, data: action_structs.WithdrawFund, by: fact_structs.People) -> list[EventData]:
    """Record a withdrawal as the document shows it. The amount owed to players must stay (WA 455)."""
    event = _of_the_fund(next_fold, data, -data.amount_minor, by)
    apply(next_fold, event)
    if is_short(liability(next_fold)):
        raise Refused(
            "house progressive.fund",
            coded("fund-below-owed"),
            source="WA 455",
            field="data.amount_minor",
        )
    return [event]


def _of_the_fund(
    next_fold: Fold,
    data: action_structs.DepositFund | action_structs.WithdrawFund,
    amount: int,
    by: fact_structs.People,
) -> event_types.FundDeposited:
    level = known_level(next_fold, data.level)
    if not any(DEPARTMENT.get(person.role) in ("cage", "accounting") for person in by):
        raise Forbidden(coded("fund-deposit-roles"))
    require_two_departments(by, "house progressive.fund")
    return event_types.FundDeposited(
        progressive=next_fold.state.opening.progressive,
        level=level.name,
        amount_minor=amount,
        document=data.document,
        approvals=approvals(by),
    )


_JUDGES: dict[type[ActionData], Callable[[Fold, Any, fact_structs.People], list[EventData]]] = {
    action_structs.AuthoriseHit: _authorise,
    action_structs.PayJackpot: _pay,
    action_structs.PayHouse: house_error_payments.pay,
    action_structs.VoidHousePayment: house_error_payments.void,
    action_structs.VoidHit: _void,
    action_structs.ChangeParameters: _parameters,
    action_structs.AdjustMeter: _adjust,
    action_structs.ReadMeter: sign_readings_and_variance_cases.read,
    action_structs.TestIncrement: sign_readings_and_variance_cases.increment,
    action_structs.CloseVariance: sign_readings_and_variance_cases.close,
    action_structs.DepositFund: _deposit,
    action_structs.WithdrawFund: _withdraw,
    action_structs.AcknowledgeNotice: lambda next_fold, data, by: level_changes_and_notices.acknowledge_notice(
        next_fold.state, data, by
    ),
}
