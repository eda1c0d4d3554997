"""Misfits: stored facts that contradict earlier ones. They moved no amount."""

import msgspec


class Misfit(msgspec.Struct, frozen=True):
    """A stored fact that may not be: it moved nothing. Where it stands, and the clause that it offends."""

    position: int
    stream: str
    type: str
    clause: str
    message: str
