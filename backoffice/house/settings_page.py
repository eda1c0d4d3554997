"""The house: its settings and its chips, each changed by two people of two departments."""

from collections.abc import Iterator

import msgspec
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.forms.request_and_action_wording import setting
from backoffice.kit.page_declaration import Act, MenuEntry, Page, PageRequest, Stage, approval_acts
from backoffice.people.roles_allowed_per_page import HOUSE as WHO
from events.house import settings
from projections.floor.models import InstalledTable
from projections.progressives.models import Progressive

Chips = dict[int, int]


class Setting(msgspec.Struct, frozen=True):
    """A setting, in words; `default`: its value where no one has set it. A setting with `is_fixed` can no longer
    change."""

    name: str
    meaning: str
    value: str
    default: str
    is_fixed: bool = False

    @property
    def is_set(self) -> bool:
        return self.value != self.default


class HouseSeen(msgspec.Struct, frozen=True):
    """Settings in force, and the chips issued and not destroyed."""

    settings: tuple[Setting, ...]
    chips: Chips
    chips_minor: int
    currency: str


def house() -> HouseSeen:
    """Return the present settings and chips."""
    books, currency = rooms.books(), rooms.currency()
    chips = {piece: number for piece, number in books.house.chips.items() if number}
    total = sum(piece * number for piece, number in chips.items())
    return HouseSeen(tuple(_settings(books.settings, currency)), chips, total, currency)


def _settings(now: settings.HouseSettings, currency: str) -> Iterator[Setting]:
    # The currency is fixed once a table or a progressive uses it.
    is_currency_fixed = InstalledTable.objects.exists() or Progressive.objects.exists()
    for name, meaning, _default in settings.rows():
        values = (getattr(settings_, name) for settings_ in (now, settings.DEFAULTS))
        value_text, default = (setting(name, value, currency) for value in values)
        yield Setting(
            name, gettext(meaning.replace("`", "")), value_text, default, name == "currency" and is_currency_fixed
        )


_OF_THE_HOUSE = (
    Act("house", "setting.change", _("Change setting"), choices={"setting": settings.NAMES}, is_offered=False),
    Act("house", "chips.issue", _("Issue or destroy chips")),
    *approval_acts("house"),
)


def _of_the_house(request: PageRequest) -> Stage:
    """Return the stage of the house's chips."""
    return Stage("", currency=rooms.currency(), pieces={"chips": rooms.chips_of(rooms.books())})


HOUSE = Page(
    name="house",
    path="house",
    title=_("House"),
    open_to=WHO,
    template="pages/house.html",
    query=lambda _request: house(),
    shown_as="house",
    menu=MenuEntry(_("House"), "h", _("go to house settings")),
    acts=_OF_THE_HOUSE,
    stage=_of_the_house,
)
