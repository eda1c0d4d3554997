"""`verify` and `explain` on a store in a file: their output, their exit codes, and their findings in a cut log."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backoffice.access import personal_data_access_log as access_log
from backoffice.access.models import Look
from events import catalogue
from events.accounting.event_types.day_close import DayClosed
from events.alerts.system_recorded_event_types import IntegrityFailed
from events.envelope import Meta
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.people.role_grant_decider import RoleGranted
from events.signing import house_signing_key
from events.store import Append, NewEvent, open_store
from tests.support.houses.progressive_house import DAY, PROPERTY, Casino

pytestmark = pytest.mark.django_db  # verify compares the log of who looked


class IntegrityDataFolder:
    """A data folder with a day of two hits, one of them paid, and a head over it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "events.sqlite3"
        self.url = f"sqlite:///{self.path}"
        casino = Casino(open_store(self.url))
        for _ in range(40):
            casino.play("BJ1")
        (self.paid,) = casino.play("BJ1", hits=((1, "mega"),))
        casino.reconcile()
        casino.authorise(self.paid)
        casino.pay(self.paid)
        casino.play("BJ2")
        (self.locked,) = casino.play("BJ2", hits=((2, "minor"),))
        casino.reconcile()
        make_head(casino.store, open_heads(self.url), PROPERTY, house_signing_key.signer(folder))
        casino.close()

    def sql(self, *statements: str) -> None:
        """Run SQL, as an intruder with the file does."""
        with sqlite3.connect(self.path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IntegrityDataFolder:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    for name in ("PITLEDGER_STORE", "PITLEDGER_KAFKA", "PITLEDGER_HEAD_KEY"):
        monkeypatch.delenv(name, raising=False)
    return IntegrityDataFolder(tmp_path)


def test_verify_finds_nothing_in_a_whole_store(files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify", "--no-read-models")
    output = capsys.readouterr().out
    assert "1 heads, compared: store; covered up to" in output
    assert output.endswith("Everything holds.\n")
    call_command("verify", "--no-read-models", "--json")
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_verify_notices_a_log_that_was_cut_off(files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    last = "(SELECT max(rowid) - 3 FROM pitledger_events)"
    files.sql(
        "DROP TRIGGER pitledger_events_refuse_delete",
        f"DELETE FROM pitledger_events WHERE rowid > {last}",
    )
    with pytest.raises(CommandError) as ended:
        call_command("verify", "--no-read-models", "--no-topic")
    assert ended.value.returncode == 1
    assert "3 are missing" in capsys.readouterr().out


def test_what_does_not_hold_is_written_into_the_log_once(files: IntegrityDataFolder) -> None:
    """A finding of the worker's verification raises an alert."""
    call_command("verify", "--no-read-models", "--no-topic", "--report")
    files.sql("DROP TRIGGER pitledger_events_refuse_update")
    for _ in range(2):
        with pytest.raises(CommandError) as ended:
            call_command("verify", "--no-read-models", "--no-topic", "--report")
        assert ended.value.returncode == 1
    with closing(open_store(files.url)) as store:
        [event] = store.stream(f"{PROPERTY}/surveillance")
    failed = catalogue.decode(event.type, event.raw).data
    assert isinstance(failed, IntegrityFailed)
    assert (failed.kind, failed.count, failed.findings[0][:6]) == ("verify", 1, "guard:")


def test_verify_notices_an_event_that_was_edited(
    files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = "UPDATE pitledger_events SET state = replace(state, '\"stake_minor\":500', '\"stake_minor\":900')"
    files.sql(
        "DROP TRIGGER pitledger_events_refuse_update",
        f"{edit} WHERE rowid = (SELECT min(rowid) FROM pitledger_events WHERE topic = 'progressive.armed.v1')",
    )
    with pytest.raises(CommandError):
        call_command("verify", "--no-read-models", "--no-topic", "--json")
    kinds = {finding["kind"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert kinds == {"chain", "guard"}


def test_verify_names_a_day_that_was_closed_with_another_report(
    files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """An intruder wrote the close without the desk. The chain and the head are still valid."""
    with closing(open_store(files.url)) as store:
        closed = DayClosed(gaming_day=DAY, position=store.position(), layout=2, digest="0" * 64)
        name = f"{PROPERTY}/days/{DAY}"
        by = Meta(time=store.clock(), actor="anna", actorrole="accountant")
        store.append([Append(name, store.head(name), [NewEvent(closed, by)])])
        make_head(store, open_heads(files.url), PROPERTY, house_signing_key.signer(files.folder))
    with pytest.raises(CommandError) as ended:
        call_command("verify", "--no-read-models", "--no-topic")
    assert ended.value.returncode == 1
    assert f"report: {name}@1 day.closed.v1: digest is {'0' * 64}, the events make " in capsys.readouterr().out


def test_verify_names_what_is_missing_of_who_looked(
    files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        access_log.add(access_log.SEARCH, f"/events?q={number}", person="sven")
    with closing(open_store(files.url)) as store, closing(open_heads(files.url)) as heads:
        name, by = f"{PROPERTY}/people", Meta(time=store.clock(), actor="adam", actorrole="administrator")
        store.append([Append(name, store.head(name), [NewEvent(RoleGranted(person="nina", role="cage"), by)])])
        head, _is_all = make_head(
            store, heads, PROPERTY, house_signing_key.signer(files.folder), looked=access_log.end_if_known
        )
    assert head is not None
    assert head.looked == access_log.access_log_extent()
    call_command("verify", "--no-read-models", "--no-topic")
    Look.objects.filter(number=3).delete()
    with pytest.raises(CommandError) as ended:
        call_command("verify", "--no-read-models", "--no-topic")
    assert ended.value.returncode == 1
    message = "looks: the access log ends at line 2, head 2 covers 3: line 3 is missing, cut off"
    assert message in capsys.readouterr().out


def test_verify_compares_with_heads_that_somebody_kept(files: IntegrityDataFolder, tmp_path: Path) -> None:
    heads_file, other = tmp_path / "heads.jsonl", tmp_path / "other"
    heads_file.write_bytes(b"\n".join(open_heads(files.url).after(0)) + b"\n")
    call_command("verify", "--no-read-models", "--no-topic", "--heads", str(heads_file))
    files.sql("DROP TRIGGER pitledger_heads_refuse_delete", "DELETE FROM pitledger_heads")
    store = open_store(files.url)
    make_head(store, open_heads(files.url), PROPERTY, house_signing_key.signer(other))
    store.close()
    with pytest.raises(CommandError):
        call_command("verify", "--no-read-models", "--no-topic", "--heads", str(heads_file))
    with pytest.raises(CommandError) as ended:
        call_command("verify", "--no-read-models", "--no-topic", "--heads", str(tmp_path / "nothing"))
    assert ended.value.returncode == 2


def test_explain_shows_a_sum_that_can_be_added_up(
    files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("explain", files.paid)
    output = capsys.readouterr().out
    assert "50,000.00  at the opening" in output
    assert "61.50  BJ1 2026-11-20: 41 rounds (--all lists them)" in output
    assert "50,061.50  the meter at the hit" in output
    assert "agreed by ines (inspector), sven (surveillance)" in output
    assert "slip 2026-1" in output
    call_command("explain", files.paid, "--all")
    assert capsys.readouterr().out.count("millionths") == 41
    call_command("explain", files.locked, "--json")
    assert json.loads(capsys.readouterr().out)["explanation"]["status"] == "locked"


@pytest.mark.django_db
def test_explain_exports_a_certificate_and_verifies_it(files: IntegrityDataFolder, tmp_path: Path) -> None:
    path = tmp_path / "award.json"
    call_command("explain", files.paid, "--export", str(path))
    call_command("explain", "--verify", str(path))
    call_command("explain", "--verify", str(path), "--key", house_signing_key.signer(tmp_path).public, "--json")
    whole = json.loads(path.read_text())
    whole["events"] = whole["events"][:-1]
    path.write_text(json.dumps(whole))
    with pytest.raises(SystemExit) as ended:
        call_command("explain", "--verify", str(path))
    assert ended.value.code == 1


def test_explain_says_what_it_cannot(files: IntegrityDataFolder) -> None:
    with pytest.raises(CommandError, match="no hit"):
        call_command("explain", "nothing")
    with pytest.raises(CommandError, match="Name a hit"):
        call_command("explain")


@pytest.mark.parametrize("covered", [True, False], ids=["by a head", "by the anchor"])
def test_lines_deleted_after_the_last_event_are_named(
    files: IntegrityDataFolder,
    capsys: pytest.CaptureFixture[str],
    covered: bool,
    django_capture_on_commit_callbacks: Any,
) -> None:
    """The last head with an event covers two of ten lines. `access-log` and `verify` name the eight deleted lines."""
    with closing(open_store(files.url)) as store, closing(open_heads(files.url)) as heads:
        signer = house_signing_key.signer(files.folder)
        for count in (2, 8):
            with django_capture_on_commit_callbacks(using="access", execute=True):
                for number in range(count):
                    access_log.add(access_log.SEARCH, f"/events?q={number}", person="sven")
            if count == 2 or covered:
                make_head(store, heads, PROPERTY, signer, looked=access_log.end_if_known)
    call_command("access-log")
    call_command("verify", "--no-read-models", "--no-topic")
    capsys.readouterr()
    Look.objects.filter(number__gt=2).delete()
    for command in (["access-log"], ["verify", "--no-read-models", "--no-topic"]):
        with pytest.raises(CommandError) as ended:
            call_command(*command)
        assert ended.value.returncode == 1
        assert "lines 3 to 10 are missing" in f"{ended.value}{capsys.readouterr().out}"
    call_command("access-log", "--accept-restored", "2")
    call_command("verify", "--no-read-models", "--no-topic")
