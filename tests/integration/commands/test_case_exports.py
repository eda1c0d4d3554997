"""A case is exported and verified by the commands, on SQLite and on PostgreSQL, also after a kill in the middle."""

import json
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from events.cases.case_key_and_file_vault import vault
from events.store import open_store
from tests.integration.system.running_house import CHECKOUT, Installation
from tests.support.houses.small_house import PROPERTY, House
from tools import verify_case

ROLES = {"STORE": "events", "READ": "read", "ACCESS": "access"}
EXPORTED = "case.exported.v1"
EVENTS = 20
STARTED_S = 120.0


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, free_port: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> Installation:
    """A migrated house; this process works on it as its commands do."""
    (data := tmp_path / "house").mkdir()
    urls = {role: f"sqlite:///{data}/{file}.sqlite3" for role, file in ROLES.items()}
    if request.param == "postgresql":
        make = request.getfixturevalue("new_database")
        urls = {role: make() for role in ROLES}
    place = Installation(data, free_port(), PROPERTY=PROPERTY, **urls)
    completed = place.manage("migrate", "--verbosity", "0", timeout_s=240.0)
    assert completed.returncode == 0, completed.stderr
    for name, value in place.env.items():
        if name.startswith("PITLEDGER_"):
            monkeypatch.setenv(name, value)
    return place


@pytest.fixture
def case(place: Installation) -> str:
    """A case with events, a note, a bookmark and an attachment."""
    house = House(open_store(place.env["PITLEDGER_STORE"]))
    events = [f"{stored_event.stream}@{stored_event.version}" for stored_event in house.store.after(0, EVENTS)]
    act = house.action
    opening = act("case.open", title="Short pays", category="theft", severity="high", events=events, note="A cup")
    case = str(house.ok("cases", "new", "sven", opening)[0].data.case)
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    digest = vault().add_file(case, b"I saw it.", "text/plain")
    for kind, data in (
        ("case.note", {"note": "She slides a chip"}),
        ("case.bookmark", {"camera": "C7", **times}),
        ("case.attach", {"attachment": digest, "name": "statement.txt"}),
    ):
        house.ok("cases", case, "sven", act(kind, **data))
    house.close()
    return case


def exports_in(place: Installation, case: str) -> int:
    """The number of exports that the case's events list."""
    store = open_store(place.env["PITLEDGER_STORE"])
    types = [stored_event.type for stored_event in store.stream(f"{PROPERTY}/cases/{case}")]
    store.close()
    return types.count(EXPORTED)


def test_an_export_verifies_and_a_changed_one_is_named(place: Installation, case: str, tmp_path: Path) -> None:
    out = tmp_path / "case.zip"
    completed = place.manage("case", "export", case, str(out), timeout_s=120.0)
    assert completed.returncode == 0, completed.stderr
    assert f"{EVENTS} events" in completed.stdout
    verified = place.manage("verify-case", str(out))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    with zipfile.ZipFile(out) as archive:
        assert json.loads(archive.read("case.json"))["title"] == "Short pays"
        assert archive.read("attachments/001-statement.txt") == b"I saw it."
        verifier = tmp_path / "verify_case.py"
        verifier.write_bytes(archive.read("verify_case.py"))
        events = archive.read("events.jsonl")
    alone = subprocess.run([sys.executable, "-I", str(verifier), str(out)], capture_output=True, check=False)
    assert alone.returncode == 0, alone.stdout
    raw = out.read_bytes()
    at = raw.index(events.splitlines()[16]) + 20
    out.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
    changed = place.manage("verify-case", str(out))
    assert changed.returncode == 1
    assert "events.jsonl, line 17" in changed.stdout + changed.stderr


def test_an_export_that_is_killed_behind_its_event_is_finished_by_the_same_command(
    place: Installation, case: str, tmp_path: Path
) -> None:
    """The event of the export is appended but no head covers it, as the signing container does not run."""
    out = tmp_path / "case.zip"
    command = [sys.executable, "manage.py", "case", "export", case, str(out)]
    waiting = subprocess.Popen(command, cwd=CHECKOUT, env={**place.env, "PITLEDGER_SIGNER_AT": "elsewhere"})
    until = time.monotonic() + STARTED_S
    while not exports_in(place, case) and waiting.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    waiting.send_signal(signal.SIGKILL)
    waiting.wait()
    assert exports_in(place, case) == 1
    assert not out.exists()
    completed = place.manage("case", "export", case, str(out), timeout_s=120.0)
    assert completed.returncode == 0, completed.stderr
    assert exports_in(place, case) == 1
    assert verify_case.verify(out)["case"] == case
    again = place.manage("case", "export", case, str(tmp_path / "again.zip"), timeout_s=120.0)
    assert again.returncode == 0, again.stderr
    assert exports_in(place, case) == 2, "a finished export is followed by a new one"
