"""The count room: the boxes that wait, and the counts that are entered of them, blind until both are in."""

from django.utils.translation import gettext_lazy as _

from backoffice.count_room.actions import OF_A_COUNT, at_a_count
from backoffice.count_room.boxes import CountRoom, count_room
from backoffice.kit.page import LiveUpdate, MenuEntry, Page, PageRequest
from backoffice.people.readable_by import COUNTING
from events.error_codes import coded
from events.errors import Unknown
from events.fields import is_day


def _all(request: PageRequest) -> CountRoom:
    """Return the boxes that wait, of any day."""
    return count_room(person=request.reader.person)


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
    query=_all,
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
