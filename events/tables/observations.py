"""Heads at a table, and results of a table that is counted only. No money depends on them."""

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.tables.actions.observations import CountHeads, NoteResult
from events.tables.event_types.observations import HeadsCounted, ResultNoted
from events.tables.state import Events, Evolver, Handler, Session, TableCase


def count_heads(case: TableCase, data: CountHeads) -> Events:
    """Record the heads, in any phase."""
    return [HeadsCounted(**case.session.where(), heads=data.heads)]


def note_result(case: TableCase, data: NoteResult) -> Events:
    """Record a result. No bet is settled by it."""
    return [ResultNoted(**case.session.where(), result=data.result)]


def result_noted(session: Session, _event: ResultNoted) -> Session:
    return replace(session, has_results=True)


HANDLERS: dict[type[ActionData], Handler] = {CountHeads: count_heads, NoteResult: note_result}
EVOLVERS: dict[type[EventData], Evolver] = {ResultNoted: result_noted}
