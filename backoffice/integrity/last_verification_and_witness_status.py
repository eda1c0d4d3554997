"""Integrity of the history by the last verification, and the witness's copy outside the house."""

from datetime import datetime

import msgspec

from backoffice.integrity.last_verification_note import Verification, read_note
from events.relay import witness_delivery as outside
from events.settings.settings_from_environment import settings


class Integrity(msgspec.Struct, frozen=True):
    """State of the verifications.

    `running`: start of one at work, of which `percent` is done. `broken_off`: start of one that did not end. `witness`
    is None where the house names none; the gaps in a witness's file are those of the last verification.
    """

    last: Verification | None
    running: datetime | None
    broken_off: datetime | None
    every_s: float
    witness: outside.Standing | None
    percent: int = 0


def integrity() -> Integrity:
    """Return the result that the house's processes wrote, in whichever container. Raises Retry."""
    configuration = settings()
    verification = read_note()
    begun = verification.begun
    is_at_work = begun is not None and begun.at_work
    return Integrity(
        last=verification.last,
        running=begun.began if begun and is_at_work else None,
        broken_off=begun.began if begun and not is_at_work else None,
        every_s=configuration.verify_s,
        witness=outside.standing(configuration.witness),
        percent=int(begun.percent) if begun and is_at_work else 0,
    )
