"""The same facts under other rates, seeds, caps or another policy, and the difference.

Pure. Two folds take the same facts, and all figures are compared, by level, by hit and in total. The facts stay the
same: players' choices at another meter are unknown. A fact that is refused under the change (a payment in the wrong
order, a correction below 0) is named.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid, Refused, Unknown
from events.progressives.fact_structs import AnyFact, ParametersFact, Pay
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import check_contribution, check_settings
from events.progressives.sharing_policies import policy
from events.rules.exact_amount_parsing import Amount, simple

Rate = Amount


class LevelChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Other parameters of one level: rates as shares of the stake, seed and cap in minor units; a cap of None: none."""

    feed: Rate | UnsetType = UNSET
    reserve_rate: Rate | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    cap: int | None | UnsetType = UNSET


FIELDS = LevelChange.__struct_fields__


class WhatIfChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changed settings, from the beginning on. Parameters that the facts change later replace them."""

    levels: dict[str, LevelChange] = {}
    policy: str | None = None
    policy_version: int = 1


class FoldOutcome(msgspec.Struct, frozen=True):
    """Final state: the fold, the refusals by position, and the envy due by player in minor units."""

    fold: Fold
    refused: dict[int, Refused]
    envy: dict[str, int]


class FigureUnderChange(msgspec.Struct, frozen=True):
    """A present figure, the one under the change, and the difference; minor units, exact."""

    is_: Amount = msgspec.field(name="is")
    would: Amount

    @property
    def difference(self) -> Amount:
        """Return the difference of an amount."""
        return simple(Fraction(self.would) - Fraction(self.is_))


class HitPair(msgspec.Struct, frozen=True, kw_only=True):
    """A hit under both: its status, and its share in minor units (0 without one)."""

    hit: str
    level: str
    status: str
    would_status: str
    share: FigureUnderChange


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`levels`: figure by figure; `total`: all levels together, with shares, house and envy; `refused`: by position."""

    levels: dict[str, dict[str, FigureUnderChange]]
    hits: tuple[HitPair, ...]
    total: dict[str, FigureUnderChange]
    refused: dict[int, str]
    would_refused: dict[int, str]


# --- running it -----------------------------------------------------------------------------------------------------


def run(start: Fold, facts: Iterable[AnyFact]) -> FoldOutcome:
    """Let a copy of the fold take the facts, in order."""
    fold = start.copy()
    refused_facts: dict[int, Refused] = {}
    envy: dict[str, int] = {}
    for fact in facts:
        refusals = dict(fold.take((fact,)))
        refused_facts |= refusals
        if isinstance(fact, Pay) and not refusals:
            for player, amount in fold.envy(fact.hit):
                envy[player] = envy.get(player, 0) + amount
    return FoldOutcome(fold, refused_facts, envy)


def whatif(start: Fold, facts: Sequence[AnyFact], change: WhatIfChange) -> Comparison:
    """Compare the facts after `start` with and without the change, whose rates must be whole units of the fold.

    Raises Refused for parameters out of bounds, and Unknown for an unknown level. Raises Invalid for an unknown policy,
    and for a rate that the unit cannot hold.
    """
    others = [other for fact in facts if (other := fact_without_change(fact, change)) is not None]
    return compare(run(start, facts), run(fold_under_change(start, change), others))


def fold_under_change(start: Fold, change: WhatIfChange) -> Fold:
    """The fold under other parameters from here on. Raises as `whatif`."""
    fold = start.copy()
    state, scale = fold.state, fold.state.opening.scale
    for name, level_change in change.levels.items():
        if name not in state.levels:
            raise Unknown(coded("level-unknown", level=name))
        level = state.levels[name]
        level.settings = replace(
            level.settings,
            feed=level.settings.feed if level_change.feed is UNSET else _units(level_change.feed, scale, "feed"),
            reserve_rate=level.settings.reserve_rate
            if level_change.reserve_rate is UNSET
            else _units(level_change.reserve_rate, scale, "reserve_rate"),
            seed=level.settings.seed if level_change.seed is UNSET else level_change.seed * scale,
            cap=level.settings.cap
            if level_change.cap is UNSET
            else None
            if level_change.cap is None
            else level_change.cap * scale,
        )
        check_settings(level.settings)
    check_contribution([level.settings for level in state.levels.values()], scale)
    if change.policy is not None:
        policy(change.policy, change.policy_version)
        state.opening = replace(state.opening, policy=change.policy, policy_version=change.policy_version)
    return fold


def _units(rate: Rate, scale: int, field: str) -> int:
    exact = Fraction(rate) * scale
    if exact.denominator != 1:
        raise Invalid(field, coded("rate-needs-scale", scale=scale))
    return exact.numerator


def fact_without_change(fact: AnyFact, change: WhatIfChange) -> AnyFact | None:
    """Return the fact without the new parameters that the change already has; None if it has no others."""
    if not isinstance(fact, ParametersFact) or (level_change := change.levels.get(fact.level)) is None:
        return fact
    left = replace(fact, **dict.fromkeys(_changed_parameters(level_change), UNSET))
    values = (left.seed, left.feed, left.reserve_rate, left.cap, left.withhold)
    return None if left != fact and all(value is UNSET for value in values) else left


def changed_timeline(case: Mapping[str, Any], change: WhatIfChange) -> dict[str, Any]:
    """A timeline of the acceptance format under the change. Raises Unknown for a level that is not there."""
    levels = {name: dict(level) for name, level in case["levels"].items()}
    for name, level_change in change.levels.items():
        if name not in levels:
            raise Unknown(coded("level-unknown", level=name))
        levels[name] |= {
            field: _json_value(getattr(level_change, field)) for field in _changed_parameters(level_change)
        }
    facts = [other for fact in case["facts"] if (other := _without(fact, change)) is not None]
    return {**case, "levels": levels, "policy": change.policy or case["policy"], "facts": facts}


def _changed_parameters(level_change: LevelChange) -> list[str]:
    return [field for field in FIELDS if getattr(level_change, field) is not UNSET]


def _json_value(value: Amount | None) -> int | str | None:
    return str(value) if isinstance(value, Fraction) else value


def _without(fact: Mapping[str, Any], change: WhatIfChange) -> Mapping[str, Any] | None:
    new = fact.get("parameters")
    if not isinstance(new, dict) or (level_change := change.levels.get(new.get("level", ""))) is None:
        return fact
    left = {field: value for field, value in new["set"].items() if field not in _changed_parameters(level_change)}
    return None if new["set"] and not left else {**fact, "parameters": {**new, "set": left}}


# --- comparing ------------------------------------------------------------------------------------------------------


def compare(as_is: FoldOutcome, altered: FoldOutcome) -> Comparison:
    """Both outcomes side by side; their units may differ."""
    levels = {
        name: _pairs(_level_figures(as_is.fold, name), _level_figures(altered.fold, name))
        for name in as_is.fold.state.levels
    }
    total = {
        figure: FigureUnderChange(
            simple(sum((Fraction(pairs[figure].is_) for pairs in levels.values()), Fraction(0))),
            simple(sum((Fraction(pairs[figure].would) for pairs in levels.values()), Fraction(0))),
        )
        for figure in next(iter(levels.values()))
    }
    total["envy"] = FigureUnderChange(sum(as_is.envy.values()), sum(altered.envy.values()))
    return Comparison(
        levels=levels,
        hits=tuple(_hit(hit, as_is.fold, altered.fold) for hit in as_is.fold.state.hits),
        total=total,
        refused={at: str(refusal) for at, refusal in as_is.refused.items()},
        would_refused={at: str(refusal) for at, refusal in altered.refused.items()},
    )


def _pairs(is_: dict[str, Amount], altered: dict[str, Amount]) -> dict[str, FigureUnderChange]:
    return {figure: FigureUnderChange(value, altered[figure]) for figure, value in is_.items()}


def _level_figures(fold: Fold, name: str) -> dict[str, Amount]:
    """Return the level's six meters and their related amounts, in minor units."""
    level, scale, locks = fold.level(name), fold.state.opening.scale, fold.locks(name)
    exact = {"fed": level.fed, "meter": level.meter, "overflow": fold.overflow(name), "reserve": level.reserve}
    exact |= {"seeds": level.seeds}
    return {
        **{figure: simple(Fraction(units, scale)) for figure, units in exact.items()},
        "shown": fold.shown_minor(name),
        "locked": level.locked,
        "shares": sum(lock.share * len(lock.hits) for lock in locks),
        "house": sum(lock.house for lock in locks),
        "paid": level.paid,
    }


def _hit(hit: str, as_is: Fold, altered: Fold) -> HitPair:
    is_there = altered.hit(hit) is not None
    return HitPair(
        hit=hit,
        level=as_is.state.hits[hit].level,
        status=as_is.status(hit),
        would_status=altered.status(hit) if is_there else "refused",
        share=FigureUnderChange(_share(as_is, hit), _share(altered, hit) if is_there else 0),
    )


def _share(fold: Fold, hit: str) -> int:
    lock = fold.lock(hit)
    return lock.share if lock else 0
