"""Each loss and its recovery: the rows of docs/howto/restore.md, each a test of that name."""

import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError
from structlog.testing import capture_logs

from backoffice.house.celery_worker_wiring import WorkerParts
from backoffice.installation.dependency_injection import close
from backoffice.integrity.house_verification import VerificationOptions, VerificationRun
from backoffice.people import badge_and_key_authentication
from backoffice.running import status_files
from events.desk.command_and_answer_structs import Reply
from events.errors import Retry
from events.integrity.signed_head_stores import open_heads
from events.store import open_store
from events.streams.problem_details import Problem, problem_of
from tests.restores.house_with_losable_parts import LosableHouse, stopped
from tests.restores.restorable_databases import as_default
from tests.support.houses.small_house import PROPERTY, House, reopened_house
from tests.support.processes.relays_and_topic_readers import within
from tests.support.processes.scratch_databases import new_access_log
from workers import tasks
from workers.celery_app import app, of_celery

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "howto" / "restore.md"
EVENTS, HEADS, SNAPSHOTS = "pitledger_events", "pitledger_heads", "pitledger_snapshots"
SAYS_S = 60.0
REBUILD, EMPTY_TOPIC = "rebuild all --approve", "relay --empty-topic"


def accept(number: int) -> str:
    return f"heads --accept-restored {number}"


def last_head(place: LosableHouse) -> int:
    return len(open_heads(place.store_url).after(0))


# --- the event store --------------------------------------------------------------------------------------------------


def test_the_event_store_is_older_than_all_the_rest(place: LosableHouse) -> None:
    backup, head = place.keep(), last_head(place)
    place.plays()
    place.goes_on()
    place.restore(backup)
    for what, command in ((place.sends, EMPTY_TOPIC), (place.reads, REBUILD), (place.signs, accept(head))):
        assert stopped(what) == command
        place.manage(*command.split())
    place.is_well()


def test_the_event_store_is_older_and_other_events_came_since(place: LosableHouse) -> None:
    backup, head = place.keep(), last_head(place)
    place.plays()
    place.goes_on()
    place.restore(backup)
    place.plays(20)
    for what, command in ((place.sends, EMPTY_TOPIC), (place.reads, REBUILD), (place.signs, accept(head))):
        assert stopped(what) == command
        place.manage(*command.split())
    place.is_well()


def test_the_event_store_was_put_back_while_the_relay_hung(place: LosableHouse) -> None:
    """The relay is a separate process, as with `up`. When it continues, other events have its sent positions."""
    backup, head = place.keep(), last_head(place)
    place.plays()
    place.goes_on()
    sent, log = place.keep_topic(), place.data / "relay.log"
    with relay(log) as hung:
        within(
            lambda: status_files.last_status("relay", data=place.data).get("pid") == hung.pid,
            "the relay is not ready",
            SAYS_S,
        )
        hung.send_signal(signal.SIGSTOP)
        place.restore(backup)
        place.plays(20)
        hung.send_signal(signal.SIGCONT)
        # (Of a file that was replaced it learns no more than that.)
        within(lambda: hung.poll() == 1 or "start it again" in log.read_text(), "it says nothing", SAYS_S)
    with relay(log) as again_:
        assert again_.wait(SAYS_S) == 1
    assert EMPTY_TOPIC in log.read_text().splitlines()[-1]
    assert place.keep_topic() == sent
    for what, command in ((place.sends, EMPTY_TOPIC), (place.reads, REBUILD), (place.signs, accept(head))):
        assert stopped(what) == command
        place.manage(*command.split())
    place.is_well()


@contextmanager
def relay(log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the command, with its output in a file."""
    command = [sys.executable, str(CHECKOUT / "manage.py"), "relay"]
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "backoffice.settings"}
    with log.open("ab") as out, subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_event_store_is_another_house_s(place: LosableHouse) -> None:
    """The other store has the same name, and the rest is unchanged: no part adds to another."""
    own = place.keep()
    place.databases.restore(place.store_url, _another(place))
    assert stopped(place.sends, says="another store") == EMPTY_TOPIC
    assert stopped(place.reads, says="or is another house's") == REBUILD
    assert stopped(place.signs) == accept(0)
    place.restore(own)
    place.is_well()


def _another(place: LosableHouse) -> str:
    """The store of a house that played longer, without any head."""
    url = place.databases.new("another")
    house = House(open_store(url))
    house.open_table("FR1")
    for _ in range(30):
        house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="q", amount_minor=200))
    house.close()
    return place.databases.keep(url)


def test_the_event_store_is_that_of_another_property(place: LosableHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_PROPERTY", "corfu")
    for command in ("relay", "project"):
        with pytest.raises(
            CommandError, match=r"holds the events of athens, not of corfu\. Correct PITLEDGER_STORE, or"
        ):
            place.manage(command)
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    place.is_well()


def test_the_end_of_the_event_store_is_missing_and_its_heads_are_there(place: LosableHouse) -> None:
    own = place.keep()
    place.databases.do(place.store_url, f"DELETE FROM {EVENTS} WHERE {_place_of(place)} > 30")
    assert stopped(place.signs, says="cut off") == "verify"
    place.restore(own)
    place.is_well()


def _place_of(place: LosableHouse) -> str:
    return "rowid" if place.is_on_files else "notification_id"


def test_the_snapshots_are_gone(place: LosableHouse) -> None:
    place.databases.do(place.store_url, f"DELETE FROM {SNAPSHOTS}")
    place.is_well()


# --- heads and keys ---------------------------------------------------------------------------------------------------


def test_the_heads_are_older_than_the_events(place: LosableHouse) -> None:
    head = last_head(place)
    place.plays()
    place.goes_on()
    place.databases.do(place.store_url, f"DELETE FROM {HEADS} WHERE number > {head}")
    assert stopped(place.signs, says="They were cut off") == accept(head)
    place.manage(*accept(head).split())
    place.is_well()


def test_the_heads_are_gone(place: LosableHouse) -> None:
    place.databases.do(place.store_url, f"DELETE FROM {HEADS}")
    assert stopped(place.signs, says="They were cut off") == accept(0)
    place.manage(*accept(0).split())
    place.is_well()


def test_store_and_keys_came_from_one_backup_and_kafka_from_none(place: LosableHouse) -> None:
    """Here no part remembers the heads that the topic still holds."""
    backup, head = place.keep(), last_head(place)
    before = {path.name: path.read_bytes() for path in (place.data / "keys").iterdir()}
    place.plays()
    place.goes_on()
    place.restore(backup)
    for name, content in before.items():
        (place.data / "keys" / name).write_bytes(content)
    assert stopped(place.sends) == EMPTY_TOPIC
    place.manage(*EMPTY_TOPIC.split())
    place.sends()
    assert stopped(place.reads) == REBUILD
    place.manage(*REBUILD.split())
    place.plays()
    if not place.is_on_files:  # the embedded broker has lost the heads with the events
        assert stopped(place.signs, says="The topic pitledger.heads holds a head") == accept(head + 1)
        place.manage(*accept(head + 1).split())
    place.is_well()


def test_the_signer_s_memory_is_gone(place: LosableHouse) -> None:
    for path in (place.data / "keys").glob("last-head.*"):
        path.unlink()
    place.is_well()


def test_the_key_is_lost(place: LosableHouse) -> None:
    """The signer makes no new key silently. Holders of the public key would see heads of a stranger."""
    old_keys = {path.name: path.read_bytes() for path in (place.data / "keys").iterdir()}
    head = last_head(place)
    place.lose_keys()
    place.plays()
    command = stopped(place.signs, says="another key")
    assert command == f"heads --new-key {head}"
    (place.data / "keys" / "heads.pem").write_bytes(old_keys["heads.pem"])
    (place.data / "keys" / "heads.pub").write_bytes(old_keys["heads.pub"])
    place.is_well()
    place.lose_keys()
    place.plays()
    place.manage(*stopped(place.signs).split())
    place.is_well()


def test_the_key_s_file_is_cut_in_half(place: LosableHouse) -> None:
    path = place.data / "keys" / "heads.pem"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert stopped(place.signs, says="heads.pem") == "verify"
    path.write_bytes(whole)
    place.is_well()


# --- read models ------------------------------------------------------------------------------------------------------


def test_the_read_models_are_older_than_the_event_store(place: LosableHouse) -> None:
    backup = place.databases.keep(place.read_url)
    place.plays()
    place.goes_on()
    place.databases.restore(place.read_url, backup)
    place.is_well()


def test_a_badge_was_revoked_after_the_copy_of_the_read_models(place: LosableHouse) -> None:
    """A badge revoked after the copy is valid again, until the administrator repeats the access log's revocations."""
    place.plays()
    lost_badge = badge_in(place.manage("people", "badge", "dora"))
    backup = place.databases.keep(place.read_url)
    place.manage("people", "revoke", "--person", "dora")
    assert not opens(place, lost_badge)
    place.databases.restore(place.read_url, backup)
    assert opens(place, lost_badge)
    done = [line["what"] for line in map(json.loads, place.manage("refusal-log", "--json").splitlines())]
    assert done == ["people badge dora", "people revoke dora"]
    place.manage("people", "revoke", "--person", "dora")
    assert not opens(place, lost_badge)
    place.is_well()


def badge_in(printed: str) -> str:
    """The badge that `people badge` shows once."""
    (badge,) = re.findall(r"[A-Za-z0-9_-]{43}", printed)
    return str(badge)


def opens(place: LosableHouse, badge: str) -> bool:
    """Tell whether the stored credentials accept a badge now."""
    with as_default(place.read_url):
        shown = {"Authorization": f"Bearer {badge}"}
        try:
            badge_and_key_authentication.authenticate_sender(
                shown, lambda digest: badge_and_key_authentication.holders(digest=digest).get(digest)
            )
        except badge_and_key_authentication.NotAuthenticated:
            return False
    return True


def test_the_read_models_are_gone(place: LosableHouse) -> None:
    empty_one = place.databases.new("empty")
    place.databases.do(empty_one, "SELECT 1")
    place.databases.restore(place.read_url, place.databases.keep(empty_one))
    command = stopped(place.reads, says="The tables of the read models are missing")
    assert command == "migrate"
    place.manage(command)
    place.is_well()


def test_the_read_models_are_another_house_s(place: LosableHouse) -> None:
    backup = place.databases.keep(place.read_url)
    other = "UPDATE projections_reader SET property = 'corfu'"
    place.databases.do(place.read_url, other)
    assert stopped(place.reads, says="these read models belong to corfu, not to athens") == REBUILD
    place.manage(*REBUILD.split())
    place.is_well()
    place.databases.restore(place.read_url, backup)
    place.is_well()


# --- who looked -------------------------------------------------------------------------------------------------------


def looked_at(place: LosableHouse) -> Path:
    """Return the access log of a house in which the auditor has searched. A head includes the search."""
    place.looks()
    place.plays()
    place.goes_on()
    return place.data / "access.sqlite3"


def missed(place: LosableHouse) -> str:
    """Return `verify`'s finding about the access log, and the command in it."""
    with pytest.raises(CommandError, match="1 finding"):
        place.manage("verify", "--no-read-models")
    with as_default(place.read_url):
        options = VerificationOptions(topic=False, read_models=False)
        (finding,) = VerificationRun(options, lambda line: None).run().findings
    assert finding.kind == "looks"
    return finding.message.partition("./manage.py ")[2].strip("`")


def test_the_access_log_is_older_than_the_heads(place: LosableHouse, tmp_path: Path) -> None:
    access = looked_at(place)
    shutil.copyfile(access, tmp_path / "kept")
    looked_at(place)
    shutil.copyfile(tmp_path / "kept", access)
    command = missed(place)
    assert command == "access-log --accept-restored 3"
    assert "saw behind line 3" in place.manage(*command.split())
    looked_at(place)
    place.is_well()


def test_the_access_log_is_gone(place: LosableHouse) -> None:
    """Lines that were written since may be as many as a head saw, and are others."""
    looked_at(place).unlink()
    new_access_log(place.data)
    assert missed(place) == "access-log --accept-restored 0"
    looked_at(place)
    command = missed(place)
    assert command == "access-log --accept-restored 2"
    place.manage(*command.split())
    looked_at(place)
    place.is_well()


# --- Kafka ------------------------------------------------------------------------------------------------------------


def test_the_topic_is_older_than_the_event_store(place: LosableHouse) -> None:
    backup = place.keep_topic()
    place.plays()
    place.goes_on()
    place.restore_topic(backup)
    place.is_well()


def test_the_topic_is_gone(place: LosableHouse) -> None:
    place.lose_topics()
    place.is_well()


def test_the_topic_is_another_house_s(place: LosableHouse, tmp_path: Path) -> None:
    """Its records are not applied, and no record is added to them."""
    own = place.keep()
    place.lose_topics()
    place.restore(_another(place))
    place.sends()
    place.restore(own)
    assert stopped(place.sends, says="events of another store") == EMPTY_TOPIC
    place.reads()
    place.manage(*EMPTY_TOPIC.split())
    place.is_well()


def test_the_topic_of_heads_holds_unsigned_records(place: LosableHouse) -> None:
    place.put_on_topic_of_heads(b"what?")
    place.plays()
    place.goes_on()
    with pytest.raises(CommandError, match="1 finding"):
        place.manage("verify")
    place.lose_topics()
    place.is_well()


# --- disks ------------------------------------------------------------------------------------------------------------


def test_the_event_store_is_cut_in_half(place: LosableHouse) -> None:
    backup = place.keep()
    place.databases.cut(place.store_url, EVENTS)
    # PostgreSQL may take a file that ends with a whole block for a table with fewer rows.
    noticed = "is damaged" if place.is_on_files else "is damaged|findings|does not hold|another store"
    for command in ("relay", "verify", "project"):
        with pytest.raises(CommandError, match=noticed):
            place.manage(command)
    place.restore(backup)
    place.is_well()


def test_the_read_models_are_cut_in_half(place: LosableHouse) -> None:
    backup = place.databases.keep(place.read_url)
    place.databases.cut(place.read_url, "projections_eventlog")
    assert stopped(lambda: place.manage("rebuild", "all")) == REBUILD
    place.databases.restore(place.read_url, backup)
    place.manage(*REBUILD.split())
    place.is_well()


def test_the_disk_of_the_event_store_is_full(place: LosableHouse) -> None:
    """No action is half stored: until there is space, the answer asks for a retry."""
    end = place.plays(1)
    with place.databases.full(place.store_url) as store:
        house = reopened_house(store)
        while not isinstance(reply := bought(house), Problem):  # there may be room in the last page
            end = store.position()
        assert (reply.status, "the same keys" in reply.title) == (503, True)
        house.desk.close()
    with place.store() as store:
        assert store.position() == end
    place.is_well()


def test_the_disk_of_the_read_models_is_full(place: LosableHouse) -> None:
    """The projector reports the remedy once and waits, while dealers are served. With space it continues."""
    with capture_logs() as log_lines:
        with place.databases.full_of_reads(place.read_url):
            place.plays()
            place.sends()
            reading = threading.Thread(target=place.reads)
            reading.start()
            within(lambda: any("have no room" in line["event"] for line in log_lines), "it does not say so", SAYS_S)
            place.plays()
            assert reading.is_alive()
        reading.join(SAYS_S)
    assert not reading.is_alive()
    (line,) = [line for line in log_lines if "have no room" in line["event"]]
    assert "PITLEDGER_READ" in line["then"]
    place.is_well()


def bought(house: House) -> Reply:
    action = house.action("buyin.make", seat=1, player="p", amount_minor=100)
    try:
        return house.send("tables", "FR1", "dora", action)[0]
    except Retry as error:
        return problem_of(error)


def test_the_tasks_are_gone(place: LosableHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task only wakes a worker. The next sweep does the work of a lost task."""
    shutil.rmtree(place.data / "celery", ignore_errors=True)
    of_celery()
    assert (place.data / "celery" / "queue").is_dir()
    close()  # what this process has of another test's house
    monkeypatch.setattr(app, "parts", WorkerParts(), raising=False)
    tasks.sweep()
    close()
    place.is_well()


def test_the_page_names_every_case() -> None:
    """The page has a row for each test."""
    cases, _, _ = PAGE.read_text().partition("\n## In containers\n")
    rows = re.findall(r"^\| ([^|]+) \|", cases, re.MULTILINE)
    here = [name for name, _ in inspect.getmembers(sys.modules[__name__], inspect.isfunction) if "test_" in name]
    tests = {name.removeprefix("test_") for name in here if name != "test_the_page_names_every_case"}
    assert {re.sub(r"\W+", "_", row.lower()) for row in rows} == tests | {"loss"}
