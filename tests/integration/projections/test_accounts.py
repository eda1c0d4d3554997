"""The accounts' rows equal the canonical report at every position: of an open, a closed and a restated day."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backoffice.days.day_report_from_rows import day_rows
from events.accounting import table_days_fold
from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.property_ledger_fold import fold
from events.store import everything, open_store
from projections.accounts.day_accounts_from_rows import figures, without_others
from projections.accounts.models import BoxAccount, DayReport, FoundAccount, LateEvent, TableHour
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.rebuild import Rebuild
from projections.registry import PROJECTORS, projectors
from projections.tables.models import TableDay
from projections.tables.table_and_recorded_win_calculation import net_drop_minor, wins
from tests.frozen import frozen_stores
from tests.support.houses.mistaken_day import EVE, MistakenDay
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import CASH, WorkedDay, chips
from tests.unit.accounting.test_closing import amend, reopened, with_open_slip
from tools.demo.history.terminal_without_network import SetClock

NEXT = "2026-11-21"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made_ = WorkedDay()
    checklist_system_state_source.register_source(made_.store, lambda: SystemState(readers={}, head=10**9, aside={}))
    yield made_
    made_.close()


def close_and_restate(house: WorkedDay) -> None:
    """The day is closed, a box counted once more, and that named; the next day is open by then."""
    house.ok("days", "", "anna", house.action("day.close"))
    recount: Any = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    [_, settled, discrepancy] = house.agreed("days", "", ("cora", "carl"), recount)
    amend = house.action("day.amend", events=[settled.id, discrepancy.id], reason="the box was counted again")
    house.agreed("days", "", ("anna", "sid"), amend)
    held = {"chips": {"100": 10_000, "500": 15_900, "2500": 1_000}, "marker_minor": 50_000}
    house.cage("cage.open", gaming_day=NEXT, cash_minor=CASH + 419_000, **held)
    house.lead("session.open", gaming_day=NEXT, opener=chips(1_630_500))


def follow(house: WorkedDay, using: str) -> Callable[[int], None]:
    """Brings the rows to a position."""
    applier = Applier(projectors(["accounts"], WriteTarget(using)), PROPERTY)
    applier.load()

    def to(position: int) -> None:
        applier.apply(house.store.after(applier.position, 100_000, until=position))

    return to


def row_figures(using: str, day: str, position: int) -> Any:
    """Return the rows' figures of a day: live, or from its last close or restatement."""
    rows = day_rows(day, using)
    if rows is None:
        return None
    reports = DayReport.objects.using(using).filter(gaming_day=day).order_by("number")
    if stored := list(reports):
        return msgspec.json.decode(stored[-1].figures)
    return msgspec.json.decode(msgspec.json.encode(figures(rows, position)))


def report(house: WorkedDay, day: str, position: int) -> Any:
    figures = without_others(day_reports.make(house.store, PROPERTY, day, position).figures)
    return msgspec.json.decode(msgspec.json.encode(figures))


def test_the_rows_say_what_the_canonical_report_says_at_every_position(using: str, house: WorkedDay) -> None:
    house.play()
    close_and_restate(house)
    to, last = follow(house, using), house.store.position()
    opened = house.store.after(0, 1, ["cage.opened.v1"])[0].position
    for position in range(opened, last + 1):
        to(position)
        figures = row_figures(using, DAY, position)
        assert figures == report(house, DAY, position), position
    assert row_figures(using, NEXT, last) == report(house, NEXT, last)
    restated = DayReport.objects.using(using).get(gaming_day=DAY, number=1)
    [first, *_] = msgspec.json.decode(restated.changed)
    assert {"place": "tables/FR1/shifts/night/drop/cash_minor", "before": 120_000, "after": 119_000} in first["changed"]


def test_the_rows_of_a_day_of_mistakes_say_the_same(using: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    house = MistakenDay()
    house.play()
    to, last = follow(house, using), house.store.position()
    opened = house.store.after(0, 1, ["cage.opened.v1"])[0].position
    for position in range(opened, last + 1):
        to(position)
        for day in (EVE, DAY):
            if (figures := row_figures(using, day, position)) is not None:
                assert figures == report(house, day, position), (day, position)
    house.close()


@pytest.mark.parametrize("file", ["report-2-mistakes", "report-3"])
def test_a_closed_day_has_the_figures_of_its_layout(using: str, tmp_path: Path, file: str) -> None:
    """Rows rebuilt from an older store have the figures with which the day was closed and restated."""
    store = open_store(frozen_stores.sqlite_url(file, tmp_path))
    applier = Applier(projectors(["accounts"], WriteTarget(using)), PROPERTY)
    applier.load()
    applier.apply(store.after(0, 100_000))
    reports = DayReport.objects.using(using).filter(gaming_day=DAY).order_by("number")
    for row, name in zip(reports, ("closed", "restated"), strict=True):
        expected = without_others(msgspec.json.decode(frozen_stores.read(f"{file}.{name}.json")))
        assert msgspec.json.decode(row.figures) == expected
    [first, *_] = msgspec.json.decode(reports[1].changed)
    assert any(change["place"].startswith("tables/FR1/shifts/day/drop/") for change in first["changed"])
    store.close()


def test_the_floor_says_of_a_table_what_the_report_says(using: str, house: WorkedDay) -> None:
    """Both wins and the drop, at every position: of boxes counted by two, counted again, and not counted yet."""
    house.play()
    close_and_restate(house)
    applier = Applier(projectors(["accounts"], WriteTarget(using)), PROPERTY)
    applier.load()
    for position in range(1, house.store.position() + 1):
        applier.apply(house.store.after(applier.position, 1))
        for row in TableDay.objects.using(using).filter(gaming_day=DAY):
            ledger = fold(everything(house.store, until=position), PROPERTY)
            [table] = table_days_fold.of_gaming_day(ledger.tables, DAY)
            both_wins, drop = wins(row), table.day.drop
            assert both_wins.inventory_win_minor == table.day.inventory_win_minor, position
            assert both_wins.event_win_minor == table.day.event_win_minor, position
            assert (row.drop_minor is not None) == drop.counted, position
            assert net_drop_minor(row) == drop.cash_minor + drop.marker_minor + drop.chips_minor, position


def test_rows_built_again_are_the_same(using: str, house: WorkedDay) -> None:
    house.play()
    close_and_restate(house)
    to, last = follow(house, using), house.store.position()
    for position in range(0, last, 7):
        to(position)
    to(last)
    [done] = Rebuild([PROJECTORS["accounts"]], house.store, PROPERTY, using=using).run()
    assert (done.differences, done.poisoned) == ([], 0)


def test_what_stands_beside_the_figures(using: str, house: WorkedDay) -> None:
    house.play()
    close_and_restate(house)
    follow(house, using)(house.store.position())
    late = LateEvent.objects.using(using).filter(gaming_day=DAY).order_by("position")
    assert [(event.type, event.named) for event in late] == [("count.settled.v1", 1), ("discrepancy.found.v1", 1)]
    boxes = BoxAccount.objects.using(using).order_by("drop_box")
    assert [(box.drop_box, box.shift, bool(box.removed_at), bool(box.counted_at)) for box in boxes] == [
        *(("one", "day", True, True), ("two", "night", True, True)),
    ]
    [closer] = FoundAccount.objects.using(using).filter(kind="closer")
    shift_count = house.store.after(0, 1, ["shift.counted.v1"])[0]
    assert (closer.since, closer.band) == (shift_count.position, "recorded")
    hours = [msgspec.json.decode(hour.state) for hour in TableHour.objects.using(using).all()]
    assert sum(hour["lost"] - hour["due"] + hour["commission"] for hour in hours) == 65_000
    assert sum(hour["bought"] for hour in hours) == 470_000


def test_a_voucher_is_no_drop_and_moves_no_hour(using: str, house: WorkedDay) -> None:
    house.begin()
    house.lead("drop.put", drop_box="one")
    house.buy(10_000, "promotional")
    follow(house, using)(house.store.position())
    assert not TableHour.objects.using(using).exists()
    house.buy(300, "cash")
    follow(house, using)(house.store.position())
    [hour] = TableHour.objects.using(using)
    assert msgspec.json.decode(hour.state)["bought"] == 300
    assert (hour.first, hour.last) == (house.store.position(), house.store.position())


def test_a_table_that_is_void_stands_in_no_report(using: str, house: WorkedDay) -> None:
    house.begin()
    void = house.action("session.void", reason="the wrong day")
    house.agreed("tables", "FR1", ("ines", "sven"), void)
    last = house.store.position()
    follow(house, using)(last)
    assert row_figures(using, DAY, last) == report(house, DAY, last)
    assert row_figures(using, DAY, last)["tables"] == []


def test_a_mispay_stands_in_the_hour_in_which_its_round_ended(using: str, tmp_path: Path, monkeypatch: Any) -> None:
    """Winnings that were due at 20:59 and paid at 21:01 are no mispay; the 20.00 paid too much are."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    clock = SetClock(f"{DAY}T20:30:00.000Z")
    house = WorkedDay(open_store("memory://", clock))
    house.begin()
    house.deal("round.open")
    house.bet("b", "red", 130_000)
    clock.advance(f"{DAY}T20:59:00.000Z")
    house.red_falls()
    clock.advance(f"{DAY}T21:01:00.000Z")
    house.deal("payment.make", bet="b", amount_minor=132_000, _intent="fact")
    clock.advance(f"{DAY}T22:10:00.000Z")
    house.deal("round.end")
    follow(house, using)(house.store.position())
    rows = TableHour.objects.using(using).filter(gaming_day=DAY).order_by("hour")
    states = {row.hour[-2:]: msgspec.json.decode(row.state) for row in rows}
    assert {hour: state.get("mispay", 0) for hour, state in states.items()} == {"20": 0, "21": 0, "22": -2_000}
    assert sum(state.get("due", 0) - state.get("paid", 0) for state in states.values()) == -2_000


def test_a_slip_voided_on_the_cages_next_day_comes_late_to_its_own(using: str, house: WorkedDay) -> None:
    slip = with_open_slip(house, "fill")
    reopened(house)
    asking = house.action("slip.void", kind="fill", slip=slip, reason="never carried")
    voided = next(
        event for event in house.agreed("cage", "", ("cage", "ines"), asking) if event.type == "slip.voided.v1"
    )
    to = follow(house, using)
    to(house.store.position())
    late = LateEvent.objects.using(using).get(gaming_day=DAY, type="slip.voided.v1")
    assert (late.event, late.named) == (voided.id, 0)
    amend(house, voided)
    to(house.store.position())
    late.refresh_from_db()
    assert late.named == 1
    for day in (DAY, NEXT):
        assert row_figures(using, day, house.store.position()) == report(house, day, house.store.position())
