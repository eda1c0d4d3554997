"""The page System: the state of parts, servers, backups and disks for its administrator, with remedies."""

import pytest
from django.test import Client
from django.utils import timezone
from msgspec.structs import replace

from backoffice.house.backup_records import begin_record, end_record
from backoffice.house.condition_lags_and_problems import condition
from backoffice.house.disk_space_readings import Disk
from backoffice.house.problem_remedies import Problem
from backoffice.models import PartReport
from projections.engine.models import Reader
from tests.integration.pages.test_metrics import report
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator(evening_house: House) -> Client:
    """The administrator's browser."""
    return signed_in(Client(), "adam")


def test_an_administrator_finds_it_in_the_menu_and_others_do_not(administrator: Client, evening_house: House) -> None:
    assert 'href="/system"' in source(administrator, "/people")
    paul = signed_in(Client(), "paul")
    assert 'href="/system"' not in source(paul, "/")
    assert paul.get("/system").status_code == 403
    assert paul.get("/api/v1/system").status_code == 403
    assert Client().get("/system").status_code == 302


def test_a_house_whose_parts_have_not_reported_says_when_they_will(administrator: Client) -> None:
    page = words(administrator, "/system")
    assert "No part has reported yet. Parts report a few seconds after their start." in page
    assert "None yet" in page
    assert "Set PITLEDGER_BACKUP for scheduled backups" in page


def test_each_part_stands_there_with_its_state_and_what_to_do(administrator: Client) -> None:
    report("worker")
    report("relay", away={"kafka": "connection refused"})
    report("projector", progress_s=timezone.now().timestamp() - 90)
    page = words(administrator, "/system")
    for text in (
        "worker Running",
        "projector No progress",
        "it made no progress for 9",
        "If it is paused, let it go on.",
        "Kafka Does not answer",
        "connection refused",
        "Start Kafka, or correct PITLEDGER_KAFKA.",
        "Event store Answers",
        "2 problems",
    ):
        assert text in page, text


def test_the_same_stands_in_the_interface(administrator: Client) -> None:
    report("projector", progress_s=timezone.now().timestamp() - 90)
    end_record(begin_record("/backups/1", is_scheduled=False), is_good=True, position=9, size_bytes=10)
    answer = administrator.get("/api/v1/system").json()
    [part] = [line for line in answer["parts"] if line["name"] == "projector"]
    assert (part["name"], part["colour"], answer["is_well"]) == ("projector", "red", False)
    assert part["do"]
    backup = next(line for line in answer["history"] if line["name"] == "Backup")
    assert (backup["colour"], backup["state"]) == ("amber", "Manual")
    assert {line["name"] for line in answer["machine"]} >= {"Disk: data", "Clock", "Certificate"}


def test_a_disk_that_is_nearly_full_and_clocks_that_differ_are_problems(
    administrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    report("relay", clock_offset_s=-42.0)
    monkeypatch.setattr("backoffice.house.condition_lags_and_problems.disks", lambda: (Disk("data", 10**9, 10**12),))
    page = words(administrator, "/system")
    assert "Disk: data Nearly full" in page
    assert "0.9 of 931.3 GiB are free" in page
    assert "Clocks differ" in page
    assert administrator.get("/healthz").json()["status"] == "degraded"
    assert {problem["part"] for problem in administrator.get("/healthz").json()["problems"]} == {"disk (data)", "clock"}


def test_in_containers_a_part_that_was_stopped_or_never_came_is_a_problem(
    administrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_PROCESS_MARK", "compose")
    for part in ("relay", "projector", "worker", "beat", "pages", "web"):
        report(part)
    PartReport.objects.filter(part="beat").update(is_ended=True)
    problems = {problem["part"]: problem["state"] for problem in administrator.get("/healthz").json()["problems"]}
    assert problems == {"beat": "stopped", "live": "missing"}
    report("live")
    PartReport.objects.create(
        id="beat@new", part="beat", host="new", pid=2, version="0.1.0", started_s=1.0, reported_s=4e9,
        progress_s=4e9, is_ended=False, figures="{}",
    )  # fmt: skip
    assert administrator.get("/healthz").json() == {"status": "ok"}, "the same part in another container does its work"


def test_a_part_that_is_silent_and_behind_is_first_said_to_be_silent(
    administrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = (
        Problem("relay", "silent", "no progress", "wait"),
        Problem("relay", "behind", "1 event", "wait"),
    )
    now = replace(condition(), problems=problems)
    monkeypatch.setattr("backoffice.house.healthz_answer.condition", lambda: now)
    health = administrator.get("/healthz").json()
    assert [problem["state"] for problem in health["problems"]] == ["silent", "behind"]
    assert health["down"] == {"relay": "no progress"}


def test_the_page_shows_its_figures_anew_without_any_event(administrator: Client) -> None:
    report("live")
    part = administrator.get("/system/live", {"seen": "9.current.0"})
    assert part.status_code == 200
    assert b"<html" not in part.content
    assert b"Running" in part.content


def test_a_read_model_of_another_version_stands_still(administrator: Client, evening_house: House) -> None:
    Reader.objects.filter(projection="floor").update(version=0)
    page = words(administrator, "/system")
    assert "floor Stopped" in page
    assert "./manage.py rebuild floor --approve" in page
    assert "tables Up to date" in page
