"""A long export of a search or of the access log is a background job: computed once, resumed, read while it is made."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import EXPORT, EXPORT_ASKED, EXPORTED, PERSON, add
from backoffice.installation.dependency_injection import installation
from backoffice.integrity import access_log_listing
from backoffice.jobs.job_progress_and_saved_steps import Progress
from backoffice.jobs.job_state_and_lease_files import Basis, JobFolder, JobState
from backoffice.jobs.on_demand_jobs import Job, Jobs, Task, export_jobs, name_of
from backoffice.kit import export_sent_as_stream_or_job_file, file_download_or_background_job
from backoffice.kit.export_sent_as_stream_or_job_file import Export, LongFile, Piece
from backoffice.surveillance.search import full_export
from events.errors import Retry
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db
PAGE = {"accept": "text/html"}
PART = PAGE | {"hx-request": "true"}
ADDRESSES = (
    "/events/export.jsonl?q=type:bet.placed,bet.settled",
    "/events/export.csv?q=",
    "/integrity/looks/export.jsonl?person=",
)

# Every export is long, and made on a test's one connection.
LONG_FILES: tuple[tuple[Any, str, Any], ...] = (
    (file_download_or_background_job, "LONG_EVENTS", 1),
    (file_download_or_background_job, "connections", SimpleNamespace(close_all=lambda: None)),
    (file_download_or_background_job, "close_stale_connections", lambda: None),
    (full_export, "SHORT", 3),
    (access_log_listing, "SHORT", 3),
    (access_log_listing, "AT_ONCE", 2),
    (export_sent_as_stream_or_job_file, "PART_BYTES", 1_000),
    (export_sent_as_stream_or_job_file, "connections", SimpleNamespace(close_all=lambda: None)),
    (export_sent_as_stream_or_job_file, "close_stale_connections", lambda: None),
)


class SecondRequestJobs(Jobs):
    """Runs a job at its second request, in the requesting thread: a test's database has one connection."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._waiting: dict[str, tuple[Task, Basis]] = {}
        self.count, self.is_held = 0, False

    def ask(self, task: Task, basis: Basis, **how: Any) -> Job | None:
        if not self.is_held and (waiting := self._waiting.pop(name_of(task), None)):
            self.count += 1
            self._do(waiting[0], name_of(task), waiting[1])
        return super().ask(task, basis, **how | {"wait_s": 0.0})

    def _begin(self, task: Task, name: str, basis: Basis) -> bool:
        self._waiting[name] = (task, basis)
        return True


@pytest.fixture
def is_long(evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SecondRequestJobs]:
    """Every export is long."""
    for module, name, value in LONG_FILES:
        monkeypatch.setattr(module, name, value)
    for number in range(9):
        add(PERSON, f"/people/{number}", person="olga")
    jobs = SecondRequestJobs(tmp_path / "exports")
    replacement: Jobs = jobs
    with installation().replaced(export_jobs, replacement):
        yield jobs


def lines(kind: str) -> list[tuple[str, int | None]]:
    return [*Look.objects.filter(kind=kind).order_by("number").values_list("person", "entry_count")]


def content(answer: Any) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def link_in(client: Client, address: str) -> str:
    """Return the link to the file, from the page that shows the progress."""
    text = client.get(address, headers=PART).content.decode()
    if "<progress" in text:
        text = client.get(address, headers=PART).content.decode()
    match = re.search(r'href="([^"]+)" download', text)
    assert match is not None, text
    return unescape(match[1])


def without_moment(text: bytes) -> bytes:
    """Return a sheet without its time and without the digest over that time."""
    return re.sub(rb"(made,|above,)[^\r]*", rb"\1", text)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_long_export_has_the_bytes_of_a_short_one(
    client: Client, is_long: SecondRequestJobs, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as small:
        small.setattr(file_download_or_background_job, "LONG_EVENTS", 10**9)
        at_once = content(client.get(address, headers=PAGE))
    answer = client.get(address, headers=PAGE)
    assert "Calculating" in answer.content.decode()
    long = content(client.get(link_in(client, address), headers=PAGE))
    assert long.count(b"\n") > 8
    if "looks" in address:  # the exports themselves have left lines meanwhile
        assert at_once.startswith(long[: long.index(b'"kind":"export')].rpartition(b"\n")[0])
    else:
        assert without_moment(long) == without_moment(at_once)


def test_a_failed_export_has_its_reason_and_a_link_that_makes_it_again(
    client: Client, is_long: SecondRequestJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as without_space:
        without_space.setattr(JobFolder, "add_content", full)
        client.get(ADDRESSES[0], headers=PAGE)
        failed = client.get(ADDRESSES[0], headers=PAGE).content.decode()
    assert "No space left on device" in failed
    match = re.search(r'href="([^"]+)">Calculate again', failed)
    assert match is not None, failed
    client.get(unescape(match[1]), headers=PAGE)
    assert content(client.get(link_in(client, ADDRESSES[0]), headers=PAGE))


def test_who_asks_and_each_download_leave_a_line(
    client: Client, evening_house: House, is_long: SecondRequestJobs
) -> None:
    evening_house.grant("otto", "auditor")
    other = signed_in(Client(), "otto")
    address = ADDRESSES[0]
    is_long.is_held = True
    for reader in (client, other):
        reader.get(address, headers=PAGE)
    is_long.is_held = False
    link = link_in(client, address)
    assert lines(EXPORT_ASKED) == [("olga", None), ("otto", None)]
    assert lines(EXPORT) == [], "progress shows nothing of it"
    for reader in (client, other):
        sent = content(reader.get(link, headers=PAGE)).count(b"\n")
    assert lines(EXPORT) == [("olga", sent), ("otto", sent)]
    assert lines(EXPORTED) == [("olga", sent), ("otto", sent)]


def test_readers_who_may_not_see_it_get_no_file(client: Client, is_long: SecondRequestJobs) -> None:
    link = link_in(client, ADDRESSES[2])
    assert signed_in(Client(), "dora").get(link, headers=PAGE).status_code == 403
    assert Client().get(link, headers=PAGE).status_code in (302, 401, 403)
    assert lines(EXPORT) == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_program_gets_the_file_while_it_is_made(client: Client, is_long: SecondRequestJobs, address: str) -> None:
    followed = content(client.get(address))
    assert content(client.get(link_in(client, address), headers=PAGE))[:500] == (followed[:500])
    assert lines(EXPORTED)[0] == ("olga", followed.count(b"\n"))


def test_an_export_of_nothing_is_an_empty_file(
    client: Client, is_long: SecondRequestJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_export, "is_short", lambda _search: False)
    address = "/events/export.jsonl?q=player:nobody-of-that-name"
    assert content(client.get(address)) == b""
    assert content(client.get(link_in(client, address), headers=PAGE)) == b""


def test_a_short_one_of_a_large_house_is_sent_at_once(client: Client, is_long: SecondRequestJobs) -> None:
    answer = client.get("/events/export.jsonl?q=type:session.opened%20table:FR1", headers=PAGE)
    assert content(answer).count(b"\n") == 1
    assert lines(EXPORT_ASKED) == []


# --- the job itself ---------------------------------------------------------------------------------------------------


def numbers(pieces: Callable[[int, int], Iterable[Piece]]) -> Export:
    return Export(
        question=("numbers",),
        pieces=pieces,
        basis=Basis,
        kind="text/plain",
        name="numbers.txt",
        head=lambda position: b"to %d\n" % position,
        end=lambda digest: digest.encode(),
    )


def piece(number: int) -> Piece:
    return Piece(b"%d\n" % number, 1, number)


class EndingThread:
    """Numbers; the thread that reads them ends once, in front of one of them."""

    def __init__(self, stop: int) -> None:
        self.read, self.reached, self._stop = list[int](), threading.Event(), stop

    def __call__(self, after: int, until: int) -> Iterator[Piece]:
        for number in range(after + 1, until + 1):
            if number == self._stop and not self.reached.is_set():
                self.reached.set()
                raise SystemExit
            self.read.append(number)
            yield piece(number)


def all_numbers(after: int, until: int) -> Iterator[Piece]:
    return map(piece, range(after + 1, until + 1))


def task_of(export: Export) -> Task:
    return Task(
        question=export.question,
        shape=LongFile,
        work=lambda progress, basis: export_sent_as_stream_or_job_file._write(export, progress, basis),
    )


def file_of(jobs: Jobs, export: Export, basis: Basis) -> bytes:
    task = task_of(export)
    job = jobs.ask(task, basis, wait_s=30)
    assert job is not None
    assert job.answer is not None, job.reason
    return b"".join(export_sent_as_stream_or_job_file._finished_file(jobs, task, job.answer.size))


def test_a_stopped_export_goes_on_behind_the_last_saved_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends before each line. The file is the same, and no line is read twice."""
    monkeypatch.setattr(export_sent_as_stream_or_job_file, "PART_BYTES", 1)
    monkeypatch.setattr(threading, "excepthook", lambda _args: None)
    whole = file_of(Jobs(tmp_path / "whole"), numbers(all_numbers), Basis(6))
    for stop in range(1, 7):
        numbered, folder = EndingThread(stop), tmp_path / str(stop)
        first, task = Jobs(folder), task_of(numbers(numbered))
        first.ask(task, Basis(6), wait_s=0)
        assert numbered.reached.wait(30)
        first.close()
        with (folder / name_of(task) / "content").open("ab") as content:
            content.write(b"half a part")
        second = Jobs(folder)
        assert file_of(second, numbers(numbered), Basis(9)) == whole, "the basis is the first asker's"
        assert numbered.read == [1, 2, 3, 4, 5, 6]
        second.close()


def test_a_reader_follows_a_file_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_sent_as_stream_or_job_file, "PART_BYTES", 1)
    may = threading.Semaphore(0)

    def slowly(after: int, until: int) -> Iterator[Piece]:
        for number in range(after + 1, until + 1):
            assert may.acquire(timeout=30)
            yield piece(number)

    jobs, task = Jobs(tmp_path), task_of(numbers(slowly))
    job = jobs.ask(task, Basis(3), wait_s=0)
    assert job is not None
    parts = export_sent_as_stream_or_job_file._followed(jobs, task, job)
    assert next(parts) == b"to 3\n"
    for number in (1, 2):
        may.release()
        assert next(parts) == b"%d\n" % number
    may.release()
    assert len(b"".join(parts)) == 2 + 64, "the last line and the digest"
    jobs.close()


def test_a_full_disk_is_the_reason_why_there_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(JobFolder, "add_content", full)
    jobs, export = Jobs(tmp_path), numbers(lambda _after, _until: [piece(1)])
    task = task_of(export)
    job = jobs.ask(task, Basis(1), wait_s=30)
    assert job is not None
    assert "No space left on device. Free space in PITLEDGER_DATA" in job.reason
    with pytest.raises(Retry, match="No space left"):
        b"".join(export_sent_as_stream_or_job_file._followed(jobs, task, job))
    jobs.close()


def test_a_reader_keeps_the_file_that_is_deleted_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_sent_as_stream_or_job_file, "PART_BYTES", 1)
    jobs, task = Jobs(tmp_path), task_of(numbers(all_numbers))
    job = jobs.ask(task, Basis(6), wait_s=30)
    assert job is not None
    parts = export_sent_as_stream_or_job_file._finished_file(jobs, task, job.answer.size)
    first = next(parts)
    JobFolder(tmp_path / name_of(task)).delete()
    assert (first + b"".join(parts)).startswith(b"to 6\n1\n2\n3\n4\n5\n6\n")
    with pytest.raises(Retry, match="Ask for it again"):
        b"".join(export_sent_as_stream_or_job_file._finished_file(jobs, task, job.answer.size))
    jobs.close()


def test_progress_grows_with_what_is_read(tmp_path: Path) -> None:
    shown = list[float]()

    class RecordingProgress(Progress):
        def reached(self, share: float) -> None:
            super().reached(share)
            shown.append(self.percent)

    folder = JobFolder(tmp_path / "job")
    with folder.lease():
        watched = RecordingProgress(folder, JobState(basis=Basis(10), version="1"))
        export_sent_as_stream_or_job_file._write(numbers(all_numbers), watched, Basis(10))
    assert shown == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 99.0]
