"""The supervisor with small programs: they start in order, are restarted, and leave no process."""

import errno
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from backoffice.installation.processes_in_start_order import processes
from backoffice.running import (
    child_process_start_and_end,
    embedded_kafka_broker_process,
    parts_not_running,
    status_files,
)
from backoffice.running.heartbeat import Pulse
from backoffice.running.part_start_watch_and_restart import Process, says_ready, says_waits
from backoffice.running.port_claims import must_be_free
from backoffice.running.supervisor import Supervisor
from events.errors import Conflict, Retry, Unknown
from events.settings.setting_declarations import EMBEDDED
from events.store import open_store
from tests.support.processes.relays_and_topic_readers import within

CHECKOUT = Path(__file__).parents[2]

# Says that it is ready, writes down that it was told to stop, and does so.
POLITE = """
import os, signal, sys, time
from backoffice.running import status_files
def stop(*_):
    with open(os.environ["PITLEDGER_DATA"] + "/stopped", "a") as file:
        file.write(sys.argv[1] + " ")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
print("at work", flush=True)
status_files.announce(sys.argv[1])
while True:
    time.sleep(60)
"""

# Has a child of its own in a session of its own, and neither listens to SIGTERM.
STUBBORN = """
import os, signal, subprocess, sys, time
from backoffice.running import status_files
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleep = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
status_files.announce(sys.argv[1], child=child.pid)
time.sleep(600)
"""

UP = """
import sys
from pathlib import Path
from tests.integration.test_supervisor import program, STUBBORN
from backoffice.installation.processes_in_start_order import processes
from backoffice.running.supervisor import Supervisor
data = Path(sys.argv[1])
with Supervisor([program("polite", data), program("stubborn", data, STUBBORN)], data) as supervisor:
    print("up", flush=True)
    sys.exit(supervisor.wait())
"""


def program(name: str, data: Path, code: str = POLITE, ready_s: float = 20.0) -> Process:
    env = {"PITLEDGER_DATA": str(data), "PYTHONPATH": str(CHECKOUT)}
    return Process(name, [sys.executable, "-c", code, name], says_ready(name, data), env, ready_s)


def wait_for_another(name: str, pid: int, data: Path) -> None:
    within(lambda: status_files.last_status(name, data=data)["pid"] != pid, f"{name} does not come back")


def gone(*pids: int) -> bool:
    return all(child_process_start_and_end.identify(pid) is None for pid in pids)


def test_starts_in_order_and_stops_in_reverse(tmp_path: Path) -> None:
    output = io.StringIO()
    names = ["broker", "relay", "web"]
    with Supervisor([program(name, tmp_path) for name in names], tmp_path, output=output) as supervisor:
        pids = supervisor.pids()
        assert list(pids) == names
        ready = [line.split()[0] for line in output.getvalue().splitlines() if "ready after" in line]
        assert ready == names
    assert gone(*pids.values())
    assert (tmp_path / "stopped").read_text() == "web relay broker "
    assert "relay  | at work\n" in output.getvalue()
    assert not list((tmp_path / "run").glob("*.pid"))


def test_who_is_slow_to_start_keeps_nobody_from_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A projector that waits for its database does not keep the dealers' door shut."""
    monkeypatch.setattr("backoffice.running.supervisor.NEXT_S", 0.2)
    slow = program("slow", tmp_path, "import time; time.sleep(600)", ready_s=60.0)
    supervisor = Supervisor([slow, program("web", tmp_path)], tmp_path, output=io.StringIO())
    starting = threading.Thread(target=supervisor.start)
    starting.start()
    try:
        within(lambda: [part.name for part in supervisor.absent_parts()] == ["slow"], "the web does not start")
        assert not supervisor.is_up, "it is only when each was ready once, or is down"
    finally:
        supervisor.stop()
        starting.join()


def test_only_and_without_choose(tmp_path: Path) -> None:
    three = [program(name, tmp_path) for name in ("broker", "relay", "web")]
    assert Supervisor(three, tmp_path, without=["web"]).names == ["broker", "relay"]
    assert Supervisor(three, tmp_path, names_started=["relay"]).names == ["relay"]
    with pytest.raises(Unknown, match="no such process: relais"):
        Supervisor(three, tmp_path, names_started=["relais"])


def test_a_killed_child_is_started_again_and_what_it_left_is_ended(tmp_path: Path) -> None:
    output = io.StringIO()
    programs = [program("polite", tmp_path), program("stubborn", tmp_path, STUBBORN)]
    with Supervisor(programs, tmp_path, output=output, stop_s=0.5) as supervisor:
        before, child = supervisor.pids(), status_files.last_status("stubborn", data=tmp_path)["child"]
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        for name, pid in before.items():
            wait_for_another(name, pid, tmp_path)
        assert gone(child, *before.values())
        after, child = supervisor.pids(), status_files.last_status("stubborn", data=tmp_path)["child"]
        assert not gone(child)
    assert gone(child, *after.values())
    assert "polite   * ended by signal 9: starting it again" in output.getvalue()


class Full(io.StringIO):
    """A log on a disk that has no room any more."""

    is_full = False

    def write(self, text: str) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


# Says more than a pipe holds once the file is there that asks it to, and then that it came to the end.
CHATTY = """
import os, sys, time
from pathlib import Path
from backoffice.running import status_files
data = Path(os.environ["PITLEDGER_DATA"])
status_files.announce(sys.argv[1])
while not (data / "chat").exists():
    time.sleep(0.01)
for _ in range(1_000):
    print("x" * 500, flush=True)
(data / "chatted").touch()
time.sleep(600)
"""


def test_a_full_disk_stops_nobody_and_what_dies_meanwhile_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No status file, no pid file and no line of the log can be written: the parts run on and are looked after."""
    output, write = Full(), Path.write_bytes

    def full(path: Path, raw: bytes) -> int:
        if output.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, raw)

    monkeypatch.setattr(Path, "write_bytes", full)
    both = [program("chatty", tmp_path, CHATTY), program("polite", tmp_path)]
    with Supervisor(both, tmp_path, output=output) as up:
        output.is_full = True
        before = up.pids()
        os.kill(before["polite"], signal.SIGKILL)
        wait_for_another("polite", before["polite"], tmp_path)
        within(lambda: up.absent_parts() == [] and up.parts_down() == {}, "it is not ready again")
        (tmp_path / "chat").touch()
        within((tmp_path / "chatted").exists, "whose lines nobody can write stands still")
        assert (up.is_up, up.pids()["chatty"]) == (True, before["chatty"])
        output.is_full = False
        os.kill(up.pids()["polite"], signal.SIGKILL)
        within(lambda: "ended by signal 9" in output.getvalue(), "nobody says anything any more")


# Becomes ready only where somebody has mended what is missing.
FAILING = """
import os, sys, time
from backoffice.running import status_files
if not os.path.exists(os.environ["PITLEDGER_DATA"] + "/mended"):
    sys.exit("no such table")
status_files.announce(sys.argv[1])
time.sleep(600)
"""


def test_what_never_gets_ready_is_down_and_the_others_run_on(tmp_path: Path) -> None:
    output = io.StringIO()
    parts = [program("failing", tmp_path, FAILING), program("polite", tmp_path)]
    supervisor = Supervisor(parts, tmp_path, output=output)
    supervisor.start()
    try:
        why = "failing ended with exit code 1, 5 times in a row before it was ready"
        assert supervisor.is_up
        assert list(supervisor.pids()) == ["polite"]
        assert supervisor.parts_down() == status_files.last_status("up", data=tmp_path)["down"] == {"failing": why}
        assert output.getvalue().count("failing | no such table") == 5
        assert "it is down and tried again in 60 s, the others run on" in output.getvalue()
    finally:
        supervisor.stop()
    assert supervisor.wait() == 1
    assert supervisor.failure == why


def test_what_is_down_is_tried_again_and_runs_once_it_is_mended(tmp_path: Path) -> None:
    parts = [program("failing", tmp_path, FAILING), program("polite", tmp_path)]
    with Supervisor(parts, tmp_path, output=io.StringIO(), down_again_s=0.05) as supervisor:
        assert supervisor.parts_down()
        (tmp_path / "mended").touch()
        within(lambda: not supervisor.parts_down(), "it is not tried again")
        within(lambda: status_files.last_status("up", data=tmp_path)["down"] == {}, "the status file does not follow")
        assert list(supervisor.pids()) == ["failing", "polite"]
    assert supervisor.wait() == 0


def test_what_is_down_is_tried_at_once_where_somebody_asks(tmp_path: Path) -> None:
    """A rebuild does this after it removed the cause of the projector's failure."""
    parts = [program("failing", tmp_path, FAILING), program("polite", tmp_path)]
    with Supervisor(parts, tmp_path, output=io.StringIO(), down_again_s=3_600) as supervisor:
        assert supervisor.parts_down()
        (tmp_path / "mended").touch()
        status_files.ask_again(data=tmp_path)
        within(lambda: not supervisor.parts_down(), "it is not tried again")
    assert supervisor.wait() == 0


@pytest.mark.parametrize("need_all", [False, True])
def test_where_nothing_can_be_kept_running_all_is_stopped(tmp_path: Path, need_all: bool) -> None:
    """With `need_all`, one failing part is enough."""
    parts = [program("failing", tmp_path, FAILING), *([program("polite", tmp_path)] if need_all else [])]
    supervisor = Supervisor(parts, tmp_path, output=io.StringIO())
    with pytest.raises(Retry, match="failing ended with exit code 1, 5 times in a row"):
        supervisor.start(need_all=need_all)
    assert supervisor.wait() == 1
    assert supervisor.pids() == {}


# Is ready, and gets on until somebody makes it stand still; a port of its own would be open all the time.
BEATING = """
import sys, time
from backoffice.running import heartbeat, status_files
status_files.announce(sys.argv[1])
while True:
    heartbeat.record_heartbeat(sys.argv[1])
    time.sleep(0.05)
"""


def test_what_stands_still_is_ended_and_started_and_the_others_run_on(tmp_path: Path) -> None:
    output = io.StringIO()
    still = replace(program("still", tmp_path, BEATING), alive=Pulse("still", tmp_path), silent_s=3.0)
    with Supervisor([still, program("polite", tmp_path)], tmp_path, output=output, look_s=0.5) as supervisor:
        before = supervisor.pids()
        assert parts_not_running.absent_parts(tmp_path) == []
        os.kill(before["still"], signal.SIGSTOP)
        wait_for_another("still", before["still"], tmp_path)
        within(lambda: parts_not_running.absent_parts(tmp_path) == [], "it is still said to be away")
        assert gone(before["still"])
        assert supervisor.pids()["polite"] == before["polite"]
    assert "still  * gave no sign of life for 3 s: starting it again" in output.getvalue()


def test_what_does_not_run_is_said_with_its_hour_and_the_reason(tmp_path: Path) -> None:
    parts = [program("failing", tmp_path, FAILING), program("polite", tmp_path)]
    with Supervisor(parts, tmp_path, output=io.StringIO(), down_again_s=0.2):
        [part] = parts_not_running.absent_parts(tmp_path)
        assert (part.name, part.why) == ("failing", "ended with exit code 1")
        since = datetime.fromisoformat(part.since)
        assert abs(datetime.now(UTC) - since) < timedelta(minutes=5)
        (tmp_path / "mended").touch()
        within(lambda: parts_not_running.absent_parts(tmp_path) == [], "it is still said to be away")
    assert parts_not_running.absent_parts(tmp_path) == [], "who is stopped by somebody says nothing"


# Waits for what somebody else is to bring, and gets on.
WAITING = """
import os, sys, time
from backoffice.running import heartbeat, status_files
while True:
    has_rained = os.path.exists(os.environ["PITLEDGER_DATA"] + "/rain")
    status_files.announce(sys.argv[1], waits="" if has_rained else "it waits for rain")
    heartbeat.record_heartbeat(sys.argv[1])
    time.sleep(0.05)
"""


def test_who_waits_for_others_is_told_of_and_left_alone(tmp_path: Path) -> None:
    output, dry = io.StringIO(), program("dry", tmp_path, WAITING)
    dry = replace(dry, alive=Pulse("dry", tmp_path), waits=lambda: says_waits("dry", tmp_path))
    with Supervisor([dry, program("polite", tmp_path)], tmp_path, output=output, look_s=0.2) as supervisor:
        within(lambda: parts_not_running.parts_down(tmp_path) == {"dry": "it waits for rain"}, "it is not said")
        assert [(part.name, part.why) for part in parts_not_running.absent_parts(tmp_path)] == [
            ("dry", "it waits for rain")
        ]
        before = supervisor.pids()
        (tmp_path / "rain").touch()
        within(
            lambda: (parts_not_running.parts_down(tmp_path), parts_not_running.absent_parts(tmp_path)) == ({}, []),
            "it is still said to wait",
        )
        assert supervisor.pids() == before
    assert supervisor.failure == ""
    assert output.getvalue().count("dry    * it waits for rain") == output.getvalue().count("it waits no longer") == 1


def test_a_relay_and_a_worker_that_stand_still_are_ended_and_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real relay and worker, as `up` runs them."""
    url = f"sqlite:///{tmp_path}/events.sqlite3"
    for name, value in [("STORE", url), ("DATA", str(tmp_path)), ("SWEEP_S", "0.3")]:
        monkeypatch.setenv(f"PITLEDGER_{name}", value)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "backoffice.settings")
    with closing(open_store(url)) as store:
        store.create()
    ours = [replace(part, silent_s=6.0) for part in processes(EMBEDDED, 1, tmp_path)]
    chosen, output = ["broker", "relay", "worker"], io.StringIO()
    with Supervisor(ours, tmp_path, names_started=chosen, output=output, cwd=CHECKOUT, look_s=2.0) as supervisor:
        before = supervisor.pids()
        for name in ("relay", "worker"):
            os.kill(before[name], signal.SIGSTOP)
        for name in ("relay", "worker"):
            within(lambda name=name: supervisor.pids().get(name, before[name]) != before[name], name, 60.0)  # type: ignore[misc]  # bound now
            wait_for_another(name, before[name], tmp_path)
        assert supervisor.pids()["broker"] == before["broker"]
    assert output.getvalue().count("gave no sign of life for 6 s") == 2


def test_every_part_of_a_house_is_looked_after(tmp_path: Path) -> None:
    assert [part.name for part in processes(EMBEDDED, 8000, tmp_path) if part.alive is None] == []


def test_in_a_copy_of_a_data_folder_nothing_of_the_original_is_ended(tmp_path: Path) -> None:
    original, copied = tmp_path / "original", tmp_path / "copy"
    with Supervisor([program("polite", original)], original, output=io.StringIO()) as running:
        shutil.copytree(original, copied)
        output = io.StringIO()
        with Supervisor([program("other", copied)], copied, output=output) as supervisor:
            assert supervisor.is_up
            assert not gone(*running.pids().values())
        assert status_files.last_status("polite", data=copied) == {}
        assert status_files.last_status("polite", data=original)["pid"] in running.pids().values()
    assert "that an earlier run left" not in output.getvalue()


def test_one_supervisor_a_data_folder(tmp_path: Path) -> None:
    first, other = (Supervisor([program("polite", tmp_path)], tmp_path, output=io.StringIO()) for _ in range(2))
    with first:
        with pytest.raises(Conflict, match=f"already up on {tmp_path} .process {os.getpid()}"):
            other.start()
        assert not gone(*first.pids().values())
    with other:
        assert other.is_up


def test_what_a_killed_supervisor_leaves_is_ended_by_the_next(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", UP, str(tmp_path)], cwd=CHECKOUT, stdout=subprocess.PIPE) as up:
        assert up.stdout is not None
        assert any(line == b"up\n" for line in up.stdout)
        up.kill()
    polite, stubborn = (status_files.last_status(name, data=tmp_path) for name in ("polite", "stubborn"))
    if sys.platform == "linux":
        within(lambda: gone(polite["pid"]), "the kernel does not tell a child that its supervisor died")
    assert not gone(stubborn["pid"], stubborn["child"])
    output = io.StringIO()
    with Supervisor([program("polite", tmp_path)], tmp_path, output=output, stop_s=0.5) as supervisor:
        assert gone(polite["pid"], stubborn["pid"], stubborn["child"])
        assert supervisor.is_up
    assert "up     | ended the stubborn that an earlier run left" in output.getvalue()


HEADLESS = """
import ctypes, socket, threading, time
listener = socket.create_server(("127.0.0.1", 0))
def rest():
    print(listener.getsockname()[1], flush=True)
    time.sleep(600)
threading.Thread(target=rest).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the threads of a process")
def test_a_process_runs_until_its_last_thread_has_ended() -> None:
    """After a kill, the first thread can be gone while another one, which still holds the port, waits for its turn."""
    with subprocess.Popen([sys.executable, "-c", HEADLESS], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            state = Path(f"/proc/{process.pid}/stat")
            within(lambda: state.read_text().rpartition(")")[2].split()[0] == "Z", "the first thread does not end")
            assert embedded_kafka_broker_process.accepts(port)
            identity = child_process_start_and_end.identify(process.pid)
            assert identity is not None
            assert child_process_start_and_end.is_running(identity)
            with pytest.raises(Conflict, match=f"port {port} is in use"):
                must_be_free({port: "--port"})
            threading.Timer(0.2, process.kill).start()
            must_be_free({port: "--port"}, 30.0)
            assert process.wait() == -signal.SIGKILL
            assert not child_process_start_and_end.is_running(identity)
        finally:
            process.kill()


def test_a_pid_that_is_somebody_elses_by_now_is_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as stranger:
        identity = child_process_start_and_end.Identity(
            pid=stranger.pid, started="1", boot="another", command="tansu", mark="abc"
        )
        child_process_start_and_end.write_pid_file(tmp_path / "run" / "broker.pid", identity)
        with Supervisor([program("polite", tmp_path)], tmp_path, output=io.StringIO()):
            assert stranger.poll() is None
        stranger.kill()


@pytest.fixture(params=["filesystem", pytest.param("redis", marks=pytest.mark.redis)])
def celery_url(request: pytest.FixtureRequest) -> str:
    """The place of tasks: files, or Redis."""
    return "filesystem" if request.param == "filesystem" else request.getfixturevalue("redis_url")


def test_worker_and_beat_survive_being_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, celery_url: str) -> None:
    url = f"sqlite:///{tmp_path}/events.sqlite3"
    for name, value in [
        ("STORE", url),
        ("DATA", str(tmp_path)),
        ("SWEEP_S", "0.3"),
        ("CELERY", celery_url),
        ("LOG_TASKS", "yes"),
    ]:
        monkeypatch.setenv(f"PITLEDGER_{name}", value)
    store = open_store(url)
    store.create()
    store.close()
    output = io.StringIO()
    ours = processes("127.0.0.1:1", 1, tmp_path)
    with Supervisor(ours, tmp_path, names_started=["worker", "beat"], output=output, cwd=CHECKOUT) as supervisor:
        wait_for_sweeps(output)
        before = supervisor.pids()
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        for name, pid in before.items():
            wait_for_another(name, pid, tmp_path)
        wait_for_sweeps(output)
        pids = supervisor.pids()
    assert gone(*pids.values())


def wait_for_sweeps(output: io.StringIO) -> None:
    """Two more than there were."""
    done = "Task pitledger.sweep"
    before = sum(done in line and "succeeded" in line for line in output.getvalue().splitlines())
    within(
        lambda: sum(done in line and "succeeded" in line for line in output.getvalue().splitlines()) >= before + 2,
        "no sweep is done",
    )
