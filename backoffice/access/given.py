"""The list of what was given out: certificates and reports, written down before they leave the house."""

from collections.abc import Iterator

import msgspec
from django.db import Error, close_old_connections
from django.utils import timezone

from backoffice.access.failures import failure_of
from backoffice.access.models import GivenOut

CERTIFICATE, DAY = "certificate", "proof of a day"
SLIP = "slip, on paper"
OF_A_HIT, REPORT = "hit, ", "report, "  # with the form: "hit, on paper"


class Paper(msgspec.Struct, frozen=True):
    """What is given out: its kind, what it is about, as of which position, the digest of what it says, and by which
    key the head behind it is signed ("": by none)."""

    kind: str
    about: str
    position: int
    digest: str
    key: str = ""


def note(person: str, paper: Paper) -> None:
    """Write it down, for good, and at once: who cannot is to give nothing out. Raises Retry."""
    try:
        close_old_connections()
        GivenOut.objects.create(at=timezone.now(), person=person, **msgspec.structs.asdict(paper))
    except Error as error:
        raise failure_of(error, "nothing is issued that the access log cannot record", "PITLEDGER_ACCESS") from error


def copies(kind: str, about: str) -> int:
    """How often it was given out before in this form: what comes now is a reprint, where it was. Raises Retry."""
    try:
        return GivenOut.objects.filter(kind=kind, about=about).count()
    except Error as error:
        raise failure_of(error, "earlier copies cannot be looked up", "PITLEDGER_ACCESS") from error


def of_digest(digest: str) -> Iterator[GivenOut]:
    """When and to whom what says this was given out, oldest first."""
    return GivenOut.objects.filter(digest=digest).order_by("id").iterator()
