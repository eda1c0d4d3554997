"""Rounds: one row each, from its opening to its end or its void."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.game import Result, result_after, staking, telling
from events.tables.types.progressive import HitDeclared
from events.tables.types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from projections.engine.events import Event
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.floor.models import PlayedRound


class Rounds(Part):
    """Rounds that were opened. What a table says between two rounds belongs to none."""

    def __init__(self, target: Target) -> None:
        self._rounds = Rows(target, PlayedRound)
        super().__init__(self._rounds)

    def handlers(self) -> Mapping[Any, Handler]:
        changing = self._changing()
        return {**changing, **{kind: self._telling(changing.get(kind)) for kind in telling()}}

    def _changing(self) -> Mapping[Any, Handler]:
        return {
            RoundOpened: self._opened,
            **dict.fromkeys((BetRestaked, BetCorrected), self._restaked),
            **dict.fromkeys(staking(), self._staked_more),
            BetPlaced: self._placed,
            BetWithdrawn: self._withdrawn,
            HitDeclared: self._hit,
            BetSettled: self._settled,
            SettlementVoided: self._taken_back,
            SettlementCorrected: self._put_right,
            PaymentMade: self._paid,
            RoundEnded: self._ended,
            RoundVoided: self._voided,
        }

    def load(self, events: Sequence[Event]) -> None:
        self._rounds.load({_key(event) for event in events if getattr(event.data, "round", None) is not None})

    def _opened(self, event: Event, data: RoundOpened) -> None:
        key = _key(event)
        self._rounds.change(
            key,
            lambda: PlayedRound(
                id=key,
                stream=event.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round or 0,
                position=event.position,
                began=event.envelope.time,
            ),
        )

    def _round(self, event: Event) -> PlayedRound:
        """The event's round, to be changed; one that nobody keeps, where it was not opened."""
        key = _key(event)
        return PlayedRound() if self._rounds.get(key) is None else self._rounds.change(key, PlayedRound)

    def _placed(self, event: Event, data: BetPlaced) -> None:
        row = self._round(event)
        row.bets += 1
        row.stakes_minor += data.amount_minor
        row.win_minor += data.commission_minor
        players: list[str | None] = msgspec.json.decode(row.players)
        if data.player not in players:
            row.players = msgspec.json.encode([*players, data.player]).decode()

    def _withdrawn(self, event: Event, data: BetWithdrawn) -> None:
        row = self._round(event)
        row.stakes_minor -= data.amount_minor
        row.win_minor -= data.commission_minor

    def _staked_more(self, event: Event, data: Any) -> None:
        self._round(event).stakes_minor += data.amount_minor

    def _restaked(self, event: Event, data: BetRestaked | BetCorrected) -> None:
        row = self._round(event)
        row.stakes_minor += data.amount_minor
        row.win_minor += data.commission_minor

    def _telling(self, changing: Handler | None) -> Handler:
        """Of an event that tells a result: what else it changes, and the result."""

        def told(event: Event, data: Any) -> None:
            if changing is not None:
                changing(event, data)
            self._told(event, data)

        return told

    def _told(self, event: Event, data: Any) -> None:
        row = self._round(event)
        result = result_after(Result(row.result, row.colour), data, data.ruleset)
        row.result, row.colour = result.text, result.colour

    def _hit(self, event: Event, data: HitDeclared) -> None:
        self._round(event).hits += 1

    def _settled(self, event: Event, data: BetSettled) -> None:
        self._decide(event, data, 1)

    def _taken_back(self, event: Event, data: SettlementVoided) -> None:
        self._decide(event, data, -1)

    def _decide(self, event: Event, data: BetSettled | SettlementVoided, sign: int) -> None:
        row = self._round(event)
        row.due_minor += sign * max(0, data.profit_minor)
        row.returned_minor += sign * data.returned_minor
        row.win_minor += sign * (data.commission_minor - data.profit_minor)

    def _put_right(self, event: Event, data: SettlementCorrected) -> None:
        row = self._round(event)
        row.stakes_minor += data.amount_minor
        row.due_minor += data.due_minor
        row.win_minor += data.lost_minor + data.promotional_minor - data.due_minor + data.commission_minor

    def _paid(self, event: Event, data: PaymentMade) -> None:
        self._round(event).paid_minor += data.amount_minor

    def _ended(self, event: Event, data: RoundEnded) -> None:
        self._is_over(event, "ended")

    def _voided(self, event: Event, data: RoundVoided) -> None:
        self._is_over(event, "voided")

    def _is_over(self, event: Event, state: str) -> None:
        row = self._round(event)
        row.ended = event.envelope.time
        row.state = "voided" if row.state == "voided" else state


def _key(event: Event) -> str:
    return f"{event.stream}#{event.data.round}"
