"""The house: its settings and its chips, each changed by two people of two departments."""

from django.utils.translation import gettext_lazy as _

from backoffice.house.action_forms import OF_THE_HOUSE, of_the_house
from backoffice.house.settings_and_chips_shown import house
from backoffice.kit.page_declaration import MenuEntry, Page
from backoffice.people.roles_allowed_per_page import HOUSE as WHO

HOUSE = Page(
    name="house",
    path="house",
    title=_("House"),
    open_to=WHO,
    template="pages/house.html",
    query=lambda _request: house(),
    shown_as="house",
    menu=MenuEntry(_("House"), "h", _("go to house settings")),
    acts=OF_THE_HOUSE,
    stage=of_the_house,
)
