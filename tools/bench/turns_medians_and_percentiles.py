"""Sides that take turns, their medians, and percentiles of latencies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from time import perf_counter

import msgspec

Side = Callable[[float], float]  # seconds to spend -> result a second


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the measurements.

    `seconds` a turn of a side, `turns` of each side, `events` in a rebuilt store. `rate`: offered events a second where
    latency is measured. `sessions`: days of a table in a long life. `log`: searched events.
    """

    seconds: float = 5.0
    turns: int = 3
    events: int = 200_000
    tables: int = 128
    rate: int = 5_000
    sessions: int = 100_000
    log: int = 10_000_000
    tell: Callable[[str], None] = print

    def scaled(self, per_second: int, least: int = 1) -> int:
        """So many things that a turn takes its seconds at this speed."""
        return max(least, round(per_second * self.seconds))


def in_turn(options: Options, sides: Mapping[str, Side]) -> dict[str, float]:
    """The medians of sides that run one after the other, A B A B, so that whatever the machine does meets all."""
    figures: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(options.turns):
        for name, side in sides.items():
            figures[name].append(side(options.seconds))
            options.tell(f"  turn {turn + 1} of {options.turns}: {name} {figures[name][-1]:,.0f}/s")
    return {name: median(values) for name, values in figures.items()}


def turns_until(until: float) -> Iterator[None]:
    """Once, however late a thread comes to it, and again until `until` of `perf_counter` is over."""
    yield
    while perf_counter() < until:
        yield


def repeated(seconds: float, work: Callable[[], int]) -> float:
    """Calls `work`, which says how many things it did, until the time is over: things a second."""
    turns, started = 0, perf_counter()
    while (spent := perf_counter() - started) < seconds or not turns:
        turns += work()
    return turns / spent


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that is not below `percent` of all. Raises ValueError without values."""
    if not values:
        raise ValueError("a percentile of nothing")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * percent // 100).__trunc__() - 1))]
