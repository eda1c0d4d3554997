"""The form of an action, made of its own Struct: meaning from the docstring, bounds from the types.

The form's result is an action's `data` as sent. The deciders judge whether the action is allowed. Their refusal is
shown in the form, at the field, with the clause.
"""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django import forms
from django.core.validators import RegexValidator
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from msgspec import inspect as types

from backoffice.forms.denomination_fields import Pieces
from backoffice.forms.fields import (
    CheckboxChoices,
    JsonField,
    NumberOrText,
    Numbers,
    Pairs,
    ScaledNumber,
    TextList,
    UtcTime,
    YesNo,
)
from backoffice.forms.multi_row_fields import NamedRowsField, RowField, RowsField
from backoffice.kit.page_declaration import Choice
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import message_of
from backoffice.wording.field_labels import help_of, label
from events import fields as kinds
from events.envelope import ActionData
from events.errors import PitledgerError
from events.money.single_currency_rule import DEFAULT
from events.streams.problem_details import Problem, problem_of

LONG = 500  # from here on a text has several lines
ROWS = 10  # where a type sets no bound


class ActionForm(forms.Form):
    """A form of one type of action. `currency` is the stream's: amounts have its digits."""

    shape: type[ActionData]

    def __init__(
        self, *arguments: Any, currency: str = "", initial_data: ActionData | None = None, **options: Any
    ) -> None:
        """Make the form. `initial_data`: the first content of the form."""
        if initial_data is not None:
            options["initial"] = msgspec.to_builtins(initial_data, str_keys=False)
        super().__init__(*arguments, **options)
        self.currency = self._own_currency() or currency or DEFAULT
        for name, field in _fields(self.shape, self.currency):
            self.fields[name] = field
        self._know_unit(self.data.get("setting", ""))

    def _know_unit(self, setting: str) -> None:
        """The name of a setting decides the form of its value: an amount, a rate."""
        if isinstance(value := self.fields.get("value"), NumberOrText):
            value.digits = _digits(setting, self.currency)

    def _own_currency(self) -> str:
        """Return the currency that the form itself names; "" where it names none."""
        if "currency" not in self.shape.__struct_fields__:
            return ""
        return str(self.data.get("currency") or self.initial.get("currency") or "")

    @property
    def meaning(self) -> str:
        """Return the meaning of the action: the first sentence of its docstring."""
        return re.sub(r"`(\w+)`", lambda field: label(field[1]), _(meaning_of(self.shape)))

    def clean(self) -> dict[str, Any]:
        """Check all fields together by the action's Struct."""
        values = {name: value for name, value in self.cleaned_data.items() if self._is_said(name, value)}
        if not self.errors:
            try:
                self.data_of_action = msgspec.convert(values, self.shape, str_keys=False)
            except msgspec.ValidationError as error:
                self._at(*kinds.wrong_field(str(error)))
        return values

    def offer(self, choices: Mapping[str, Sequence[Choice]]) -> None:
        """Offer known values of texts for choice instead of typing; several values are ticked."""
        for name in self.fields.keys() & choices.keys():
            field = self.fields[name]
            options = [(choice, word(choice, name)) if isinstance(choice, str) else choice for choice in choices[name]]
            if isinstance(field, CheckboxChoices):
                field.choices = options
                continue
            if isinstance(field, JsonField | TextList):
                chosen = CheckboxChoices(
                    choices=options, required=field.required, label=field.label, help_text=field.help_text
                )
                self.fields[name] = chosen
                continue
            if name == "shift" and options:  # a house with shifts runs each of its tables in one of them
                field.required = True
            field.widget = forms.Select(choices=[("", _("– choose –")), *options])
            field.widget.is_required = field.required

    def set_denominations(self, pieces: Mapping[str, Sequence[int]]) -> None:
        """The denominations that are counted in a field: a row each."""
        for name in self.fields.keys() & pieces.keys():
            field = self.fields[name]
            if isinstance(field, Pieces):
                field.add_rows(pieces[name])

    def propose(self, values: Mapping[str, Any]) -> None:
        """Set initial values of the form's fields. A value that the user enters replaces them."""
        self.initial.update({name: value for name, value in values.items() if name in self.fields})

    def begin_with(self, values: Mapping[str, str], fixed_names: Sequence[str] = ()) -> None:
        """Fill in the form from an address: amounts and rates as whole numbers, as in the action. Fields in
        `fixed_names` are read only."""
        for name in self.fields.keys() & values.keys():
            text = str(values[name])
            is_number = isinstance(self.fields[name], ScaledNumber) and re.fullmatch(r"-?\d{1,18}", text)
            self.initial[name] = int(text) if is_number else text
            if isinstance(self.fields[name], CheckboxChoices | TextList) and isinstance(values, MultiValueDict):
                self.initial[name] = values.getlist(name)
            if name in fixed_names:
                self.fields[name].widget.attrs["readonly"] = True
        self._know_unit(values.get("setting", ""))

    @property
    def complete(self) -> MultiValueDict[str, str] | None:
        """Return the data that a browser would send of the unchanged form; None if a field must be filled in."""
        values = {name: self[name].value() for name in self.fields}
        if any(values[name] in (None, "", []) for name, field in self.fields.items() if _must_be_filled_in(field)):
            return None
        filled = {name: value for name, value in values.items() if value is not None}
        several = {name for name in filled if isinstance(self.fields[name], CheckboxChoices)}
        lists = {name: value if name in several else [value] for name, value in filled.items()}
        return MultiValueDict({name: [*map(str, values)] for name, values in lists.items()})

    def show_refusal(self, error: PitledgerError) -> None:
        """Show the refusal of a rule."""
        self.answered(problem_of(error))

    def answered(self, problem: Problem) -> None:
        """Show the desk's problem: at the field that it names, else above all fields, with the clause of the rule."""
        sentence = message_of(problem, self.currency)
        params = {"clause": problem.clause} if problem.clause else None
        self._at(problem.field or "", forms.ValidationError(sentence, code="refused", params=params))

    def _at(self, where: str, why: str | forms.ValidationError) -> None:
        name = re.split(r"[.\[]", where.removeprefix("data."))[0]
        self.add_error(name if name in self.fields else None, why)

    def _is_said(self, name: str, value: Any) -> bool:
        """Return whether the value goes into the action: empty fields are left out."""
        if value == [] and isinstance(self.fields[name], forms.MultipleChoiceField):
            return False
        return value not in (None, "") or self.fields[name].required


def form_of(shape: type[ActionData]) -> type[ActionForm]:
    """The form of a type of action."""
    return type(f"{shape.__name__}Form", (ActionForm,), {"shape": shape, "__doc__": inspect.getdoc(shape)})


def clause_of(error: forms.ValidationError) -> str:
    """Return the clause of a refusal; "" for any other error."""
    return str((error.params or {}).get("clause", ""))


def _must_be_filled_in(field: forms.Field) -> bool:
    return field.required or (isinstance(field, Pieces) and field.is_to_be_counted)


# --- fields of types ------------------------------------------------------------------------------------------------


def _fields(shape: type[Any], currency: str) -> Iterator[tuple[str, forms.Field]]:
    for field in types.type_info(shape).fields:  # type: ignore[attr-defined]  # a Struct's
        kind, may_lack = _required_type(field.type)
        name = field.encode_name
        words = {"label": _label(name, _type(shape)), "help_text": help_of(name, _type(shape))}
        options: dict[str, Any] = {**words, "required": field.required and not may_lack}
        if not field.required and field.default not in (None, msgspec.NODEFAULT, msgspec.UNSET):
            options["initial"] = field.default
        yield name, _field(name, kind, may_lack, currency, options)


def _required_type(hint: types.Type) -> tuple[types.Type, bool]:
    """Return the type without null and absent, and whether one of those is allowed."""
    if not isinstance(hint, types.UnionType):
        return hint, False
    kinds = [member for member in hint.types if not isinstance(member, types.NoneType)]
    return kinds[0] if len(kinds) == 1 else hint, len(kinds) < len(hint.types)


def _field(name: str, kind: types.Type, may_lack: bool, currency: str, options: dict[str, Any]) -> forms.Field:
    if isinstance(kind, types.IntType):
        return _number(name, kind, currency, options)
    if isinstance(kind, types.LiteralType):
        choices = [(value, word(str(value), name)) for value in kind.values]
        return forms.ChoiceField(choices=[("", _("– choose –")), *choices], **options)  # nothing is chosen for people
    if isinstance(kind, types.BoolType):
        return YesNo(**options) if may_lack else forms.BooleanField(**{**options, "required": False})
    if isinstance(kind, types.DictType) and isinstance(kind.value_type, types.IntType):
        if isinstance(kind.key_type, types.IntType):
            return Pieces(digits=formats.exponent(currency), currency=currency, **options)
        return Pairs(of_numbers=False, digits=_digits(name, currency) or 0, **options)
    if isinstance(kind, types.StrType):
        return _text(kind, options)
    if isinstance(kind, types.UnionType) and {type(member) for member in kind.types} == {types.IntType, types.StrType}:
        return NumberOrText(widget=forms.TextInput(attrs={"autocomplete": "off"}), **options)
    return _of_parts(name, kind, currency, options)


def _of_parts(name: str, kind: types.Type, currency: str, options: dict[str, Any]) -> forms.Field:
    """Return the field of a type that holds more than one value."""
    if isinstance(kind, types.VarTupleType) and isinstance(kind.item_type, types.IntType):
        return Numbers(**options)
    if isinstance(kind, types.VarTupleType) and isinstance(kind.item_type, types.StrType):
        return TextList(**_in_rows(options))
    if isinstance(kind, types.VarTupleType) and isinstance(kind.item_type, types.LiteralType):
        choices = [(value, word(str(value), name)) for value in kind.item_type.values]
        return CheckboxChoices(choices=choices, **_in_rows(options))
    if isinstance(kind, types.TupleType):
        return RowField(_cells(name, kind, currency), **_in_rows(options))
    if isinstance(kind, types.VarTupleType) and isinstance(kind.item_type, types.StructType):
        cells = dict(_fields(kind.item_type.cls, currency))
        return RowsField(cells, least=kind.min_length or 0, most=kind.max_length or ROWS, **_in_rows(options))
    if isinstance(kind, types.DictType) and isinstance(kind.value_type, types.TupleType):
        named = {"name": _field("name", kind.key_type, False, currency, {"label": _("Name")})}
        cells = named | _cells(name, kind.value_type, currency)
        return NamedRowsField(cells, least=kind.min_length or 0, most=kind.max_length or ROWS, **_in_rows(options))
    return JsonField(**options)


def _cells(name: str, kind: types.TupleType, currency: str) -> dict[str, forms.Field]:
    """A cell for each of so many values, by its number."""

    def cell(number: str, item_type: types.Type) -> forms.Field:
        return _field(name, item_type, False, currency, {"label": f"{_label(name)} {number}"})

    return {str(number): cell(str(number), item_type) for number, item_type in enumerate(kind.item_types, 1)}


def _in_rows(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "initial"}


def _number(name: str, kind: types.IntType, currency: str, options: dict[str, Any]) -> forms.Field:
    scale = _digits(name, currency)
    if scale is None:
        return forms.IntegerField(min_value=kind.ge, max_value=kind.le, **options)
    return ScaledNumber(digits=scale, least=kind.ge, most=kind.le, **options)


def _digits(name: str, currency: str) -> int | None:
    """Return the number of decimals of a field, by the unit in its name; None for a plain number."""
    digits = {"minor": formats.exponent(currency), "micro": formats.exponent(currency) + 6, "millionths": 4}
    return digits.get(name.rpartition("_")[2])


def _text(kind: types.StrType, options: dict[str, Any]) -> forms.Field:
    if kind.pattern == _DAY:
        return forms.CharField(
            widget=forms.DateInput(attrs={"type": "date"}), validators=[_rule(kind.pattern)], **options
        )
    if kind.pattern == _TIME:
        return UtcTime(validators=[_rule(kind.pattern)], **options)
    long = (kind.max_length or 0) >= LONG
    widget = forms.Textarea(attrs={"rows": 3}) if long else forms.TextInput(attrs={"autocomplete": "off"})
    if kind.pattern and not long:
        widget.attrs["pattern"] = for_browsers(kind.pattern)
    rules = [_rule(kind.pattern)] if kind.pattern else []
    bounds: dict[str, Any] = {"min_length": kind.min_length, "max_length": kind.max_length}
    return forms.CharField(widget=widget, validators=rules, **bounds, **options)


def _pattern(kind: Any) -> str:
    str_type = types.type_info(kind)
    assert isinstance(str_type, types.StrType)
    assert str_type.pattern is not None
    return str_type.pattern


_DAY, _TIME = _pattern(kinds.Day), _pattern(kinds.Time)


def _rule(pattern: str) -> RegexValidator:
    form = kinds.MEANS.get(pattern)
    words = _("Enter %(form)s.") % {"form": form} if form else _("Enter a valid value.")
    return RegexValidator(pattern, words, code="pattern")


def for_browsers(pattern: str) -> str:
    """Return a pattern in HTML's form: anchored, a hyphen in a class never bare."""
    return pattern.removeprefix("^").removesuffix(kinds.END).replace("-]", "\\-]")


# --- words ----------------------------------------------------------------------------------------------------------


def _label(name: str, action: str = "") -> str:
    """Return a field's label, with a capital letter."""
    called = label(name, action)
    return called[:1].upper() + called[1:]


def _type(shape: type[Any]) -> str:
    """Return the type of the action; "" for a part of one."""
    return str(getattr(shape, "TYPE", ""))


def meaning_of(shape: type[Any]) -> str:
    """Return the purpose of an action: the first sentence of its docstring."""
    text = " ".join((inspect.getdoc(shape) or "").split())
    return re.split(r"(?<=\.) (?=[A-Z`])", text)[0]
