"""The links of a day's figures open every event that has the amount: also of a type that no page names."""

from collections.abc import Iterator
from typing import Any

import pytest

from backoffice.days import day_figure_tags, figure_rows_by_shift
from backoffice.event_log.sum_declarations_of_figures import sums
from events.runtime import cache_until_declarations_change
from events.tables import moved_amount_declarations as declarations
from events.tables.moved_amount_declarations import MovedAmount, Name, Term
from tests.unit.accounting.test_declared_amounts import AmountMoved


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as context:
        yield context
    cache_until_declarations_change.forget()


def links_with_amounts() -> set[str]:
    """Return the figures of a table's day, and of the lines of a day, whose links open `AmountMoved`."""
    rows = [kind.row for kind in figure_rows_by_shift._kinds()]
    opened = {row.key: sums()[row.sum].types if row.sum else row.type.split() for row in rows}
    opened |= {f"line {name}": types.split() for name, types in day_figure_tags._types().items()}
    return {name for name, types in opened.items() if AmountMoved.TYPE in types}


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("fills", {"fills", "line inventory_win"}),
        ("credits", {"credits", "line inventory_win"}),
        ("buyins_cash", {"cash", "line drop", "line drop_part", "line inventory_win"}),
        ("buyins_marker", {"marker", "line drop", "line drop_part", "line inventory_win"}),
        ("buyins_promotional", {"promotional", "vouchers", "line drop", "line drop_part", "line inventory_win"}),
        ("paid", {"paid", "mispay"}),
        ("due", {"due", "event-win", "mispay"}),
        ("drop", {f"drop-{tender}" for tender in ("cash", "marker", "promotional", "chips")}
            | {"line drop", "line drop_part", "line inventory_win"}),
        ("opener", {"begin", "end", "line inventory", "line inventory_win"}),
        ("counted", {"begin", "end", "line inventory", "line inventory_win"}),
        ("closer", {"begin", "end", "line inventory", "line inventory_win"}),
    ],
)  # fmt: skip
def test_a_link_opens_all_types_with_the_amount(name: Name, links: set[str], patch: pytest.MonkeyPatch) -> None:
    declared: Any = declarations.MOVES
    patch.setitem(declared, AmountMoved, (MovedAmount(name, (Term("amount_minor"),)),))
    cache_until_declarations_change.forget()
    assert links_with_amounts() == links


def test_a_void_day_is_an_input_of_its_wins_and_of_no_shift() -> None:
    rows = {kind.row.key: kind.row.type for kind in figure_rows_by_shift._kinds()}
    assert "session.voided.v1" in day_figure_tags._types()["inventory_win"].split()
    assert rows["begin"].split() == ["session.closed.v1", "session.opened.v1", "session.rolled.v1", "shift.counted.v1"]
