"""Differences between a count at a table and the expected amounts (NJ 1.21): recorded in the same append, with both
figures.

A table that is counted only has no expectation: its count is its income.
"""

from collections.abc import Mapping

from events.controls import discrepancy_event_and_severity
from events.controls.discrepancy_event_and_severity import What
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.session import SessionOpened
from events.tables.table_session_state_structs import Events, TableCase


def of_count(case: TableCase, kind: What, found_minor: int, witness: str | None = None) -> Events:
    """Compare the tray with the events, in total."""
    session = case.session
    if not session.recorded or found_minor == session.float_minor:
        return []
    return [
        discrepancy_event_and_severity.discrepancy_event(
            kind,
            session.float_minor,
            found_minor,
            case.context.settings,
            **session.where(),
            counted_by=_both_counters(case, witness),
        )
    ]


def of_opener(case: TableCase, opener: Mapping[int, int], session_opened: SessionOpened, shift: str) -> Events:
    """Yield the difference of the opener from the closer of the last gaming day, by denomination. A new table has no
    closer.
    """
    last = case.context.last
    if last is None:
        return []
    expected, actual = discrepancy_event_and_severity.differing(dict(last.closer), dict(opener))
    by = _both_counters(case, session_opened.witness)
    return _of_pieces(case, "opener", (worth(last.closer), expected), (session_opened.amount_minor, actual), shift, by)


def of_exchange(case: TableCase, out: tuple[int, Mapping[int, int]], incoming: tuple[int, Mapping[int, int]]) -> Events:
    """Compare the incoming chips with the outgoing chips."""
    if out[0] == incoming[0]:
        return []
    by = _both_counters(case, None)
    return _of_pieces(
        case, "exchange", (out[0], dict(out[1])), (incoming[0], dict(incoming[1])), case.session.shift, by
    )


def of_box(case: TableCase, removed: str, witness: str | None) -> Events:
    """Compare the box that was put with the removed one. The content of both is unknown before the count."""
    put = case.session.box
    if put is None or put == removed or removed in case.session.hanging:
        return []
    about = {**case.session.where(), "counted_by": _both_counters(case, witness), "drop_box": removed, "put_box": put}
    return [discrepancy_event_and_severity.discrepancy_event("box", 0, 0, case.context.settings, **about)]


def _both_counters(case: TableCase, witness: str | None) -> tuple[str, ...]:
    return (case.who.person, *((witness,) if witness else ()))


def _of_pieces(
    case: TableCase,
    kind: What,
    expected: tuple[int, dict[int, int]],
    actual: tuple[int, dict[int, int]],
    shift: str,
    counted_by: tuple[str, ...],
) -> Events:
    """Other pieces of equal money are a discrepancy, too."""
    if not expected[1] and not actual[1]:
        return []
    about = {**case.session.where(), "shift": shift, "counted_by": counted_by}
    pieces = {"expected": expected[1], "counted": actual[1]}
    return [
        discrepancy_event_and_severity.discrepancy_event(
            kind, expected[0], actual[0], case.context.settings, **about, **pieces
        )
    ]
