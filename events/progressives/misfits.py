"""Misfits: stored facts that contradict earlier ones. They moved no amount."""

import msgspec

from events.errors import Refused


class Misfit(msgspec.Struct, frozen=True):
    """A stored fact that may not be: it moved nothing. Where it stands, and the clause that it offends."""

    position: int
    stream: str
    type: str
    clause: str
    message: str


def misfit(position: int, stream: str, type_: str, refusal: Refused) -> Misfit:
    """Return a refused fact, for people to look at."""
    return Misfit(position, stream, type_, refusal.clause, refusal.message)
