"""Play in some events: the players' net win, average bet and time played."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import msgspec
from django.db.models import QuerySet

from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events import catalogue
from events.rules.game_declaration_and_registry import staking
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetSettled, BetWithdrawn, SettlementCorrected
from events.tables.moved_amount_declarations import EVENT_WIN, LAID, MovedBet, figure, moved_bet, types_with
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog

PAUSE = timedelta(minutes=30)  # a person who does nothing for longer has not played meanwhile
Rows: TypeAlias = "QuerySet[EventLog, EventLog]"


class Play(msgspec.Struct, frozen=True):
    """Play of players in these events, in minor units.

    `net_win_minor` is the recorded win from their side: negative where they lost. `stakes_minor` over `bets` is the
    average bet, `played_s` the time between events that are no more than half an hour apart.
    """

    currency: str
    bets: int
    stakes_minor: int
    average_minor: int | None
    net_win_minor: int
    played_s: int

    @property
    def played(self) -> str:
        """The time as hours and minutes: "2:05"."""
        return f"{self.played_s // 3600}:{self.played_s % 3600 // 60:02d}"


def play_of(rows: Rows, places: Places, player: str = "") -> Play | None:
    """Return the play in these events; None without a bet, or with bets in several currencies.

    `player`: the only player of these events. A bet that a correction gave to another player is the other one's play.
    """
    events = _decoded(rows.filter(type__in=_types()))
    currencies = {stream_currencies.of_stream(places, stream) for stream, _data in events.values()}
    if len(currencies) != 1:
        return None
    bets, moves = _PlayedBets(), _moved_bets(events, player) if player else {}
    for position in sorted({*events, *moves}):
        if position in moves:
            bets.move(*moves[position])
        if position in events:
            bets.take(*events[position])
    played = [bet for bet in bets.all if bet.stake]
    stakes, count = sum(bet.stake for bet in played), sum(bet.is_placed for bet in played)
    times = rows.order_by("time").values_list("time", flat=True)
    average = round(stakes / count) if count else None
    return Play(currencies.pop(), count, stakes, average, -bets.won, _played(times))


class PlayedBet(msgspec.Struct):
    """A bet with its stake, raises and doubles included. One that is not `is_placed` was laid beside another bet."""

    stake: int = 0
    is_placed: bool = True


class _PlayedBets:
    """All bets that were laid in some events, and the house's win by these events."""

    def __init__(self) -> None:
        self.all: list[PlayedBet] = []
        self.won = 0
        self._on_layout: dict[tuple[str, str], PlayedBet] = {}  # by name, which a later round may use again
        self._by_round: dict[tuple[str, int | None, str], PlayedBet] = {}

    def take(self, stream: str, data: Any) -> None:
        """Take the next event."""
        self.won += figure(data, EVENT_WIN)
        bet = self._bet(stream, data) if hasattr(data, "bet") else None
        if bet is not None:
            bet.stake += figure(data, LAID)
            if isinstance(data, BetWithdrawn) or (isinstance(data, BetSettled) and not data.remaining_minor):
                self._on_layout.pop((stream, data.bet), None)

    def move(self, stream: str, data: BetCorrected, moved: MovedBet) -> None:
        """Take a bet that comes from another player, or give one away."""
        bet = self._lay(stream, data, data.bet) if moved.bets > 0 else self._bet(stream, data)
        if bet is not None:
            bet.stake += moved.figure(LAID)
            self.won += moved.figure(EVENT_WIN)

    def _bet(self, stream: str, data: Any) -> PlayedBet | None:
        """Return the bet of an event; None for one that was laid in no event taken."""
        name = getattr(data, "new_bet", data.bet)
        if isinstance(data, BetPlaced):
            return self._lay(stream, data, name)
        bet = self._by_round.get((stream, data.round, name))
        if bet is None and not isinstance(data, SettlementCorrected):  # that one names an earlier round
            bet = self._on_layout.get((stream, name))
        if bet is None and type(data) in staking():
            bet = self._lay(stream, data, name)
            bet.is_placed = False
        if bet is not None:
            self._by_round[stream, data.round, name] = bet
        return bet

    def _lay(self, stream: str, data: Any, name: str) -> PlayedBet:
        bet = self._on_layout[stream, name] = self._by_round[stream, data.round, name] = PlayedBet()
        self.all.append(bet)
        return bet


def _types() -> list[str]:
    """Return the types that move the win, and those that move the stake of a single bet."""
    laying = [kind for kind in types_with(LAID) if "bet" in kind.__struct_fields__]
    return sorted({kind.TYPE for kind in (*laying, *types_with(EVENT_WIN))})


def _decoded(rows: Rows) -> dict[int, tuple[str, Any]]:
    """Return the stream and the data of each event by position, in order."""
    read = rows.order_by("position").values_list("position", "stream", "type", "raw")
    return {position: (stream, catalogue.decode(type_, bytes(raw)).data) for position, stream, type_, raw in read}


def _moved_bets(events: Mapping[int, tuple[str, Any]], player: str) -> dict[int, tuple[str, BetCorrected, MovedBet]]:
    """Return the bets that corrections gave to the player or took from the player, by position of the correction."""
    log = EventLog.objects.filter(stream__in={stream for stream, _data in events.values()})
    rounds = set(log.filter(type=BetCorrected.TYPE).values_list("round", flat=True))
    if not rounds:
        return {}
    laid = log.filter(type__in=(BetPlaced.TYPE, BetCorrected.TYPE), round__in=rounds)
    players, moves = dict[tuple[str, int | None, str], bool](), dict[int, tuple[str, BetCorrected, MovedBet]]()
    for position, (stream, data) in _decoded(laid).items():
        key, is_own = (stream, data.round, data.bet), data.player in spellings(player)
        was_own = players.get(key, is_own)
        players[key] = is_own
        if isinstance(data, BetCorrected) and was_own != is_own and (was_own or position in events):
            old_bet, new_bet = moved_bet(data)
            moves[position] = stream, data, old_bet if was_own else new_bet
    return moves


def _played(times: Iterable[datetime]) -> int:
    played, before = timedelta(), None
    for time in times:
        if before is not None and time - before <= PAUSE:
            played += time - before
        before = time
    return round(played.total_seconds())
