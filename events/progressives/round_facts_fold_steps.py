"""Facts of the tables' rounds: armed, dealt, over, void. Each function judges first and changes afterwards."""

from collections.abc import Sequence

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Refused
from events.progressives import table_fact_checks
from events.progressives.approver_department_checks import require_lead_and_watch
from events.progressives.fact_structs import Arm, DealFinished, RoundName, RoundOver, VoidRoundFact
from events.progressives.hit_locks_of_a_level import relock, settle
from events.progressives.levels_rounds_and_hits_state import (
    ArmedRoundState,
    FoldState,
    HitState,
    LevelState,
    ProgressiveTerms,
    TableProgress,
)
from events.progressives.meter import contributed_units
from events.progressives.table_fact_checks import ROUND, check_arming, check_dealing, check_ending, check_misdeal


def arm(state: FoldState, fact: Arm) -> None:
    """The stakes of the round feed every level at the rates in force. Raises Refused for a bet or round amiss."""
    table = state.tables.get(fact.table) or TableProgress()
    used = fact.round <= table.last if isinstance(fact.round, int) else False
    check_arming(fact.round, table.open, was_armed=used or (fact.table, fact.round) in state.rounds)
    check_bets(state.opening, fact)
    stakes = [bet.stake for bet in fact.bets]
    for level in state.levels.values():
        _feed(level, stakes)
    last = max(table.last, fact.round) if isinstance(fact.round, int) else table.last
    state.tables[fact.table] = TableProgress(open=fact.round, last=last)
    state.rounds[fact.table, fact.round] = ArmedRoundState(at=fact.at, dealer=fact.dealer, bets=fact.bets, pit=fact.pit)
    _forget_rounds(state)


def check_bets(terms: ProgressiveTerms, fact: Arm) -> None:
    """Raise Refused unless there are bets, one a box, each of one of the two stakes."""
    table_fact_checks.check_bets(terms.stakes, [(bet.box, bet.stake) for bet in fact.bets])


def _feed(level: LevelState, stakes: Sequence[int]) -> None:
    fed_units, reserved = (
        contributed_units(level.settings.feed, stakes),
        contributed_units(level.settings.reserve_rate, stakes),
    )
    level.fed += fed_units
    level.meter += fed_units
    level.tail_meter += fed_units
    level.reserve += reserved
    level.reserve_fed += reserved
    level.tail_reserve += reserved


def find(state: FoldState, table: str, name: RoundName) -> ArmedRoundState:
    """Return the armed round. Raises Refused where it does not exist or is no longer available."""
    round_ = state.rounds.get((table, name))
    if round_ is None:
        raise Refused(ROUND, coded("round-not-armed-here", round=name))
    return round_


def dealt(state: FoldState, fact: DealFinished) -> None:
    """No more hits in this round; its groups are lockable from now on."""
    round_ = find(state, fact.table, fact.round)
    check_dealing(fact.round, round_)
    state.rounds[fact.table, fact.round] = replace(round_, dealt=True)
    _make_lockable(state, round_)


def _make_lockable(state: FoldState, round_: ArmedRoundState) -> None:
    hits = hits_of(state, round_)
    for key in {hit.group for hit in hits}:
        state.groups[key] = replace(state.groups[key], lockable=True)
    touched = {hit.level for hit in hits}
    for level in state.levels.values():
        if level.name in touched:
            relock(state, level)


def hits_of(state: FoldState, round_: ArmedRoundState) -> list[HitState]:
    """Return the remembered hits of a round."""
    return [state.hits[hit] for hit in round_.hits if hit in state.hits]


def over(state: FoldState, fact: RoundOver) -> None:
    """The round is finished: its shares may be paid."""
    round_ = find(state, fact.table, fact.round)
    check_ending(fact.round, round_)
    state.rounds[fact.table, fact.round] = replace(round_, over=True)
    _close(state, fact.table)


def void_round(state: FoldState, fact: VoidRoundFact) -> None:
    """A misdeal. Nothing of the round can be paid yet, since payments come after it."""
    round_ = find(state, fact.table, fact.round)
    check_misdeal(fact.round, round_, fact.reason)
    for level in state.levels.values():
        if settle(state, level, round_.hits).meter < 0:
            raise Refused("house progressive.meter", coded("meter-left-below-zero", level=level.name))
    require_lead_and_watch(fact.by, round_.dealer, ROUND)
    for hit in hits_of(state, round_):
        state.hits[hit.id] = replace(hit, void=True)
    ended = replace(round_, dealt=True, over=True, void=True)
    state.rounds[fact.table, fact.round] = ended
    _close(state, fact.table)
    _make_lockable(state, ended)


def _close(state: FoldState, table: str) -> None:
    state.tables[table] = replace(state.tables[table], open=None)


def _forget_rounds(state: FoldState) -> None:
    """Keep the newest rounds, those not over, and those with a hit that is neither paid nor void."""
    keep = state.opening.keep_rounds
    if keep is None or len(state.rounds) <= keep + keep // 4:
        return
    old = list(state.rounds)[: len(state.rounds) - keep]
    for key in old:
        round_ = state.rounds[key]
        if round_.over and all(hit.final for hit in hits_of(state, round_)):
            del state.rounds[key]
    seen = {table for table, _ in state.rounds}
    state.tables = {name: table for name, table in state.tables.items() if name in seen}
