"""The fields of an action as people fill them in: amounts in whole units of the currency, rates in percent.

Each accepts the text that `prepare_value` shows, and returns the value for the action's Struct.
"""

import re
from decimal import Decimal
from typing import Any

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from backoffice.wording import formats
from events.errors import Invalid
from events.text.repeated_json_name_refusal import require_unique_names

LONGEST = 40  # characters of an amount
_TYPED_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?: UTC)?")


class ScaledNumber(forms.DecimalField):
    """A whole number that people write as a decimal: minor units as an amount, millionths as percent.

    `digits`: the number of decimals. `least` and `most` are bounds of the whole number. A browser's number input always
    sends a full stop before the fraction, so it is used where the property writes one. Otherwise a text input is used,
    and read as typed.
    """

    def __init__(self, *, digits: int, least: int | None, most: int | None, **options: Any) -> None:
        self.digits = digits
        low, high = (None if bound is None else Decimal(bound).scaleb(-digits) for bound in (least, most))
        if formats.habit().point != ".":
            options.setdefault("widget", forms.TextInput(attrs={"autocomplete": "off"}))
        super().__init__(decimal_places=digits, min_value=low, max_value=high, **options)
        self.widget.attrs["inputmode"] = "decimal"

    def prepare_value(self, value: Any) -> Any:
        """Return the shown text. An int comes from the action; a text is a person's input."""
        return formats.typed_decimal(value, self.digits) if isinstance(value, int) else value

    def to_python(self, value: Any) -> Any:
        """Read a number as the property writes it: "12,50" is not 1250 where a comma separates thousands."""
        if isinstance(value, str) and value.strip() and (value := formats.read(value)) is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)

    def clean(self, value: Any) -> int | None:
        number = super().clean(value)
        return None if number is None else int(number.scaleb(self.digits))


class YesNo(forms.TypedChoiceField):
    """Yes, no, or no answer."""

    def __init__(self, **options: Any) -> None:
        choices = [("", _("– choose –")), ("true", _("yes")), ("false", _("no"))]
        super().__init__(choices=choices, coerce=lambda text: text == "true", empty_value=None, **options)

    def prepare_value(self, value: Any) -> Any:
        return {True: "true", False: "false", None: ""}.get(value, value)


class Pairs(forms.CharField):
    """Numbers by name, a line each: "100: 50". For chips the count of each value, for limits the amount for each bet.

    `digits`: the number of decimals. In a required field, an empty text means an empty list.
    """

    widget = forms.Textarea

    def __init__(self, *, of_numbers: bool, digits: int = 0, required: bool = True, **options: Any) -> None:
        self._of_numbers, self._digits = of_numbers, digits
        self._is_always_said = required
        super().__init__(required=False, **options)
        self.widget.attrs["rows"] = 5

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{name}: {self._to_text(number)}" for name, number in value.items())

    def _to_text(self, number: int) -> str:
        return str(number) if self._of_numbers else formats.typed_decimal(number, self._digits)

    def clean(self, value: Any) -> dict[Any, int] | None:
        text = super().clean(value)
        pairs = [self._pair(line) for line in text.splitlines() if line.strip()]
        if len(pairs) != len(dict(pairs)):
            raise ValidationError(_("The same entry appears twice."))
        return dict(pairs) if text or self._is_always_said else None

    def _pair(self, line: str) -> tuple[Any, int]:
        name, _colon, number = (part.strip() for part in line.rpartition(":"))
        if self._of_numbers:
            plain = re.fullmatch(r"[0-9]{1,18}", name) and re.fullmatch(r"-?[0-9]{1,18}", number)
            key, whole = (int(name), int(number)) if plain else (name, None)
        else:
            key, whole = name, whole_of(number, self._digits)
        if whole is None:
            raise ValidationError(_("%(line)s: write each line as NAME: NUMBER.") % {"line": repr(line)[:40]})
        return key, whole


def whole_of(text: str, digits: int) -> int | None:
    """Return a typed decimal as a whole number; None for other text, or for more decimals than `digits`."""
    amount = formats.read(text) if len(text) <= LONGEST else None
    scaled = None if amount is None else amount.scaleb(digits)
    return None if scaled is None or scaled != int(scaled) else int(scaled)


class NumberOrText(forms.CharField):
    """A whole number or a text, whichever it is; `digits`: a number that people write with so many decimals."""

    digits: int | None = None

    def prepare_value(self, value: Any) -> Any:
        return formats.typed_decimal(value, self.digits or 0) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | str | None:
        text: str = super().clean(value)
        if self.digits is None:
            return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text or "") else text
        if (whole := whole_of(text, self.digits)) is None:
            raise ValidationError(_("Enter a number."), code="invalid")
        return whole


class TextList(forms.CharField):
    """Several ids or names, a line each or with commas between them."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.widget.attrs["rows"] = 2

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str] | None:
        text = (super().clean(value) or "").strip()
        if text.startswith("["):  # as JSON, which programs and old links fill in
            try:
                listed = msgspec.json.decode(text, type=list[str])
            except msgspec.DecodeError as error:
                raise ValidationError(_("Enter one entry per line.")) from error
            return listed or None
        return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()] or None


class UtcTime(forms.CharField):
    """A time in UTC as actions write it; people may leave out seconds, "T" and "Z": "2026-11-21 20:15"."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.widget.attrs |= {"autocomplete": "off", "placeholder": "2026-11-21 20:15"}

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        parts = _TYPED_TIME.fullmatch(text)
        return text if parts is None else f"{parts[1]}T{parts[2]}{parts[3] or ':00'}.000Z"


class Numbers(forms.CharField):
    """Whole numbers, one behind the other: "17, 20"."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[int] | None:
        text = super().clean(value)
        parts = re.split(r"[,\s]+", text.strip()) if text and text.strip() else []
        if wrong := [part for part in parts if not re.fullmatch(r"-?[0-9]{1,9}", part)]:
            raise ValidationError(_("%(part)s is not a whole number.") % {"part": repr(wrong[0])[:40]})
        return [int(part) for part in parts] or None


class CheckboxChoices(forms.MultipleChoiceField):
    """Several of the given choices: a checkbox for each."""

    widget = forms.CheckboxSelectMultiple


class JsonField(forms.CharField):
    """A structured value, as JSON."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.widget.attrs |= {"rows": 6, "spellcheck": "false"}

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) or value is None else msgspec.json.encode(value).decode()

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            value = msgspec.json.decode(text)
            require_unique_names(text, "JSON")
        except (msgspec.DecodeError, RecursionError, Invalid) as error:
            raise ValidationError(_("This is not valid JSON: %(why)s") % {"why": error}) from error
        return value
