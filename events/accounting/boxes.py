"""Drop boxes: what was bought in over one while it was under the table, and what the count found in it."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace


class Tenders(msgspec.Struct, frozen=True, gc=False):
    """Money by tender, in minor units. Vouchers are `promotional`: the house's own, and no drop."""

    cash: int = 0
    marker: int = 0
    promotional: int = 0

    @property
    def net(self) -> int:
        """What is drop of it."""
        return self.cash + self.marker

    @property
    def total(self) -> int:
        """All of it."""
        return self.net + self.promotional


class Content(msgspec.Struct, frozen=True, gc=False):
    """What was found in a box: by tender, and chips that somebody dropped into it."""

    cash: int = 0
    marker: int = 0
    promotional: int = 0
    chips: int = 0

    @property
    def net(self) -> int:
        """What is drop of it."""
        return self.cash + self.marker + self.chips


class Box(msgspec.Struct, frozen=True, gc=False):
    """A box: what was bought in over it by the record, and what its count found (None: it is not counted yet)."""

    name: str
    recorded: Tenders = Tenders()
    found: Content | None = None

    @property
    def content(self) -> Content:
        """As counted; as recorded until then."""
        return self.found or as_recorded(self.recorded)


def more(tenders: Tenders, tender: str, amount: int) -> Tenders:
    """With a buy-in more."""
    return replace(tenders, **{tender: getattr(tenders, tender) + amount})


def together(several: Iterable[Tenders]) -> Tenders:
    """All of them in one sum."""
    listed = list(several)
    return Tenders(*(sum(getattr(one, name) for one in listed) for name in Tenders.__struct_fields__))


def contents(several: Iterable[Content]) -> Content:
    """All of them in one sum. Boxes are never combined (WA 615), their figures are."""
    listed = list(several)
    return Content(*(sum(getattr(one, name) for one in listed) for name in Content.__struct_fields__))


def as_recorded(recorded: Tenders) -> Content:
    """What a box holds if the record is right."""
    return Content(recorded.cash, recorded.marker, recorded.promotional)


def less(found: Content, recorded: Tenders) -> Content:
    """What is left of a content without what belongs to others."""
    return Content(
        found.cash - recorded.cash,
        found.marker - recorded.marker,
        found.promotional - recorded.promotional,
        found.chips,
    )


def undivided(amount: int, promotional: int, recorded: Tenders) -> Content:
    """A count that told vouchers apart and nothing else (`drop.counted.v1`): its markers are taken as recorded."""
    net = amount - promotional
    marker = min(recorded.marker, net)
    return Content(net - marker, marker, promotional)
