"""Facts of the hits: declared, late, void, authorised, paid; and the envy bonuses that a payment brings.

Each function judges first and changes afterwards, so a refusal leaves the state as it was. Approvals are judged last: a
NotApproved action is lawful otherwise, and can be put before others.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import NotApproved, Refused, require_reason
from events.progressives.approver_department_checks import (
    LEADS,
    WATCH,
    has_lead,
    has_lead_and_watch,
    require_lead_and_watch,
)
from events.progressives.envy import best, due_envy
from events.progressives.fact_structs import Authorise, GroupLock, HitFact, LateHitFact, Pay, Void
from events.progressives.hit_locks_of_a_level import relock, settle
from events.progressives.levels_rounds_and_hits_state import (
    ArmedRoundState,
    FixedShare,
    FoldState,
    HitGroup,
    HitMark,
    HitState,
    LevelState,
)
from events.progressives.round_facts_fold_steps import find, hits_of
from events.progressives.sharing_policies import policy
from events.progressives.table_fact_checks import HIT, check_hit, check_time


def hit(state: FoldState, fact: HitFact) -> None:
    """A hit is declared while the initial deal runs; it joins its round's group, or makes one (BLZ-8, BLZ-12)."""
    round_ = find(state, fact.table, fact.round)
    check_time(fact.round, round_, late=False)
    player = _check_hit(state, round_, fact)
    shares_round = policy(state.opening.policy, state.opening.policy_version).together
    _enter(state, round_, fact, player, _round_key(fact) if shares_round else _own_key(fact), is_late=False)


def late_hit(state: FoldState, fact: LateHitFact) -> None:
    """Take a hit declared after the deal: a group of its own at its own position, under every policy."""
    round_ = find(state, fact.table, fact.round)
    check_time(fact.round, round_, late=True)
    player = _check_hit(state, round_, fact)
    require_lead_and_watch(fact.by, round_.dealer, HIT)
    _enter(state, round_, fact, player, _own_key(fact), is_late=True)


def _round_key(fact: HitFact) -> str:
    """The name of the group of a round's hits of one level: it alone has a "#", so no two groups share a name."""
    return f"{_escaped(fact.table)}#{_escaped(str(fact.round)).replace('/', '%2F')}/{fact.level}"


def _own_key(fact: HitFact | LateHitFact) -> str:
    return _escaped(fact.id)


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("#", "%23")


def _check_hit(state: FoldState, round_: ArmedRoundState, fact: HitFact | LateHitFact) -> str:
    """Return the player of the bet. Raises Refused where there is no bet, or another hit in the way."""
    player = next((bet.player for bet in round_.bets if bet.box == fact.box), None)
    taken = any(old.box == fact.box and not old.void for old in hits_of(state, round_))
    known_hit = fact.id if fact.id in state.hits else None
    check_hit(fact.level, state.levels, fact.box, has_bet=player is not None, is_taken=taken, known_hit=known_hit)
    return player or ""


def _enter(
    state: FoldState, round_: ArmedRoundState, fact: HitFact | LateHitFact, player: str, key: str, *, is_late: bool
) -> None:
    state.hits[fact.id] = HitState(
        id=fact.id,
        at=fact.at,
        level=fact.level,
        table=fact.table,
        round=fact.round,
        box=fact.box,
        player=player,
        dealer=round_.dealer,
        group=key,
        late=is_late,
    )
    group = state.groups.get(key) or HitGroup(key=key, level=fact.level, hits=(), lockable=is_late)
    state.groups[key] = replace(group, hits=(*group.hits, fact.id))
    state.rounds[fact.table, fact.round] = replace(round_, hits=(*round_.hits, fact.id))
    if key in state.settled:  # all its hits so far are void, and now there is another
        state.settled.remove(key)
    level = state.levels[fact.level]
    _mark(level, fact.id, fact.at)
    relock(state, level)


def _mark(level: LevelState, hit_id: str, at: int) -> None:
    """Set a mark: later contributions belong behind this hit."""
    settings = level.settings
    level.marks.append(
        HitMark(
            hit=hit_id,
            at=at,
            meter=level.tail_meter,
            reserve=level.tail_reserve,
            seed=settings.seed,
            cap=settings.cap,
            version=level.version,
        )
    )
    level.tail_meter = level.tail_reserve = 0


def require_hit(state: FoldState, hit_id: str) -> HitState:
    """Return the declared hit. Raises Refused where it does not exist or is no longer available."""
    hit_state = state.hits.get(hit_id)
    if hit_state is None:
        raise Refused(HIT, coded("hit-unknown", hit=hit_id), field="data.hit")
    return hit_state


def lock_of(state: FoldState, hit_state: HitState) -> GroupLock | None:
    """The lock that this hit has part in now, None while it is pending or when it is void."""
    return None if hit_state.void else state.groups[hit_state.group].lock


def status(state: FoldState, hit_state: HitState) -> str:
    """pending | locked | authorised | paid | void."""
    if hit_state.void:
        return "void"
    if hit_state.paid:
        return "paid"
    lock = lock_of(state, hit_state)
    if lock is None:
        return "pending"
    return "authorised" if lock.share in hit_state.approved else "locked"


def void(state: FoldState, fact: Void) -> None:
    """Void a hit: the meter becomes the one without it."""
    hit_state = require_hit(state, fact.hit)
    if hit_state.final:
        raise Refused(HIT, coded("hit-has-status", hit=fact.hit, status=status(state, hit_state)), field="data.hit")
    require_reason(fact.reason, HIT)
    level = state.levels[hit_state.level]
    if settle(state, level, (fact.hit,)).meter < 0:
        raise Refused("house progressive.meter", coded("meter-left-below-zero", level=level.name))
    require_lead_and_watch(fact.by, hit_state.dealer, HIT)
    state.hits[fact.hit] = replace(hit_state, void=True)
    relock(state, level)
    forget_settled(state)


def authorise(state: FoldState, fact: Authorise) -> None:
    """Approve the present share: another share needs another authorisation."""
    hit_state = require_hit(state, fact.hit)
    lock = lock_of(state, hit_state)
    now = status(state, hit_state)
    if lock is None or now != "locked":
        raise Refused(HIT, coded("hit-not-locked", hit=fact.hit, status=now), field="data.hit")
    if not has_lead(fact.by, hit_state.dealer):
        raise NotApproved(
            "blazing7s P.4",
            coded("lead-must-authorise", roles=sorted(LEADS)),
            source="004 L51",
        )
    if is_over_limit(state, lock) and not has_lead_and_watch(fact.by, hit_state.dealer):
        raise NotApproved(HIT, coded("surveillance-must-authorise", role=WATCH), source="OH 3772-10-21")
    state.hits[fact.hit] = replace(hit_state, approved=(*hit_state.approved, lock.share))


def is_over_limit(state: FoldState, lock: GroupLock) -> bool:
    """Return whether the group's shares together are above the limit that a lead of the pit may authorise without
    surveillance.
    """
    return lock.share * len(lock.hits) * state.opening.scale > state.opening.surveillance_over


def pay(state: FoldState, fact: Pay) -> None:
    """Paid is paid: the share of every hit of the group, and the group's position, are fixed for good."""
    hit_state = require_hit(state, fact.hit)
    lock = lock_of(state, hit_state)
    now = status(state, hit_state)
    if lock is None or now != "authorised":
        raise Refused(HIT, coded("hit-not-authorised", hit=fact.hit, status=now), field="data.hit")
    if not find(state, hit_state.table, hit_state.round).over:
        raise Refused("blazing7s P.4", coded("round-not-over", round=hit_state.round), source="004 L51")
    level = state.levels[hit_state.level]
    _check_turn(state, level, lock)
    group = state.groups[hit_state.group]
    if group.fixed is None:
        state.groups[group.key] = replace(group, fixed=FixedShare(anchor=lock.hits[0], share=lock.share))
    state.hits[fact.hit] = replace(hit_state, paid=True)
    level.paid += lock.share
    note_slip(state, fact.year, fact.slip)
    relock(state, level)
    forget_settled(state)


def _check_turn(state: FoldState, level: LevelState, lock: GroupLock) -> None:
    """A winner is not paid while one before him waits for his authorisation (004 L63-69)."""
    for mark in level.marks:
        if mark.at >= lock.at:
            return
        earlier = state.groups[state.hits[mark.hit].group].lock
        if earlier is None or earlier.at >= lock.at:
            continue
        waiting = [h for h in earlier.hits if status(state, state.hits[h]) == "locked"]
        if waiting:
            raise Refused("blazing7s B", coded("earlier-hit-not-authorised", hit=waiting[0]), source="004 L63-69")


def note_slip(state: FoldState, year: str, slip: int) -> None:
    """The last number used in the year's series of slips."""
    if slip:
        state.slips[year] = max(slip, state.slips.get(year, 0))


def envy(state: FoldState, hit_id: str) -> Iterator[tuple[str, int]]:
    """Yield (player, minor units) due for this hit to the players of its round, by their highest stake (004 L53).

    In the order of the round's bets; not to the winner, unless the progressive says so (BLZ-6, BLZ-15).
    """
    hit_state, terms = state.hits[hit_id], state.opening
    amounts = terms.envy.get(hit_state.level, (0, 0))
    taking_part = best((bet.player, bet.stake) for bet in find(state, hit_state.table, hit_state.round).bets)
    return due_envy(
        taking_part,
        hit_state.player,
        lambda stake: amounts[terms.stakes.index(stake)],
        to_winner=terms.envy_to_winner,
    )


def forget_settled(state: FoldState) -> None:
    """Keep the newest of the groups that nothing can change, and those the stream still lacks a word about."""
    keep = state.opening.keep_groups
    if keep is None or len(state.settled) <= keep + keep // 4:
        return
    old, state.settled = state.settled[:-keep], state.settled[-keep:]
    for key in old:
        if key in state.unsaid:
            state.settled.insert(0, key)
            continue
        for hit_id in state.groups.pop(key).hits:
            del state.hits[hit_id]
        state.locks.pop(key, None)
