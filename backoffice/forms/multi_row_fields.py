"""Fields of an action that have parts of their own: a row for each thing, an input for each part of it.

The typed values are sent as one text, JSON of rows of texts, or as an input a cell. So a waiting form is stored, hidden
and shown again like any other. Empty rows are left out.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

TypedCells: TypeAlias = dict[str, str]  # the texts in the cells of a row
SHOWN = 3  # rows that are open at first; the others unfold


class RowsWidget(forms.Widget):
    """The rows as people fill them in."""

    use_fieldset = True

    def __init__(self, cells: Mapping[str, forms.Field], most: int) -> None:
        super().__init__()
        self._cells, self._most = cells, most

    def value_from_datadict(self, data: Mapping[str, Any], files: object, name: str) -> str:
        if name in data:
            return str(data[name])
        rows = [{cell: str(data.get(f"{name}-{n}-{cell}", "")) for cell in self._cells} for n in range(self._most)]
        return _rows_as_text(row for row in rows if any(text.strip() for text in row.values()))

    def id_for_label(self, id_: str | None) -> str:
        return ""  # a legend is above all of them

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        filled = _read(value) or []
        rows = [(n + 1, self._row(name, n, filled[n] if n < len(filled) else {})) for n in range(self._most)]
        open_count = max(SHOWN, len(filled))
        return render_to_string("pages/parts/rows.html", {"rows": rows[:open_count], "more": rows[open_count:]})

    def _row(self, name: str, number: int, typed: TypedCells) -> list[tuple[str, str, SafeString]]:
        """Return the id, label and input of each cell."""
        inputs = []
        for cell, field in self._cells.items():
            key = f"{name}-{number}-{cell}"
            rendered = field.widget.render(key, typed.get(cell, ""), {"id": f"id_{key}"})
            inputs.append((f"id_{key}", str(field.label), rendered))
        return inputs


class RowsField(forms.Field):
    """Things of one kind: a row each."""

    def __init__(
        self, cells: Mapping[str, forms.Field], *, least: int = 0, most: int = 10, required: bool = True, **options: Any
    ) -> None:
        self._cells, self._least, self._most = cells, least, most
        self._is_always_said = required
        super().__init__(required=False, widget=RowsWidget(cells, most), **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the shown text. A text is a person's input, any other value the action's."""
        if value is None or isinstance(value, str):
            return value
        return _rows_as_text(
            {cell: self._text(cell, part) for cell, part in row.items()} for row in self._opened(value)
        )

    def clean(self, value: Any) -> Any:
        rows = _read(value)
        if rows is None:
            raise ValidationError(_("This is not a JSON list of rows."))
        if len(rows) > self._most or len(rows) < self._least:
            raise ValidationError(self._too_many())
        cleaned = [self._cleaned(number, row) for number, row in enumerate(rows, 1)]
        return self._closed(cleaned) if cleaned or self._is_always_said else None

    def _too_many(self) -> str:
        return _("Enter %(least)d to %(most)d rows.") % {"least": self._least, "most": self._most}

    def _cleaned(self, number: int, row: TypedCells) -> dict[str, Any]:
        values = {cell: self._cell(number, cell, row.get(cell, "")) for cell in self._cells}
        return {cell: value for cell, value in values.items() if value not in (None, "")}

    def _cell(self, number: int, cell: str, text: str) -> Any:
        field = self._cells[cell]
        try:
            return field.clean(text)
        except ValidationError as error:
            where = {"row": number, "label": field.label, "why": " ".join(error.messages)}
            raise ValidationError(_("Row %(row)d, %(label)s: %(why)s") % where) from error

    def _text(self, cell: str, value: Any) -> str:
        prepared = self._cells[cell].prepare_value(value)
        return "" if prepared is None else str(prepared)

    def _opened(self, value: Any) -> Iterable[dict[str, Any]]:
        """The action's value as rows."""
        return list(value)

    def _closed(self, rows: list[dict[str, Any]]) -> Any:
        """The rows as the action has them."""
        return rows


class RowField(RowsField):
    """A fixed number of values in one row; no row at all where they are optional."""

    def __init__(self, cells: Mapping[str, forms.Field], *, required: bool = True, **options: Any) -> None:
        super().__init__(cells, least=int(required), most=1, required=required, **options)

    def _too_many(self) -> str:
        return str(self.default_error_messages["required"])

    def _opened(self, value: Any) -> Iterable[dict[str, Any]]:
        return [dict(zip(self._cells, value, strict=True))]

    def _closed(self, rows: list[dict[str, Any]]) -> Any:
        return [rows[0].get(cell) for cell in self._cells] if rows else None


class NamedRowsField(RowsField):
    """Values under a name: the first cell of each row is the name."""

    def _opened(self, value: Any) -> Iterable[dict[str, Any]]:
        return [dict(zip(self._cells, (name, *values), strict=True)) for name, values in value.items()]

    def _closed(self, rows: list[dict[str, Any]]) -> Any:
        name, *values = self._cells
        named = {row[name]: [row.get(cell) for cell in values] for row in rows}
        if len(named) != len(rows):
            raise ValidationError(_("The same entry appears twice."))
        return named


def _rows_as_text(rows: Iterable[TypedCells]) -> str:
    return msgspec.json.encode(list(rows)).decode()


def _read(value: Any) -> list[TypedCells] | None:
    """Return the rows of a text; None for any other text."""
    if not value:
        return []
    try:
        return msgspec.json.decode(value, type=list[TypedCells])
    except (msgspec.MsgspecError, UnicodeError):
        return None
