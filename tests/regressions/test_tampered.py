"""An intruder edits a house's tables. `verify` names the first wrong record, and not its consequences.

Each kind of edit is one case, on both databases. The event log is either beside the store or missing.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeAlias

import pytest
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from backoffice.integrity.house_verification import VerificationOptions, VerificationRun
from events.envelope import digest
from events.integrity.heads_consistency import Finding
from events.integrity.signed_head_stores import open_heads
from events.people.role_grant_decider import RoleGranted
from events.signing import house_signing_key
from events.store import open_store
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.journal.journal_rows_from_events import JournalPosting
from projections.registry import projectors
from tests.regressions.test_forged_history import Intruder, intruder
from tests.support.processes.scratch_databases import read_models

__all__ = ["intruder"]  # a fixture, on both databases
STREAM = "athens/tables/FR1/2026-11-20"


class TamperedHouse:
    """A house with four heads and its read models, without any guard."""

    def __init__(self, intruder: Intruder, using: str, reads: str) -> None:
        self.intruder, self.using, self.reads = intruder, using, reads
        with closing(open_store(intruder.url)) as store:
            self.stored = store.after(0, 10_000)
            applier = Applier(projectors((), WriteTarget(using)), "athens")
            applier.load()
            applier.apply(self.stored)
            JournalPosting(store, "athens", using).catch_up()
        self.table = [stored_event for stored_event in self.stored if stored_event.stream == STREAM]
        self.heads = [json.loads(raw) for raw in open_heads(intruder.url).after(0)]
        intruder.drop_guards()

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        return self.intruder.rows(statement.replace("PLACE", self.intruder.place), *values)

    def set(self, position: int, raw: bytes) -> None:
        self.rows("UPDATE pitledger_events SET state = %s WHERE PLACE = %s", raw, position)

    def flip(self, position: int) -> None:
        """Flip one bit of a number in the event's data."""
        (raw,) = (stored_event.raw for stored_event in self.stored if stored_event.position == position)
        place = raw.index(b'"data":') + raw[raw.index(b'"data":') :].rindex(b'"') - 1
        self.set(position, raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])

    def remove(self, *positions: int) -> None:
        for position in positions:
            self.rows("DELETE FROM pitledger_events WHERE PLACE = %s", position)

    def move(self, position: int, to: int) -> None:
        self.rows("UPDATE pitledger_events SET PLACE = %s WHERE PLACE = %s", to, position)

    def read(self, statement: str) -> None:
        with connections[self.using].cursor() as cursor:
            cursor.execute(statement)

    def verification_findings(self, *, log: bool = True) -> list[Finding]:
        options = VerificationOptions(
            keys=house_signing_key.trusted(self.intruder.data), topic=False, read_models=log, using=self.using
        )
        findings = VerificationRun(options, lambda line: None).run().findings
        return [finding for finding in findings if finding.kind != "guard"]


@pytest.fixture
def tampered(
    intruder: Intruder, request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker
) -> Iterator[TamperedHouse]:
    url = f"sqlite:///{intruder.data / 'read.sqlite3'}"
    if not intruder.is_file:
        url = request.getfixturevalue("new_database")()
    with django_db_blocker.unblock(), read_models(url) as using:
        yield TamperedHouse(intruder, using, url)


Tamper: TypeAlias = Callable[[TamperedHouse], None]
ExpectedFinding = tuple[str, int, str]  # kind, position, event


def flipped(at: TamperedHouse) -> None:
    at.flip(at.table[-2].position)


def flipped_last_of_stream(at: TamperedHouse) -> None:
    at.flip(at.table[-1].position)


def removed(at: TamperedHouse) -> None:
    at.remove(at.table[1].position)


def removed_last_of_stream(at: TamperedHouse) -> None:
    at.remove(last_of_people(at))


def truncated(at: TamperedHouse) -> None:
    at.remove(*(stored_event.position for stored_event in at.stored[-3:]))


def exchanged_contents(at: TamperedHouse) -> None:
    first, second = at.table[1], at.table[2]
    at.set(first.position, second.raw)
    at.set(second.position, first.raw)


def exchanged_places(at: TamperedHouse) -> None:
    first, second = at.table[1].position, at.table[2].position
    at.move(first, 10_000)
    at.move(second, first)
    at.move(10_000, second)


def rewritten(at: TamperedHouse) -> None:
    at.intruder.edit()


def last_of_people(at: TamperedHouse) -> int:
    return max(stored_event.position for stored_event in at.stored if stored_event.stream == "athens/people")


def event(at: TamperedHouse, position: int) -> str:
    (stored_event,) = (stored_event for stored_event in at.stored if stored_event.position == position)
    return f"{stored_event.stream}@{stored_event.version}"


def at_table(number: int, kind: str = "chain") -> Callable[[TamperedHouse], ExpectedFinding]:
    def finding_at(at: TamperedHouse) -> ExpectedFinding:
        stored = at.table[number]
        return kind, stored.position, f"{STREAM}@{stored.version}"

    return finding_at


def covering(position: Callable[[TamperedHouse], int]) -> Callable[[TamperedHouse], ExpectedFinding]:
    """Return the expected finding: the head that covers the position."""
    return lambda at: ("rewritten", min(h["position"] for h in at.heads if h["position"] >= position(at)), "")


def first_buyin(at: TamperedHouse) -> int:
    return next(stored_event.position for stored_event in at.stored if stored_event.type == "buyin.made.v1")


CASES: list[tuple[Tamper, Callable[[TamperedHouse], ExpectedFinding], Callable[[TamperedHouse], ExpectedFinding]]] = [
    (flipped, at_table(-2), at_table(-2)),
    (flipped_last_of_stream, at_table(-1, "rewritten"), covering(lambda at: at.table[-1].position)),
    (removed, at_table(1, "rewritten"), lambda at: ("chain", at.table[2].position, f"{STREAM}@2")),
    (
        removed_last_of_stream,
        lambda at: ("rewritten", last_of_people(at), event(at, last_of_people(at))),
        covering(last_of_people),
    ),
    (
        truncated,
        lambda at: ("cut off", at.stored[-3].position, event(at, at.stored[-3].position)),
        lambda at: ("cut off", at.stored[-3].position, ""),
    ),
    (exchanged_contents, at_table(1), at_table(1)),
    (
        exchanged_places,
        lambda at: ("chain", at.table[1].position, f"{STREAM}@3"),
        lambda at: ("chain", at.table[1].position, f"{STREAM}@3"),
    ),
    (rewritten, lambda at: ("rewritten", first_buyin(at), event(at, first_buyin(at))), covering(first_buyin)),
]


@pytest.mark.parametrize(("tamper", "with_log", "alone"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_first_event_that_is_wrong_is_named(
    tampered: TamperedHouse,
    tamper: Tamper,
    with_log: Callable[[TamperedHouse], ExpectedFinding],
    alone: Callable[[TamperedHouse], ExpectedFinding],
) -> None:
    assert tampered.verification_findings() == []
    tamper(tampered)
    for log, should in ((True, with_log), (False, alone)):
        findings = tampered.verification_findings(log=log)
        assert [(finding.kind, finding.position, finding.event) for finding in findings] == [should(tampered)], findings


@pytest.mark.parametrize(
    "column",
    [
        "originator_id = CAST(originator_id AS BLOB)",
        "originator_version = 'eight'",
        "topic = CAST(topic AS BLOB)",
        "state = CAST(state AS TEXT)",
        "state = 5.5",
    ],
)
@pytest.mark.parametrize("intruder", ["sqlite"], indirect=True)  # PostgreSQL keeps to the types of its columns
def test_an_event_whose_column_is_of_another_type_is_named(tampered: TamperedHouse, column: str) -> None:
    last = tampered.stored[-1]
    tampered.rows(f"UPDATE pitledger_events SET {column} WHERE PLACE = %s", last.position)
    (finding,) = tampered.verification_findings(log=False)
    assert (finding.kind, finding.position) == ("chain", last.position)


@pytest.mark.parametrize("position", [0, -7])
def test_an_event_that_only_its_stream_has_is_named(tampered: TamperedHouse, position: int) -> None:
    """Readers by position begin at 1, and no guard forbids an INSERT. `verify` still finds the added role."""
    last = max((each for each in tampered.stored if each.stream == "athens/people"), key=lambda each: each.version)
    forged = json.loads(last.raw) | {"id": f"athens/people@{last.version + 1}", "prev": digest(last.raw).hex()}
    forged = forged | {"data": {"person": "mallory", "role": "administrator"}, "type": RoleGranted.TYPE}
    into = "INSERT INTO pitledger_events (PLACE, originator_id, originator_version, topic, state)"
    granted = ("athens/people", last.version + 1, RoleGranted.TYPE, json.dumps(forged).encode())
    tampered.rows(f"{into} VALUES (%s, %s, %s, %s, %s)", position, *granted)
    for log in (True, False):
        (finding,) = tampered.verification_findings(log=log)
        assert (finding.kind, finding.position, finding.event) == (
            "chain",
            position,
            f"athens/people@{last.version + 1}",
        )


def deleted_head(at: TamperedHouse) -> None:
    at.rows("DELETE FROM pitledger_heads WHERE number = 2")


def edited_head(at: TamperedHouse) -> None:
    raw = open_heads(at.intruder.url).after(1, 1)[0]
    changed = raw.replace(b'"size":', b'"size":1', 1)
    at.rows("UPDATE pitledger_heads SET head = %s WHERE number = 2", changed)


def foreign_head(at: TamperedHouse) -> None:
    at.rows("UPDATE pitledger_heads SET head = %s WHERE number = 3", b"what?")


def emptied_heads(at: TamperedHouse) -> None:
    at.rows("DELETE FROM pitledger_heads")


def cut_off_heads(at: TamperedHouse) -> None:
    at.rows("DELETE FROM pitledger_heads WHERE number > 3")


def move_head(at: TamperedHouse, number: int, to: int) -> None:
    at.rows("UPDATE pitledger_heads SET number = %s WHERE number = %s", to, number)


def exchanged_heads(at: TamperedHouse) -> None:
    for number, to in ((2, 1_000), (3, 2), (1_000, 3)):
        move_head(at, number, to)


def repeated_head(at: TamperedHouse) -> None:
    at.rows("INSERT INTO pitledger_heads SELECT 5, head FROM pitledger_heads WHERE number = 2")


def head_far_away(at: TamperedHouse) -> None:
    move_head(at, 4, 10**12)


def head_before_the_first(at: TamperedHouse) -> None:
    move_head(at, 1, -3)


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (exchanged_heads, "in the place of head 2 of store lies head 3"),
        (repeated_head, "in the place of head 5 of store lies head 2"),
        (head_far_away, "in the place of head 1000000000000 of store lies head 4"),
        (head_before_the_first, "in the place of head -3 of store lies head 1"),
        (deleted_head, "head 2 is missing"),
        (edited_head, "head 2 of store is not signed by its key"),
        (foreign_head, "head 3 of store is no head"),
        (emptied_heads, "head 4, the signer's last, is missing"),
        (cut_off_heads, "head 4, the signer's last, is missing"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_first_head_that_is_wrong_is_named(tampered: TamperedHouse, tamper: Tamper, message: str) -> None:
    tamper(tampered)
    (finding,) = tampered.verification_findings()
    assert message in finding.message


READ = {
    "another amount": (
        "UPDATE projections_eventlog SET amount_minor = 900000 WHERE position = {place}",
        "read model",
        "EventLog {place}: amount_minor: live 900000, copy 100000",
    ),
    "a row taken away": (
        "DELETE FROM projections_eventlog WHERE position = {place}",
        "log",
        "left out in the event log",
    ),
    "a table's day": (
        "UPDATE projections_tableday SET buyins_cash_minor = 5",
        "read model",
        "accounts: TableDay athens/tables/FR1/2026-11-20: buyins_cash_minor: live 5",
    ),
    "another amount in the journal": (
        "UPDATE projections_journalentry SET micro = 5 WHERE position = {place}",
        "read model",
        "journal: JournalEntry {place}000: micro: live 5, copy 100000000000",
    ),
    "an entry taken out of the journal": (
        "DELETE FROM projections_journalentry WHERE position = {place}",
        "read model",
        "journal: JournalEntry {place}000: only in the copy read model",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_row_of_a_read_model_that_is_not_what_the_events_make_is_named(tampered: TamperedHouse, name: str) -> None:
    statement, kind, message = READ[name]
    place = first_buyin(tampered)
    tampered.read(statement.format(place=place))
    (finding,) = tampered.verification_findings()
    assert finding.kind == kind
    assert message.format(place=place) in finding.message


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM pitledger_keys WHERE key = %s",
        "UPDATE pitledger_keys SET first = first + 1 WHERE key = %s",
        "UPDATE pitledger_keys SET stream = 'athens/people' WHERE key = %s",
        "UPDATE pitledger_keys SET key = 'another' WHERE key = %s",
    ],
)
def test_an_action_that_would_be_done_again_is_named(tampered: TamperedHouse, statement: str) -> None:
    """The key distinguishes a repeated action from a new one. No chain and no head covers the table of keys."""
    place = first_buyin(tampered)
    tampered.rows(
        statement,
        next(
            json.loads(stored_event.raw)["causation"]
            for stored_event in tampered.stored
            if stored_event.position == place
        ),
    )
    (finding,) = tampered.verification_findings()
    assert (finding.kind, finding.position, finding.event) == ("key", place, event(tampered, place))


def test_what_follows_from_an_edited_event_is_no_finding_of_its_key(tampered: TamperedHouse) -> None:
    """The event names another action now. `verify` reports the event and not its key."""
    event = tampered.table[2]
    key = json.loads(event.raw)["causation"].encode()
    tampered.set(event.position, event.raw.replace(key, key[::-1]))
    (finding,) = tampered.verification_findings()
    assert (finding.kind, finding.position) == ("chain", event.position)


def test_an_event_of_the_log_that_is_not_the_stores_is_the_logs_fault(tampered: TamperedHouse) -> None:
    """A head vouches for the store's."""
    place = first_buyin(tampered)
    raw = next(stored_event.raw for stored_event in tampered.stored if stored_event.position == place).replace(
        b"100000", b"900000"
    )
    with connections[tampered.using].cursor() as cursor:
        cursor.execute("UPDATE projections_eventlog SET raw = %s WHERE position = %s", [raw, place])
    (finding,) = tampered.verification_findings()
    assert (finding.kind, finding.position, finding.event) == ("log", place, event(tampered, place))
