"""Rounds: one row each, from its opening to its end or its void."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.envelope import EventData
from events.rules.game_declaration_and_registry import ShownResult, result_after, result_event_types
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.progressive import HitDeclared
from events.tables.event_types.rounds import BetPlaced, RoundEnded, RoundOpened, RoundVoided
from events.tables.moved_amount_declarations import EVENT_WIN, Name, figure_of, readers, types_with
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.floor.models import PlayedRound
from projections.tables.event_amount_columns import Columns, add_amounts


class FloorRounds(ProjectorPart):
    """Opened rounds. An event of a table between two rounds belongs to none."""

    def __init__(self, target: WriteTarget) -> None:
        self._rounds = RowCache(target, PlayedRound)
        super().__init__(self._rounds)

    def handlers(self) -> Mapping[Any, Handler]:
        changing = self._changing()
        return {**changing, **{kind: self._with_result(changing.get(kind)) for kind in result_event_types()}}

    def _changing(self) -> Mapping[Any, Handler]:
        return {
            **dict.fromkeys(types_with((*_OF_ROUND, *EVENT_WIN)), self._moved),
            RoundOpened: self._opened,
            BetPlaced: self._placed,
            HitDeclared: self._hit,
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
        """The event's round, to be changed; one that no one keeps, where it was not opened."""
        key = _key(event)
        return PlayedRound() if self._rounds.get(key) is None else self._rounds.change(key, PlayedRound)

    def _moved(self, event: Event, data: EventData) -> None:
        if getattr(data, "round", None) is not None:  # else between two rounds, or before the first
            add_amounts(self._round(event), _fields(type(data)), data)

    def _placed(self, event: Event, data: BetPlaced) -> None:
        row = self._round(event)
        if data.round is not None:
            add_amounts(row, _fields(type(data)), data)
        row.bets += 1
        players: list[str | None] = msgspec.json.decode(row.players)
        if data.player not in players:
            row.players = msgspec.json.encode([*players, data.player]).decode()

    def _with_result(self, changing: Handler | None) -> Handler:
        """Return further changes of an event with a result, and the result."""

        def handle(event: Event, data: Any) -> None:
            if changing is not None:
                changing(event, data)
            self._add_result(event, data)

        return handle

    def _add_result(self, event: Event, data: Any) -> None:
        row = self._round(event)
        result = result_after(ShownResult(row.result, row.colour), data, data.ruleset)
        row.result, row.colour = result.text, result.colour

    def _hit(self, event: Event, data: HitDeclared) -> None:
        self._round(event).hits += 1

    def _ended(self, event: Event, data: RoundEnded) -> None:
        self._is_over(event, "ended")

    def _voided(self, event: Event, data: RoundVoided) -> None:
        self._is_over(event, "voided")

    def _is_over(self, event: Event, state: str) -> None:
        row = self._round(event)
        row.ended = event.envelope.time
        row.state = "voided" if row.state == "voided" else state


# Amounts of events by the fields of a round's row that they are added to.
_OF_ROUND: Mapping[Name, str] = {
    "staked": "stakes_minor",
    "due": "due_minor",
    "paid": "paid_minor",
    "returned": "returned_minor",
}


@cached_until_forgotten
def _fields(kind: type[EventData]) -> Columns:
    amounts, win = readers(kind), figure_of(kind, tuple(EVENT_WIN.items()))
    fields = tuple((field, amounts[name]) for name, field in _OF_ROUND.items() if name in amounts)
    return fields if win is None else (*fields, ("win_minor", win))


def _key(event: Event) -> str:
    return f"{event.stream}#{event.data.round}"
