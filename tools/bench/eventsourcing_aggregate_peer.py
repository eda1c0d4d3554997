"""A table's day as users of the eventsourcing library write it: an aggregate with @event methods.

Its events carry what the state needs and nothing more, which favours it: ours carry pit, shift, dealer and the rest.
"""

from collections.abc import Iterable
from typing import Any

from eventsourcing.domain import Aggregate, event

from events import catalogue
from events.store import Stored
from events.tables.event_types.rounds import BetPlaced, BetSettled, PaymentMade, RoundEnded, RoundOpened


class SessionAggregate(Aggregate):
    """Bets that lie, winnings that are due, the tray."""

    def __init__(self, table: str, gaming_day: str) -> None:
        self.table = table
        self.gaming_day = gaming_day
        self.round: int | None = None
        self.phase = "idle"
        self.float_minor = 0
        self.bets: dict[str, dict[str, Any]] = {}
        self.due: dict[str, int] = {}

    @event("RoundOpened")
    def open_round(self, number: int | None) -> None:
        self.round, self.phase = number, "open"

    @event("BetPlaced")
    def place(
        self, bet: str, wager: str, amount_minor: int, player: str | None, seat: int | None, numbers: list[int]
    ) -> None:
        self.bets[bet] = {"wager": wager, "stake": amount_minor, "player": player, "seat": seat, "numbers": numbers}

    @event("PhaseChanged")
    def change_phase(self, phase: str) -> None:
        self.phase = phase

    @event("BetSettled")
    def settle(self, bet: str, outcome: str, profit_minor: int, player: str | None, seat: int | None) -> None:
        self.bets.pop(bet, None)
        self.float_minor += max(0, -profit_minor)
        if profit_minor > 0:
            self.due[bet] = profit_minor

    @event("PaymentMade")
    def pay(self, bet: str, amount_minor: int, player: str | None, seat: int | None) -> None:
        self.due.pop(bet, None)
        self.float_minor -= amount_minor

    @event("RoundEnded")
    def end_round(self) -> None:
        self.phase, self.due = "idle", {}


def retell(day: SessionAggregate, stored_events: Iterable[Stored]) -> int:
    """Replay the project's events as commands of the aggregate; return the number of its events."""
    before = day.version
    for each in stored_events:
        data: Any = catalogue.decode(each.type, each.raw).data
        match data:
            case RoundOpened():
                day.open_round(data.round)
            case BetPlaced():
                day.place(data.bet, data.wager, data.amount_minor, data.player, data.seat, list(data.numbers))
            case BetSettled():
                day.settle(data.bet, data.outcome, data.profit_minor, data.player, data.seat)
            case PaymentMade():
                day.pay(data.bet, data.amount_minor, data.player, data.seat)
            case RoundEnded():
                day.end_round()
            case _:
                day.change_phase(each.type)
    return day.version - before
