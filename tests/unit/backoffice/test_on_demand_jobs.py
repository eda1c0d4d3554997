"""A background job runs once for all readers, continues after a kill, and ends with an answer or a reason."""

import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backoffice.jobs import on_demand_jobs as limits
from backoffice.jobs.job_progress_and_saved_steps import JobStopped, Progress, store_with_progress
from backoffice.jobs.job_state_and_lease_files import Basis, JobFolder, JobState
from backoffice.jobs.on_demand_jobs import STOPS_MAX, WAITING_MAX, Job, Jobs, Task, basis_at, name_of
from backoffice.running.version import version
from events.errors import Refused
from events.store import open_store

AT = Basis(1)
STEPS = 5


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    jobs_ = Jobs(tmp_path)
    yield jobs_
    jobs_.close()


def task(work: Callable[[Progress, Basis], Any], name: str = "question") -> Task:
    return Task(question=(name,), shape=Any, work=work)


def ask_for_job(jobs: Jobs, of: Task, basis: Basis = AT, **options: Any) -> Job:
    job = jobs.ask(of, basis, **{"wait_s": 20.0, **options})
    assert job is not None
    return job


def test_an_answer_is_computed_once_and_kept_for_other_processes(jobs: Jobs, tmp_path: Path) -> None:
    computed: list[int] = []

    def work(_progress: Progress, basis: Basis) -> int:
        computed.append(basis.position)
        return basis.position

    for _ in range(3):
        assert ask_for_job(jobs, task(work)).answer == 1
    other = Jobs(tmp_path)  # as another process has it
    assert ask_for_job(other, task(work)).answer == 1
    assert computed == [1]
    assert ask_for_job(other, task(work), Basis(2), any_basis=True).answer == 1
    assert ask_for_job(other, task(work), Basis(2)).answer == 2
    assert computed == [1, 2]
    other.close()


def test_two_readers_at_once_compute_once(jobs: Jobs, tmp_path: Path) -> None:
    """Two readers in one process, and one in another."""
    may, computed, other = threading.Event(), [], Jobs(tmp_path)

    def work(progress: Progress, _basis: Basis) -> str:
        computed.append(1)
        may.wait(60)
        return "done"

    first = ask_for_job(jobs, task(work), wait_s=0)
    while not computed:
        time.sleep(0.01)
    again, elsewhere = ask_for_job(jobs, task(work), wait_s=0), ask_for_job(other, task(work), wait_s=0)
    assert [job.is_done for job in (first, again, elsewhere)] == [False] * 3
    may.set()
    assert ask_for_job(other, task(work)).answer == ask_for_job(jobs, task(work)).answer == "done"
    assert computed == [1]
    other.close()


def test_a_job_that_ends_while_it_is_asked_for_is_not_computed_again(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process reads "running" just before the end, and begins the job just after it."""
    computed: list[int] = []

    def work(progress: Progress, _basis: Basis) -> str:
        computed.append(1)
        return "done"

    assert ask_for_job(jobs, task(work)).answer == "done"
    with closing(Jobs(tmp_path)) as other:
        looks, ended = itertools.count(), other._ended_job
        monkeypatch.setattr(
            other, "_ended_job", lambda *args, **options: ended(*args, **options) if next(looks) else None
        )
        assert ask_for_job(other, task(work)).answer == "done"
    assert computed == [1]


def test_progress_only_grows_and_finished_steps_are_not_computed_again(tmp_path: Path) -> None:
    """A process ends in the middle of a job: the next process continues at the step where the first one stopped."""
    computed: list[str] = []
    first, begun = Jobs(tmp_path), threading.Event()

    def work(progress: Progress, _basis: Basis) -> list[str]:
        progress.plan({f"step {n}": 1 for n in range(STEPS)})

        def compute(name: str) -> str:
            if name == "step 3" and not any(step == name for step in computed):
                computed.append(name)
                begun.set()
                while True:  # until the process ends
                    progress.reached(0.5)
            computed.append(name)
            return name

        return [progress.step(f"step {n}", str, lambda n=n: compute(f"step {n}")) for n in range(STEPS)]  # type: ignore[misc]

    ask_for_job(first, task(work), wait_s=0)
    assert begun.wait(60)
    first.close()
    state = JobFolder(tmp_path / name_of(task(work))).state()
    assert state is not None
    assert (state.status, state.stops) == ("running", 0)
    assert 60.0 <= state.percent <= 70.0
    second = Jobs(tmp_path)
    assert ask_for_job(second, task(work), Basis(9)).answer == [f"step {n}" for n in range(STEPS)]
    assert computed == ["step 0", "step 1", "step 2", "step 3", "step 3", "step 4"]
    assert ask_for_job(second, task(work)).percent == 100  # the basis is still the first asker's
    second.close()


SLOW = """
import json, os, sys, time
from pathlib import Path
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "backoffice.settings"
django.setup()
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Jobs, Task
folder, computed, ends_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def work(progress, basis):
    progress.plan({str(n): 1 for n in range(10)})
    def compute(n):
        while n == ends_at:  # until it is killed
            time.sleep(60)
        with computed.open("a") as file:
            file.write(f"{n}\\n")
        return n
    return [progress.step(str(n), int, lambda n=n: compute(n)) for n in range(10)]

jobs = Jobs(folder)
task = Task(question=("slow",), shape=list[int], work=work)
while True:
    job = jobs.ask(task, Basis(1), wait_s=0.05)
    print(json.dumps([job.percent, job.answer, job.reason]), flush=True)
    if job.is_done:
        break
"""


def started(tmp_path: Path, ends_at: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SLOW, str(tmp_path / "jobs"), str(tmp_path / "computed"), str(ends_at)]
    root = Path(__file__).parents[3]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)


def test_a_killed_process_leaves_its_steps_to_the_next_one(tmp_path: Path) -> None:
    """Two processes ask, one of them is killed with SIGKILL: the other ends the job, and no step is done twice."""
    shown: list[int] = []
    first = started(tmp_path, 3)
    assert first.stdout is not None
    for line in first.stdout:
        shown.append(json.loads(line)[0])
        if shown[-1] >= 20:  # step 2 is saved
            break
    first.kill()
    first.communicate()
    second = started(tmp_path, -1)
    lines, _ = second.communicate(timeout=60)
    answers = [json.loads(line) for line in lines.splitlines()]
    shown += [percent for percent, _answer, _reason in answers]
    assert shown == sorted(shown)
    assert answers[-1] == [100, list(range(10)), ""]
    numbers = [int(line) for line in (tmp_path / "computed").read_text().split()]
    assert numbers == [*range(10)]


def test_a_job_ends_however_slow_the_machine_is(tmp_path: Path) -> None:
    """An hour passes between two looks at the clock."""
    hours = iter(range(0, 3_600 * 10_000, 3_600))
    jobs = Jobs(tmp_path, clock=lambda: float(next(hours)))

    def work(progress: Progress, _basis: Basis) -> int:
        return sum(progress.items_with_progress(range(1_000)))

    assert ask_for_job(jobs, task(work)).answer == sum(range(1_000))
    jobs.close()


def test_a_failure_is_told_with_its_reason_and_can_be_tried_again(jobs: Jobs) -> None:
    fails = [True]

    def refused(_progress: Progress, _basis: Basis) -> None:
        raise Refused("house", "there is no such day")

    def failed(_progress: Progress, _basis: Basis) -> int:
        return 1 // (0 if fails[0] else 1)

    assert ask_for_job(jobs, task(refused, "refused")).reason == "there is no such day"
    assert ask_for_job(jobs, task(failed)).reason == "The calculation failed. Check the log of the web process."
    fails[0] = False
    again = ask_for_job(jobs, task(failed))
    assert (again.answer, again.may_retry) == (None, True)
    assert ask_for_job(jobs, task(failed), retry=True).answer == 1


def test_a_job_that_always_kills_its_process_ends_with_a_reason(tmp_path: Path) -> None:
    """A machine with too little memory causes this."""
    of = task(lambda progress, basis: 1)
    folder = JobFolder(tmp_path / name_of(of))
    folder.path.mkdir()
    folder.write(JobState(basis=AT, version=version(), stops=STOPS_MAX))
    jobs = Jobs(tmp_path)
    assert "stopped too often at the same step" in ask_for_job(jobs, of).reason
    assert ask_for_job(jobs, of, retry=True).answer == 1
    jobs.close()


def test_a_basis_that_the_store_no_longer_has_is_not_gone_on_with(tmp_path: Path) -> None:
    """A store that was restored from a backup, or another version of the software."""
    for state in (JobState(basis=Basis(7), version=version()), JobState(basis=AT, version="0.0")):
        of = task(lambda progress, basis: progress.step("a", str, lambda: f"new {basis.position}"), state.version)
        folder = JobFolder(tmp_path / name_of(of))
        folder.path.mkdir()
        folder.save("a", b"\xa3old")
        folder.write(state)
        jobs = Jobs(tmp_path, holds=lambda basis: basis != Basis(7))
        assert ask_for_job(jobs, of).answer == "new 1"
        jobs.close()


def test_too_many_jobs_are_not_begun(jobs: Jobs) -> None:
    may = threading.Event()
    work = task(lambda progress, basis: may.wait(60))
    begun = [
        jobs.ask(Task(question=(str(n),), shape=bool, work=work.work), AT, wait_s=0) for n in range(WAITING_MAX + 3)
    ]
    assert begun[0] is not None
    assert begun[-1] is None
    may.set()


def test_old_answers_are_deleted_beyond_the_named_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    jobs = Jobs(tmp_path, clock=lambda: now[0])
    monkeypatch.setattr(limits, "KEPT_MAX", 2)
    for number in range(4):
        now[0] += 1
        ask_for_job(jobs, task(lambda progress, basis: 1, str(number)))
    jobs.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(name_of(task(len, str(n))) for n in (2, 3))  # type: ignore[arg-type]
    later = Jobs(tmp_path, clock=lambda: now[0] + limits.KEPT_S + 1)
    ask_for_job(later, task(lambda progress, basis: 1, "new"))
    later.close()
    assert len(list(tmp_path.iterdir())) == 1


def test_reading_the_store_is_progress(tmp_path: Path) -> None:
    store = open_store("memory://")
    store.create()
    folder = JobFolder(tmp_path)
    progress = Progress(folder, JobState(basis=AT, version=""))
    eyes = store_with_progress(store, progress, 10)
    assert eyes.position() == 0
    assert eyes.after(7, 1) == []
    assert progress.percent == 70.0
    eyes.after(3, 1)
    assert progress.percent == 70.0
    progress.stop()
    with pytest.raises(JobStopped):
        eyes.after(7, 1)
    assert basis_at(store) == Basis(0)
    store.close()
