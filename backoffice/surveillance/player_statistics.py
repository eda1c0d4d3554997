"""Play in some events: the players' net win, average bet and time played."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import msgspec
from django.db.models import QuerySet

from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events import catalogue
from events.rules.game_declaration_and_registry import staking
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.moved_amount_declarations import EVENT_WIN, LAID, MovedBet, figure, moved_bet, types_with
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog

PAUSE = timedelta(minutes=30)  # a person who does nothing for longer has not played meanwhile
_CHANGED_LATER = (BetCorrected, SettlementCorrected, SettlementVoided)  # perhaps after the bet had ended
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


def play_of(rows: Rows, places: Places, player: str = "", *, is_of_dealer: bool = False) -> Play | None:
    """Return the play in these events; None without a bet, or with bets in several currencies.

    `player`: the only player of these events. A bet that a correction gave to another player is the other one's play.
    `is_of_dealer`: the events are those of one dealer. A stake is the play of the dealer under whom it was laid, also
    on a bet of another dealer. It does not count if any dealer handed it back.
    """
    events = _decoded(rows.filter(type__in=_types()))
    currencies = {stream_currencies.of_stream(places, stream) for stream, _data in events.values()}
    if len(currencies) != 1:
        return None
    bets, moves = _PlayedBets(), _moved_bets(events, player) if player else {}
    others = _events_of_other_dealers(events, player) if is_of_dealer else {}
    for position in sorted({*events, *others, *moves}):
        if position in moves:
            bets.move(*moves[position])
        if position in events:
            bets.take(*events[position])
        elif position in others:
            bets.change(*others[position], is_own=False)
    played = [bet for bet in bets.all if bet.stake]
    stakes, count = sum(bet.stake for bet in played), sum(bet.is_placed for bet in played)
    times = rows.order_by("time").values_list("time", flat=True)
    average = round(stakes / count) if count else None
    return Play(currencies.pop(), count, stakes, average, -bets.won, _seconds_played(times))


class _BetNames(msgspec.Struct):
    bet: str
    new_bet: str = ""


class _NamedBet(msgspec.Struct):
    data: _BetNames


_name_decoder = msgspec.json.Decoder(_NamedBet)


class PlayedBet(msgspec.Struct):
    """A bet with its stakes, raises and doubles included: each with whether it was laid in the events of the play.

    `is_placed`: the bet itself was laid in them, and not beside another bet.
    """

    is_placed: bool
    stakes: list[tuple[int, bool]] = []

    @property
    def stake(self) -> int:
        """Return the stake that was laid in the events of the play and not handed back."""
        return sum(amount for amount, is_own in self.stakes if is_own)

    def add(self, amount: int, *, is_own: bool) -> None:
        """Add a stake. A negative amount takes back the stakes that were laid last."""
        while amount < 0 and self.stakes:
            last, is_own = self.stakes.pop()
            amount += last
        if amount > 0:
            self.stakes.append((amount, is_own))


class _PlayedBets:
    """All bets that were laid in some events, and the house's win by these events."""

    def __init__(self) -> None:
        self.all: list[PlayedBet] = []
        self.won = 0
        self._on_layout: dict[tuple[str, str], PlayedBet] = {}  # by name, which a later round may use again
        self._by_round: dict[tuple[str, int | None, str], PlayedBet] = {}

    def take(self, stream: str, data: Any) -> None:
        """Take the next event of the play."""
        self.won += figure(data, EVENT_WIN)
        if hasattr(data, "bet"):
            self.change(stream, data, is_own=True)

    def change(self, stream: str, data: Any, *, is_own: bool) -> None:
        """Change the bet of an event, which is `is_own` in the play. A correction belongs to the bet's first stake."""
        bet = self._bet(stream, data, is_own=is_own)
        if bet is None:
            return
        if isinstance(data, BetCorrected | SettlementCorrected) and bet.stakes:
            is_own = bet.stakes[0][1]
        bet.add(figure(data, LAID), is_own=is_own)
        if _is_end(data):
            self._on_layout.pop((stream, data.bet), None)
        elif isinstance(data, SettlementVoided):
            self._on_layout[stream, data.bet] = bet

    def move(self, stream: str, data: BetCorrected, moved: MovedBet) -> None:
        """Take a bet that comes from another player, or give one away."""
        is_coming = moved.bets > 0
        bet = self._lay(stream, data, data.bet) if is_coming else self._bet(stream, data, is_own=True)
        if bet is not None:
            bet.add(moved.figure(LAID), is_own=True)
            self.won += moved.figure(EVENT_WIN) if bet.is_placed else 0

    def _bet(self, stream: str, data: Any, *, is_own: bool) -> PlayedBet | None:
        """Return the bet of an event; None for one that was laid in no event taken."""
        name = _name(data)
        if isinstance(data, BetPlaced):
            return self._lay(stream, data, name, is_placed=is_own)
        bet = self._by_round.get((stream, data.round, name))
        if bet is None and not isinstance(data, SettlementCorrected):  # that one names an earlier round
            bet = self._on_layout.get((stream, name))
        if bet is None and type(data) in (BetRestaked, *staking()):
            bet = self._lay(stream, data, name, is_placed=False)
        if bet is not None:
            self._by_round[stream, data.round, name] = bet
        return bet

    def _lay(self, stream: str, data: Any, name: str, *, is_placed: bool = True) -> PlayedBet:
        bet = self._on_layout[stream, name] = self._by_round[stream, data.round, name] = PlayedBet(is_placed)
        self.all.append(bet)
        return bet


def _events_of_other_dealers(events: Mapping[int, tuple[str, Any]], player: str) -> dict[int, tuple[str, Any]]:
    """Return events about bets (of a player) by position, of other dealers, that can change bets of these events.

    They are about a bet that is in these events, too. All of them are read at tables where a bet may have outlasted its
    round or its dealer. At others, only rounds with a later correction are read. In one round, each bet has its name.
    """
    bets = {(stream, data.round, _name(data)) for stream, data in events.values() if hasattr(data, "bet")}
    names = {(stream, name) for stream, _round, name in bets}
    log = EventLog.objects.filter(stream__in={stream for stream, _data in events.values()}, position__gt=min(events))
    streams, rounds = _streams_with_shared_bets(events), set[tuple[str, int | None]]()
    changes = log.filter(type__in=[kind.TYPE for kind in _CHANGED_LATER]).values_list("stream", "round", "type")
    for stream, number, type_ in {*changes}.intersection(_changes_of({at[:2] for at in bets})):
        if type_ == SettlementVoided.TYPE:  # the bet is on the layout again, and may lie on in later rounds
            streams.add(stream)
        else:
            rounds.add((stream, number))
    rounds = {at for at in rounds if at[0] not in streams}
    log = log.filter(type__in=_laying_types(), **({"player__in": spellings(player)} if player else {}))
    others = _decoded(log.filter(stream__in=streams), names) if streams else {}
    if rounds:
        of_rounds = log.filter(stream__in={at[0] for at in rounds}, round__in={at[1] for at in rounds})
        others |= {at: event for at, event in _decoded(of_rounds, names).items() if _round(event) in rounds}
    return {position: event for position, event in others.items() if position not in events}


def _changes_of(rounds: Iterable[tuple[str, int | None]]) -> set[tuple[str, int | None, str]]:
    """Return the possible later changes of bets in these rounds: stream, round and type."""
    return {(stream, number, kind.TYPE) for stream, number in rounds for kind in _CHANGED_LATER}


def _round(event: tuple[str, Any]) -> tuple[str, int | None]:
    stream, data = event
    return stream, data.round


def _streams_with_shared_bets(events: Mapping[int, tuple[str, Any]]) -> set[str]:
    """Return the tables where a bet did not end in these events, lay on in a later round, or was lowered."""
    streams, on_layout = set[str](), dict[tuple[str, str], int | None]()
    laying: tuple[type[Any], ...] = (BetPlaced, BetCorrected, BetRestaked, SettlementVoided, *staking())
    for stream, data in events.values():
        if not hasattr(data, "bet"):
            continue
        bet = stream, _name(data)
        if on_layout.get(bet, data.round) != data.round or (isinstance(data, BetRestaked) and data.amount_minor < 0):
            streams.add(stream)
        if _is_end(data):
            on_layout.pop(bet, None)
        elif isinstance(data, laying):
            on_layout[bet] = data.round
    return streams.union(stream for stream, _bet in on_layout)


def _name(data: Any) -> str:
    """Return the name of the bet that an event is about; of a split, the name of the new bet."""
    return str(getattr(data, "new_bet", data.bet))


def _is_end(data: Any) -> bool:
    """Return whether a bet leaves the layout by this event."""
    return isinstance(data, BetWithdrawn) or (isinstance(data, BetSettled) and not data.remaining_minor)


def _laying_types() -> list[str]:
    """Return the types that move the stake of a single bet."""
    return [kind.TYPE for kind in types_with(LAID) if "bet" in kind.__struct_fields__]


def _types() -> list[str]:
    """Return the types that move the win, and those that move the stake of a single bet."""
    return sorted({*_laying_types(), *(kind.TYPE for kind in types_with(EVENT_WIN))})


def _decoded(rows: Rows, bets: Collection[tuple[str, str]] | None = None) -> dict[int, tuple[str, Any]]:
    """Return the stream and the data of each event by position, in order; of these bets only, where some are given."""
    read = rows.order_by("position").values_list("position", "stream", "type", "raw")
    return {
        position: (stream, catalogue.decode(type_, bytes(raw)).data)
        for position, stream, type_, raw in read.iterator()
        if bets is None or (stream, _read_name(raw)) in bets
    }


def _read_name(raw: Any) -> str:
    """Return the name of the bet in an event's bytes, without decoding its other fields."""
    data = _name_decoder.decode(raw).data
    return data.new_bet or data.bet


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


def _seconds_played(times: Iterable[datetime]) -> int:
    played, before = timedelta(), None
    for time in times:
        if before is not None and time - before <= PAUSE:
            played += time - before
        before = time
    return round(played.total_seconds())
