"""Reports of closed days as files in a named folder: each once, whole, and never over another file."""

import errno
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from backoffice.access.models import GivenOut, Look
from backoffice.days import system_state_for_day_close
from backoffice.days.reports.catalogue import REPORTS
from backoffice.deliveries import folder_file_writer
from backoffice.deliveries.digest_times_and_quiet_hours import is_due
from backoffice.deliveries.due_delivery_creation_and_sending import deliver
from backoffice.models import DeliveredFile, Delivery, DeliveryAttempt, Person, Subscription
from backoffice.people import current_roles
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.command_and_answer_structs import Command
from events.envelope import Action, AnyEnvelope, Who
from events.streams.stream_kind_declaration import Target
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, events_of, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words
from tests.support.processes.subscriptions_and_receivers import later, name_destinations

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the administrator has named."""
    return name_destinations(tmp_path, monkeypatch)


@pytest.fixture
def house(db: None, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    """The worked day, not closed yet."""
    house = WorkedDay()
    well = SystemState(readers={}, head=10**9, aside={})
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: well)
    checklist_system_state_source.register_source(house.store, lambda: well)
    with serving(house):
        house.play()
        evening_with_everything.project(house)
        yield house
    house.close()


def close(house: WorkedDay) -> None:
    house.ok("days", "", "anna", house.action("day.close"))
    evening_with_everything.project(house)


def subscribe(choice: str, person: str = "anna", period: str = "at once", to: str = "folder:accounting") -> int:
    answer = at(person).post(
        "/subscriptions/add", {"source": f"report:{choice}", "webhook": to, "period": period, "quiet_from": ""}
    )
    return int(answer.status_code)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_closed_day_is_written_as_pdf_and_xlsx_once(house: WorkedDay, folder: Path) -> None:
    assert subscribe("slips") == 302
    assert deliver() == 0, "the day is open"
    close(house)
    assert [deliver() for _time in range(3)] == [1, 0, 0]
    assert names(folder) == [f"pitledger-slips-{DAY}.pdf", f"pitledger-slips-{DAY}.xlsx"]
    assert (folder / f"pitledger-slips-{DAY}.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / f"pitledger-slips-{DAY}.xlsx").read_bytes().startswith(b"PK")
    assert GivenOut.objects.filter(kind__startswith="report, slips", person="anna").count() == 2
    [pdf, xlsx] = Look.objects.filter(kind="export", person="anna").order_by("number")
    assert pdf.what == f"/days/{DAY}/reports/slips/report.pdf > folder accounting"
    assert xlsx.what.startswith(f"/days/{DAY}/reports/slips/report.xlsx")


def test_all_reports_are_written_in_both_forms(house: WorkedDay, folder: Path) -> None:
    subscribe("all")
    close(house)
    assert deliver() == 1
    reports = ["report", *(report.name for report in REPORTS)]
    assert names(folder) == sorted(f"pitledger-{name}-{DAY}.{form}" for name in reports for form in ("pdf", "xlsx"))


def test_another_file_of_the_name_is_never_replaced(
    house: WorkedDay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / f"pitledger-slips-{DAY}.pdf"
    other.write_bytes(b"the accountant's own notes")
    subscribe("slips")
    close(house)
    assert deliver() == 0
    assert other.read_bytes() == b"the accountant's own notes"
    assert names(folder) == [f"pitledger-slips-{DAY}.pdf", f"pitledger-slips-{DAY}.xlsx"], "the other form is written"
    assert "waiting the folder has another file of this name" in words(at("anna"), "/subscriptions")
    other.unlink()
    later(monkeypatch, minutes=2)
    assert deliver() == 1


def test_a_link_in_the_folder_is_not_followed(house: WorkedDay, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"secret")
    (folder / f"pitledger-slips-{DAY}.pdf").symlink_to(outside)
    subscribe("slips")
    close(house)
    assert deliver() == 0
    assert outside.read_bytes() == b"secret"
    assert Delivery.objects.get().answer == "name taken"


def test_a_folder_that_is_gone_or_full_is_tried_again_and_reported(
    house: WorkedDay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("slips")
    close(house)
    folder.rename(folder.with_name("away"))
    assert deliver() == 0
    assert not folder.exists(), "nobody makes the folder of a disk that is away"
    assert "waiting the folder does not exist" in words(at("anna"), "/subscriptions")
    folder.with_name("away").rename(folder)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    later(monkeypatch, minutes=2)
    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        assert deliver() == 0
    assert names(folder) == [], "half a file has no name"
    assert Delivery.objects.get().answer == "folder full"
    later(monkeypatch, minutes=5)
    assert deliver() == 1
    results = [*DeliveryAttempt.objects.order_by("id").values_list("state", "result")]
    assert results == [("waiting", "folder gone"), ("waiting", "folder full"), ("sent", "")]
    assert GivenOut.objects.filter(kind__startswith="report, slips").count() == 2, "one copy each"


def test_a_second_subscriber_finds_the_file_there(house: WorkedDay, folder: Path) -> None:
    subscribe("slips")
    subscribe("slips", "sven")
    close(house)
    assert deliver() == 2
    assert len(names(folder)) == 2
    assert DeliveredFile.objects.count() == 2


def test_a_restatement_is_another_file(house: WorkedDay, folder: Path) -> None:
    subscribe("slips")
    close(house)
    deliver()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    recount = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    [_requested, settled, discrepancy] = house.agreed("days", "", ("cora", "carl"), recount)
    amend = house.action("day.amend", events=[settled.id, discrepancy.id], reason="counted again")
    [request] = of_day(house, "anna", amend)
    of_day(house, "sid", house.action("approval.give", request=request.data.request, content=request.data.content))
    evening_with_everything.project(house)
    assert deliver() == 1
    after = {file.name: file.read_bytes() for file in folder.iterdir()}
    restated = {f"pitledger-slips-{DAY}-restatement-1.{form}" for form in ("pdf", "xlsx")}
    assert {*after} - {*before} == restated
    assert {name: after[name] for name in before} == before


def of_day(house: WorkedDay, person: str, action: Action) -> list[AnyEnvelope]:
    who = Who(person=person, roles=frozenset(), factor_s=0)
    return events_of(house.desk.do(Command(Target("days", "", DAY), (action,), who)))


def test_rights_are_judged_when_the_files_are_written(
    house: WorkedDay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_roles, "REMEMBERED_S", 0.0)
    subscribe("cash", "sven")
    house.grant("wim", "surveillance")
    close(house)
    house.ok("people", "", "adam", house.action("role.revoke", person="sven", role="surveillance"))
    evening_with_everything.project(house)
    assert deliver() == 0
    assert names(folder) == []
    assert Subscription.objects.get().end_reason == "no access"


def test_a_folder_that_is_no_longer_named_gets_nothing(house: WorkedDay, folder: Path, tmp_path: Path) -> None:
    subscribe("slips")
    close(house)
    (tmp_path / "destinations.toml").write_text("", encoding="utf-8")
    assert deliver() == 0
    assert names(folder) == []
    assert Delivery.objects.get().answer == "no such destination"


def test_a_folder_takes_reports_only_and_only_named_ones_are_offered(house: WorkedDay, folder: Path) -> None:
    assert subscribe("slips", to="folder:elsewhere") == 422
    assert subscribe("slips", to=f"folder:{folder}") == 422
    form = {"source": "day:", "webhook": "folder:accounting", "period": "at once"}
    refused = at("anna").post("/subscriptions/add", form)
    assert (refused.status_code, "A folder takes reports only." in refused.content.decode()) == (422, True)
    page = at("anna").get("/subscriptions").content.decode()
    assert 'value="folder:accounting"' in page
    assert str(folder) not in page


def test_a_report_with_people_is_never_in_a_mail(
    house: WorkedDay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("cash", to="")
    subscribe("all", to="")
    Person.objects.filter(id="anna").update(email="anna@example.org")
    close(house)
    assert deliver() == 2
    for sent in mail.outbox:
        assert sent.attachments == []
        assert set(str(sent.body).split()) & {"Ann", "Cora", "anna"} == set()


def test_weekly_and_monthly_reports_follow_the_calendar() -> None:
    made = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday
    weekly = Subscription(period="week", made_at=made)
    monthly = Subscription(period="month", made_at=made)
    assert not is_due(weekly, datetime(2026, 11, 29, 12, tzinfo=UTC))
    assert is_due(weekly, datetime(2026, 11, 30, 12, tzinfo=UTC))
    weekly.looked_at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert not is_due(weekly, datetime(2026, 12, 6, 12, tzinfo=UTC))
    assert is_due(weekly, datetime(2027, 1, 4, 12, tzinfo=UTC)), "also over the end of a year"
    assert not is_due(monthly, datetime(2026, 11, 30, 12, tzinfo=UTC))
    assert is_due(monthly, datetime(2026, 12, 1, 12, tzinfo=UTC))


def test_a_weekly_report_brings_every_day_of_the_week(
    house: WorkedDay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("slips", period="week")
    close(house)
    assert deliver() == 0
    later(monkeypatch, days=8)
    assert deliver() == 1
    assert names(folder) == [f"pitledger-slips-{DAY}.pdf", f"pitledger-slips-{DAY}.xlsx"]


def test_what_a_killed_sender_left_is_deleted_later(tmp_path: Path) -> None:
    left, own = tmp_path / f"{folder_file_writer.PART}0123.part", tmp_path / "notes.part"
    for file in (left, own):
        file.write_bytes(b"half")
        os.utime(file, (0, 0))
    fresh = tmp_path / f"{folder_file_writer.PART}4567.part"
    fresh.write_bytes(b"another sender writes it now")
    with folder_file_writer.open_folder(tmp_path) as opened:
        opened.delete_unfinished()
    assert not left.exists()
    assert own.exists()
    assert fresh.exists()


def test_a_pipe_of_the_name_is_no_file_and_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.pdf")
    held_open = os.open(tmp_path / "report.pdf", os.O_RDWR)
    try:
        with folder_file_writer.open_folder(tmp_path) as folder, pytest.raises(OSError, match="it is no file"):
            folder.digest("report.pdf")
    finally:
        os.close(held_open)
