"""Texts of errors: a code with its parameters. The sentence is written when it is read."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from events.error_codes.catalogue import CODES

TEXT_MAX = 120  # characters of a text from outside
LIST_MAX = 40
NAMES_MAX = 5  # names in a sentence; of more only how many


class Name(NamedTuple):
    """A name in a sentence, with a number or an amount of money in minor units."""

    name: str
    number: int | None = None
    amount_minor: int | None = None

    def __str__(self) -> str:
        value = self.amount_minor if self.number is None else self.number
        return self.name if value is None else f"{self.name} {value}"


Param: TypeAlias = "str | int | Fraction | None | ErrorText | Sequence[str] | Sequence[int] | Sequence[Name]"


class ErrorText:
    """The code of an error and its parameters. Money is in minor units; `str()` is the English sentence."""

    __slots__ = ("code", "params")

    def __init__(self, code: str, params: Mapping[str, Any]) -> None:
        self.code = code
        self.params = params

    def __str__(self) -> str:
        entry = CODES.get(self.code)
        if entry is None:  # an error is never lost over its sentence
            return self.code
        values = {name: plain_parameter(self.params[name], kind) for name, kind in entry.kinds.items()}
        return sentence(entry.sentence, entry.todo, values)

    @property
    def wrong(self) -> str:
        """Return the fault in English, without the remedy."""
        entry = CODES.get(self.code)
        if entry is None:
            return self.code
        return sentence(
            entry.sentence, "", {name: plain_parameter(self.params[name], kind) for name, kind in entry.kinds.items()}
        )

    def __repr__(self) -> str:
        return f"coded({self.code!r}, {', '.join(f'{name}={value!r}' for name, value in self.params.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErrorText) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash(self.code)


def coded(code: str, /, **params: Param) -> ErrorText:
    """Return the text of an error by its code of the catalogue and the parameters that the code has."""
    return ErrorText(code, params)


def recorded_text(text: str | ErrorText, currency: str) -> dict[str, Any]:
    """Return the fields of an irregularity's event: the problem in English, and its code with its parameters."""
    if not isinstance(text, ErrorText):
        return {"detail": text}
    return {"detail": text.wrong, "code": text.code, "params": json_params(text, currency)}


def text_of(error: Exception) -> str | ErrorText:
    """Return the text of an error as a parameter: with its code, where it has one."""
    text = getattr(error, "text", None)
    return text if isinstance(text, str | ErrorText) and text else str(error)


def sentence(wrong: str, todo: str, values: Mapping[str, str]) -> str:
    """Return both sentences with their parameters."""
    return " ".join(_filled(part, values) for part in (wrong, todo) if part).strip()


def _filled(part: str, values: Mapping[str, str]) -> str:
    """Return a sentence with its parameters. A text that ends with a mark of its own gets no full stop."""
    for name, value in values.items():
        if value.endswith((".", "?", "!")) and f"%({name})s." in part:
            part = part.replace(f"%({name})s.", f"%({name})s")
    return part % values


def plain_parameter(value: Any, kind: str) -> str:
    """Return a parameter in English, with amounts in minor units."""
    if value is None:
        return ""
    if kind in ("list", "codes"):
        return ", ".join(clean(str(part)) for part in value[:LIST_MAX])
    if kind == "names":
        remainder = f" and {len(value) - NAMES_MAX} more" if len(value) > NAMES_MAX else ""
        return ", ".join(clean(str(name)) for name in value[:NAMES_MAX]) + remainder
    return str(value) if kind == "error" else clean(str(value))


def clean(text: str) -> str:
    """Return a text of at most TEXT_MAX characters, all of them printable."""
    shortened = text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 1]}…"
    return shortened if shortened.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in shortened)


def json_params(text: ErrorText, currency: str = "") -> dict[str, Any]:
    """Return the parameters as JSON has them: money with its currency, a nested error with its code."""
    entry = CODES.get(text.code)
    if entry is None:
        return {}
    return {name: _json(value, entry.kinds[name], currency) for name, value in text.params.items() if value is not None}


def _json(value: Any, kind: str, currency: str) -> Any:
    if kind == "money":
        amount_minor = int(value)  # a limit of odds may be a fraction
        return {"amount_minor": amount_minor, "currency": currency} if currency else {"amount_minor": amount_minor}
    if kind == "count":
        return value
    if kind in ("list", "codes"):
        return [clean(str(part)) for part in value[:LIST_MAX]]
    if kind == "names":
        return {"names": [_json_name(name, currency) for name in value[:NAMES_MAX]], "count": len(value)}
    if kind == "error":
        return nested(value, currency)
    return clean(str(value))


def _json_name(name: Name, currency: str) -> dict[str, Any]:
    content: dict[str, Any] = {"name": clean(name.name)}
    if name.number is not None:
        content["number"] = name.number
    if name.amount_minor is not None:
        content |= _json(name.amount_minor, "money", currency)
    return content


def nested(text: str | ErrorText, currency: str) -> dict[str, Any]:
    """Return another error as a parameter of JSON."""
    if isinstance(text, ErrorText):
        return {"code": text.code, "params": json_params(text, currency)}
    return {"text": text}
