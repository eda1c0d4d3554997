"""Draws: an operator's attempts to steer them, on every database."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from events.alerts.overdue_and_luck_event_recorder import Watchman, say_late
from events.errors import Conflict
from events.inspection_draws import draw_proof, secret_encryption, verifiable_weighted_draw
from events.inspection_draws import stream_declaration as kind
from events.inspection_draws.decider import stream_of
from events.inspection_draws.due_draw_publication import publish_due
from events.inspection_draws.event_types import DrawCommitted
from events.integrity.signed_head_format import decode
from events.store import EventStore
from tests.support.houses.inspection_draw_house import TERMS, DrawingHouse
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.pages.raised_alerts import raised
from tools import verify_draw


@pytest.fixture
def house(store: EventStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DrawingHouse]:
    house = DrawingHouse(monkeypatch, tmp_path, store)
    yield house
    house.desk.close()


def alerts(house: DrawingHouse) -> list[tuple[str, str]]:
    """Return the alerts about draws, as (reason, draw)."""
    alerts_ = raised(SimpleNamespace(events=house.store.after(0, 100_000)), "draw")  # type: ignore[arg-type]
    data = [msgspec.json.decode(alert.data) for alert in alerts_]
    return [(each["reason"], each["draw"]) for each in data]


def inspect(house: DrawingHouse, entry: int, person: str = "sven", **about: Any) -> Any:
    data = {"draw": "night", "entry": entry, "way": "live", "looked_at": "cards and payouts", "finding": "in order"}
    return house.do(person, "inspection.record", **data | about)


def watch(house: DrawingHouse) -> None:
    """Let the worker look for overdue draws."""
    say_late(house.store, Watchman(PROPERTY))


# --- a draw from the commitment to its proof --------------------------------------------------------------------------


def test_a_draw_is_committed_revealed_inspected_published_and_proved(house: DrawingHouse) -> None:
    committed = house.commit()
    assert len(committed.entries) == 12
    assert (committed.second_of, committed.is_late) == ("", False)
    revealed = house.reveal()
    (raw,) = house.heads.after(revealed.head - 1, 1)
    assert decode(raw).time >= committed.draw_at
    assert decode(house.heads.after(revealed.head - 2, 1)[0]).time < committed.draw_at
    drawn = house.drawn()
    assert len(drawn) == 3
    for entry in drawn:
        assert publish_due(house.store, PROPERTY) == 0
        inspect(house, entry, "sid")
    assert publish_due(house.store, PROPERTY) == 1
    assert publish_due(house.store, PROPERTY) == 0
    house.sign()
    content = draw_proof.proof(house.store, house.heads, PROPERTY, house.state().draws["night"])
    proof = verify_draw.verify(content, [house.signer.public])
    assert [entry["entry"] for entry in proof["drawn"]] == [*drawn]
    assert alerts(house) == []


def test_every_changed_byte_of_a_proof_is_noticed(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    for entry in house.drawn():
        inspect(house, entry)
    publish_due(house.store, PROPERTY)
    house.sign()
    content = draw_proof.proof(house.store, house.heads, PROPERTY, house.state().draws["night"])
    verify_draw.verify(content)
    for place in range(0, len(content), 97):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        with pytest.raises(verify_draw.DrawProofError):
            verify_draw.verify(changed)
    with pytest.raises(verify_draw.DrawProofError, match="another key"):
        verify_draw.verify(content, ["00" * 32])


CHANGES: list[tuple[str, Any, str]] = [
    ("events.0.number", 4, "is not what"),
    ("events.0.draw_at", "2026-11-20T20:30:01Z", "is not what"),
    ("events.0.commitment", "00" * 32, "is not what"),
    ("events.0.entries", [], "is not what"),
    ("events.1.head", 3, "is not what"),
    ("events.-1.secret", "00" * 32, "the publication is not what head"),
    ("events.-1.drawn", [1, 1, 1], "the publication is not what head"),
    ("heads.-1.time", "2026-11-20T20:30:00.000Z", "not signed by its key"),
    ("heads.0.root", "00" * 32, "does not follow its previous"),
    ("last_head.root", "00" * 32, "not signed by its key"),
    ("committed.index", 0, "the place of the commitment"),
    ("opened.position", 1, "the publication is not what head"),
    ("draw", "another", "not revealed once"),
    ("property", "sparta", "another property"),
    ("type", "pitledger.draw.v0", "no proof of a draw"),
]


@pytest.mark.parametrize(("field", "value", "fault"), CHANGES, ids=[field for field, _value, _fault in CHANGES])
def test_a_changed_field_of_a_proof_is_named(house: DrawingHouse, field: str, value: Any, fault: str) -> None:
    house.commit()
    house.reveal()
    for entry in house.drawn():
        inspect(house, entry)
    publish_due(house.store, PROPERTY)
    house.sign()
    content = draw_proof.proof(house.store, house.heads, PROPERTY, house.state().draws["night"])
    proof = json.loads(content)
    first, *path = field.split(".")
    if isinstance(proof[first], list):  # texts of events, or of heads
        place = int(path[0])
        changed = json.loads(proof[first][place])
        (changed["data"] if first == "events" else changed)[path[1]] = value
        proof[first][place] = json.dumps(changed, ensure_ascii=False, separators=(",", ":"))
    elif first == "last_head":
        proof[first] = json.dumps(json.loads(proof[first]) | {path[0]: value}, separators=(",", ":"))
    elif path:
        proof[first][path[0]] = value
    else:
        proof[first] = value
    written = json.dumps(proof, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    with pytest.raises(verify_draw.DrawProofError, match=fault):
        verify_draw.verify(written)


def test_no_event_says_the_result_before_it_is_public(house: DrawingHouse) -> None:
    committed = house.commit()
    house.reveal()
    draw = house.state().draws["night"]
    secret, drawn = kind.secret_of(draw), kind.drawn(house.store, draw)
    written = b"".join(stored_event.raw for stored_event in house.store.stream(stream_of(PROPERTY)))
    assert secret.hex().encode() not in written
    assert verifiable_weighted_draw.commitment_of(secret) == committed.commitment
    inspect(house, drawn[0])
    assert publish_due(house.store, PROPERTY) == 0
    house.turn_to("2026-11-21T01:00:00.000Z")  # the time of the last entry is over
    assert publish_due(house.store, PROPERTY) == 1
    assert house.state().draws["night"].opened.drawn == drawn  # type: ignore[union-attr]


def test_two_secrets_are_never_the_same_and_a_foreign_key_opens_none(house: DrawingHouse) -> None:
    first = house.commit()
    second = house.commit(draw="morning", since="2026-11-21T02:00:00Z", until="2026-11-21T04:00:00Z")
    assert first.commitment != second.commitment
    with pytest.raises(Conflict):
        secret_encryption.unseal(secret_encryption.key_of("another"), "night", first.commitment, first.sealed)
    with pytest.raises(Conflict):
        secret_encryption.unseal(kind.key(), "morning", first.commitment, first.sealed)


# --- an operator who steers -------------------------------------------------------------------------------------------


def test_a_second_commitment_raises_an_alert_and_is_never_drawn(house: DrawingHouse) -> None:
    house.commit()
    house.commit(draw="again", since="2026-11-21T00:30:00Z", until="2026-11-21T02:00:00Z")
    assert alerts(house) == [("second commitment", "again")]
    house.reveal()
    assert house.refused("sven", "draw.reveal", draw="again").code == "draw-is-second"


def test_a_late_commitment_raises_an_alert(house: DrawingHouse) -> None:
    house.turn_to("2026-11-20T21:00:00.000Z")
    house.commit(draw_at="2026-11-20T21:30:00Z")
    assert alerts(house) == [("late commitment", "night")]


def test_a_draw_that_is_not_revealed_raises_an_alert_once(house: DrawingHouse) -> None:
    house.commit()
    house.turn_to("2026-11-20T21:30:00.000Z")
    watch(house)
    assert alerts(house) == []  # the hour is not over
    house.later(seconds=1)
    watch(house)
    watch(house)
    assert alerts(house) == [("not revealed", "night")]


def test_nobody_chooses_the_head(house: DrawingHouse) -> None:
    """The program takes the first head at or after the time. Heads before or after it change nothing."""
    house.commit()
    assert house.refused("sven", "draw.reveal", draw="night").code == "draw-head-not-signed"
    house.turn_to("2026-11-20T20:30:00.000Z")
    house.something_happens()
    deciding = house.sign(to_witness=False)
    assert house.refused("sven", "draw.reveal", draw="night").code == "draw-head-not-witnessed"
    for _ in range(3):
        house.something_happens()
        house.sign()
    assert house.do("sven", "draw.reveal", draw="night").head == deciding
    assert house.refused("sven", "draw.reveal", draw="night").code == "draw-revealed-already"


def test_without_a_witness_nothing_is_revealed(house: DrawingHouse) -> None:
    house.has_witness = False
    house.commit()
    house.turn_to("2026-11-20T20:31:00.000Z")
    house.something_happens()
    house.sign()
    assert house.refused("sven", "draw.reveal", draw="night").code == "draw-without-witness"


def test_a_signer_that_paused_until_the_draw_proves_nothing(house: DrawingHouse) -> None:
    """Were the commitment first covered by the deciding head, it could have been made after it was known."""
    house.sign()
    house.do("sven", "draw.commit", **TERMS)
    house.turn_to("2026-11-20T20:31:00.000Z")
    house.sign()
    assert house.refused("sven", "draw.reveal", draw="night").code == "draw-head-does-not-follow"


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"draw_at": "2026-11-20T20:09:59Z"}, "draw-time-range"),
        ({"draw_at": "2026-11-23T20:00:01Z"}, "draw-time-range"),
        ({"draw_at": "2026-11-20T22:00:00Z"}, "draw-after-inspection"),
        ({"number": 13}, "draw-number-too-large"),
        ({"until": "2026-11-20T21:00:00Z"}, "draw-period-empty"),
        ({"tables": [{"table": "BJ1"}, {"table": "BJ1"}]}, "draw-table-twice"),
        ({"tables": [{"table": "BJ9"}]}, "table-unknown"),
        ({"until": "2026-12-31T21:00:00Z"}, "draw-list-too-long"),
        ({"inspectors": ["dora"]}, "inspector-without-role"),
    ],
)
def test_terms_that_cannot_be(house: DrawingHouse, terms: dict[str, Any], code: str) -> None:
    assert house.refused("sven", "draw.commit", **TERMS | terms).code == code


def test_only_an_inspector_records_an_inspection(house: DrawingHouse) -> None:
    house.grant("cleo", "surveillance")
    house.commit()
    about = {"draw": "night", "way": "live", "looked_at": "cards", "finding": "in order"}
    assert house.refused("sven", "inspection.record", entry=1, **about).code == "draw-not-revealed"
    house.reveal()
    drawn = house.drawn()
    spared = next(entry for entry in range(1, 13) if entry not in drawn)
    for entry in (drawn[0], spared):  # an outsider learns nothing from the refusal
        assert house.refused("cleo", "inspection.record", entry=entry, **about).code == "not-an-inspector"
    assert house.refused("sven", "inspection.record", entry=spared, **about).code == "entry-not-drawn"
    assert inspect(house, drawn[0]).table == house.state().draws["night"].terms.entries[drawn[0] - 1].table
    assert house.refused("sven", "inspection.record", entry=drawn[0], **about).code == "inspection-recorded-already"


def test_nobody_inspects_a_table_at_which_they_worked(house: DrawingHouse) -> None:
    """This holds for a person at a post without entries, and ends when another person takes the post."""
    house.grant("ines", "security")
    house.grant("dora", "security")
    opening = house.action("session.open", gaming_day=DAY, opener={"100": 10})
    house.ok("tables", "BJ1", "ines", opening)
    for post, person in (("dealer", "dora"), ("inspector", "ines")):
        house.ok("tables", "BJ1", "ines", house.action("staff.assign", post=post, person=person))
    house.commit(number=12, inspectors=["sid", "ines", "dora"])
    house.reveal()
    entries = house.state().draws["night"].terms.entries
    at = {(entry.table, entry.since): number for number, entry in enumerate(entries, 1)}
    house.turn_to("2026-11-20T22:30:00.000Z")
    house.ok("tables", "BJ1", "ines", house.action("staff.leave", post="dealer"))
    about = {"draw": "night", "way": "live", "looked_at": "cards", "finding": "in order"}
    for hour in ("21:00", "22:00"):
        for person in ("dora", "ines"):
            entry = at["BJ1", f"2026-11-20T{hour}:00Z"]
            assert house.refused(person, "inspection.record", entry=entry, **about).code == "inspector-at-table"
    inspect(house, at["BJ1", "2026-11-20T23:00:00Z"], "dora")
    inspect(house, at["BJ2", "2026-11-20T22:00:00Z"], "ines")
    inspect(house, at["BJ1", "2026-11-20T22:00:00Z"], "sid")


@pytest.mark.parametrize("person", ["dora", "ines", "paul", "cage", "cora", "anna", "mark", "olga", "adam"])
def test_nobody_else_commits_reveals_or_inspects(house: DrawingHouse, person: str) -> None:
    house.commit()
    inspection = {"entry": 1, "way": "live", "looked_at": "cards", "finding": "in order"}
    assert house.refused(person, "draw.commit", **TERMS | {"draw": "other"}).status == 403
    assert house.refused(person, "draw.reveal", draw="night").status == 403
    assert house.refused(person, "inspection.record", draw="night", **inspection).status == 403


def test_two_reveal_at_once_and_one_draw_is_revealed(house: DrawingHouse) -> None:
    house.commit()
    house.turn_to("2026-11-20T20:31:00.000Z")
    house.something_happens()
    house.sign()
    actions = [house.action("draw.reveal", draw="night") for _ in range(8)]
    threads = [threading.Thread(target=house.send, args=("draws", "", "sven", action)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    types = [stored_event.type for stored_event in house.store.stream(stream_of(PROPERTY))]
    assert types == ["draw.committed.v1", "draw.revealed.v1"]


def test_the_state_of_a_published_draw_holds_its_drawn_entries_only(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    drawn = house.drawn()
    house.turn_to("2026-11-21T01:00:00.000Z")
    publish_due(house.store, PROPERTY)
    draw = house.state().draws["night"]
    assert draw.terms.entries == ()
    assert sorted(draw.drawn_entries) == sorted(drawn)
    assert inspect(house, drawn[0]).entry == drawn[0]  # late, and recorded
    assert DrawCommitted.TYPE in {stored_event.type for stored_event in house.store.stream(stream_of(PROPERTY))}
