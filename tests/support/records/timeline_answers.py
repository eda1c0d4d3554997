"""A timeline's answer as the read models have it, to compare with what the timeline expects."""

from fractions import Fraction
from typing import Any

import msgspec

from projections.progressives.models import MICRO, Envy, Hit, Lock, ProgressiveLevel
from tests.support.records.progressive_timeline_recorder import Player

FROM_READ_MODELS = ("levels", "hits", "locks", "envy", "paid")


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """Return the figures that the timeline expects of the read models, with exact amounts."""
    figures: dict[str, Any] = {name: case["expect"][name] for name in FROM_READ_MODELS}
    levels = {name: _exact(level) for name, level in figures["levels"].items()}
    locks = {name: [_exact(lock) for lock in locks] for name, locks in figures["locks"].items()}
    return {**figures, "levels": levels, "locks": locks}


def _exact(row: dict[str, Any]) -> dict[str, Any]:
    return {name: Fraction(value) if isinstance(value, int | str) else value for name, value in row.items()}


def read_model_figures(player: Player, using: str) -> dict[str, Any]:
    """Return the same figures from the read models at the alias `using`, with the timeline's own positions."""
    stream = f"{player.property}/progressives/{player.name}"
    levels = {row.level: _level(row) for row in ProgressiveLevel.objects.using(using).filter(stream=stream)}
    locks: dict[str, list[dict[str, Any]]] = {name: [] for name in levels}
    for lock in Lock.objects.using(using).filter(stream=stream, is_standing=True).order_by("as_of"):
        locks[lock.level].append(_lock(lock, player.places))
    hits = list(Hit.objects.using(using).filter(stream=stream))
    envy: dict[str, int] = {}
    for bonus in Envy.objects.using(using).filter(stream=stream):
        envy[bonus.player] = envy.get(bonus.player, 0) + bonus.amount_minor
    return {
        "levels": levels,
        "hits": {
            hit.hit: {"status": hit.status} | ({} if hit.share_minor is None else {"share": hit.share_minor})
            for hit in hits
        },
        "locks": locks,
        "envy": envy,
        "paid": sum(hit.share_minor or 0 for hit in hits if hit.status == "paid"),
    }


def _level(row: ProgressiveLevel) -> dict[str, Fraction]:
    return {
        "meter": Fraction(row.meter_micro, MICRO),
        "shown": Fraction(row.shown_minor),
        "overflow": Fraction(row.overflow_micro, MICRO),
        "reserve": Fraction(row.reserve_micro, MICRO),
        "fed": Fraction(row.fed_micro, MICRO),
        "locked": Fraction(row.locked_minor),
        "adjusted": Fraction(row.adjusted_micro, MICRO),
        "seeds": Fraction(row.seeds_micro, MICRO),
    }


def _lock(row: Lock, places: dict[int, int]) -> dict[str, Any]:
    return {
        "at": Fraction(places[row.as_of]),
        "hits": msgspec.json.decode(row.hits),
        "meter": Fraction(row.meter_micro, MICRO),
        "amount": Fraction(row.amount_minor),
        "house": Fraction(row.house_minor),
        "seed": Fraction(row.seed_micro, MICRO),
        "seed_from_reserve": Fraction(row.from_reserve_micro, MICRO),
    }
