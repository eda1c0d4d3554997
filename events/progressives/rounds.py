"""Facts of the tables' rounds: armed, dealt, over, void. Each function judges first and changes afterwards."""

from msgspec.structs import replace

from events.errors import Refused, require_reason
from events.progressives.approvals import require_lead_and_watch
from events.progressives.facts import Arm, Dealt, Over, RoundName, VoidRound
from events.progressives.locks import relock, settle
from events.progressives.state import HitState, Level, Opening, Round, State, Table

RULE = "house progressive.round"


def arm(state: State, fact: Arm) -> None:
    """The stakes of the round feed every level at the rates in force. Raises Refused for a bet or round amiss."""
    table = state.tables.get(fact.table) or Table()
    _check_arm(state, table, fact)
    stakes = sum(bet.stake for bet in fact.bets)
    for level in state.levels.values():
        _feed(level, stakes)
    last = max(table.last, fact.round) if isinstance(fact.round, int) else table.last
    state.tables[fact.table] = Table(open=fact.round, last=last)
    state.rounds[fact.table, fact.round] = Round(at=fact.at, dealer=fact.dealer, bets=fact.bets, pit=fact.pit)
    _forget_rounds(state)


def _check_arm(state: State, table: Table, fact: Arm) -> None:
    if table.open is not None:
        raise Refused("blazing7s P.1", f"round {table.open} of this table is not over", source="004 L15")
    used = fact.round <= table.last if isinstance(fact.round, int) else False
    if used or (fact.table, fact.round) in state.rounds:
        raise Refused(RULE, f"round {fact.round} of this table was armed before")
    check_bets(state.opening, fact)


def check_bets(terms: Opening, fact: Arm) -> None:
    """Raises Refused unless there are bets, one a box, each of one of the two stakes."""
    if not fact.bets:
        raise Refused("blazing7s P.1", "there is no progressive bet to arm the round with", source="004 L15")
    if len({bet.box for bet in fact.bets}) != len(fact.bets):
        raise Refused("blazing7s P.2", "one progressive bet a box", source="004 L13")
    if any(bet.stake not in terms.stakes for bet in fact.bets):
        low, high = terms.stakes
        raise Refused(
            "blazing7s L.1", f"the stakes are {low} and {high}, no others", source="004 L103", reading="BLZ-5"
        )


def _feed(level: Level, stakes: int) -> None:
    fed, reserved = stakes * level.settings.feed, stakes * level.settings.reserve_rate
    level.fed += fed
    level.meter += fed
    level.tail_meter += fed
    level.reserve += reserved
    level.reserve_fed += reserved
    level.tail_reserve += reserved


def find(state: State, table: str, name: RoundName) -> Round:
    """The armed round. Raises Refused where there is none, or none at hand any more."""
    found = state.rounds.get((table, name))
    if found is None:
        raise Refused(RULE, f"no round {name} of this table is armed or still at hand")
    return found


def dealt(state: State, fact: Dealt) -> None:
    """No more hits in this round; its groups are lockable from now on."""
    found = find(state, fact.table, fact.round)
    if found.dealt:
        raise Refused("blazing7s P.3", f"the initial deal of round {fact.round} was complete before", source="004 L23")
    state.rounds[fact.table, fact.round] = replace(found, dealt=True)
    _make_lockable(state, found)


def _make_lockable(state: State, found: Round) -> None:
    hits = hits_of(state, found)
    for key in {hit.group for hit in hits}:
        state.groups[key] = replace(state.groups[key], lockable=True)
    touched = {hit.level for hit in hits}
    for level in state.levels.values():
        if level.name in touched:
            relock(state, level)


def hits_of(state: State, found: Round) -> list[HitState]:
    """The hits of a round that are still at hand."""
    return [state.hits[hit] for hit in found.hits if hit in state.hits]


def over(state: State, fact: Over) -> None:
    """The round is finished: its shares may be paid."""
    found = find(state, fact.table, fact.round)
    if not found.dealt or found.over:
        raise Refused(RULE, f"round {fact.round} is over already" if found.over else f"round {fact.round} is not dealt")
    state.rounds[fact.table, fact.round] = replace(found, over=True)
    _close(state, fact.table)


def void_round(state: State, fact: VoidRound) -> None:
    """A misdeal. Nothing of the round can be paid yet, since payments come after it."""
    found = find(state, fact.table, fact.round)
    if found.over:
        raise Refused(RULE, f"round {fact.round} is over already")
    require_reason(fact.reason, RULE)
    for level in state.levels.values():
        if settle(state, level, found.hits).meter < 0:
            raise Refused("house progressive.meter", f"the {level.name} meter would be left below 0")
    require_lead_and_watch(fact.by, found.dealer, RULE)
    for hit in hits_of(state, found):
        state.hits[hit.id] = replace(hit, void=True)
    ended = replace(found, dealt=True, over=True, void=True)
    state.rounds[fact.table, fact.round] = ended
    _close(state, fact.table)
    _make_lockable(state, ended)


def _close(state: State, table: str) -> None:
    state.tables[table] = replace(state.tables[table], open=None)


def _forget_rounds(state: State) -> None:
    """Keep the newest rounds, those not over, and those with a hit that is neither paid nor void."""
    keep = state.opening.keep_rounds
    if keep is None or len(state.rounds) <= keep + keep // 4:
        return
    old = list(state.rounds)[: len(state.rounds) - keep]
    for key in old:
        found = state.rounds[key]
        if found.over and all(hit.final for hit in hits_of(state, found)):
            del state.rounds[key]
    seen = {table for table, _ in state.rounds}
    state.tables = {name: table for name, table in state.tables.items() if name in seen}
