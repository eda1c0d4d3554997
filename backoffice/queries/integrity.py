"""Whether history is what it was, by the last verification; and what somebody outside the house keeps of it."""

from datetime import datetime

import msgspec

from backoffice.verification import Verification, kept
from events.relay import witness as outside
from events.settings import settings


class Integrity(msgspec.Struct, frozen=True):
    """`running`: since when one is at work, of which `percent` is done; `broken_off`: when one began that did not end.

    `witness` is None where the house names none; the gaps that a witness's file shows are the last verification's.
    """

    last: Verification | None
    running: datetime | None
    broken_off: datetime | None
    every_s: float
    witness: outside.Standing | None
    percent: int = 0


def integrity() -> Integrity:
    """Return what the house's processes wrote down, in whichever container. Raises Retry."""
    given = settings()
    found = kept()
    begun = found.begun
    is_at_work = begun is not None and begun.at_work
    return Integrity(
        last=found.last,
        running=begun.began if begun and is_at_work else None,
        broken_off=begun.began if begun and not is_at_work else None,
        every_s=given.verify_s,
        witness=outside.standing(given.witness),
        percent=int(begun.percent) if begun and is_at_work else 0,
    )
