"""A search takes any text, or refuses it with its column, on both databases. It skips unreadable parts."""

from contextlib import suppress

import pytest

from backoffice.surveillance.search.field_conditions import FIELDS
from backoffice.surveillance.search.grammar import Mistake
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches, page
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import DAY, House

pytestmark = pytest.mark.django_db

ODD = (
    *("\x00", "a\x00b", "\ud800", "%", "_", "'", "\\", "(", "@", "x@y", "/", "//", "-", "-:", "<>-T:"),
    *("..", "<", ">", "=", "0", "-1", "1.5", "1e5", "NaN", "٣", "ａ", "İ", "1..", "a" * 500),
    *("-9007199254740992", "99999999999999999999", "1~999999h", "1~0s"),
    *("0001-01-01", "9999-12-31", "0001-01-01..9999-12-31", ">=9999-12-31", "2026-W47-5"),
    *("0001-01-01T00:00", "9999-12-31T23:59", "9999-12-31T23:59:59..", "2026-11-20T22:00+99:00", "2026-10-25T02:30"),
    *("22:00..", "..00:00", ">24:00", "24:00..01:00", "<=24:00", "00:00..24:00", ">T:-"),
    *(f"athens/tables/FR1/{DAY}@99999999999999999999", f"FR1/{DAY}/", "FR1/9999-12-31/99999", "FR1//1"),
    *("irregularity", "due", "paid", "amount"),
)


@pytest.mark.parametrize("field", ["", *FIELDS])
def test_anything_is_searched_for_or_refused_with_its_column(evening_house: House, other: str, field: str) -> None:
    before = f"{field}:" if field else ""
    for number, odd in enumerate(ODD):
        for text in (f"{before}{odd}", f'-{before}"{odd}"'):
            for using in ("default", other):
                with suppress(Mistake):
                    page(search(text, using), newest=bool(number % 2))


def test_what_cannot_be_read_is_passed_over(evening_house: House, caplog: pytest.LogCaptureFixture) -> None:
    query = search("table:FR1 time:00:00..24:00")
    there = [event.position for event in all_matches(query)]
    EventLog.objects.filter(position=there[0]).update(raw=b"\xff{")
    assert [event.position for event in all_matches(query)] == there[1:] != []
    assert f"position {there[0]} cannot be read" in caplog.text


def test_due_and_paid_can_be_asked_for_as_such(evening_house: House, other: str) -> None:
    for using in ("default", other):
        paid = [event.position for event in all_matches(search("has:paid", using))]
        types = set(EventLog.objects.filter(position__in=paid).values_list("type", flat=True))
        assert {"payment.made.v1", "jackpot.paid.v1"} <= types
        wins = list(all_matches(search("has:due type:bet.settled", using)))
        assert [win.position for win in wins] == [
            event.position for event in all_matches(search("due:>0 type:bet.settled"))
        ]
        assert wins
