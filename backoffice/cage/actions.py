"""Actions at the cage: the forms of its pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.days import decider_books as rooms
from backoffice.kit.approval_actions import _answers
from backoffice.kit.page import Act, PageRequest, Stage
from backoffice.people.choices import partners
from events.controls.discrepancies import DiscrepancyFound
from events.tables.witness import COUNTING

CARRYING = ("security",)  # who runs between the cage and a table
_CAGE_COUNTED = {DiscrepancyFound.TYPE: _("Counted. The count differs from the expected amounts below.")}


def _slip_page(events: Sequence[Mapping[str, Any]]) -> str:
    """Return the address of the slip that was issued."""
    [slip] = [event["data"] for event in events if event["type"] == "slip.issued.v1"]
    return reverse("slip", kwargs={"kind": slip["kind"], "year": slip["year"], "number": slip["slip"]})


OF_THE_CAGE = (
    Act("cage", "cage.open", _("Open cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.cash_out", _("Cash out chips")),
    Act("cage", "cage.cash_in", _("Sell chips for cash")),
    Act("cage", "marker.redeem", _("Redeem marker")),
    Act("cage", "marker.carry", _("Carry over marker")),
    Act("cage", "cage.count", _("Count cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.close", _("Close cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "slip.issue", _("Issue slip"), is_offered=False, fixed=("request",), leads=_slip_page),
    Act("cage", "credit.receive", _("Receive credit"), is_offered=False, fixed=("slip", "year")),
    Act("cage", "slip.void", _("Void slip"), is_offered=False, fixed=("slip", "year")),
)
OF_A_CAGE_S_DAY = _answers("cage")


def in_the_cage(request: PageRequest) -> Stage:
    """The cage, on the day that is open; or on the one that the address names."""
    books = rooms.books()
    people = {"witness": partners(COUNTING, request.reader), "runner": partners(CARRYING, request.reader)}
    pieces = {"chips": rooms.chips_of(books)}
    return Stage("", request.places.get("gaming_day"), rooms.currency(), people, pieces)
