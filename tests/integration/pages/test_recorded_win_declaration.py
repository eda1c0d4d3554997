"""The recorded win is declared once: rows, shifts, kinds of bets, hours, the hold and the books all follow it."""

from collections.abc import Iterator
from typing import Any

import pytest

from backoffice.days.hold import hold_entry_queries
from backoffice.days.hour_exception_and_late_event_content import hours
from backoffice.tables import table_day_page_content
from events.accounting import win_report_lines
from events.runtime import cache_until_declarations_change
from events.tables.moved_amount_declarations import EVENT_WIN, MISPAY
from projections.accounts.day_accounts_from_rows import table_state
from projections.accounts.models import TableHour
from projections.figures_of_all_read_models_with_digest import books
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import wins
from tests.integration.pages.test_play_of_players import bought_by_bob, logged
from tests.integration.pages.test_sums_of_tables import closed
from tests.support.tables.in_memory_tables import TableInMemory
from tests.unit.accounting.test_declared_amounts import COUNT

pytestmark = pytest.mark.django_db
COMMISSION = 200  # of Bob's bet


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as context:
        yield context
    cache_until_declarations_change.forget()


def counted_day() -> TableInMemory:
    """Play until both bets lose at a 7, then close and count."""
    table = bought_by_bob().ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()
    table = closed(table).lead("drop.remove", drop_box="one", witness="sam")
    return logged(table.ask("drop.count", who=COUNT, drop_box="one", amount_minor=0))


def recorded_wins() -> dict[str, int | None]:
    """Return the recorded win of the day, from everything that computes it."""
    row, kinds = TableDay.objects.get(), list(WagerDay.objects.all())
    shifts, all_books = table_state(row).day.shifts, books()
    of_bets = hold_entry_queries.of_bets(row.gaming_day, row.gaming_day)
    return {
        "row": wins(row).event_win_minor,
        "shifts": sum(win_report_lines.event_win(shift) for shift in shifts),
        "kinds of bets": sum(table_day_page_content._wager(kind).win_minor for kind in kinds),
        "hours": sum(hour.event_win_minor for hour in hours(TableHour.objects.all())),
        "hold by table": hold_entry_queries._entry(row).amounts.event_win_minor,
        "hold by bet": sum(entry.amounts.event_win_minor or 0 for entry in of_bets),
        "books of days": sum(day["event_win_minor"] for day in all_books["totals"]),
        "books of kinds": sum(kind["win_minor"] for kind in all_books["wagers"]),
    }


def mispays() -> dict[str, int | None]:
    """Return the mispay of the day, due less paid, from everything that computes it."""
    row = TableDay.objects.get()
    explained = wins(row).explained
    report = win_report_lines.of_table(table_state(row).day)
    return {
        "row": explained.mispay_minor if explained else None,
        "report": report.day.parts.mispay_minor,
        "kinds of bets": -sum(table_day_page_content._wager(kind).mispaid_minor for kind in WagerDay.objects.all()),
    }


def test_every_recorded_win_follows_its_declaration(patch: pytest.MonkeyPatch) -> None:
    counted_day()
    before = recorded_wins()
    assert set(before.values()) == {TableDay.objects.get().lost_minor + COMMISSION}
    declared: Any = EVENT_WIN
    patch.setitem(declared, "commission", 3)
    cache_until_declarations_change.forget()
    assert recorded_wins() == {name: (won or 0) + 2 * COMMISSION for name, won in before.items()}


def test_every_mispay_follows_its_declaration(patch: pytest.MonkeyPatch) -> None:
    counted_day()
    assert set(mispays().values()) == {0}
    declared: Any = MISPAY
    patch.setitem(declared, "commission", 1)
    assert set(mispays().values()) == {COMMISSION}
