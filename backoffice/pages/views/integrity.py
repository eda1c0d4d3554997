"""Whether history is what it was: the last verification, and the witness outside the house."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page import Asked, Endpoint, Menu, Page
from backoffice.people.open_to import HISTORY
from backoffice.queries.integrity import Integrity, integrity


def _integrity(asked: Asked) -> Integrity:
    """The last verification of the house's history: when, how far, how fast, and what does not hold first."""
    return integrity()


INTEGRITY = Page(
    name="integrity",
    path="integrity",
    title=_("Integrity"),
    open_to=HISTORY,
    template="pages/integrity.html",
    query=_integrity,
    shown_as="integrity",
    menu=Menu(_("Integrity"), "i", _("go to the integrity of history")),
    endpoint=Endpoint(
        name="integrity",
        path="integrity",
        answer=Integrity,
        meaning="What the last verification came to, and when the witness outside the house was reached last.",
    ),
)
