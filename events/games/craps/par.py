"""The exact edge of every craps bet, from the throws themselves.

`rolls.roll` plays each bet through all 36 throws until its decision. The chain of states is solved in fractions.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from events.games.craps.craps_bet_struct_and_validity import CrapsBet, lay
from events.games.craps.craps_bet_struct_and_validity import commission as craps_commission
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import CrapsRules
from events.games.craps.ruleset import rules as craps_rules
from events.games.par import Edge
from events.rules.exact_amount_parsing import Amount
from events.rules.taken_ruleset_version_struct import Numbers

State: TypeAlias = tuple[int | None, tuple[CrapsBet, ...]]
STAKE = 27720  # divisible by every denominator in the pays: all winnings are whole
_DICE = tuple((first, two) for first in range(1, 7) for two in range(1, 7))


class Ending(NamedTuple):
    """Average end of one unit staked: expected profit, and the chances to win, lose or be handed back."""

    profit: Fraction
    win: Fraction
    lose: Fraction
    push: Fraction


def edges(ruleset: Numbers) -> list[Edge]:
    """The edge of every bet of a craps ruleset, the house's settings as in its file. Raises Unknown."""
    return list(edges_of(craps_rules(ruleset)))


def edges_of(rules: CrapsRules) -> Iterator[Edge]:
    """Yield the edge of every bet under these rules, per stake.

    Where ties or a commission exist, yield it also per decided stake and per whole outlay.
    """
    for name in rules.bets():
        for number in _numbers(rules, name):
            yield from _edges(rules, name, number)


def ending(rules: CrapsRules, point: int | None, bets: tuple[CrapsBet, ...], watched: str) -> Ending:
    """Return the end of the bet `watched`, thrown until its decision from this point and with these bets on the
    table.
    """
    states, flows = _chain(rules, (point, bets), watched)
    return _solve(states, flows)


def _numbers(rules: CrapsRules, name: str) -> tuple[int | None, ...]:
    rule = rules.bet(name).rule
    if rule.form in ("odds", "hardway") or (rule.form == "number" and rule.number is None):
        return tuple(rule.pays)
    return (None,)


def _edges(rules: CrapsRules, name: str, number: int | None) -> Iterator[Edge]:
    point, bets = _start(rules, name, number)
    end = ending(rules, point, bets, "x")
    bet = bets[-1]
    due = Fraction(craps_commission(rules, bet)) / STAKE
    condition = "" if number is None else str(number)
    edge = Edge(rules.name, name, due - end.profit, end.win, condition, note=_note(rules, name, due))
    yield edge
    if end.push:
        decided = end.win + end.lose
        yield replace(edge, edge=edge.edge / decided, hit=end.win / decided, per="decided")
    if due:
        yield replace(edge, edge=edge.edge / (1 + due), per="outlay")
        yield _left_up(rules, edge, end, due)


def _left_up(rules: CrapsRules, edge: Edge, end: Ending, due: Fraction) -> Edge:
    """Return the edge, per decided stake, of a bet that stays on the layout until it loses.

    It is decided 1 / P(lose) times on average. The commission is due once, or each time [BYC-6].
    """
    is_again = rules.data.commission_again
    commission = due if is_again else due * end.lose
    note = "left up until it loses; commission " + ("after every win" if is_again else "once")
    return replace(edge, edge=commission - end.profit, per="decided", note=note)


def _start(rules: CrapsRules, name: str, number: int | None) -> State:
    """Return the bet "x" when first laid, with the flat bet and the point that it needs."""
    rule = rules.bet(name).rule
    if rule.form == "line":
        return None, (CrapsBet("x", name, STAKE),)
    point: int | None
    if rule.form != "odds":
        point = _other(rule.number or number)
        return point, (lay(rules, CrapsBet("x", name, STAKE, number), point, ()),)
    line = rules.bet(rule.base).rule.form == "line"
    point = number if line else _other(number)
    flat = CrapsBet("flat", rule.base, STAKE, None if line else number)
    return point, (flat, lay(rules, CrapsBet("x", name, STAKE, base="flat"), point, (flat,)))


def _other(number: int | None) -> int:
    """A point for bets on a number of their own: the six, or the eight for those on six."""
    return 8 if number == 6 else 6


def _note(rules: CrapsRules, name: str, due: Fraction) -> str:
    notes = []
    if due:
        notes.append(f"{due * 100} % of the stake as commission, taken down after a win")
    if rules.bet(name).rule.off_on_come_out:
        notes.append("off on the come-out; laid while the point is 6 (8 for a bet on 6)")
    return "; ".join(notes)


class _Flow(NamedTuple):
    """Flow from one state: counts of the 36 throws to other states, and the share decided at once."""

    to: dict[State, int]
    profit: int
    win: int
    lose: int
    push: int


def _chain(rules: CrapsRules, start: State, watched: str) -> tuple[list[State], list[_Flow]]:
    """Return every state that can be reached while the bet is unsettled, and the flows of the throws from each."""
    states, flows = [start], []
    for state in states:
        flow = _throws(rules, state, watched)
        flows.append(flow)
        states.extend(new for new in flow.to if new not in states)
    return states, flows


def _throws(rules: CrapsRules, state: State, watched: str) -> _Flow:
    to: dict[State, int] = {}
    counts = {"win": 0, "lose": 0, "push": 0}
    profit: Amount = 0
    for dice in _DICE:
        outcome = roll(rules, *state, dice)
        resolution = next(resolution for resolution in outcome.resolutions if resolution.bet == watched)
        if resolution.outcome == "stands":
            after = (outcome.point_after, outcome.bets)
            to[after] = to.get(after, 0) + 1
        else:
            counts[resolution.outcome] += 1
            profit += resolution.profit
    return _Flow(to, int(profit), **counts)


def _solve(states: list[State], flows: list[_Flow]) -> Ending:
    """Return the expectations of the first state of an absorbing chain.

    States are eliminated from the last to the second, each replaced by its flows. The first keeps its own loop and its
    ending.
    """
    place = {state: index for index, state in enumerate(states)}
    rows = [{place[to]: Fraction(count, 36) for to, count in flow.to.items()} for flow in flows]
    ends = [
        [Fraction(value, 36) for value in (Fraction(flow.profit, STAKE), flow.win, flow.lose, flow.push)]
        for flow in flows
    ]
    for last in range(len(states) - 1, -1, -1):
        stay = 1 / (1 - rows[last].pop(last, Fraction(0)))
        rows[last] = {to: share * stay for to, share in rows[last].items()}
        ends[last] = [value * stay for value in ends[last]]
        for row, end in zip(rows[:last], ends[:last], strict=True):
            share = row.pop(last, None)
            if share is not None:
                for to, onward in rows[last].items():
                    row[to] = row.get(to, Fraction(0)) + share * onward
                end[:] = [value + share * later for value, later in zip(end, ends[last], strict=True)]
    return Ending(*ends[0])
