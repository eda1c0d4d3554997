"""Fields of counts: a row for each denomination with its number, its worth, and the sum of all.

The value travels as one text, a line for each denomination ("500: 40", in minor units), or as an input for each cell.
So a count that is kept, hidden or shown again is one field like any other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from backoffice.forms.fields import Pairs
from backoffice.wording import formats

FREE = 3  # rows in addition to those of the known pieces
MOST = 40


class Pile(msgspec.Struct, frozen=True):
    """A row: its inputs begin with `key`. `worth` is as typed, `minor` in minor units, where it is known."""

    key: str
    worth: str
    minor: int | None
    number: str
    is_known: bool

    @property
    def amount(self) -> int:
        """Return the row's worth in minor units; 0 if it is not a number."""
        return self.minor * int(self.number) if self.minor and self.number.isdecimal() else 0


class Tray(forms.Widget):
    """The rows as people fill them in. `digits` are those of the currency."""

    use_fieldset = True

    def __init__(self, digits: int, currency: str) -> None:
        super().__init__()
        self._digits, self._currency = digits, currency
        self.known: tuple[int, ...] = ()

    def value_from_datadict(self, data: Mapping[str, Any], files: object, name: str) -> str:
        if name in data:
            return str(data[name])
        rows = ((data.get(f"{name}-{n}-worth", ""), data.get(f"{name}-{n}-number", "")) for n in range(MOST))
        return "\n".join(self._text_line(str(worth), str(number)) for worth, number in rows if str(number).strip())

    def id_for_label(self, id_: str | None) -> str:
        return ""  # a legend is above all of them

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        piles = list(self._piles(name, _counts(value)))
        wrong = " ".join(sorted(set(attrs or {}) & {"aria-invalid"}))
        context = {
            "piles": piles,
            "currency": self._currency,
            "total": sum(pile.amount for pile in piles),
            "wrong": wrong,
        }
        return render_to_string("pages/parts/tray.html", context)

    def _text_line(self, worth: str, number: str) -> str:
        """Return a line of the field's text; an invalid amount stays as typed, and the field refuses it."""
        amount = formats.read(worth)
        whole = None if amount is None else amount.scaleb(self._digits)
        text = worth if whole is None or whole != int(whole) else str(int(whole))
        return f"{text}: {number.strip()}"

    def _piles(self, name: str, counts: Mapping[str, str]) -> Iterator[Pile]:
        offered = [str(denomination) for denomination in self.known]
        extra = [worth for worth in counts if worth not in offered]
        for n, worth in enumerate([*offered, *extra, *[""] * FREE]):
            minor = int(worth) if worth.isdecimal() else None
            typed = worth if minor is None else formats.typed_decimal(minor, self._digits)
            yield Pile(f"{name}-{n}", typed, minor, counts.get(worth, ""), worth in offered)


class Pieces(Pairs):
    """Number of pieces of each denomination: chips, notes, coins."""

    def __init__(self, *, digits: int, currency: str, **options: Any) -> None:
        super().__init__(of_numbers=True, widget=Tray(digits, currency), **options)

    @property
    def is_to_be_counted(self) -> bool:
        """Return whether the field must be filled in: an empty count is a count as well."""
        return self._is_always_said

    def add_rows(self, denominations: Sequence[int]) -> None:
        """Offer a row for each of these, the highest first."""
        cast(Tray, self.widget).known = tuple(sorted(set(denominations), reverse=True))


def _counts(value: Any) -> dict[str, str]:
    """The lines of a text, as they were typed."""
    lines = (line.rpartition(":") for line in str(value or "").splitlines() if line.strip())
    return {worth.strip(): number.strip() for worth, _colon, number in lines}
