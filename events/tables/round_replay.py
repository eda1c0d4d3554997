"""A round as it happened, step by step: a fold of its table's stream, in which nothing is decided again."""

from collections.abc import Iterator, Sequence

import msgspec

from events.envelope import AnyEnvelope, EventData
from events.rules.game_declaration_and_registry import at_tables
from events.rules.picture_shapes import Drawn
from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables import main_table_decider as tables
from events.tables.event_types.progressive import HitDeclaredLate
from events.tables.event_types.rounds import (
    BetSettled,
    PaymentMade,
    RoundEnded,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import IrregularityRecorded, SessionOpened, TableEvent
from events.tables.table_session_state_structs import Session

OVER = (RoundEnded, RoundVoided)
# Events about an ended round: all other events with its number then belong to the table.
LATER = (BetSettled, SettlementVoided, SettlementCorrected, PaymentMade, HitDeclaredLate, IrregularityRecorded)


class ReplayStep(msgspec.Struct, frozen=True):
    """An event of the round, the `number`th from 1, and how the table stood after it. `all_told` is the whole round."""

    number: int
    session: Session
    all_told: Sequence[AnyEnvelope]

    @property
    def envelope(self) -> AnyEnvelope:
        """Return the envelope of the event: actor and time."""
        return self.all_told[self.number - 1]

    @property
    def events_so_far(self) -> list[EventData]:
        """Return the events of the round up to here."""
        return [envelope.data for envelope in self.all_told[: self.number]]

    @property
    def event(self) -> EventData:
        """Return the data of the event."""
        data: EventData = self.envelope.data
        return data

    def drawn(self) -> Drawn | None:
        """Return the layout if the game can draw it."""
        game = at_tables().get(self.session.game)
        return game.draws(self.session, self.events_so_far) if game and game.draws else None


def steps(before: Session, events: Sequence[AnyEnvelope]) -> Iterator[ReplayStep]:
    """The steps of a round, from the session before its first event on."""
    session = before
    for number, envelope in enumerate(events, 1):
        session = tables.evolve(session, envelope.data, envelope.actor)
        yield ReplayStep(number, session, events)


def of_the_round(events: Sequence[AnyEnvelope]) -> list[AnyEnvelope]:
    """Return the events of a round, of those that bear its number: up to its end, and its later corrections.

    Every event of a table names its last round, also while the table is counted and closed.
    """
    end = _round_end(events)
    return [event for place, event in enumerate(events) if place <= end or isinstance(event.data, (*OVER, *LATER))]


def between_rounds(events: Sequence[AnyEnvelope]) -> list[AnyEnvelope]:
    """Return the events between a round's end and the next round, of a table's events from its first one: buy-ins,
    slips, counts, relief, shoes."""
    return [event for event in events[_round_end(events) + 1 :] if not isinstance(event.data, (*OVER, *LATER))]


def _round_end(events: Sequence[AnyEnvelope]) -> int:
    """The place at which the round is over; behind all where it is not."""
    return next((place for place, event in enumerate(events) if isinstance(event.data, OVER)), len(events))


def session_after(events: Sequence[AnyEnvelope], session: Session | None = None) -> Session:
    """Return a table's gaming day after these events: its first ones, or those after `session`. Other events are
    skipped."""
    for envelope in events:
        if session is None and isinstance(envelope.data, TableEvent):
            session = _first_session(envelope.subject, envelope.data)
        if session is not None:
            session = tables.evolve(session, envelope.data, envelope.actor)
    assert session is not None, "a round is opened at a table that was opened"
    return session


def _first_session(stream: str, first: TableEvent) -> Session:
    opened = first if isinstance(first, SessionOpened) else None
    return Session(
        stream=stream,
        table=first.table,
        pit=first.pit,
        game=opened.game if opened else first.ruleset.partition("@")[0].partition("-")[0],
        plays=taken_ruleset(first.ruleset, opened.ruleset_digest if opened else ""),
        currency=opened.currency if opened else "",
        gaming_day=first.gaming_day,
    )
