"""Discrepancies for people: the place and amount of the difference from the expected amount, and the last count before
it.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.wording.code_to_word_translation import word
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from projections.accounts.models import FoundAccount

_decoder: msgspec.json.Decoder[DiscrepancyFound] = msgspec.json.Decoder(DiscrepancyFound)
# By kind: too little, too much.
_WORDS: dict[str, tuple["str | Promise", "str | Promise"]] = {
    "opener": (gettext_lazy("Opener short"), gettext_lazy("Opener over")),
    "fill": (gettext_lazy("Fill short"), gettext_lazy("Fill over")),
    "credit": (gettext_lazy("Credit short"), gettext_lazy("Credit over")),
    "unknown_slip": (gettext_lazy("Slip unknown to the cage"),) * 2,
    "exchange": (gettext_lazy("Exchange short"), gettext_lazy("Exchange over")),
    "counters": (gettext_lazy("Counters disagree"), gettext_lazy("Counters disagree")),
    "box": (gettext_lazy("Box short"), gettext_lazy("Box over")),
    "cage": (gettext_lazy("Cage short"), gettext_lazy("Cage over")),
}
_OF_TRAY = (gettext_lazy("Tray short"), gettext_lazy("Tray over"))
_FIGURES = (gettext_lazy("Expected"), gettext_lazy("Found"))
_FIGURES_OF_COUNTERS = (gettext_lazy("First count"), gettext_lazy("Verification count"))
_STATES = {"recorded": "amber", "reported": "red", "regulator": "red"}  # by band


class DifferencePiece(msgspec.Struct, frozen=True):
    """Expected and counted number of one denomination, or amount of one tender."""

    name: str
    denomination: int
    expected: int
    counted: int


class DiscrepancyShown(msgspec.Struct, frozen=True, kw_only=True):
    """A discrepancy; the difference is found less expected. `since` is the event of the count that it is measured from.

    It is called explained when a person has explained it, and not before.
    """

    id: str
    position: int
    time: datetime
    kind: str
    where: str
    words: "str | Promise"
    table: str
    shift: str
    tender: str
    expected_minor: int
    found_minor: int
    difference_minor: int
    band: str
    band_words: str
    state: str
    pieces: tuple[DifferencePiece, ...]
    counted_by: tuple[str, ...]
    since: int
    since_time: datetime | None
    explained_by: str
    explained_at: int
    reason: str

    @property
    def key(self) -> str:
        """Return its position, as text."""
        return str(self.position)

    @property
    def amount_minor(self) -> int:
        """Return the amount missing or too much, without a sign."""
        return abs(self.difference_minor)

    @property
    def is_of_counters(self) -> bool:
        """Return whether both figures are counts, and neither was expected."""
        return self.kind == "counters"

    @property
    def figure_words(self) -> tuple["str | Promise", "str | Promise"]:
        """Return the names of both figures."""
        return figure_words(self.kind)

    @property
    def is_explained(self) -> bool:
        """Return whether a person has explained it."""
        return bool(self.explained_at)


def differences(rows: Collection[FoundAccount], times: Mapping[int, datetime]) -> tuple[DiscrepancyShown, ...]:
    """Return the discrepancies in the order of discovery; `times` are those of the counts before them."""
    return tuple(_discrepancy_shown(row, times) for row in rows)


def figure_words(kind: str) -> tuple["str | Promise", "str | Promise"]:
    """Return the names of the two figures of a discrepancy: expected and found, or the counts of two counters."""
    return _FIGURES_OF_COUNTERS if kind == "counters" else _FIGURES


def _discrepancy_shown(row: FoundAccount, times: Mapping[int, datetime]) -> DiscrepancyShown:
    discrepancy = _decoder.decode(row.content)
    difference = discrepancy.found_minor - discrepancy.expected_minor
    return struct_from(
        row,
        DiscrepancyShown,
        time=datetime.fromisoformat(row.time),
        where=word(row.kind, "kind"),
        words=_difference_words(discrepancy, difference),
        shift=discrepancy.shift or "",
        tender=discrepancy.tender or "",
        expected_minor=discrepancy.expected_minor,
        found_minor=discrepancy.found_minor,
        difference_minor=difference,
        band_words=word(row.band, "band"),
        state="green" if row.explained_at else "red" if difference < 0 else _STATES[row.band],
        pieces=_difference_pieces(discrepancy),
        counted_by=discrepancy.counted_by,
        since_time=times.get(row.since),
        explained_at=row.explained_at or 0,
    )


def _difference_words(discrepancy: DiscrepancyFound, difference: int) -> "str | Promise":
    """Return the words for an amount: "missing from the tray". Other pieces or tenders of equal money, and another box,
    have words of their own."""
    if discrepancy.put_box is not None:
        return _("Placed box %(put)s, removed box %(found)s") % {
            "put": discrepancy.put_box,
            "found": discrepancy.drop_box,
        }
    if difference == 0 and discrepancy.expected_tenders != discrepancy.found_tenders:
        return _("Tenders differ")
    if difference == 0:
        return _("Denominations differ")
    less, too_much = _WORDS.get(discrepancy.kind, _OF_TRAY)
    return less if difference < 0 else too_much


def _difference_pieces(opened: DiscrepancyFound) -> tuple[DifferencePiece, ...]:
    chips = [(str(piece), piece, opened.expected, opened.counted) for piece in _keys(opened.expected, opened.counted)]
    expected, counted = opened.expected_tenders, opened.found_tenders
    money = [(str(tender), 0, expected, counted) for tender in _keys(expected, counted)]
    listed: list[tuple[str, Any, Any, Any]] = [*chips, *money]
    pieces = (
        DifferencePiece(name, value, _pieces_of(expected, value or name), _pieces_of(counted, value or name))
        for name, value, expected, counted in listed
    )
    return tuple(piece for piece in pieces if piece.expected != piece.counted)


def _keys(counts: Mapping[Any, int] | None, other: Mapping[Any, int] | None) -> list[Any]:
    return sorted({*(counts or {}), *(other or {})}, reverse=True)


def _pieces_of(pieces: Mapping[Any, int] | None, key: Any) -> int:
    return (pieces or {}).get(key, 0)
