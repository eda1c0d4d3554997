"""The form of an action, made of its own Struct: labels of field names, help of the docstring, bounds of the types.

What the form lets through is an action's `data` as it is sent; whether the action may be, the deciders say. What they
say comes back to the form: at the field, with the clause.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from msgspec import inspect as types

from backoffice import writing
from backoffice.kit.fields import Pairs, Scaled, Structured, YesNo
from events import fields as kinds
from events.envelope import ActionData
from events.errors import Invalid, PitledgerError, Refused

LONG = 500  # from here on a text has several lines


class ActionForm(forms.Form):
    """A form of one type of action. `currency` is the stream's: amounts have its digits."""

    shape: type[ActionData]

    def __init__(self, *arguments: Any, currency: str = "", said: ActionData | None = None, **more: Any) -> None:
        """`said`: what stands in the form at first."""
        if said is not None:
            more["initial"] = msgspec.to_builtins(said, str_keys=False)
        super().__init__(*arguments, **more)
        for name, one in _fields(self.shape, currency):
            self.fields[name] = one

    @property
    def meaning(self) -> str:
        """What the action does: the first sentence about it."""
        return _sentences(self.shape)[0].replace("`", "")

    def clean(self) -> dict[str, Any]:
        """What the fields together must be, by the Struct itself."""
        found = {name: value for name, value in self.cleaned_data.items() if self._is_said(name, value)}
        if not self.errors:
            try:
                self.data_of_action = msgspec.convert(found, self.shape, str_keys=False)
            except msgspec.ValidationError as error:
                self._at(*kinds.wrong_field(str(error)))
        return found

    def refused(self, error: PitledgerError) -> None:
        """What the desk answered: at the field that it names, else above all of them; a rule's with its clause."""
        if isinstance(error, Invalid):
            self._at(error.field, error.message)
        elif isinstance(error, Refused):
            self.add_error(None, forms.ValidationError(error.message, code="refused", params={"clause": error.clause}))
        else:
            self.add_error(None, str(error))

    def _at(self, where: str, why: str) -> None:
        name = re.split(r"[.\[]", where.removeprefix("data."))[0]
        self.add_error(name if name in self.fields else None, why)

    def _is_said(self, name: str, value: Any) -> bool:
        """Whether it goes into the action: what is left empty is left out."""
        return value not in (None, "") or self.fields[name].required


def form_of(shape: type[ActionData]) -> type[ActionForm]:
    """The form of a type of action."""
    return type(f"{shape.__name__}Form", (ActionForm,), {"shape": shape, "__doc__": inspect.getdoc(shape)})


def clause_of(error: forms.ValidationError) -> str:
    """The clause of a refusal; "" for what is not one."""
    return str((error.params or {}).get("clause", ""))


# --- fields of types ------------------------------------------------------------------------------------------------


def _fields(shape: type[ActionData], currency: str) -> Iterator[tuple[str, forms.Field]]:
    for field in types.type_info(shape).fields:  # type: ignore[attr-defined]  # a Struct's
        kind, may_lack = _kind(field.type)
        words = {"label": _label(field.name), "help_text": _help(shape, field.name)}
        more: dict[str, Any] = {**words, "required": field.required and not may_lack}
        if not field.required and field.default not in (None, msgspec.NODEFAULT, msgspec.UNSET):
            more["initial"] = field.default
        yield field.name, _field(field.name, kind, may_lack, currency, more)


def _kind(given: types.Type) -> tuple[types.Type, bool]:
    """The type besides null and absent, and whether it may be one of those."""
    if not isinstance(given, types.UnionType):
        return given, False
    (kind,) = (one for one in given.types if not isinstance(one, types.NoneType))
    return kind, True


def _field(name: str, kind: types.Type, may_lack: bool, currency: str, more: dict[str, Any]) -> forms.Field:
    if isinstance(kind, types.IntType):
        return _number(name, kind, currency, more)
    if isinstance(kind, types.LiteralType):
        choices = [(value, str(value).replace("_", " ")) for value in kind.values]
        return forms.ChoiceField(choices=[("", _("not said")), *choices], **more)  # nothing is chosen for people
    if isinstance(kind, types.BoolType):
        return YesNo(**more) if may_lack else forms.BooleanField(**{**more, "required": False})
    if isinstance(kind, types.DictType) and isinstance(kind.value_type, types.IntType):
        return Pairs(of_numbers=isinstance(kind.key_type, types.IntType), **more)
    if isinstance(kind, types.StrType):
        return _text(kind, more)
    return Structured(**more)


def _number(name: str, kind: types.IntType, currency: str, more: dict[str, Any]) -> forms.Field:
    digits = {"minor": writing.exponent(currency), "micro": writing.exponent(currency) + 6, "millionths": 4}
    scale = digits.get(name.rpartition("_")[2])
    if scale is None:
        return forms.IntegerField(min_value=kind.ge, max_value=kind.le, **more)
    return Scaled(digits=scale, least=kind.ge, most=kind.le, **more)


def _text(kind: types.StrType, more: dict[str, Any]) -> forms.Field:
    if kind.pattern == _DAY:
        return forms.CharField(widget=forms.DateInput(attrs={"type": "date"}), validators=[_rule(kind.pattern)], **more)
    long = (kind.max_length or 0) >= LONG
    widget = forms.Textarea(attrs={"rows": 3}) if long else forms.TextInput(attrs={"autocomplete": "off"})
    if kind.pattern and not long:
        widget.attrs["pattern"] = for_browsers(kind.pattern)
    rules = [_rule(kind.pattern)] if kind.pattern else []
    bounds: dict[str, Any] = {"min_length": kind.min_length, "max_length": kind.max_length}
    return forms.CharField(widget=widget, validators=rules, **bounds, **more)


def _pattern(kind: Any) -> str:
    found = types.type_info(kind)
    assert isinstance(found, types.StrType)
    assert found.pattern is not None
    return found.pattern


_DAY = _pattern(kinds.Day)


def _rule(pattern: str) -> RegexValidator:
    words = _("want %(form)s") % {"form": kinds.MEANS.get(pattern, _("another form"))}
    return RegexValidator(pattern, words, code="pattern")


def for_browsers(pattern: str) -> str:
    """A pattern as HTML takes it: anchored by itself, a hyphen in a class never bare."""
    return pattern.removeprefix("^").removesuffix(kinds.END).replace("-]", "\\-]")


# --- words ----------------------------------------------------------------------------------------------------------


def _label(name: str) -> str:
    """A field's name without its unit, which its digits show: "amount_minor" is the amount."""
    plain = re.sub(r"_(minor|micro|millionths)$", "", name)
    return plain.replace("_", " ").capitalize()


def _help(shape: type[ActionData], name: str) -> str:
    """What the docstring says of a field."""
    return " ".join(one.replace("`", "") for one in _sentences(shape) if f"`{name}`" in one)


def _sentences(shape: type[ActionData]) -> list[str]:
    text = " ".join((inspect.getdoc(shape) or "").split())
    return re.split(r"(?<=\.) (?=[A-Z`])", text)
