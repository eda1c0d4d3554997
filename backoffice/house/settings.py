"""The settings on which figures depend, and the chips of the house."""

from collections.abc import Iterator

import msgspec

from backoffice.days import decider_books as rooms
from backoffice.forms.summaries import setting
from events.house import settings

Chips = dict[int, int]


class Setting(msgspec.Struct, frozen=True):
    """A setting, in words; `default`: what it is where nobody has set it."""

    name: str
    meaning: str
    value: str
    default: str

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
    """As of now."""
    known, currency = rooms.books(), rooms.currency()
    chips = {piece: number for piece, number in known.house.chips.items() if number}
    total = sum(piece * number for piece, number in chips.items())
    return HouseSeen(tuple(_settings(known.settings, currency)), chips, total, currency)


def _settings(now: settings.Settings, currency: str) -> Iterator[Setting]:
    for name, meaning, _default in settings.rows():
        values = (getattr(settings_, name) for settings_ in (now, settings.DEFAULTS))
        yield Setting(name, meaning.replace("`", ""), *(setting(name, value, currency) for value in values))
