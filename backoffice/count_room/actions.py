"""Actions of the count room: the forms of its pages."""

from django.utils.translation import gettext_lazy as _

from backoffice.days import decider_books as rooms
from backoffice.kit.approval_actions import _answers
from backoffice.kit.page import Act, PageRequest, Stage

_BOX = ("table", "drop_box")
_COUNTED = {
    "count.settled.v1": _("Box counted."),
    "count.differed.v1": _("The two counts differ. Both counters must enter a recount."),
}
OF_A_COUNT = (
    Act(
        *("days", "count.enter", _("Enter first count")),
        is_offered=False,
        is_tried=False,
        fixed=_BOX,
        says={"count.entered.v1": _("Count saved. It is hidden until a second person enters the verification count.")},
    ),
    Act(
        *("days", "count.verify", _("Enter verification count")),
        is_offered=False,
        is_tried=False,
        fixed=_BOX,
        says=_COUNTED,
    ),
    Act("days", "count.settle", _("Enter recount"), is_offered=False, fixed=_BOX, says=_COUNTED),
    *_answers("days"),
)


def at_a_count(request: PageRequest) -> Stage:
    """The count room's part of a gaming day."""
    books, currency = rooms.books(), rooms.currency()
    pieces = {"cash": rooms.notes_of(currency), "chips": rooms.chips_of(books)}
    return Stage("", request.places["gaming_day"], currency, pieces=pieces)
