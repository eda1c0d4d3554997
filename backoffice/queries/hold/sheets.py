"""The hold as lines of a sheet: amounts in minor units, shares in millionths; empty where nothing is known."""

from collections.abc import Iterator

from backoffice.queries.hold.page import Held, Hold

COLUMNS = (
    *("name", "period", "drop_minor", "win_minor", "hold_millionths", "handle_minor", "event_win_minor"),
    *("win_by_handle_millionths", "rule", "against_millionths", "low_millionths", "high_millionths", "says"),
)


def lines(found: Hold) -> Iterator[tuple[object, ...]]:
    """What was held by day, month and year; then what the rules say of it."""
    for one in (one for line in found.lines for one in line):
        of = one.of
        held = (of.drop_minor, of.win_minor, one.hold, of.handle_minor, of.event_win_minor, one.win_by_handle)
        yield one.name, period(one), *held, "", "", "", "", ""
    for rule in found.rules:
        hold, *shares = rule.shares
        said = rule.said
        yield said.name, said.period, "", "", hold, "", "", "", said.rule, *shares, _says(said.says, said.lacks)


def period(one: Held) -> str:
    """As sheets and reports call it."""
    return f"{one.period}, of earlier days" if one.is_late else one.period


def _says(says: str, lacks: str) -> str:
    return f"{says}: {lacks}" if lacks else says
