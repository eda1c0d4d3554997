"""Differences between two reports, figure by figure, each by its place: "tables/FR1/shifts/night/end_minor"."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_NAMES = ("table", "shift", "progressive", "level")  # keys of a list's line: the first that it has is its name
_ABOUT = ("layout", "day", "as_of", "restatement")  # of the report itself, no figures


class ReportChange(msgspec.Struct, frozen=True):
    """A figure in one report and in another; None where it is not known, or the line is not there."""

    place: str
    before: Any
    after: Any


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[ReportChange]:
    """All figures that are others."""
    old, new = dict(leaves(before)), dict(leaves(after))
    places = [*old, *(place for place in new if place not in old)]
    return [ReportChange(place, old.get(place), new.get(place)) for place in places if old.get(place) != new.get(place)]


def leaves(figures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every figure with its place."""
    for name, value in figures.items():
        if name not in _ABOUT:
            yield from _below(name, value)


def _below(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _below(f"{place}/{name}", entry)
    elif isinstance(value, list | tuple):
        for number, entry in enumerate(value, 1):
            yield from _below(f"{place}/{_name(place, entry, number)}", entry)
    else:
        yield place, value


def _name(place: str, line: Any, number: int) -> str:
    if place == "slips":
        return f"{line['kind']}-{line['number']}"
    if place == "discrepancies":
        return str(number)
    return next((str(line[name]) for name in _NAMES if name in line), str(number))
