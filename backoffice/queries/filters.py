"""What the log is filtered by. The filter lives in the URL; this is its one reader and its one writer."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Protocol
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet
from django.db.models.lookups import Exact

from backoffice.queries.meters import LEVEL_SUMS, level_sum
from backoffice.queries.sums import Sum, sum_of, text
from events.errors import Invalid
from projections.eventlog.filters import EXACT, RANGES, VOCABULARY
from projections.eventlog.models import EventLog

BIGGEST = 2**53
MAX_LENGTH = 120
# The log's page and the API offer the whole vocabulary, exact amounts apart: `from` and `to` find those.
OFFERED = {name: one for name, one in VOCABULARY.items() if name != "amount_minor"}
_TEXTS = tuple(one.name for one in EXACT if one.kind in ("text", "day") and one.name != "type")
_NUMBERS = tuple(one.name for one in EXACT if one.is_number and one.name in OFFERED)
_BOUNDS = tuple(one.name for one in RANGES if one.is_number)
_IN_FORM = {"table", "gaming_day", "pit", "player", "dealer", "round", "seat", "box", "from", "to", "type"}


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

    def query(self, **changes: object) -> str:
        """The filter as a query string, with changes; "table=FR1&gaming_day=2026-11-20"."""
        pairs: list[tuple[str, object]] = []
        for name, value in msgspec.structs.asdict(msgspec.structs.replace(self, **changes)).items():
            if name == "types":
                pairs += [("type", one) for one in value]
            elif name in ("from_minor", "to_minor"):
                pairs += [] if value is None else [(name.replace("_minor", ""), _major(value))]
            elif value not in ("", None):
                pairs.append((name, value))
        return urlencode(pairs)

    @property
    def is_summable(self) -> bool:
        """Whether the events' amounts mean something together: those of one kind, or parts of a sum."""
        return bool(self.sum) or len(self.types) == 1

    def without(self, name: str) -> str:
        """The query string without one filter, named as in `given`."""
        if name == "type":
            return self.query(types=())
        if name in ("from", "to"):
            return self.query(**{f"{name}_minor": None})
        return self.query(**{name: None if name in (*_NUMBERS, *_BOUNDS) else ""})

    def beyond_the_form(self) -> list[tuple[str, str]]:
        """What the form has no field for and keeps all the same."""
        names = [name for name in OFFERED if name not in _IN_FORM]
        kept = [(name, str(value)) for name in names if (value := getattr(self, name))]
        return kept + [("type", one) for one in self.types if len(self.types) > 1]

    @property
    def given(self) -> dict[str, str]:
        """Every filter in force, as it is written, by the name of its field in the form."""
        found = {name: str(value) for name, value in msgspec.to_builtins(self).items() if name != "types"}
        for name in ("from", "to"):
            if (minor := found.pop(f"{name}_minor", None)) is not None:
                found[name] = _major(int(minor))
        return found | ({"type": ", ".join(self.types)} if self.types else {})

    def matching(self) -> "QuerySet[EventLog]":
        """The events that the filter finds, in no order."""
        found: QuerySet[EventLog] = EventLog.objects.all()
        for name in (*_TEXTS, *_NUMBERS, *_BOUNDS):
            if (value := getattr(self, name)) not in ("", None):
                found = found.filter(**{VOCABULARY[name].lookup: value})
        if self.types:
            found = found.filter(type__in=self.types)
        for name in ("from", "to"):
            if (minor := getattr(self, f"{name}_minor")) is not None:
                found = found.filter(**{VOCABULARY[name].lookup: minor})
        if self.wager:
            found = found.filter(Exact(text("wager"), self.wager))
        if self.q:
            found = found.filter(_anywhere(self.q))
        if self.sum:
            counted = counting(self.sum, self.meter)
            found = found.filter(type__in=counted.types).annotate(counts=counted.counts).exclude(counts=0)
        return found


def counting(name: str, meter: str) -> Sum:
    """The sum of this name, at a level's meter ("PROGRESSIVE/LEVEL") where it is one of those. Raises Invalid."""
    return level_sum(name, meter) if name in LEVEL_SUMS else sum_of(name)


def _check_sum(name: str, meter: str) -> None:
    if name not in LEVEL_SUMS:
        sum_of(name)
    elif "/" not in meter:
        raise Invalid("sum", f"{name!r:.40} is counted at one meter: meter=PROGRESSIVE/LEVEL")


def _anywhere(words: str) -> Q:
    """Part of a type's name, or exactly one of the names that an event carries."""
    named = ("table", "pit", "player", "dealer", "inspector", "actor", "correlation", "causation")
    found = Q(type__icontains=words)
    for name in named:
        found |= Q(**{name: words})
    return found


def label(name: str) -> str:
    """A filter as people call it."""
    return str(VOCABULARY[name].label)


def read_filters(parameters: Parameters) -> tuple[Filters, dict[str, str]]:
    """The filter that a query string asks for, and by field what of it could not be read (that part is left out)."""
    values: dict[str, object] = {}
    errors: dict[str, str] = {}
    for name in (*_TEXTS, "wager", "meter", "sum", "q"):
        values[name] = (parameters.get(name) or "").strip()[:MAX_LENGTH]
    values["types"] = tuple(dict.fromkeys(one[:MAX_LENGTH] for one in parameters.getlist("type")[:40] if one))
    for name in (*_NUMBERS, *_BOUNDS):
        _read(values, errors, name, parameters.get(name), _whole)
    for name in ("from", "to"):
        _read(values, errors, f"{name}_minor", parameters.get(name), _minor, name)
    if values["sum"]:
        try:
            _check_sum(str(values["sum"]), str(values["meter"]))
        except Invalid as error:
            errors["sum"], values["sum"] = error.message, ""
    return msgspec.convert(values, Filters), errors


def _read(
    values: dict[str, object], errors: dict[str, str], name: str, given: str | None, reader: object, said: str = ""
) -> None:
    assert callable(reader)
    if not given or not given.strip():
        return
    try:
        values[name] = reader(given.strip())
    except Invalid as error:
        errors[said or name] = error.message


def _whole(given: str) -> int:
    if not (given.isascii() and given.isdecimal()) or int(given[:20]) > BIGGEST:
        raise Invalid("number", f"{given[:40]!r} is not a whole number")
    return int(given)


def _minor(given: str) -> int:
    """An amount as people write it, "1,250.50", in minor units."""
    try:
        amount = Decimal(given.replace(",", "").replace("−", "-")) * 100
    except InvalidOperation:
        raise Invalid("amount", f"{given[:40]!r} is not an amount such as 1250.50") from None
    if not amount.is_finite() or amount != amount.to_integral_value() or abs(amount) > BIGGEST:
        raise Invalid("amount", f"{given[:40]!r} is not an amount such as 1250.50")
    return int(amount)


def _major(minor: int) -> str:
    return str(Decimal(minor) / 100)


def whole(parameters: Mapping[str, str] | Parameters, name: str) -> int | None:
    """A number in a query string that is not a filter; None where it is not given. Raises Invalid."""
    given = parameters.get(name)
    return None if not given else _whole(given)
