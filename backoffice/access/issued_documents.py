"""The list of issued documents: certificates and reports, recorded before they leave the house."""

from collections.abc import Iterator

import msgspec
from django.db import Error
from django.utils import timezone

from backoffice.access.database_error_classification import failure_of
from backoffice.access.models import GivenOut
from backoffice.databases.connections_to_replaced_files import close_stale_connections
from events.error_codes import coded

CERTIFICATE, DAY = "certificate", "proof of a day"
SLIP = "slip, on paper"
OF_A_HIT, REPORT = "hit, ", "report, "  # with the form: "hit, on paper"


class IssuedDocument(msgspec.Struct, frozen=True):
    """A document to be issued: its kind and subject, and the position and digest of its figures.

    It also has the key of the head behind it ("": no signed head).
    """

    kind: str
    about: str
    position: int
    digest: str
    key: str = ""

    def record(self, person: str) -> None:
        """Record it permanently and at once. A caller whose record fails must not issue the document. Raises Retry."""
        try:
            close_stale_connections()
            GivenOut.objects.create(at=timezone.now(), person=person, **msgspec.structs.asdict(self))
        except Error as error:
            raise failure_of(error, coded("issue-not-recorded"), "PITLEDGER_ACCESS") from error


def copies(kind: str, about: str) -> int:
    """Return how many copies of this kind and subject were issued before; any further one is a reprint. Raises
    Retry."""
    try:
        return GivenOut.objects.filter(kind=kind, about=about).count()
    except Error as error:
        raise failure_of(error, coded("copies-not-read"), "PITLEDGER_ACCESS") from error


def of_digest(digest: str) -> Iterator[GivenOut]:
    """Yield the issues of documents with this digest, oldest first."""
    return GivenOut.objects.filter(digest=digest).order_by("id").iterator()
