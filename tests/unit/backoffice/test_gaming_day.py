"""`./manage.py report`: a gaming day on the terminal, as JSON and as sheets, as of any position or time."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backoffice.access.models import GivenOut
from backoffice.days import report_json_and_csv, system_state_for_day_close
from backoffice.days.reports.master_report_files import workbook
from events.accounting.report import canonical_report_bytes, checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.errors import Invalid
from events.runtime.clock import PlayedClock
from events.store import open_store
from events.store.position_at_time import position_of, recorded_by
from projections.engine.models import PoisonedEvent, Reader
from tests.support.houses.small_house import DAY, House, serving
from tests.support.houses.worked_day import WorkedDay

CANONICAL = ("status", "digest", "checklist")  # what is not canonical of it


pytestmark = pytest.mark.django_db  # figures say first whether the read models are of this store


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    """The worked day, in a store that the command opens as well."""
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PITLEDGER_STORE", url)
    made = WorkedDay(open_store(url))
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: all_is_well(made))
    checklist_system_state_source.register_source(made.store, lambda: all_is_well(made))
    made.play()
    yield made
    made.close()


def all_is_well(house: WorkedDay) -> SystemState:
    last = house.store.position()
    return SystemState(readers={"books": last}, head=last, aside={})


def report(*arguments: str) -> str:
    out = io.StringIO()
    call_command("report", *arguments, stdout=out)
    return out.getvalue()


def as_json(*arguments: str) -> dict[str, Any]:
    report_: dict[str, Any] = json.loads(report(DAY, "--json", *arguments))
    return report_


def test_as_json_it_has_the_digest_of_its_canonical_part(house: WorkedDay) -> None:
    report_ = as_json()
    assert (report_["status"], report_["as_of"], len(report_["checklist"])) == ("open", house.store.position(), 12)
    figures = {name: value for name, value in report_.items() if name not in CANONICAL}
    assert canonical_report_bytes.digest(figures) == report_["digest"]


def test_a_day_is_shown_as_it_was_closed_and_as_it_was_before(house: WorkedDay) -> None:
    before = house.store.position()
    open_ = as_json()
    house.ok("days", "", "anna", house.action("day.close"))
    closed = as_json()
    assert (closed["status"], closed["digest"]) == ("closed", open_["digest"])
    assert as_json("--as-of", str(before))["status"] == "open"


def test_on_the_terminal_every_figure_is_in_the_currency(house: WorkedDay) -> None:
    text = report(DAY)
    for line in ("FR1, roulette, pit A", "closer", "fill", "journal_balanced", "Chips", "Progressive blazing"):
        assert line in text
    drop, bought = (
        next(line for line in text.splitlines() if line.startswith(name)) for name in ("drop, cash", "buy-ins, cash")
    )
    assert drop.split()[2:] == bought.split()[2:] == ["3,000.00", "1,200.00", "4,200.00"]
    inventory = next(line for line in text.splitlines() if line.startswith("inventory_win"))
    assert inventory.split() == ["inventory_win", "1,030.00", "-525.00", "505.00"]


def test_as_sheets(house: WorkedDay, tmp_path: Path) -> None:
    report(DAY, "--csv", str(tmp_path / "out"))
    with (tmp_path / "out" / "shifts.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["inventory_win_minor"], second["parts.inventory_minor"]) == ("103000", "-2500")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"tables.csv", "slips.csv", "cage.csv", "checklist.csv", "discrepancies.csv"} <= names


def test_what_changed_between_two_positions(house: WorkedDay) -> None:
    last = house.store.position()
    report_ = json.loads(report(DAY, "--json", "--between", str(last), str(last - 1)))
    assert (report_["from"], report_["to"]) == (last - 1, last)
    assert [event["type"] for event in report_["events"]] == ["cage.closed.v1"]
    assert "cage.closed.v1" in report(DAY, "--between", str(last - 1), str(last))
    assert "nothing changed" in report(DAY, "--between", str(last), str(last))


def test_what_changed_since_before_the_day_was(house: WorkedDay) -> None:
    """A start before the house, or at its first event, lists all changes. The last values are those of the report."""
    last = str(house.store.position())
    for begin in ("1999-01-01", "1"):
        report_ = json.loads(report(DAY, "--json", "--between", begin, last))
        assert "currency" not in [change["place"] for change in report_["changed"]], (
            "a property has one before its first day"
        )
        [tray] = [change for change in report_["changed"] if change["place"] == "cage/cash_minor/counted_minor"]
        assert tray["after"] == as_json()["cage"]["cash_minor"]["counted_minor"]
    with pytest.raises(CommandError, match=r"Nothing of the gaming day 2026-11-19 was recorded by position \d+"):
        report("2026-11-19", "--between", "1", last)


@pytest.mark.parametrize(
    "arguments", [("2026-11-19",), (DAY, "--as-of", "999999"), (DAY, "--as-of", "noon"), (DAY, "--whole")]
)
def test_what_cannot_be_read_is_said(house: WorkedDay, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as error:
        report(*arguments)
    assert error.value.returncode == 2


def test_a_time_is_the_last_position_recorded_by_then(house: WorkedDay) -> None:
    store = house.store
    assert recorded_by(store, datetime(1999, 1, 1, tzinfo=UTC)) == 0
    assert position_of(store, "2099-01-01") == store.position()
    times = [json.loads(event.raw)["recordedat"] for event in store.after(0, 1_000)]
    for place in range(0, len(times), 17):
        assert position_of(store, times[place]) == len(times) - times[::-1].index(times[place])
    with pytest.raises(Invalid):
        position_of(store, "0")


def test_no_cell_of_a_sheet_is_a_formula() -> None:
    assert (
        report_json_and_csv.sheet([{"table": "=1+1", "end_minor": None, "lost_minor": -5}]).splitlines()[1]
        == "'=1+1,,-5"
    )


@pytest.mark.django_db
def test_the_programs_say_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store.create()
    store.close()
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    house = House()
    Reader.objects.create(projection="tables", version=1, position=house.store.position())
    PoisonedEvent.objects.create(
        id="tables/9", projection="tables", position=9, stream="s", type="t", error="e", raw=b""
    )
    with serving(house):
        status = system_state_for_day_close.read_system_state()
    position = house.store.position()
    house.close()
    assert status.readers is not None
    assert (status.readers["tables"], status.readers["floor"]) == (position, 0)
    assert (status.aside, status.head) == ({"tables": 1}, None)


@pytest.mark.django_db
def test_on_paper_and_as_a_workbook(house: WorkedDay, tmp_path: Path) -> None:
    paper, book = tmp_path / "day.pdf", tmp_path / "day.xlsx"
    assert report(DAY, "--pdf", str(paper), "--by", "anna").strip() == str(paper)
    report(DAY, "--xlsx", str(book))
    assert paper.read_bytes().startswith(b"%PDF-")
    assert zipfile.is_zipfile(book)
    assert not GivenOut.objects.exists(), "an open day may change"
    house.ok("days", "", "anna", house.action("day.close"))
    report(DAY, "--xlsx", str(book), "--by", "anna")
    assert [(copy.kind, copy.person) for copy in GivenOut.objects.all()] == [("report, as a workbook", "anna")]
    with pytest.raises(CommandError) as ended:
        report(DAY, "--pdf", str(tmp_path))
    assert ended.value.returncode == 2


def test_amounts_stand_in_a_workbook_exactly_or_as_text() -> None:
    figures = {"currency": "JPY", "tables": [], "cage": {}, "progressives": [], "slips": [], "discrepancies": []}
    figures_ = {**figures, "chips": {"issued_minor": 10**16, "cage_minor": 12}, "journal": {"Assets:X": "0.0625"}}
    with zipfile.ZipFile(io.BytesIO(workbook(figures_, [("report", "=1+1")]))) as book:
        chips, journal = (book.read(f"xl/worksheets/sheet{number}.xml").decode() for number in (2, 3))
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "<v>12</v>" in chips
    assert "<v>0.0625</v>" in journal
    assert all(f"<t>{text}</t>" in texts for text in (10**16, "=1+1"))


def test_after_a_clock_was_set_back_it_is_still_the_last_position(tmp_path: Path) -> None:
    """An hour is recorded twice, because the clock is set back. Events of its second run count by the times shown."""
    shown = tmp_path / "clock"
    shown.write_text("2026-11-20T20:00:00.000Z")
    store = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}", PlayedClock(shown))
    house = House(store)
    times = ["20:00", "20:30", "21:00", "20:10", "20:40", "21:10"]
    ends = {}
    for time in times:
        shown.write_text(f"2026-11-20T{time}:00.000Z")
        house.grant(f"p{time[:2]}{time[3:]}", "dealer")
        ends[time] = store.position()
    for time, last in (
        ("20:05", "20:00"),
        ("20:10", "20:10"),
        ("20:35", "20:10"),
        ("20:50", "20:40"),
        ("21:20", "21:10"),
    ):
        moment = f"2026-11-20T{time}:00Z"
        assert position_of(store, moment) == ends[last], time
    house.close()
