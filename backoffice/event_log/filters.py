"""Filters of the log. They live in the URL; this module alone reads and writes them."""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet

from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.meter_totals import LEVEL_SUMS, level_sum
from backoffice.event_log.sum_declarations_of_figures import Sum, sum_of
from backoffice.wording import formats, stream_currencies
from backoffice.wording.code_to_word_translation import word
from events.catalogue import event_types
from events.error_codes import ErrorText, coded
from events.errors import Invalid, Unknown
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog
from projections.eventlog.search_filter_vocabulary import EXACT, RANGES, VOCABULARY

BIGGEST = 2**53
MAX_LENGTH = 120
# The log's page and the API offer the whole vocabulary, exact amounts apart: `from` and `to` find those.
OFFERED = {name: filter_ for name, filter_ in VOCABULARY.items() if name != "amount_minor"}
_TEXTS = tuple(filter_.name for filter_ in EXACT if filter_.kind in ("text", "day") and filter_.name != "type")
_NUMBERS = tuple(filter_.name for filter_ in EXACT if filter_.is_number and filter_.name in OFFERED)
_BOUNDS = tuple(filter_.name for filter_ in RANGES if filter_.is_number)
_NOT_IN_QUERY = ("currency", "hidden_streams")  # values that no one writes into a query string


class Parameters(Protocol):
    """A query string, as Django reads it."""

    def get(self, name: str, /) -> str | None: ...
    def getlist(self, name: str, /) -> list[str]: ...


class Filters(msgspec.Struct, frozen=True, omit_defaults=True):
    """A search of the log. Amounts in minor units; "" and None: not asked for."""

    table: str = ""
    gaming_day: str = ""
    pit: str = ""
    player: str = ""
    dealer: str = ""
    inspector: str = ""
    actor: str = ""
    tender: str = ""
    correlation: str = ""
    stream: str = ""
    shift: str = ""
    ruleset: str = ""
    corrects: str = ""
    actorrole: str = ""
    device: str = ""
    causation: str = ""
    wager: str = ""
    outcome: str = ""
    meter: str = ""
    sum: str = ""
    q: str = ""
    types: tuple[str, ...] = ()
    round: int | None = None
    seat: int | None = None
    box: int | None = None
    first: int | None = None
    last: int | None = None
    from_minor: int | None = None
    to_minor: int | None = None
    currency: str = ""  # in which amounts are written
    hidden_streams: tuple[str, ...] = ()  # streams whose buy-ins the reader may not see, and no sums with them either

    def query(self, **changes: object) -> str:
        """Return the filter as a query string, with changes; "table=FR1&gaming_day=2026-11-20"."""
        pairs: list[tuple[str, object]] = []
        for name, value in msgspec.structs.asdict(msgspec.structs.replace(self, **changes)).items():
            if name == "types":
                pairs += [("type", type_) for type_ in value]
            elif name in ("from_minor", "to_minor"):
                pairs += [] if value is None else [(name.replace("_minor", ""), _major(value, self.currency))]
            elif value not in ("", None) and name not in _NOT_IN_QUERY:
                pairs.append((name, value))
        return urlencode(pairs)

    def matching(self) -> "QuerySet[EventLog]":
        """Return the events that the filter matches, in no order."""
        events = self.looked_at()
        return events.filter(~Q(counts=0)) if self.sum else events

    def looked_at(self) -> "QuerySet[EventLog]":
        """Return the same, with events of the total's types that add nothing: an event's amount is read from its
        bytes.
        """
        events: QuerySet[EventLog] = EventLog.objects.all()
        for name in (*_TEXTS, *_NUMBERS, *_BOUNDS):
            if (value := getattr(self, name)) not in ("", None):
                events = events.filter(**{VOCABULARY[name].lookup: value})
        if self.types:
            events = events.filter(type__in=self.types)
        for name in ("from", "to"):
            if (minor := getattr(self, f"{name}_minor")) is not None:
                events = events.filter(**{VOCABULARY[name].lookup: minor})
        if self.q:
            events = events.filter(_text_condition(self.q))
        if self.sum:
            counted = counting(self.sum, self.meter)
            events = events.filter(type__in=counted.types).annotate(counts=counted.counts)
        is_of_buyins = bool(self.sum) and figures_hidden_before_counts.has_buyins(counting(self.sum, self.meter).types)
        return (
            events.exclude(figures_hidden_before_counts.hidden_events(self.hidden_streams, is_of_buyins=is_of_buyins))
            if self.hidden_streams
            else events
        )


def counting(name: str, meter: str) -> Sum:
    """The sum of this name, at a level's meter ("PROGRESSIVE/LEVEL") where it is one of those. Raises Invalid."""
    return level_sum(name, meter) if name in LEVEL_SUMS else sum_of(name)


def _check_sum(name: str, meter: str) -> None:
    if name not in LEVEL_SUMS:
        sum_of(name)
    elif "/" not in meter:
        raise Invalid("sum", coded("sum-needs-meter", name=name))


def _text_condition(words: str) -> Q:
    """Return the condition: part of a type's name or code, or exactly one of the names in an event."""
    named = ("table", "pit", "player", "dealer", "inspector", "actor", "correlation", "causation")
    condition = Q(type__in=types_with_text(words))
    for name in named:
        condition |= Q(**{name: words})
    return condition


def types_with_text(words: str) -> list[str]:
    """Return the types of events with this text in their name or code: "no more bets", "bet."."""
    part = words.casefold()
    return [type_ for type_ in event_types() if part in type_ or part in word(type_).casefold()]


def label(name: str) -> str:
    """A filter as people call it."""
    return str(VOCABULARY[name].label)


def read_filters(parameters: Parameters) -> tuple[Filters, dict[str, str | ErrorText]]:
    """Return the filter of a query string, and messages by field for unreadable parts, which are left out.

    Raises Unknown for a stream of another property.
    """
    values: dict[str, object] = {}
    errors: dict[str, str | ErrorText] = {}
    for name in (*_TEXTS, "meter", "sum", "q"):
        values[name] = (parameters.get(name) or "").strip()[:MAX_LENGTH]
    _must_be_ours(str(values["stream"]))
    values["types"] = tuple(dict.fromkeys(type_[:MAX_LENGTH] for type_ in parameters.getlist("type")[:40] if type_))
    for name in (*_NUMBERS, *_BOUNDS):
        _read(values, errors, name, parameters.get(name), _parse_number)
    if parameters.get("from") or parameters.get("to"):
        currency = _currency(str(values["table"]))
        values["currency"] = currency
        for name in ("from", "to"):
            _read(values, errors, f"{name}_minor", parameters.get(name), lambda text: _minor(text, currency), name)
    if values["sum"]:
        try:
            _check_sum(str(values["sum"]), str(values["meter"]))
        except Invalid as error:
            errors["sum"], values["sum"] = error.text, ""
    return msgspec.convert(values, Filters), errors


def _must_be_ours(stream: str) -> None:
    """Raise Unknown for another property's stream: an installation is one property."""
    if stream and not stream.startswith(f"{settings().property_}/"):
        raise Unknown(coded("stream-unknown", stream=stream))


def _read(
    values: dict[str, object],
    errors: dict[str, str | ErrorText],
    name: str,
    text: str | None,
    parse: object,
    field: str = "",
) -> None:
    assert callable(parse)
    if not text or not text.strip():
        return
    try:
        values[name] = parse(text.strip())
    except Invalid as error:
        errors[field or name] = error.text


def _parse_number(text: str, field: str = "number") -> int:
    if not (text.isascii() and text.isdecimal()) or int(text[:20]) > BIGGEST:
        raise Invalid(field, coded("not-a-whole-number", text=text[:40]))
    return int(text)


def _currency(table: str) -> str:
    """Return the currency of amounts: the table's where one is given, else the property's."""
    return stream_currencies.of_stream(stream_currencies.by_place(), f"{settings().property_}/tables/{table}")


def _minor(text: str, currency: str) -> int:
    """Return an amount as people write it, "1,250.50", in minor units; yen have no smaller ones."""
    read = formats.read(text)
    amount = None if read is None else read.scaleb(formats.exponent(currency))
    if amount is None or amount != amount.to_integral_value() or abs(amount) > BIGGEST:
        raise Invalid("amount", coded("amount-format", text=text, example=_major(125_050, currency)))
    return int(amount)


def _major(minor: int, currency: str) -> str:
    return formats.typed_decimal(minor, formats.exponent(currency))


def read_number(parameters: Mapping[str, str] | Parameters, name: str) -> int | None:
    """Return a number of a query string that is no filter; None without it. Raises Invalid."""
    text = parameters.get(name)
    return None if not text else _parse_number(text, name)
