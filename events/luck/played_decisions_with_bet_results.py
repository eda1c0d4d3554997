"""The decisions of a table's gaming day, each with its bets, their results and the dealer: a fold of its stream.

A void round does not count. A corrected bet counts as corrected, also after its round. A round counts once it has
ended. `Session` gives the bets on the layout; the module contains no rule of a game: those are in
`events/rules/bet_outcome_chance_structs.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import EventData
from events.rules.bet_outcome_chance_structs import MICRO, ChanceDecision, Chances
from events.rules.game_declaration_and_registry import installed
from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables import main_table_decider as tables
from events.tables.event_types.rounds import BetSettled, RoundEnded, RoundVoided, SettlementCorrected, SettlementVoided
from events.tables.event_types.session import SessionOpened
from events.tables.moved_amount_declarations import BET_RESULT, figure
from events.tables.table_session_state_structs import Bet, Session

Corrected = Mapping[tuple[str, int | None], list[SettlementCorrected]]  # by stream and round


class PlayedDecision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A decision with its result: the house's win by each settled bet, in millionths."""

    table: str
    game: str
    pit: str
    gaming_day: str
    shift: str
    dealer: str
    decision: ChanceDecision
    won: Mapping[str, int]


class _PendingDecision(msgspec.Struct, kw_only=True):
    """A pending decision: the session before, the event, the bets as they lay, and their settlements so far."""

    before: Session
    event: EventData
    bets: dict[str, Bet]
    won: dict[str, int]


class TableDecisions:
    """A table's gaming day from its first event on: `take` them in their order."""

    def __init__(self, property_: str, opened: SessionOpened, corrected: Corrected) -> None:
        self._session = _first_session(property_, opened)
        self._corrections = corrected
        self._at: _PendingDecision | None = None
        self._round: list[PlayedDecision] = []

    def take(self, event: EventData) -> list[PlayedDecision]:
        """Take one more event, and return the decisions of a round that has ended with it."""
        decisions = self._settled_decisions(event) if self._chances() else []
        self._session = tables.evolve(self._session, event)
        return decisions

    def _chances(self) -> Chances | None:
        game = installed().get(self._session.game)
        return game.chances if game else None

    def _settled_decisions(self, event: EventData) -> list[PlayedDecision]:
        chances = self._chances()
        assert chances is not None
        if isinstance(event, chances.deciding):
            self._finish(chances)
            self._at = _PendingDecision(before=self._session, event=event, bets=dict(self._session.bets), won={})
        elif isinstance(event, BetSettled) and self._at is not None:
            _settle(self._at, _name(self._at, chances, event.bet), event, self._session)
        elif isinstance(event, SettlementVoided) and self._at is not None:
            _take_back(self._at, _name(self._at, chances, event.bet), event)
        elif isinstance(event, RoundVoided):
            self._at, self._round = None, []
        elif isinstance(event, RoundEnded):
            return self._ended(chances)
        return []

    def _ended(self, chances: Chances) -> list[PlayedDecision]:
        self._finish(chances)
        decisions, self._round = self._round, []
        return decisions

    def _finish(self, chances: Chances) -> None:
        at, self._at = self._at, None
        if at is None:
            return
        for correction in self._corrections.get((self._session.stream, at.before.round), ()):
            name = _name(at, chances, correction.bet)
            if name in at.won and name not in self._session.bets:  # it was decided for good by this, and not before
                _correct(at, name, correction)
        if bets := {name: bet for name, bet in at.bets.items() if bet.stake}:
            arguments = (at.before, at.event, bets)
            decisions = (chances.decision(*arguments), *chances.further_decisions(*arguments))
            self._round.extend(_played(at, decision) for decision in decisions)


def _played(at: _PendingDecision, decision: ChanceDecision) -> PlayedDecision:
    session = at.before
    return PlayedDecision(
        table=session.table,
        game=session.game,
        pit=session.pit,
        gaming_day=session.gaming_day,
        shift=session.shift,
        dealer=session.dealer or "",
        decision=decision,
        won=at.won,
    )


def _first_session(property_: str, event: SessionOpened) -> Session:
    return Session(
        stream=f"{property_}/tables/{event.table}/{event.gaming_day}",
        table=event.table,
        pit=event.pit,
        game=event.game,
        plays=taken_ruleset(event.ruleset, event.ruleset_digest),
        currency=event.currency,
        gaming_day=event.gaming_day,
    )


def _name(at: _PendingDecision, chances: Chances, bet: str) -> str:
    """The bet itself, or the one that it came of in the play."""
    return bet if bet in at.bets else chances.of_bet(bet)


def _settle(at: _PendingDecision, name: str, event: BetSettled, session: Session) -> None:
    """A bet that was not there before, or not so, was laid in the play or corrected."""
    if event.outcome == "void":
        at.bets.pop(name, None)
        return
    if name not in at.bets and (bet := session.bets.get(event.bet)) is not None:
        at.bets[name] = bet
    _add_result(at, name, event)


def _add_result(at: _PendingDecision, name: str, event: EventData) -> None:
    at.won[name] = at.won.get(name, 0) + figure(event, BET_RESULT) * MICRO


def _take_back(at: _PendingDecision, name: str, event: SettlementVoided) -> None:
    """Forget a settlement: the bets then on the layout are decided."""
    _add_result(at, name, event)
    if not at.won[name]:
        del at.won[name]
        at.bets.pop(name, None)


def _correct(at: _PendingDecision, name: str, correction: SettlementCorrected) -> None:
    """Correct the result, and the stake in proportion: of a doubled hand both stakes are settled."""
    _add_result(at, name, correction)
    if name == correction.bet:
        stake, before = at.bets[name].stake, correction.stake_before_minor
        at.bets[name] = replace(
            at.bets[name], stake=stake * correction.stake_minor // before if before else correction.stake_minor
        )


def corrected(events: Iterable[tuple[str, EventData]]) -> Corrected:
    """Return the corrections of rounds that were over."""
    by_round: dict[tuple[str, int | None], list[SettlementCorrected]] = {}
    for stream, event in events:
        if isinstance(event, SettlementCorrected):
            by_round.setdefault((stream, event.round), []).append(event)
    return by_round


def played_decisions(
    property_: str, events: Iterable[tuple[str, EventData]], put_right: Corrected
) -> Iterator[PlayedDecision]:
    """Yield the decisions of all tables of a property, by the events of their streams as (stream, event), in any
    mixture; with their later corrections (`corrected`)."""
    following: dict[str, TableDecisions] = {}
    for stream, event in events:
        if isinstance(event, SessionOpened):
            following[stream] = TableDecisions(property_, event, put_right)
        if (follower := following.get(stream)) is not None:
            yield from follower.take(event)


def scopes(played_decision: PlayedDecision, by: str) -> dict[str, list[Any]]:
    """The bets of a decision by table, game, pit, dealer, player or kind of bet."""
    by_name: dict[str, list[Any]] = {}
    for risk in played_decision.decision.risks:
        of_bet = {"player": risk.player, "bet": f"{played_decision.game} {risk.wager}"}
        name = of_bet[by] if by in of_bet else str(getattr(played_decision, by))
        by_name.setdefault(name, []).append(risk)
    return by_name
