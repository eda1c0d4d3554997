"""A part that cannot continue: in a container it waits and reports each reason once; elsewhere it ends."""

import os
import signal
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from backoffice.running import container_blocked_part_rerun
from events.errors import Conflict


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setattr(container_blocked_part_rerun, "TRY_S", 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return []


def failing(tries: list[str], reasons: list[str]) -> None:
    tries.append("")
    if len(tries) <= len(reasons):
        raise Conflict(reasons[len(tries) - 1])


def test_in_a_container_it_tries_again_and_says_each_reason_once(
    tries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_PROCESS_MARK", "compose")
    with capture_logs() as logs:
        container_blocked_part_rerun.run_part(
            "project", lambda: failing(tries, ["rebuild tables", "rebuild tables", "rebuild alerts"])
        )
    assert len(tries) == 4
    assert [line["why"] for line in logs] == ["rebuild tables", "rebuild alerts"]


def test_elsewhere_it_ends_and_the_supervisor_decides(tries: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITLEDGER_PROCESS_MARK", raising=False)
    with pytest.raises(Conflict, match="rebuild tables"):
        container_blocked_part_rerun.run_part("project", lambda: failing(tries, ["rebuild tables"]))
    assert len(tries) == 1


def test_it_ends_when_it_is_stopped_and_gives_signs_of_life_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROCESS_MARK", "compose")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    checks: list[int] = []

    def run() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        checks.append(1)
        raise Conflict("rebuild tables")

    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        container_blocked_part_rerun.run_part("project", run)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert checks == [1]
    assert (tmp_path / "run" / "project.beat").exists()
