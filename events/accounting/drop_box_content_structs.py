"""Drop boxes: the buy-ins while the box was under the table, and the content that the count found."""

from collections.abc import Iterable

import msgspec


class Tenders(msgspec.Struct, frozen=True, gc=False):
    """Money by tender, in minor units. Vouchers are `promotional`: the house's own, and no drop."""

    cash: int = 0
    marker: int = 0
    promotional: int = 0

    @property
    def net(self) -> int:
        """Return the part of the tenders that is drop."""
        return self.cash + self.marker

    @property
    def total(self) -> int:
        """All of it."""
        return self.net + self.promotional


class Content(msgspec.Struct, frozen=True, gc=False):
    """Content of a box as counted: by tender, and chips that were dropped into it."""

    cash: int = 0
    marker: int = 0
    promotional: int = 0
    chips: int = 0

    @property
    def net(self) -> int:
        """Return the part of the content that is drop."""
        return self.cash + self.marker + self.chips


class DropBox(msgspec.Struct, frozen=True, gc=False):
    """A box of a shift: the recorded buy-ins, and the counted content (None: not counted yet).

    `late` are buy-ins of later shifts over this box, which was still under the table. `moved` is the part of `recorded`
    that is in the box of an earlier shift: reports of the layouts 1 and 2 count it to this box.
    """

    name: str
    recorded: Tenders = Tenders()
    counted: Content | None = msgspec.field(name="found", default=None)
    late: Tenders = Tenders()
    moved: Tenders = Tenders()

    @property
    def put_in(self) -> Tenders:
        """Return all buy-ins while this box was under the table, of any shift: the amounts that its count must find."""
        return difference(total_tenders((self.recorded, self.late)), self.moved)

    @property
    def content(self) -> Content:
        """Return the counted content, or the recorded one until the count."""
        return self.counted or as_recorded(self.recorded)


def total_tenders(several: Iterable[Tenders]) -> Tenders:
    """All of them in one sum."""
    listed = list(several)
    return Tenders(*(sum(getattr(tenders, name) for tenders in listed) for name in Tenders.__struct_fields__))


def difference(tenders: Tenders, other: Tenders) -> Tenders:
    """The first amounts minus the second."""
    return Tenders(*(getattr(tenders, name) - getattr(other, name) for name in Tenders.__struct_fields__))


def contents(several: Iterable[Content]) -> Content:
    """All of them in one sum. Boxes are never combined (WA 615), their figures are."""
    listed = list(several)
    return Content(*(sum(getattr(content, name) for content in listed) for name in Content.__struct_fields__))


def as_recorded(recorded: Tenders) -> Content:
    """Return the content of a box whose record is right."""
    return Content(recorded.cash, recorded.marker, recorded.promotional)


def content_without(content: Content, recorded: Tenders) -> Content:
    """Return a content less the part that belongs to others."""
    return Content(
        content.cash - recorded.cash,
        content.marker - recorded.marker,
        content.promotional - recorded.promotional,
        content.chips,
    )


def content_without_vouchers(net: int, promotional: int, recorded: Tenders) -> Content:
    """Return the content of a count that separated only vouchers (`drop.counted.v1`): its markers are taken as
    recorded.
    """
    marker = min(recorded.marker, net)
    return Content(net - marker, marker, promotional)
