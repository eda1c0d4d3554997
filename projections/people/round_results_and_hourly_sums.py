"""The rounds of a table's gaming day with their results, folded from its stream; and their sums by hour."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from events.envelope import AnyEnvelope, EventData
from events.luck.gain_mean_and_variance import Moments, moments_of, sum_of_moments
from events.luck.played_decisions_with_bet_results import PlayedDecision, TableDecisions
from events.rules.bet_outcome_chance_structs import Risk
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
)
from events.tables.event_types.session import IrregularityRecorded, SessionOpened
from events.tables.event_types.shoe_and_dealt_cards import CardMisdealt
from events.tables.moved_amount_declarations import EVENT_WIN, Figure, Reader, figure_of, moved_bet
from projections.accounts.table_days import hour_of
from projections.people.summed_result_figures_struct import ResultFigures, figures_together, loosest

LONGEST_S = 1_800  # a longer pause before a round is none of its time
_FIGURES: Mapping[str, Figure] = {
    "staked_minor": {"staked": 1},
    "handle_minor": {"handle": 1},
    "win_minor": EVENT_WIN,
    "mispay_minor": {"due": 1, "paid": -1},
}


class RoundShare(ResultFigures, kw_only=True, gc=False):
    """A round of the table (`player` is "") or of one player, with the columns of `RoundResult`."""

    id: str
    stream: str
    table: str
    gaming_day: str
    game: str
    currency: str
    hour: str
    dealer: str
    inspector: str
    player: str
    round: int
    position: int
    began: str
    rounds: int = 1

    @property
    def hour_key(self) -> str:
        """Return the id of the hour that this round is added to."""
        people = msgspec.json.encode([self.dealer, self.inspector, self.player]).decode()
        return f"{self.stream}#{self.hour}#{people}"


class TableResults:
    """A table's gaming day up to an event: `take` its events in order, from the first one.

    A late correction changes the decisions of an earlier round. The day is then `is_stale`: it must be folded again,
    with its corrections known from the start.
    """

    def __init__(self, stream: str, zone: str, corrections: Iterable[SettlementCorrected] = ()) -> None:
        self._stream, self._zone = stream, zone
        self._corrections: dict[tuple[str, int | None], list[SettlementCorrected]] = {}
        for correction in corrections:
            self._corrections.setdefault((stream, correction.round), []).append(correction)
        self._applied = sum(map(len, self._corrections.values()))
        self._decisions: TableDecisions | None = None
        self._session_opened: SessionOpened | None = None
        self._shares: dict[int, dict[str, RoundShare]] = {}
        self._players: dict[tuple[int, str], str] = {}  # by round and bet
        self._last: tuple[str, str] = ("", "")  # the dealer and the end of the round before
        self.groups: dict[str, list[RoundShare]] = {}
        self.changed: dict[str, RoundShare] = {}
        self.is_stale = False

    def take(self, position: int, event: AnyEnvelope) -> None:
        """Take the next event of the stream."""
        data: Any = event.data
        if isinstance(data, SessionOpened):
            self._session_opened = data
            property_ = self._stream.partition("/")[0]
            self._decisions = TableDecisions(property_, data, self._corrections)
        if self._session_opened is None or self._decisions is None:
            return
        if isinstance(data, SettlementCorrected):
            self._note_correction(data)
        if isinstance(data, RoundOpened):
            self._open(position, event)
        decisions = self._decisions.take(data)
        if getattr(data, "round", None) in self._shares:
            self._count(event)
            self._judge(data.round, decisions)

    def rounds(self) -> Iterator[RoundShare]:
        """Yield all rows of rounds."""
        for shares in self._shares.values():
            yield from shares.values()

    def hours(self, keys: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of these hours, by column; of all hours without keys. Each is made of its rounds again."""
        for key in self.groups if keys is None else sorted(keys):
            yield _hour(key, self.groups[key])

    def _note_correction(self, data: SettlementCorrected) -> None:
        """Expect a correction that was known from the start; else the earlier rounds are stale."""
        if self._applied:
            self._applied -= 1
            return
        self._corrections.setdefault((self._stream, data.round), []).append(data)
        self.is_stale = True

    def _open(self, position: int, event: AnyEnvelope) -> None:
        data: Any = event.data
        assert self._session_opened is not None
        share = RoundShare(
            id=f"{self._stream}#{data.round}#",
            stream=self._stream,
            table=data.table,
            gaming_day=data.gaming_day,
            game=self._session_opened.game,
            currency=self._session_opened.currency,
            hour=hour_of(datetime.fromisoformat(event.time), self._zone),
            dealer=data.dealer or "",
            inspector=data.inspector or "",
            player="",
            round=data.round,
            position=position,
            began=event.time,
        )
        self._shares[data.round] = {}
        self._add(share)

    def _add(self, share: RoundShare) -> RoundShare:
        self._shares[share.round][share.player] = share
        self.groups.setdefault(share.hour_key, []).append(share)
        return share

    def _share(self, number: int, player: str) -> RoundShare:
        """Return the row of a player in a round, a new one where it is the first."""
        shares = self._shares[number]
        if player not in shares:
            table = shares[""]
            names = {name: getattr(table, name) for name in _OF_ROUND}
            self._add(RoundShare(**names, id=f"{table.id}{player}", player=player))
        share = shares[player]
        self.changed[share.id] = share
        return share

    def _count(self, event: AnyEnvelope) -> None:
        """Add an event's amounts and errors to its round, and to its player's."""
        data: Any = event.data
        player = getattr(data, "player", None) or ""
        if isinstance(data, BetPlaced | BetCorrected):
            self._note_player(data, player)
        moved = [(field, amount) for field, read in _fields(type(data)) if (amount := read(data))]
        count_name = _COUNTED.get(type(data))
        if moved or count_name:
            number = getattr(data, "won_in", None) or data.round
            if number not in self._shares:
                number = data.round
            for share in self._both(number, player):
                for field, amount in moved:
                    setattr(share, field, getattr(share, field) + amount)
                if count_name:
                    setattr(share, count_name, getattr(share, count_name) + 1)
            self._note_mispays(number)
        if isinstance(data, RoundEnded | RoundVoided):
            self._end(event)

    def _note_player(self, data: BetPlaced | BetCorrected, player: str) -> None:
        """Note the player of a bet. A correction to another player takes the bet along, as recorded until then."""
        number = data.round or 0
        before = self._players.get((number, data.bet), player)
        self._players[number, data.bet] = player
        if isinstance(data, BetPlaced) or before == player:
            return
        for owner, moved in zip((before, player), moved_bet(data), strict=True):
            if owner:
                share = self._share(number, owner)
                share.bets += moved.bets
                for field, figure in _FIGURES.items():
                    setattr(share, field, getattr(share, field) + moved.figure(figure))

    def _both(self, number: int, player: str) -> Iterator[RoundShare]:
        yield self._share(number, "")
        if player:
            yield self._share(number, player)

    def _end(self, event: AnyEnvelope) -> None:
        data: Any = event.data
        for player in [*self._shares[data.round]]:
            share = self._share(data.round, player)
            share.voids = int(share.voids or isinstance(data, RoundVoided))
            share.ended = int(not share.voids)
        self._note_time(data.round, event.time)
        self._note_mispays(data.round)

    def _note_time(self, number: int, end: str) -> None:
        """Count the time of a round from the end of the one before, where the same dealer dealt it without a pause."""
        table = self._shares[number][""]
        if table.timed:
            return
        dealer, before = self._last
        opened_at, ended = datetime.fromisoformat(table.began), datetime.fromisoformat(end)
        since = opened_at
        if dealer == table.dealer and before:
            last = datetime.fromisoformat(before)
            since = last if 0 <= (opened_at - last).total_seconds() <= LONGEST_S else opened_at
        seconds = round(max(0.0, (ended - since).total_seconds()))
        self._last = table.dealer, end
        if seconds <= LONGEST_S:
            for player in [*self._shares[number]]:
                share = self._share(number, player)
                share.timed, share.seconds, share.seconds_squared = 1, seconds, seconds * seconds

    def _note_mispays(self, number: int) -> None:
        """Count the players of an ended round who were not paid as due."""
        shares = self._shares[number]
        if not (shares[""].ended or shares[""].voids):
            return
        for player, share in shares.items():
            if player:
                share.mispays = int(share.mispay_minor != 0)
        mispays = sum(share.mispays for player, share in shares.items() if player)
        self._share(number, "").mispays = mispays or int(shares[""].mispay_minor != 0)

    def _judge(self, number: int, decisions: Iterable[PlayedDecision]) -> None:
        """Add the theory of a round's decisions: all bets together for the table, their own for each player."""
        by_player: dict[str, list[Moments]] = {}
        for played in decisions:
            for player, risks in _scopes(played.decision.risks):
                by_player.setdefault(player, []).append(moments_of(played, risks))
                share = self._share(number, player)
                share.basis = loosest((share.basis, played.decision.basis))
        for player, moments in by_player.items():
            _set_theory(self._share(number, player), sum_of_moments(moments))


_OF_ROUND = (
    *("stream", "table", "gaming_day", "game", "currency", "hour", "dealer", "inspector"),
    *("round", "position", "began", "ended", "voids", "timed", "seconds", "seconds_squared"),
)
_OF_HOUR = ("stream", "table", "gaming_day", "game", "currency", "hour", "dealer", "inspector", "player")
_COUNTED: dict[type[EventData], str] = {
    BetPlaced: "bets",
    CardMisdealt: "misdeals",
    BetCorrected: "corrections",
    SettlementCorrected: "corrections",
    IrregularityRecorded: "irregularities",
}


def _scopes(risks: Iterable[Risk]) -> Iterator[tuple[str, list[Risk]]]:
    every, by_player = list(risks), dict[str, list[Risk]]()
    for risk in every:
        if risk.player:
            by_player.setdefault(risk.player, []).append(risk)
    if every:
        yield "", every
        yield from by_player.items()


def _hour(key: str, shares: Sequence[RoundShare]) -> dict[str, Any]:
    first = shares[0]
    row: dict[str, Any] = {name: getattr(first, name) for name in _OF_HOUR}
    return row | figures_together(shares) | {"id": key}


def _set_theory(share: RoundShare, moments: Moments) -> None:
    share.decisions, share.decided_minor = moments.decisions, moments.win_minor
    share.theory_micro, share.variance, share.third = moments.theory_micro, moments.variance, moments.third


@cached_until_forgotten
def _fields(kind: type[EventData]) -> tuple[tuple[str, Reader], ...]:
    """Return the columns that events of a type add to, from the one table of money."""
    readers = ((field, figure_of(kind, tuple(figure.items()))) for field, figure in _FIGURES.items())
    return tuple((field, read) for field, read in readers if read is not None)
