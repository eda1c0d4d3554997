"""Actions on the settings and chips of the house: the forms of its page."""

from django.utils.translation import gettext_lazy as _

from backoffice.days import cage_and_count_room_books as rooms
from backoffice.kit.approval_button_declarations import _answers
from backoffice.kit.page_declaration import Act, PageRequest, Stage
from events.house.settings import NAMES

OF_THE_HOUSE = (
    Act("house", "setting.change", _("Change setting"), choices={"setting": NAMES}, is_offered=False),
    Act("house", "chips.issue", _("Issue or destroy chips")),
    *_answers("house"),
)


def of_the_house(request: PageRequest) -> Stage:
    """Return the stage of the house's chips."""
    return Stage("", currency=rooms.currency(), pieces={"chips": rooms.chips_of(rooms.books())})
