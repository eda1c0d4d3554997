"""Sentences of errors in the reader's language, made from a code and its parameters as JSON has them."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import get_language, gettext, override

from backoffice.installation.dependency_injection import installation
from backoffice.wording import formats
from backoffice.wording.amounts_in_legacy_sentences import in_currency
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.reader_language_choice import ENGLISH, accepted_language
from events.error_codes import ErrorText, json_params, text_of
from events.error_codes.catalogue import CODES, CatalogueEntry
from events.error_codes.coded_error_text import clean, sentence
from events.errors import PitledgerError
from events.house.property_currency_lookup import of_property
from events.settings.settings_from_environment import settings
from events.streams.problem_details import Problem
from projections.floor.models import Irregularity

_CURRENCY_S = 60.0  # the property's currency is read at most once in so many seconds
_currency: dict[str, tuple[float, str]] = {}


def with_message(problem: Problem) -> Problem:
    """Return the problem with its sentence in the active language; without a code that is its English detail."""
    return msgspec.structs.replace(problem, message=message_of(problem))


def message_of(problem: Problem, currency: str = "") -> str:
    """Return the sentence of a problem in the active language, without the name of the field."""
    if problem.code is None:
        return problem.detail.removeprefix(f"{problem.field}: ")
    return coded_sentence(problem.code, problem.params or {}, currency) or problem.detail


def in_active_language(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored problem as JSON has it, with its `message` in the active language where it has a code."""
    code = problem.get("code")
    made = coded_sentence(code, problem.get("params") or {}) if isinstance(code, str) else ""
    return {**problem, "message": made} if made else dict(problem)


def error_sentence(error: PitledgerError) -> str:
    """Return the sentence of an error in the active language."""
    text = text_of(error)
    if not isinstance(text, ErrorText):
        return text[:1].upper() + text[1:]
    return coded_sentence(text.code, json_params(text, error.currency))


def stored_sentence(detail: str, code: str | None, params: Mapping[str, Any] | None, currency: str) -> str:
    """Return the sentence of a stored irregularity: made from its code where it has one, else the stored detail."""
    made = coded_sentence(code, params or {}, currency, with_todo=False) if code else ""
    return made or (in_currency(detail, currency) if currency else detail)


def text_sentence(text: ErrorText | None, currency: str = "") -> str:
    """Return the sentence of a code with its parameters in the active language; "" for none."""
    return coded_sentence(text.code, json_params(text, currency), currency) if text is not None else ""


def irregularity_sentence(row: Irregularity, currency: str) -> str:
    """Return the sentence of a row of an irregularity in the active language."""
    params = msgspec.json.decode(row.params) if row.params else {}
    return stored_sentence(row.detail, row.code, params, currency)


def coded_sentence(code: str, params: Mapping[str, Any], currency: str = "", *, with_todo: bool = True) -> str:
    """Return the sentence of a code in the active language; "" for a code of a later version.

    `with_todo`: followed by the remedy, which helps a refused person, and no one after the fact.
    """
    entry = CODES.get(code)
    if entry is None:
        return ""
    values = {name: _value_in_words(entry, name, params.get(name), currency) for name in entry.kinds}
    translated = gettext(entry.sentence)
    text = sentence(translated, gettext(entry.todo) if entry.todo and with_todo else "", values)
    return text[:1].upper() + text[1:] if _begins_with_word(entry, translated) else text


def _begins_with_word(entry: CatalogueEntry, translated: str) -> bool:
    """Return whether the sentence begins with a term, which is written small inside a sentence."""
    name = translated[2:].partition(")s")[0]
    return translated.startswith("%(") and entry.kinds.get(name) == "word"


def answered_in(problem: Problem, accepted: str) -> Problem:
    """Return the problem with its sentence in the language that an `Accept-Language` header prefers, else the active
    one."""
    with override(accepted_language(accepted[:200].lower()) or get_language() or ENGLISH):
        return with_message(problem)


def _value_in_words(entry: CatalogueEntry, name: str, value: Any, currency: str) -> str:
    if value is None:
        return ""
    match entry.kinds[name]:
        case "money":
            return _money(value, currency)
        case "count":
            return formats.number(value) if isinstance(value, int) and abs(value) >= 10_000 else str(value)
        case "word":
            return word(str(value), name) if value else ""
        case "list":
            return ", ".join(word(str(part), name) for part in value)
        case "codes":
            return ", ".join(clean(str(part)) for part in value)
        case "names":
            return _names(value, currency)
        case "time":
            return _time(str(value))
        case "error":
            return _nested(value, currency)
        case _:
            return clean(str(value))


def _money(value: Mapping[str, Any], currency: str) -> str:
    return formats.amount(int(value["amount_minor"]), value.get("currency") or currency or _of_property())


def _names(value: Mapping[str, Any], currency: str) -> str:
    names = ", ".join(_name(name, currency) for name in value["names"])
    remainder = value["count"] - len(value["names"])
    return gettext("%(names)s and %(count)s more") % {"names": names, "count": remainder} if remainder > 0 else names


def _name(name: Mapping[str, Any], currency: str) -> str:
    cleaned_name = clean(str(name["name"]))
    if "amount_minor" in name:
        return f"{cleaned_name} {_money(name, currency)}"
    return f"{cleaned_name} {name['number']}" if "number" in name else cleaned_name


def _time(value: str) -> str:
    try:
        return formats.moment_text(datetime.fromisoformat(value), "full")
    except ValueError:
        return value


def _nested(value: Mapping[str, Any], currency: str) -> str:
    if "code" in value:
        return coded_sentence(value["code"], value.get("params") or {}, currency)
    return in_currency(value["text"], currency) if currency else str(value["text"])


def _of_property() -> str:
    """The property's currency, from its events."""
    property_ = settings().property_
    read_at, currency = _currency.get(property_, (float("-inf"), ""))
    if time.monotonic() - read_at > _CURRENCY_S:
        currency = of_property(installation().store, property_)
        _currency[property_] = (time.monotonic(), currency)
    return currency
