"""Timelines of a linked progressive: facts in any order in, every meter, lock, share and bonus out.

The answer comes from the fold that runs live (`events/progressives/fold.py`). Amounts are cents, exact ones may be
"n/d": the fold's unit is their common denominator here, so it computes in integers as it does live.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from msgspec import UNSET

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.progressives import fact_structs
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import LevelParameters, LevelStart, ProgressiveTerms
from events.rules.exact_amount_parsing import Amount, parse, render

Json = Mapping[str, Any]

_RATES = ("feed", "reserve_rate")
# Beyond it an answer could not be written: Python writes no number of more than 4,300 digits.
MOST_BITS = 8_000


class SettledTimeline(NamedTuple):
    """A timeline at its end: the fold, its refusals by position, and the envy due by player."""

    fold: Fold
    refused: dict[int, Refused]
    envy: dict[str, int]


def timeline(record: Json) -> dict[str, Any]:
    """Settle a timeline. Raises Invalid for an unreadable one, Refused for parameters out of bounds."""
    played = play(record)
    return _answer(played.fold, list(played.refused), played.envy)


def refusals(record: Json) -> dict[int, Refused]:
    """Return why each fact that was refused was refused, by its position."""
    return play(record).refused


def play(record: Json) -> SettledTimeline:
    """Apply all facts in order of position. Raises as `timeline` does."""
    raw = _distinct(_list(record, "facts"))
    levels = _object(record, "levels")
    limit = parse(record.get("surveillance_over"), "surveillance_over")
    scale = lcm(*(Fraction(amount).denominator for amount in (limit, *_amounts(levels, raw))))
    if scale.bit_length() > MOST_BITS:
        raise Invalid("facts", coded("too-many-denominators"))
    timeline = SettledTimeline(Fold.opened(min(raw, default=1) - 1, _opening(record, levels, scale)), {}, {})
    for at in sorted(raw):
        fact = _fact(at, raw[at], scale)
        try:
            timeline.fold.apply(fact)
        except Refused as refusal:
            timeline.refused[at] = refusal
            continue
        if isinstance(fact, fact_structs.Pay):
            for player, amount in timeline.fold.envy(fact.hit):
                timeline.envy[player] = timeline.envy.get(player, 0) + amount
    return timeline


# --- reading ----------------------------------------------------------------------------------------------------


def _distinct(record: list[Any]) -> dict[int, Json]:
    """Return the facts by position. A repeated position must have the same fact, or neither could be trusted."""
    by_position: dict[int, Json] = {}
    for fact in record:
        if not isinstance(fact, dict):
            raise Invalid("facts", coded("fact-not-an-object"))
        at = _int(fact, "at")
        if by_position.setdefault(at, fact) != fact:
            raise Invalid("facts", coded("position-twice", position=at))
    return by_position


def _amounts(levels: Json, raw: Mapping[int, Json]) -> Iterable[Amount]:
    """Every exact amount and rate that is given: all that the unit must be able to hold."""
    for name in levels:
        level = _object(levels, name)
        yield from (parse(level.get(field), field) for field in ("seed", "meter", "reserve", *_RATES))
    for fact in raw.values():
        change = fact.get("parameters")
        if isinstance(change, dict):
            named = _object(change, "set")
            yield from (parse(named[field], field) for field in ("seed", *_RATES) if field in named)
        adjust = fact.get("adjust")
        if isinstance(adjust, dict):
            yield parse(adjust.get("amount"), "amount")


def _opening(record: Json, levels: Json, scale: int) -> ProgressiveTerms:
    stakes = _list(record, "stakes")
    if len(stakes) != 2 or not all(type(stake) is int and stake > 0 for stake in stakes):
        raise Invalid("stakes", coded("low-and-high-stake-needed"))
    return ProgressiveTerms(
        progressive="",
        scale=scale,
        levels=tuple(_level(name, _object(levels, name), scale) for name in levels),
        policy=_text(record, "policy"),
        stakes=(stakes[0], stakes[1]),
        envy={name: _envy(_object(record, "envy").get(name)) for name in levels},
        envy_to_winner=_bool(record, "envy_to_winner"),
        surveillance_over=_units(record.get("surveillance_over"), scale),
    )


def _level(name: str, record: Json, scale: int) -> LevelStart:
    return LevelStart(
        level=name,
        settings=LevelParameters(
            seed=_units(record["seed"], scale),
            feed=_units(record["feed"], scale),
            reserve_rate=_units(record["reserve_rate"], scale),
            cap=_cap(record.get("cap"), scale),
        ),
        meter=_units(record["meter"], scale),
        reserve=_units(record["reserve"], scale),
    )


def _envy(record: object) -> tuple[int, int]:
    if record is None:
        return 0, 0
    if not isinstance(record, list) or len(record) != 2 or not all(type(a) is int and a >= 0 for a in record):
        raise Invalid("envy", coded("envy-amounts-needed"))
    return record[0], record[1]


def _units(value: object, scale: int) -> int:
    exact = Fraction(parse(value)) * scale
    assert exact.denominator == 1, "the unit is the common denominator of all that is given"
    return exact.numerator


def _cap(value: object, scale: int) -> int | None:
    if value is None:
        return None
    if type(value) is not int:
        raise Invalid("cap", coded("integer-or-null-needed"))
    return value * scale


def _fact(at: int, record: Json, scale: int) -> fact_structs.AnyFact:
    kinds = [kind for kind in record if kind != "at"]
    if len(kinds) != 1 or kinds[0] not in _READ:
        raise Invalid("facts", coded("fact-kind-unknown", position=at))
    kind = kinds[0]
    return _READ[kind](at, _object(record, kind), scale)


def _arm(at: int, record: Json, _scale: int) -> fact_structs.Arm:
    bets = [bet if isinstance(bet, dict) else {} for bet in _list(record, "bets")]
    return fact_structs.Arm(
        at=at,
        table=_text(record, "table"),
        round=_name(record, "round"),
        dealer=_text(record, "dealer"),
        bets=tuple(fact_structs.ArmedStake(_box(bet), _text(bet, "player"), _stake(bet)) for bet in bets),
    )


def _stake(bet: Json) -> int:
    stake = parse(bet.get("stake"), "stake")
    return stake if isinstance(stake, int) else -1  # no stake of a progressive is a fraction: it will be refused


def _hit(at: int, record: Json, _scale: int) -> fact_structs.HitFact:
    table, name = _text(record, "table"), _name(record, "round")
    return fact_structs.HitFact(
        at=at, id=_name(record, "id"), table=table, round=name, box=_box(record), level=_text(record, "level")
    )


def _late_hit(at: int, record: Json, scale: int) -> fact_structs.LateHitFact:
    hit = _hit(at, record, scale)
    return fact_structs.LateHitFact(
        at=at, id=hit.id, table=hit.table, round=hit.round, box=hit.box, level=hit.level, by=_by(record)
    )


def _dealt(at: int, record: Json, _scale: int) -> fact_structs.DealFinished:
    return fact_structs.DealFinished(at=at, table=_text(record, "table"), round=_name(record, "round"))


def _over(at: int, record: Json, _scale: int) -> fact_structs.RoundOver:
    return fact_structs.RoundOver(at=at, table=_text(record, "table"), round=_name(record, "round"))


def _void_round(at: int, record: Json, _scale: int) -> fact_structs.VoidRoundFact:
    table, name = _text(record, "table"), _name(record, "round")
    return fact_structs.VoidRoundFact(at=at, table=table, round=name, reason=_reason(record), by=_by(record))


def _void(at: int, record: Json, _scale: int) -> fact_structs.Void:
    return fact_structs.Void(at=at, hit=_name(record, "hit"), reason=_reason(record), by=_by(record))


def _parameters(at: int, record: Json, scale: int) -> fact_structs.ParametersFact:
    fields = _object(record, "set")
    if unknown := set(fields) - {"seed", "cap", *_RATES}:
        raise Invalid("set", coded("parameter-unknown", name=min(unknown)))
    change = {field: _units(fields[field], scale) if field in fields else UNSET for field in ("seed", *_RATES)}
    return fact_structs.ParametersFact(
        at=at,
        level=_text(record, "level"),
        by=_by(record),
        seed=change["seed"],
        feed=change["feed"],
        reserve_rate=change["reserve_rate"],
        cap=_cap(fields["cap"], scale) if "cap" in fields else UNSET,
    )


def _adjust(at: int, record: Json, scale: int) -> fact_structs.Adjust:
    amount = _units(record.get("amount"), scale)
    return fact_structs.Adjust(
        at=at, level=_text(record, "level"), amount=amount, reason=_reason(record), by=_by(record)
    )


_READ: dict[str, Callable[[int, Json, int], fact_structs.AnyFact]] = {
    "arm": _arm,
    "hit": _hit,
    "dealt": _dealt,
    "over": _over,
    "late_hit": _late_hit,
    "void_round": _void_round,
    "authorise": lambda at, record, _scale: fact_structs.Authorise(at=at, hit=_name(record, "hit"), by=_by(record)),
    "pay": lambda at, record, _scale: fact_structs.Pay(at=at, hit=_name(record, "hit")),
    "void": _void,
    "parameters": _parameters,
    "adjust": _adjust,
}


def _object(record: Json, field: str) -> Json:
    value = record.get(field)
    if not isinstance(value, dict):
        raise Invalid(field, coded("object-needed"))
    return value


def _list(record: Json, field: str) -> list[Any]:
    value = record.get(field)
    if not isinstance(value, list):
        raise Invalid(field, coded("list-needed"))
    return value


def _text(record: Json, field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise Invalid(field, coded("text-needed"))
    return value


def _name(record: Json, field: str) -> str:
    """The name of a round or a hit; a number serves as one."""
    value = record.get(field)
    return str(value) if type(value) is int else _text(record, field)


def _box(record: Json) -> int | str:
    value = record.get("box")
    return value if type(value) is int else _text(record, "box")


def _int(record: Json, field: str) -> int:
    value = record.get(field)
    if type(value) is not int:
        raise Invalid(field, coded("integer-needed"))
    return value


def _bool(record: Json, field: str) -> bool:
    value = record.get(field)
    if not isinstance(value, bool):
        raise Invalid(field, coded("boolean-needed"))
    return value


def _reason(record: Json) -> str:
    """A missing reason is a blank one: a matter for the fold to refuse."""
    return _text(record, "reason") if record.get("reason") is not None else ""


def _by(record: Json) -> fact_structs.People:
    """Return the people who approved. The fold refuses an empty set."""
    named = _list(record, "by") if record.get("by") is not None else []
    people = [person if isinstance(person, dict) else {} for person in named]
    return tuple(fact_structs.ApprovingPerson(_text(person, "name"), _text(person, "role")) for person in people)


# --- answering --------------------------------------------------------------------------------------------------


def _answer(fold: Fold, refused: list[int], envy: dict[str, int]) -> dict[str, Any]:
    fold.check_balance()
    levels = fold.state.levels
    return {
        "refused": refused,
        "hits": {hit: _hit_answer(fold, hit) for hit in fold.state.hits},
        "locks": {name: [_lock_answer(fold, lock) for lock in fold.locks(name)] for name in levels},
        "levels": {name: _level_answer(fold, name) for name in levels},
        "envy": envy,
        "paid": sum(level.paid for level in levels.values()),
    }


def _hit_answer(fold: Fold, hit: str) -> dict[str, Any]:
    lock = fold.lock(hit)
    return {"status": fold.status(hit)} | ({"share": lock.share} if lock else {})


def _lock_answer(fold: Fold, lock: fact_structs.GroupLock) -> dict[str, Any]:
    return {
        "at": lock.at,
        "hits": list(lock.hits),
        "meter": _render(fold, lock.meter),
        "amount": lock.amount,
        "house": lock.house,
        "seed": _render(fold, lock.seed),
        "seed_from_reserve": _render(fold, lock.from_reserve),
    }


def _level_answer(fold: Fold, name: str) -> dict[str, Any]:
    level = fold.level(name)
    return {
        "meter": _render(fold, level.meter),
        "shown": fold.shown_minor(name),
        "overflow": _render(fold, fold.overflow(name)),
        "reserve": _render(fold, level.reserve),
        "fed": _render(fold, level.fed),
        "locked": level.locked,
        "adjusted": _render(fold, level.adjusted),
        "seeds": _render(fold, level.seeds),
    }


def _render(fold: Fold, units: int) -> int | str:
    return render(Fraction(units, fold.state.opening.scale))
