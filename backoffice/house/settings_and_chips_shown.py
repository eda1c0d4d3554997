"""The settings on which figures depend, and the chips of the house."""

from collections.abc import Iterator

import msgspec
from django.utils.translation import gettext as _

from backoffice.days import cage_and_count_room_books as rooms
from backoffice.forms.summaries import setting
from events.house import settings
from projections.floor.models import InstalledTable
from projections.progressives.models import Progressive

Chips = dict[int, int]


class Setting(msgspec.Struct, frozen=True):
    """A setting, in words; `default`: its value where no one has set it. One that `is_fixed` changes no longer."""

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
        yield Setting(name, _(meaning.replace("`", "")), value_text, default, name == "currency" and is_currency_fixed)
