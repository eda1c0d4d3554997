"""What the log is filtered by. The filter lives in the URL; this is the one place that reads it and writes it."""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet

from backoffice import writing
from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from backoffice.queries.meters import LEVEL_SUMS, level_sum
from backoffice.queries.sums import Sum, sum_of
from backoffice.queries.words import word
from events.catalogue import event_types
from events.errors import Invalid, Unknown
from events.settings import settings
from events.tables.types.money import BuyinMade
from projections.eventlog.filters import EXACT, RANGES, VOCABULARY
from projections.eventlog.models import EventLog

BIGGEST = 2**53
MAX_LENGTH = 120
# The log's page and the API offer the whole vocabulary, exact amounts apart: `from` and `to` find those.
OFFERED = {name: one for name, one in VOCABULARY.items() if name != "amount_minor"}
_TEXTS = tuple(one.name for one in EXACT if one.kind in ("text", "day") and one.name != "type")
_NUMBERS = tuple(one.name for one in EXACT if one.is_number and one.name in OFFERED)
_BOUNDS = tuple(one.name for one in RANGES if one.is_number)
_BESIDE = ("currency", "kept_back")  # what nobody writes into a query string


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
    kept_back: tuple[str, ...] = ()  # streams whose buy-ins are not for who asks, and whose sums with them neither

    def query(self, **changes: object) -> str:
        """The filter as a query string, with changes; "table=FR1&gaming_day=2026-11-20"."""
        pairs: list[tuple[str, object]] = []
        for name, value in msgspec.structs.asdict(msgspec.structs.replace(self, **changes)).items():
            if name == "types":
                pairs += [("type", one) for one in value]
            elif name in ("from_minor", "to_minor"):
                pairs += [] if value is None else [(name.replace("_minor", ""), _major(value, self.currency))]
            elif value not in ("", None) and name not in _BESIDE:
                pairs.append((name, value))
        return urlencode(pairs)

    def matching(self) -> "QuerySet[EventLog]":
        """The events that the filter finds, in no order."""
        found = self.looked_at()
        return found.filter(~Q(counts=0)) if self.sum else found

    def looked_at(self) -> "QuerySet[EventLog]":
        """The same, and those of a sum's types that add nothing to it: what an event adds is read out of its bytes."""
        found: QuerySet[EventLog] = EventLog.objects.all()
        for name in (*_TEXTS, *_NUMBERS, *_BOUNDS):
            if (value := getattr(self, name)) not in ("", None):
                found = found.filter(**{VOCABULARY[name].lookup: value})
        if self.types:
            found = found.filter(type__in=self.types)
        for name in ("from", "to"):
            if (minor := getattr(self, f"{name}_minor")) is not None:
                found = found.filter(**{VOCABULARY[name].lookup: minor})
        if self.q:
            found = found.filter(_anywhere(self.q))
        if self.sum:
            counted = counting(self.sum, self.meter)
            found = found.filter(type__in=counted.types).annotate(counts=counted.counts)
        is_of_buyins = bool(self.sum) and BuyinMade.TYPE in counting(self.sum, self.meter).types
        return found.exclude(blind.not_told(self.kept_back, is_of_buyins=is_of_buyins)) if self.kept_back else found


def counting(name: str, meter: str) -> Sum:
    """The sum of this name, at a level's meter ("PROGRESSIVE/LEVEL") where it is one of those. Raises Invalid."""
    return level_sum(name, meter) if name in LEVEL_SUMS else sum_of(name)


def _check_sum(name: str, meter: str) -> None:
    if name not in LEVEL_SUMS:
        sum_of(name)
    elif "/" not in meter:
        raise Invalid("sum", f"{name!r:.40} is counted at one meter: meter=PROGRESSIVE/LEVEL")


def _anywhere(words: str) -> Q:
    """Part of what a type is called, or of its code, or exactly one of the names that an event carries."""
    named = ("table", "pit", "player", "dealer", "inspector", "actor", "correlation", "causation")
    found = Q(type__in=called(words))
    for name in named:
        found |= Q(**{name: words})
    return found


def called(said: str) -> list[str]:
    """The types of events that are called so, in part, by word or code: "no more bets", "bet."."""
    part = said.casefold()
    return [one for one in event_types() if part in one or part in word(one).casefold()]


def label(name: str) -> str:
    """A filter as people call it."""
    return str(VOCABULARY[name].label)


def read_filters(parameters: Parameters) -> tuple[Filters, dict[str, str]]:
    """The filter that a query string asks for, and by field what of it could not be read (that part is left out).

    Raises Unknown for a stream of another property.
    """
    values: dict[str, object] = {}
    errors: dict[str, str] = {}
    for name in (*_TEXTS, "meter", "sum", "q"):
        values[name] = (parameters.get(name) or "").strip()[:MAX_LENGTH]
    _must_be_ours(str(values["stream"]))
    values["types"] = tuple(dict.fromkeys(one[:MAX_LENGTH] for one in parameters.getlist("type")[:40] if one))
    for name in (*_NUMBERS, *_BOUNDS):
        _read(values, errors, name, parameters.get(name), _whole)
    if parameters.get("from") or parameters.get("to"):
        currency = _currency(str(values["table"]))
        values["currency"] = currency
        for name in ("from", "to"):
            _read(values, errors, f"{name}_minor", parameters.get(name), lambda given: _minor(given, currency), name)
    if values["sum"]:
        try:
            _check_sum(str(values["sum"]), str(values["meter"]))
        except Invalid as error:
            errors["sum"], values["sum"] = error.message, ""
    return msgspec.convert(values, Filters), errors


def _must_be_ours(stream: str) -> None:
    """An installation is one property: what is another's is nowhere here. Raises Unknown."""
    if stream and not stream.startswith(f"{settings().property_}/"):
        raise Unknown(f"there is no stream {stream!r:.60} here")


def _read(
    values: dict[str, object], errors: dict[str, str], name: str, given: str | None, parse: object, said: str = ""
) -> None:
    assert callable(parse)
    if not given or not given.strip():
        return
    try:
        values[name] = parse(given.strip())
    except Invalid as error:
        errors[said or name] = error.message


def _whole(given: str) -> int:
    if not (given.isascii() and given.isdecimal()) or int(given[:20]) > BIGGEST:
        raise Invalid("number", f"{given[:40]!r} is not a whole number")
    return int(given)


def _currency(table: str) -> str:
    """In which amounts are written: the table's where one is asked for, else the property's."""
    return currencies.of_stream(currencies.by_place(), f"{settings().property_}/tables/{table}")


def _minor(given: str, currency: str) -> int:
    """An amount as people write it, "1,250.50", in minor units; yen have no smaller ones."""
    why = f"{given[:40]!r} is not an amount such as {_major(125_050, currency)}"
    read = writing.read(given)
    amount = None if read is None else read.scaleb(writing.exponent(currency))
    if amount is None or amount != amount.to_integral_value() or abs(amount) > BIGGEST:
        raise Invalid("amount", why)
    return int(amount)


def _major(minor: int, currency: str) -> str:
    return writing.typed(minor, writing.exponent(currency))


def whole(parameters: Mapping[str, str] | Parameters, name: str) -> int | None:
    """A number in a query string that is not a filter; None where it is not given. Raises Invalid."""
    given = parameters.get(name)
    return None if not given else _whole(given)
