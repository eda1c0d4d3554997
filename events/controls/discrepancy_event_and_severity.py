"""Discrepancies: a count differs from the expected amount. The event has both figures and the band of that moment.

At tables, in the cage and in the count room alike. Explaining it is another event, in the stream of the day.
"""

from typing import Any, ClassVar, Literal

import msgspec

from events.house.settings import HouseSettings
from events.people.approval_request_lifecycle import TableFields
from events.text.translation_marker import translatable as _

Band = Literal["recorded", "reported", "regulator"]
What = Literal[
    "opener",
    "table_count",
    "shift_count",
    "closer",
    "fill",
    "credit",
    "unknown_slip",
    "exchange",
    "counters",
    "box",
    "cage",
]
WORDS = {
    "opener": _("opener"),
    "table_count": _("tray count"),
    "shift_count": _("shift count"),
    "closer": _("closer"),
    "fill": _("fill"),
    "credit": _("credit"),
    "kind unknown_slip": _("slip not issued by the cage"),
    "exchange": _("chip exchange"),
    "counters": _("two counters"),
    "box": _("drop box"),
    "kind cage": _("cage count"),
    "recorded": _("recorded"),
    "band reported": _("reported to Surveillance and Security"),
    "regulator": _("reportable to regulator"),
}


class DiscrepancyFound(TableFields, frozen=True, kw_only=True, omit_defaults=True):
    """A count differs from the expected amount (NJ 1.21). It stays open until accounting has explained it.

    `kind` names the count, `expected_minor` and `found_minor` both figures, `counted_by` the counters. For counts by
    denomination, `expected` and `found` have the denominations that differ. For the cage and for a box both figures are
    given by tender too, and `tender` names the only differing one of a box. Where the removed box is not the one that
    was put (`put_box`), both figures are 0: their contents are not known then. `band`: `recorded` up to the first of
    the house's bounds, `reported` over it, `regulator` from the second on.
    """

    TYPE: ClassVar[str] = "discrepancy.found.v1"
    kind: What
    expected_minor: int
    found_minor: int
    band: Band
    counted_by: tuple[str, ...] = ()
    expected: dict[int, int] | None = None
    counted: dict[int, int] | None = msgspec.field(name="found", default=None)
    expected_tenders: dict[str, int] | None = None
    found_tenders: dict[str, int] | None = None
    tender: str | None = None
    slip: str | None = None
    drop_box: str | None = None
    put_box: str | None = None


def band(difference_minor: int, settings: HouseSettings) -> Band:
    """Return the band of a difference of this size (NJ 1.21)."""
    if abs(difference_minor) >= settings.regulator_from_minor:
        return "regulator"
    return "reported" if abs(difference_minor) > settings.reported_over_minor else "recorded"


def discrepancy_event(
    kind: What, expected_minor: int, found_minor: int, settings: HouseSettings, **about: Any
) -> DiscrepancyFound:
    """The event of a difference, by the settings in force."""
    return DiscrepancyFound(
        kind=kind,
        expected_minor=expected_minor,
        found_minor=found_minor,
        band=band(found_minor - expected_minor, settings),
        **about,
    )


def differing(expected: dict[int, int], actual: dict[int, int]) -> tuple[dict[int, int], dict[int, int]]:
    """The pieces that differ, by denomination, on either side: nothing where all are the same."""
    differing_denominations = [
        denomination
        for denomination in sorted({*expected, *actual})
        if expected.get(denomination, 0) != actual.get(denomination, 0)
    ]
    return {denomination: expected.get(denomination, 0) for denomination in differing_denominations}, {
        denomination: actual.get(denomination, 0) for denomination in differing_denominations
    }
