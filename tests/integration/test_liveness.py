"""A slow part is left alone. A part that hangs, is paused or dies repeatedly is restarted: with small programs."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from backoffice.running import container_health_check, parts_not_running, status_files
from backoffice.running.heartbeat import Pulse
from backoffice.running.part_start_watch_and_restart import Process, says_ready
from backoffice.running.supervisor import Supervisor
from backoffice.running.working_time_without_progress import Silence, Work, could_work_s, session_of, work_of
from tests.support.processes.relays_and_topic_readers import within

CHECKOUT = Path(__file__).parents[2]
IDLE_S = 1.0  # that a start may do nothing in these tests

# Works for as long as its argument says, in processor time, then is ready, and beats.
STARTER = """
import sys, time
from backoffice.running import heartbeat, status_files
while time.process_time() < float(sys.argv[2]):
    pass
status_files.announce(sys.argv[1])
while True:
    heartbeat.record_heartbeat(sys.argv[1])
    time.sleep(0.05)
"""
# Is ready at once, and dies when that was seen.
DYING = """
import sys, time
from backoffice.running import status_files
status_files.announce(sys.argv[1])
time.sleep(1)
"""
LOOP = "while True: pass"


def program(name: str, data: Path, code: str, *arguments: str, wrapped: tuple[str, ...] = ()) -> Process:
    env = {"PITLEDGER_DATA": str(data), "PYTHONPATH": str(CHECKOUT)}
    command = [*wrapped, sys.executable, "-c", code, name, *arguments]
    return Process(name, command, says_ready(name, data), env, IDLE_S, alive=Pulse(name, data))


@pytest.fixture
def cpu() -> int:
    return min(os.sched_getaffinity(0))


@contextmanager
def starving(cpu: int, hogs: int = 8) -> Iterator[tuple[str, ...]]:
    """Occupy this processor with other programs, and yield the beginning of a command for the rest.

    Each program has its own session. The kernel divides a processor among sessions.
    """
    with ExitStack() as running:
        for _ in range(hogs):
            command = ["taskset", "-c", str(cpu), sys.executable, "-ISc", LOOP]
            hog = running.enter_context(subprocess.Popen(command, start_new_session=True))
            running.callback(hog.kill)
        yield ("taskset", "-c", str(cpu), "nice", "-n", "19")


@contextmanager
def started(supervisor: Supervisor) -> Iterator[Supervisor]:
    """Start the supervisor in a thread, so that the test can act before all parts are ready."""
    starting = threading.Thread(target=supervisor.start)
    starting.start()
    try:
        within(lambda: bool(supervisor.pids()), "nothing is started")
        yield supervisor
    finally:
        supervisor.stop()
        starting.join()


def work_used_s(pid: int) -> float:
    """The processor time of a process so far, in seconds."""
    work = work_of([pid])
    assert work is not None
    return work.used_s


def wait(seconds: float) -> None:
    until = time.monotonic() + seconds
    within(lambda: time.monotonic() > until, "time stands still", seconds + 60.0)


def test_a_part_that_starts_slowly_on_a_busy_machine_is_left_alone(tmp_path: Path, cpu: int) -> None:
    """Its start takes many times the silence that an idle part is allowed."""
    output = io.StringIO()
    with ExitStack() as busy:
        wrapped = busy.enter_context(starving(cpu))
        slow = program("slow", tmp_path, STARTER, "1.0", wrapped=wrapped)
        with started(Supervisor([slow], tmp_path, output=output, look_s=0.3)) as supervisor:
            pids = supervisor.pids()
            wait(4 * IDLE_S)
            assert not supervisor.is_up, "the machine was not busy enough to try it"
            busy.close()
            within(lambda: supervisor.is_up, "it is never ready")
            assert supervisor.pids() == pids
    assert "starting it again" not in output.getvalue()


def test_a_part_that_is_paused_again_and_again_while_it_starts_is_left_alone(tmp_path: Path) -> None:
    """Each time it gets a little further."""
    output = io.StringIO()
    slow = program("slow", tmp_path, STARTER, "0.6")
    with started(Supervisor([slow], tmp_path, output=output, look_s=0.3)) as supervisor:
        pids, until = supervisor.pids(), time.monotonic() + 3 * IDLE_S
        while time.monotonic() < until:
            used_s = work_used_s(pids["slow"])
            os.kill(pids["slow"], signal.SIGSTOP)
            wait(0.25)
            os.kill(pids["slow"], signal.SIGCONT)
            within(lambda before=used_s: work_used_s(pids["slow"]) > before, "it gets no processor")  # type: ignore[misc]  # bound now
        assert supervisor.pids() == pids
        within(lambda: supervisor.is_up, "it is never ready")
    assert "starting it again" not in output.getvalue()


@pytest.mark.parametrize("code", ["import time; time.sleep(600)", LOOP], ids=["sleeps", "loops"])
def test_a_start_that_hangs_is_ended_and_the_next_one_has_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr("backoffice.running.part_start_watch_and_restart.READY_USED_MAX", 0.2)
    output = io.StringIO()
    hanging = replace(program("hanging", tmp_path, code), ready_s=0.3 if "sleep" in code else 1.0)
    with started(Supervisor([hanging], tmp_path, output=output, look_s=0.1)):
        within(lambda: output.getvalue().count("starting it again") >= 3, "it is left alone")
    spent = [float(text) for text in re.findall(r"(?:nothing for|ready after) ([0-9.]+) s", output.getvalue())]
    assert spent[:3] == sorted(spent[:3])
    assert spent[2] > spent[0]


def test_a_part_that_is_paused_is_said_to_be_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds also for a part that may be silent for long, such as the projector."""
    monkeypatch.setattr("backoffice.running.part_start_watch_and_restart.SILENT_S", 2.0)
    patient = replace(program("patient", tmp_path, STARTER, "0"), silent_s=300.0)
    with Supervisor([patient], tmp_path, output=io.StringIO(), look_s=0.3) as supervisor:
        pids = supervisor.pids()
        os.kill(pids["patient"], signal.SIGSTOP)
        within(
            lambda: [part.why for part in parts_not_running.absent_parts(tmp_path)] == ["it is paused"],
            "it is not said",
        )
        within(lambda: supervisor.pids().get("patient", 0) not in (0, pids["patient"]), "it is left alone")
        within(lambda: parts_not_running.absent_parts(tmp_path) == [], "it is said to be away for ever")


def test_a_crash_loop_waits_longer_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backoffice.running.part_start_watch_and_restart.BACK_OFF_S", (0.1, 0.4))
    output = io.StringIO()
    with started(Supervisor([program("dying", tmp_path, DYING)], tmp_path, output=output)):
        within(lambda: output.getvalue().count("starting it again") >= 6, "it is not started again")
    pauses = [float(text) for text in re.findall(r"starting it again in ([0-9.]+) s", output.getvalue())]
    assert pauses[:5] == [0.2, 0.4, 0.4, 0.4, 0.4]


def test_what_is_down_is_tried_ever_more_seldom(tmp_path: Path) -> None:
    output = io.StringIO()
    failing = program("failing", tmp_path, "raise SystemExit(1)")
    sound = program("beside", tmp_path, STARTER, "0")
    with Supervisor([failing, sound], tmp_path, output=output, down_again_s=0.1):
        within(lambda: output.getvalue().count("tried again in") >= 3, "it is not tried again")
    again = [float(text) for text in re.findall(r"tried again in ([0-9.]+) s", output.getvalue())]
    assert again[:3] == [0.1, 0.2, 0.4]


def test_only_time_in_which_a_part_could_work_counts() -> None:
    asleep = Work(used_s=1.0, waited_s=2.0, is_waiting=False, is_paused=False)
    assert could_work_s(asleep, asleep, 5.0) == 5.0
    assert could_work_s(asleep, asleep._replace(is_paused=True), 5.0) == 5.0
    assert could_work_s(asleep, asleep._replace(is_waiting=True), 5.0) == 0.0, "for a processor or a disk"
    assert could_work_s(asleep, asleep._replace(waited_s=6.5), 5.0) == 0.5
    assert could_work_s(asleep, asleep._replace(used_s=6.0, is_waiting=True), 5.0) == 5.0, "it loops"
    assert could_work_s(asleep, asleep._replace(used_s=1.2, is_waiting=True), 5.0) == pytest.approx(0.2)


def is_asleep(pid: int) -> bool:
    """Tell whether a program sleeps after its start."""
    work = work_of([pid])
    return work is not None and not work.is_waiting


def test_a_starved_program_is_told_from_a_hung_one(cpu: int) -> None:
    """The kernel's counters tell the difference."""
    with starving(cpu) as wrapped, ExitStack() as running:
        commands = {"starved": [*wrapped, sys.executable, "-c", LOOP], "hung": ["sleep", "600"]}
        seconds = {}
        for name, command in commands.items():
            process = running.enter_context(subprocess.Popen(command, start_new_session=True))
            running.callback(process.kill)
            within(lambda pid=process.pid, name=name: name == "starved" or is_asleep(pid), "it does not sleep")  # type: ignore[misc]  # bound now
            silence = Silence().after(0.0, time.monotonic(), lambda pid=process.pid: work_of(session_of(pid)))  # type: ignore[misc]  # bound now
            wait(1.5)
            silence = silence.after(0.0, time.monotonic(), lambda pid=process.pid: work_of(session_of(pid)))  # type: ignore[misc]  # bound now
            seconds[name] = silence.seconds
    assert seconds["starved"] < 0.5 < 1.4 < seconds["hung"]


# As the init process of a container does: one session, and the part is a child in it.
INIT = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) and 137)"


@contextmanager
def container(data: Path, *part: str) -> Iterator[subprocess.Popen[bytes]]:
    env = os.environ | {"PITLEDGER_DATA": str(data), "PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen([sys.executable, "-c", INIT, *part], env=env, start_new_session=True) as init:
        try:
            within((status_files.run_folder(data) / "part.beat").exists, "the part does not begin")
            yield init
        finally:
            for pid in session_of(init.pid):
                os.kill(pid, signal.SIGKILL)


def check(data: Path, init: int) -> int:
    return container_health_check.main(["part", str(status_files.run_folder(data)), "--end", "--of", str(init)])


def test_in_a_container_a_part_without_progress_ends_so_that_it_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_health_check, "PAUSED_S", 0.5)
    with container(tmp_path, sys.executable, "-c", STARTER, "part", "0") as init:
        assert check(tmp_path, init.pid) == 0
        [part] = [pid for pid in session_of(init.pid) if pid != init.pid]
        os.kill(part, signal.SIGSTOP)
        within(lambda: check(tmp_path, init.pid) == 1, "it is left alone")
        assert init.wait(30) == 137


def test_in_a_container_a_part_that_lacks_a_processor_is_left_alone(
    tmp_path: Path, cpu: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_health_check, "END_S", 0.5)
    (status_files.run_folder(tmp_path) / "part.beat").touch()  # of an earlier life
    with starving(cpu) as wrapped, container(tmp_path, *wrapped, sys.executable, "-c", LOOP) as init:
        until = time.monotonic() + 2.0
        while time.monotonic() < until:
            check(tmp_path, init.pid)
            wait(0.2)
        assert init.poll() is None
