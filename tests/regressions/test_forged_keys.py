"""An intruder edits the table of action keys, which no chain and no head covers. `verify` names the edits.

The house has slips and two gaming days, and runs on both databases.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.integrity.audit import audit
from events.integrity.heads_consistency import Finding
from events.integrity.wrong_action_key_finder import key_of
from events.store import Key, Stored, Tally, everything, open_store
from tests.regressions.test_forged_history import Intruder
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import PROPERTY

NEXT = "2026-11-21"
KEY = "(key, content, stream, first, count)"


class ForgedKeysHouse(Intruder):
    """Slips that were received, sent and voided, a day that was rolled; and the table of keys, unguarded."""

    def __init__(self, url: str) -> None:
        self.url, self.is_file = url, url.startswith("sqlite")
        self.house = Cashiers(open_store(url))
        self.house.issue()
        self.house.at_table("fill.receive", slip=1, chips={"500": 100})
        self.house.issue("credit")
        self.house.at_table("credit.send", slip=1, chips={"500": 100})
        self.house.issue()
        self.house.void("fill", 2)
        self.house.at_table("session.roll", gaming_day=NEXT, closer={"100": 1_000, "500": 1_000, "2500": 1_000})
        self.stored = list(everything(self.house.store))
        self.drop_guards()

    def key(self, name: str) -> Key:
        return self.house.store.keys([name])[name]

    def event(self, type_: str) -> Stored:
        """The first of this type."""
        return next(stored_event for stored_event in self.stored if stored_event.type == type_)

    def audit_findings(self) -> list[Finding]:
        return audit(self.house.store, PROPERTY, []).findings


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def forged(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ForgedKeysHouse]:
    is_file = request.param == "sqlite"
    forged = ForgedKeysHouse(
        f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else request.getfixturevalue("postgres_url")
    )
    yield forged
    forged.house.close()


def test_the_keys_of_an_honest_house_hold(forged: ForgedKeysHouse) -> None:
    store = forged.house.store
    names = {key.key for key in store.keys_after("", 100, marked=True)}
    assert {f"{PROPERTY}/cage#fill-2026-1", f"{PROPERTY}/cage#fill-2026-1#settled"} <= names
    assert {f"{PROPERTY}/tables/FR1#after-", f"{PROPERTY}/tables/FR1#after-2026-11-20"} <= names
    assert forged.audit_findings() == []


@pytest.mark.parametrize(
    ("type_", "claim"),
    [
        ("slip.issued.v1", "fill-2026-1"),
        ("fill.received.v1", "fill-2026-1#settled"),
        ("credit.sent.v1", "credit-2026-1#settled"),
        ("slip.voided.v1", "fill-2026-2#settled"),
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM pitledger_keys WHERE key = %s",
        "UPDATE pitledger_keys SET first = first - 1 WHERE key = %s",
        "UPDATE pitledger_keys SET count = count + 1 WHERE key = %s",
        "UPDATE pitledger_keys SET key = 'athens/cage#fill-2026-9#settled' WHERE key = %s",
    ],
)
def test_a_slip_that_could_be_used_once_more_is_named(
    forged: ForgedKeysHouse, type_: str, claim: str, statement: str
) -> None:
    forged.rows(statement, f"{PROPERTY}/cage#{claim}")
    event, own = forged.event(type_), key_of(forged.event(type_))
    (finding,) = forged.audit_findings()
    assert finding.kind == "key"
    assert finding.position in [
        stored_event.position
        for stored_event in forged.stored
        if key_of(stored_event) == own and stored_event.stream == event.stream
    ]
    assert claim in finding.message or "fill-2026-9" in finding.message, "the renamed key stands for the same action"


Forgery = Callable[[ForgedKeysHouse], tuple[object, ...]]


def of_another_action(forged: ForgedKeysHouse) -> tuple[object, ...]:
    """Return the key of a dealer's next action with another person's answer."""
    return "till-8", forged.key("house-1").content, "athens/people", 1, 1


def of_no_event(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "till-8", b"digest", "athens/people", 900, 1


def of_no_stream(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "till-8", b"digest", "athens/tables/FR9/2026-11-20", 1, 1


def of_nothing(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "till-8", b"digest", "athens/people", 2, 0


def of_very_much(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "till-8", b"digest", "athens/people", 1, 2**62


def one_part_more(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "house-1#2", forged.key("house-1").content, "athens/people", 1, 1


def part_of_no_action(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "till-8#2", b"digest", "athens/people", 1, 1


def slip_that_was_never_issued(forged: ForgedKeysHouse) -> tuple[object, ...]:
    slip = forged.key(f"{PROPERTY}/cage#fill-2026-1")
    return f"{PROPERTY}/cage#fill-2026-9", slip.content, slip.stream, slip.first, slip.count


def slip_that_is_still_open(forged: ForgedKeysHouse) -> tuple[object, ...]:
    slip = forged.key(f"{PROPERTY}/cage#fill-2026-1#settled")
    return f"{PROPERTY}/cage#fill-2026-9#settled", slip.content, slip.stream, slip.first, slip.count


def day_that_may_not_be_opened(forged: ForgedKeysHouse) -> tuple[object, ...]:
    day = forged.key(f"{PROPERTY}/tables/FR1#after-2026-11-20")
    return f"{PROPERTY}/tables/FR1#after-2026-11-21", day.content, day.stream, day.first, day.count


def of_a_house_of_others(forged: ForgedKeysHouse) -> tuple[object, ...]:
    return "x#after-9", b"digest", "nowhere", 1, 1


FORGED: tuple[Forgery, ...] = (
    of_another_action, of_no_event, of_no_stream, of_nothing, of_very_much, one_part_more, part_of_no_action,
    slip_that_was_never_issued, slip_that_is_still_open, day_that_may_not_be_opened, of_a_house_of_others,
)  # fmt: skip


@pytest.mark.parametrize("forgery", FORGED, ids=lambda forgery: str(getattr(forgery, "__name__", forgery)))
def test_a_key_that_no_action_left_is_named(forged: ForgedKeysHouse, forgery: Forgery) -> None:
    """With such a key, the desk would answer a real action as a repeat, or refuse it."""
    row = forgery(forged)
    forged.rows(f"INSERT INTO pitledger_keys {KEY} VALUES (%s, %s, %s, %s, %s)", *row)
    (finding,) = forged.audit_findings()
    assert (finding.kind, finding.event) == ("key", f"{row[2]}@{row[3]}")
    assert str(row[0]) in finding.message


def test_a_key_that_stands_for_more_than_its_action_made_is_named(forged: ForgedKeysHouse) -> None:
    forged.rows("UPDATE pitledger_keys SET count = count + 1 WHERE key = 'house-1'")
    (finding,) = forged.audit_findings()
    assert (finding.kind, finding.event, finding.further_findings) == ("key", "athens/people@1", 0)


def test_keys_of_what_was_removed_follow_from_that(forged: ForgedKeysHouse) -> None:
    """A key whose event was removed is no finding of its own. The finding names the removed event."""
    event = forged.event("fill.received.v1")
    forged.rows(f"DELETE FROM pitledger_events WHERE {forged.place} = {event.position}")
    (finding,) = forged.audit_findings()
    assert (finding.kind, finding.event) == ("chain", f"{event.stream}@{event.version}")


def test_what_is_appended_while_keys_are_counted_is_no_finding(
    forged: ForgedKeysHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, tally = forged.house.store, forged.house.store.tally

    def overtaken() -> Tally:
        counts = tally()
        forged.house.issue()
        return counts

    monkeypatch.setattr(store, "tally", overtaken)
    assert forged.audit_findings() == []
