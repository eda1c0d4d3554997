"""The count room: the boxes that wait, and the counts that are entered of them, blind until both are in."""

from django.utils.translation import gettext_lazy as _

from backoffice.count_room.drop_boxes_page_content import CountRoom, count_room
from backoffice.days import caught_up_cage_and_count_books
from backoffice.kit.page_declaration import Act, LiveUpdate, MenuEntry, Page, PageRequest, Stage, approval_acts
from backoffice.people.roles_allowed_per_page import COUNTING
from events.error_codes import coded
from events.errors import Unknown
from events.fields import is_day

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
    *approval_acts("days"),
)


def at_a_count(request: PageRequest) -> Stage:
    """The count room's part of a gaming day."""
    books, currency = caught_up_cage_and_count_books.books(), caught_up_cage_and_count_books.currency()
    pieces = {
        "cash": caught_up_cage_and_count_books.NOTES.get(currency, ()),
        "chips": caught_up_cage_and_count_books.chips_of(books),
    }
    return Stage("", request.places["gaming_day"], currency, pieces=pieces)


def _of_a_day(request: PageRequest) -> CountRoom:
    """Return all boxes of a gaming day."""
    day = request.places["gaming_day"]
    if not is_day(day):
        raise Unknown(coded("gaming-day-unknown", day=day))
    return count_room(day, request.reader.person)


COUNT_ROOM = Page(
    name="count-room",
    path="count-room",
    title=_("Count room"),
    open_to=COUNTING,
    template="pages/count_room.html",
    query=lambda request: count_room(person=request.reader.person),
    shown_as="room",
    menu=MenuEntry(_("Count room"), "b", _("go to count room")),
    follows=LiveUpdate("pages/count_room_live.html"),
)
BOXES = Page(
    name="boxes",
    path="count-room/<str:gaming_day>",
    title=_("Boxes"),
    open_to=COUNTING,
    template="pages/count_room.html",
    query=_of_a_day,
    shown_as="room",
    under="count-room",
    follows=LiveUpdate("pages/count_room_live.html"),
    acts=OF_A_COUNT,
    stage=at_a_count,
)
