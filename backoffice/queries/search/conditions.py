"""What each field of a search asks."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

import msgspec
from django.db.models import Q
from django.utils.translation import get_language, gettext

from backoffice.queries.accounts import blind
from backoffice.queries.search import things, values
from backoffice.queries.search.alerted import alerts
from backoffice.queries.search.condition import EVERYTHING, Condition, Event, House
from backoffice.queries.search.grammar import Clause, Mistake, Value
from backoffice.queries.search.near import near
from backoffice.queries.search.recorded import Recorded, Words
from backoffice.queries.search.spans import Span, of_days, of_time
from backoffice.queries.search.ways import VALUES_MAX, Drive, drive
from backoffice.queries.search.ways import values as known_values
from backoffice.queries.words import word
from events.accounting.types.cage import IrregularityFound
from events.catalogue import event_types
from events.game import at_tables
from events.remembered import remembered
from events.tables.types.common import IrregularityRecorded
from events.words import is_known, of_the_house
from projections.eventlog.filters import EXACT, VOCABULARY, Filter
from projections.eventlog.folded import WRITTEN, in_a_row, words, written
from projections.eventlog.models import PAID, EventLog

IRREGULAR = (IrregularityFound.TYPE, IrregularityRecorded.TYPE)
AROUND = "2m"
DAYS_MAX = 31  # gaming days whose first and last event are looked up
_TENDERS = ("cash", "chips", "marker", "promotional")


def condition(clause: Clause, house: House) -> Condition:
    """What a clause asks. Raises Mistake."""
    if not clause.field:
        found = _text(clause.values[0])
    else:
        make = FIELDS.get(clause.field)
        if make is None:
            at = clause.column + clause.negated
            raise Mistake(at, f"there is no field {clause.field[:40]!r}{near(clause.field, FIELDS)}")
        found = make(clause, house)
    return found.opposite() if clause.negated else found


def base(type_: str) -> str:
    """A type without its version."""
    return type_.rpartition(".v")[0] or type_


# --- fields of an event as they are -----------------------------------------------------------------------------------


def _same(one: Filter, clause: Clause, house: House) -> Condition:
    """Exactly one of these texts."""
    wanted = [value.text for value in clause.values]
    known = of_versions(one, wanted, house.using) if one.has_versions else wanted
    along = drive(one.column, known)
    return Condition(one.asks(wanted), lambda at, event: one.finds(event, wanted), not one.has_versions, along)


def of_versions(one: Filter, wanted: Sequence[str], using: str) -> list[str]:
    """The values of the log that are meant by a name, or by one version of it."""
    return [value for value in known_values(one.column, using) if one.means(value, wanted)]


def _tender(clause: Clause, house: House) -> Condition:
    for value in clause.values:
        if value.text not in _TENDERS:
            raise Mistake(value.column, f"there is no tender {value.text[:40]!r}: {', '.join(_TENDERS)}")
    return _same(VOCABULARY["tender"], clause, house)


def _numbers(one: Filter, clause: Clause, house: House) -> Condition:
    found = [values.ranged(value, values.whole) for value in clause.values]
    return _in_ranges(one.column, found, one.said)


def _in_ranges(column: str, found: Sequence["values.Range[Any]"], says: Callable[[Event], Any]) -> Condition:
    """In one of the ranges. Money of 0 is none in its column."""
    asks = Q()
    for one in found:
        asks |= _between(column, one)
    is_money = column == "amount_minor"
    is_exact = not (is_money and any(one.holds(0) for one in found))
    asks = asks if is_exact else asks | Q(**{f"{column}__isnull": True})
    along = drive(column, [one.least for one in found]) if is_exact and all(one.is_one for one in found) else None
    return Condition(asks, lambda at, event: _held(found, says(event)), is_exact, along)


def _between(column: str, one: "values.Range[Any]") -> Q:
    asks = {f"{column}__isnull": False}
    if one.least is not None:
        asks[f"{column}__{'gt' if one.above else 'gte'}"] = one.least
    if one.most is not None:
        asks[f"{column}__{'lt' if one.below else 'lte'}"] = one.most
    return Q(**asks)


def _held(found: Sequence["values.Range[Any]"], value: Any) -> bool:
    return value is not None and any(one.holds(value) for one in found)


def _days(clause: Clause, house: House) -> Condition:
    found = [values.ranged(value, values.day) for value in clause.values]
    days = [day for one in found for day in values.days(one, DAYS_MAX + 1)]
    span = partial(of_days, days, house.using) if len(days) <= DAYS_MAX else None
    return msgspec.structs.replace(_in_ranges("gaming_day", found, VOCABULARY["gaming_day"].said), span=span)


def _amounts(clause: Clause, house: House) -> Condition:
    return _in_ranges("amount_minor", _money(clause, house), VOCABULARY["amount_minor"].said)


def _money(clause: Clause, house: House) -> list["values.Range[int]"]:
    money = partial(values.minor, house.currency)
    return [values.ranged(value, money(as_written=value.quoted)) for value in clause.values]


def _positions(clause: Clause, house: House) -> Condition:
    found = [values.ranged(value, values.whole) for value in clause.values]
    return msgspec.structs.replace(
        _in_ranges("position", found, lambda event: None),
        finds=lambda at, event: _held(found, at),
        span=lambda: Span(*_ends(found)),
    )


def _ends(found: Sequence["values.Range[int]"]) -> tuple[int | None, int | None]:
    leasts, mosts = [one.least for one in found], [one.most for one in found]
    low, high = [one for one in leasts if one is not None], [one for one in mosts if one is not None]
    return min(low) if len(low) == len(leasts) else None, max(high) if len(high) == len(mosts) else None


def _rounds(clause: Clause, house: House) -> Condition:
    """`round:17` of any table, or `round:BJ1/2026-11-20/17` of one."""
    some = [_round(clause, value, house) for value in clause.values]
    return _any(some)


def _round(clause: Clause, value: Value, house: House) -> Condition:
    table, slash, rest = value.text.partition("/")
    if not slash:
        return _numbers(VOCABULARY["round"], msgspec.structs.replace(clause, values=(value,)), house)
    day, _, number = rest.partition("/")
    column = value.column + value.quoted + len(table) + 1
    wanted = (table, values.day(day, column), values.whole(number, column + len(day) + 1))
    where = Q(table=wanted[0], gaming_day=wanted[1])
    return Condition(
        where & Q(round=wanted[2]),
        lambda at, event: _of(event, "table", "gaming_day", "round") == wanted,
        along=drive("round", [wanted[2]], where),
        span=partial(of_days, [wanted[1]], house.using),
    )


def _of(event: Event, *names: str) -> tuple[Any, ...]:
    return tuple(event["data"].get(name) for name in names)


def _any(some: Sequence[Condition]) -> Condition:
    if len(some) == 1:
        return some[0]
    asks = Q()
    for one in some:
        asks |= one.asks
    return Condition(
        asks, lambda at, event: any(one.finds(at, event) for one in some), all(one.is_exact for one in some)
    )


# --- types, and what only some of them say ----------------------------------------------------------------------------


def _types(clause: Clause, house: House) -> Condition:
    """In any version, or in one."""
    known = event_types()
    bases = {base(one) for one in known}
    wanted: set[str] = set()
    for value in clause.values:
        found = {one for one in known if value.text in (one, base(one))}
        if not found:
            raise Mistake(value.column, f"there is no type {value.text[:60]!r}{near(value.text, bases)}")
        wanted |= found
    asks, along = Q(type__in=sorted(wanted)), drive("type", sorted(wanted))
    return Condition(asks, lambda at, event: event["type"] in wanted, is_exact=True, along=along)


def _with(field: str) -> list[str]:
    """The types that have a field in their data."""
    return [name for name, kind in event_types().items() if field in kind.__struct_fields__]


def _due(clause: Clause, house: House) -> Condition:
    return _in_ranges("due_minor", _money(clause, house), due)


def _paid(clause: Clause, house: House) -> Condition:
    """The column of amounts has these, for such types."""
    found = _in_ranges("amount_minor", _money(clause, house), paid)
    only = "type IN ('{}')".format("', '".join(PAID))
    along = Drive(found.along.columns, found.along.values, only=only, name="log_paid") if found.along else None
    return msgspec.structs.replace(found, asks=found.asks & Q(type__in=PAID), along=along)


def due(event: Event) -> int | None:
    """What somebody should get: what a payment says is due, or the profit of a bet that was won."""
    data = event["data"]
    if base(event["type"]) == "payment.made":
        return data.get("due_minor")  # type: ignore[no-any-return]  # of an event's own JSON
    profit = data.get("profit_minor", 0) if base(event["type"]) == "bet.settled" else 0
    return profit if profit > 0 else None


def paid(event: Event) -> int | None:
    """What somebody got: payments, jackpots, envy."""
    return event["data"].get("amount_minor") if event["type"] in PAID else None


def _is_due() -> Condition:
    return Condition(Q(due_minor__isnull=False), lambda at, event: due(event) is not None)


def _is_paid() -> Condition:
    return Condition(Q(type__in=PAID), lambda at, event: paid(event) is not None)


_SUMS = {"due": _is_due, "paid": _is_paid}


# --- times ------------------------------------------------------------------------------------------------------------


def _time(clause: Clause, house: House) -> Condition:
    some = [_one_time(values.times(value, house.zone), house) for value in clause.values]
    return _any(some)


def _one_time(found: "values.Clock | values.Range[datetime]", house: House) -> Condition:
    def finds(at: int, event: Event) -> bool:
        return found.holds(datetime.fromisoformat(event["time"]))

    if isinstance(found, values.Clock):
        return Condition(EVERYTHING, finds)
    asks = _between("time", found)
    return Condition(asks, finds, span=partial(of_time, asks, house.using))


def _around(clause: Clause, house: House) -> Condition:
    return _any([_near_event(value, house) for value in clause.values])


def _near_event(value: Value, house: House) -> Condition:
    """Two minutes around an event, or as long as it says behind a tilde; both ends included."""
    name, _, length = value.text.partition("~")
    within = timedelta(seconds=values.seconds(length or AROUND, value.column + value.quoted + len(name) + 1))
    rows = EventLog.objects.using(house.using)
    rows = rows.filter(position=int(name)) if name.isdecimal() and len(name) < 19 else rows.named(name)
    if house.kept_back:  # when it happened is not told either
        rows = rows.exclude(blind.not_told(house.kept_back, is_of_buyins=False))
    moment = rows.values_list("time", flat=True).first()
    if moment is None:
        raise Mistake(value.column, f"there is no event {name[:80]!r}: an id looks as athens/tables/BJ1/2026-11-20@17")
    return _one_time(values.Range(moment - within, moment + within), house)


# --- irregularities ---------------------------------------------------------------------------------------------------


def _has(clause: Clause, house: House) -> Condition:
    """`has:irregularity`, or that an event says something under a field's name."""
    return _any([_has_one(value, house) for value in clause.values])


def _has_one(value: Value, house: House) -> Condition:
    if value.text == "irregularity":
        return _of_actions(Recorded(IRREGULAR), house.using)
    if value.text in _SUMS:
        return _SUMS[value.text]()
    one = VOCABULARY.get({"day": "gaming_day", "amount": "amount_minor"}.get(value.text, value.text))
    if one is None or one not in EXACT:
        names = ["irregularity", *_SUMS, *(one.name for one in EXACT)]
        raise Mistake(value.column, f"has: knows no {value.text[:40]!r}{near(value.text, names)}")
    asks = EVERYTHING if one.name == "amount_minor" else Q(**{f"{one.column}__isnull": False})
    return Condition(asks, lambda at, event: one.said(event) is not None)


def _irregularities(clause: Clause, house: House) -> Condition:
    """All events of the actions that recorded an irregularity of one of these kinds."""
    wanted = [kind for value in clause.values for kind in _kinds(value, house.using)]
    return _of_actions(Recorded(IRREGULAR, tuple(wanted)), house.using)


def _kinds(value: Value, using: str) -> list[str]:
    """The kind as it is stored: its words may be joined, as one types them."""
    tried = [value.text, value.text.replace("_", " "), value.text.replace("-", " "), value.text.replace(" ", "_")]
    known = [one for one in dict.fromkeys(tried) if is_known(one)]
    if not known and not Recorded(IRREGULAR, tuple(tried)).rows(using).exists():
        raise Mistake(value.column, f"there is no irregularity {value.text[:40]!r}")
    return known or tried


def _of_actions(some: Recorded, using: str) -> Condition:
    """Every event of an action that recorded one of these; one without an action is by itself."""
    recorded = some.rows(using)
    keys = recorded.exclude(causation=None).values("causation")

    @cache
    def known() -> tuple[set[Any], set[Any]]:
        return set(keys.values_list("causation", flat=True)), set(recorded.values_list("position", flat=True))

    def finds(at: int, event: Event) -> bool:
        return event.get("causation") in known()[0] or at in known()[1]

    asks = Q(causation__in=keys) | Q(position__in=recorded.values("position"))
    return Condition(asks, finds, is_exact=True, recorded=some)


# --- words ------------------------------------------------------------------------------------------------------------


def _text(value: Value) -> Condition:
    """Whole words, one behind the other, in what people wrote or in what a page calls a type or an irregularity.

    The longest of them leads to where it was said: it is likely to be the rarest.
    """
    wanted = words(value.text)
    if not wanted:
        raise Mistake(value.column, "a word is missing here, or a filter such as table:BJ1")
    titled = {one for one, title in _types_titled(get_language()) if in_a_row(wanted, title)}
    types = titled.union(IRREGULAR, *map(_with, WRITTEN))

    def finds(at: int, event: Event) -> bool:
        return event["type"] in titled or any(in_a_row(wanted, words(one)) for one in _texts(event))

    said = Words(tuple(sorted(titled)), max(wanted, key=len), _called(wanted)) if len(titled) <= VALUES_MAX else None
    return Condition(Q(type__in=sorted(types)), finds, said=said)


def _called(wanted: Sequence[str]) -> tuple[str, ...]:
    """The codes of all that may be recorded as irregular and is called so, in the house or at one of its games."""
    return tuple(code for code, title in _titles(get_language()) if in_a_row(wanted, title))


@remembered
def _types_titled(_language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every type of event with what it is called, in the language that is spoken."""
    return tuple((one, words(word(one))) for one in event_types())


@remembered
def _titles(_language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every code with what it is called, in the language that is spoken."""
    houses = [of_the_house(), *(table.words for table in at_tables().values())]
    return tuple({(code, words(gettext(title))) for known in houses for code, title in known.items()})


def _texts(event: Event) -> list[str]:
    """What people wrote, and what an irregularity is called."""
    found = list(written(event))
    if event["type"] in IRREGULAR:
        found.append(word(event["data"]["kind"], "", event["data"].get("ruleset", "")))
    return found


# --- all of them ------------------------------------------------------------------------------------------------------

_OF_ITS_OWN: dict[str, Callable[[Clause, House], Condition]] = {
    "type": _types,
    "tender": _tender,
    "gaming_day": _days,
    "day": _days,
    "amount": _amounts,
    "round": _rounds,
    "position": _positions,
    "due": _due,
    "paid": _paid,
    "time": _time,
    "around": _around,
    "has": _has,
    "irregularity": _irregularities,
    "alert": alerts,
    "case": things.cases,
    "slip": things.slips,
    "die": things.dice,
    "shoe": things.shoes,
}
FIELDS: dict[str, Callable[[Clause, House], Condition]] = {
    **{one.name: partial(_numbers if one.is_number else _same, one) for one in EXACT},
    **_OF_ITS_OWN,
}
