"""Draws and inspections of surveillance by the clauses that ask for them (the short names are those of the trade)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.inspection_draws import draw_proof
from events.inspection_draws.due_draw_publication import publish_due
from events.inspection_draws.event_types import InspectionRecorded
from tests.support.houses.inspection_draw_house import TERMS, DrawingHouse
from tests.support.houses.small_house import PROPERTY
from tools import verify_draw

ABOUT: dict[str, Any] = {"draw": "night", "looked_at": "cards and payouts", "finding": "minor finding", "note": "late"}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DrawingHouse]:
    house = DrawingHouse(monkeypatch, tmp_path)
    yield house
    house.close()


def test_ks_106_6_an_inspection_has_time_employee_summary_place_and_disposition_unchanged(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    entry = house.drawn()[0]
    listed = house.state().draws["night"].terms.entries[entry - 1]
    house.do("sven", "inspection.record", entry=entry, way="live", **ABOUT)
    [stored_event] = [event for event in house.store.after(0, 100_000) if event.type == InspectionRecorded.TYPE]
    event = json.loads(stored_event.raw)
    assert (event["actor"], event["recordedat"]) == ("sven", house.store.clock())
    data = event["data"]
    assert (data["looked_at"], data["finding"], data["note"]) == ("cards and payouts", "minor finding", "late")
    assert (data["table"], data["since"], data["until"]) == (listed.table, listed.since, listed.until)
    for finding in ("in order", "minor finding"):  # nothing changes the entry, not even the same one again
        refused = house.refused("sven", "inspection.record", entry=entry, way="live", **ABOUT | {"finding": finding})
        assert refused.code == "inspection-recorded-already"
    assert [each.raw for each in house.store.after(0, 100_000) if each.type == InspectionRecorded.TYPE] == [
        stored_event.raw
    ]


def test_nigc_542_43_a_result_is_known_while_the_recording_of_its_time_is_kept(house: DrawingHouse) -> None:
    """A recording is kept for 7 days. The deciding head comes within three days, and a late inspection is recorded."""
    assert house.refused("sven", "draw.commit", **TERMS | {"draw_at": "2026-11-23T20:00:01Z"}).code == "draw-time-range"
    house.commit()
    house.reveal()
    house.turn_to("2026-11-27T20:00:00.000Z")
    entry = house.drawn()[0]
    event = house.do("sven", "inspection.record", entry=entry, way="recording", **ABOUT)
    listed = house.state().draws["night"].terms.entries[entry - 1]
    assert (event.way, event.table, event.since) == ("recording", listed.table, listed.since)


def test_nigc_543_23_nobody_inspects_or_proves_their_own_work(house: DrawingHouse) -> None:
    """The auditor inspects nothing and can prove each draw. People of the table cannot inspect it."""
    house.grant("ines", "security")
    house.ok("tables", "BJ1", "ines", house.action("session.open", gaming_day="2026-11-20", opener={"100": 10}))
    house.ok("tables", "BJ1", "ines", house.action("staff.assign", post="inspector", person="ines"))
    house.commit(number=12, inspectors=["ines", "sven"])
    house.reveal()
    draw = house.state().draws["night"]
    own = next(number for number, entry in enumerate(draw.terms.entries, 1) if entry.table == "BJ1")
    assert house.refused("ines", "inspection.record", entry=own, way="live", **ABOUT).code == "inspector-at-table"
    assert house.refused("olga", "inspection.record", entry=own, way="live", **ABOUT).status == 403
    assert house.do("sven", "inspection.record", entry=own, way="live", **ABOUT).table == "BJ1"


def test_nj_13_69o_1_8_an_independent_copy_proves_the_draw_and_its_inspections(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    drawn = house.drawn()
    for entry in drawn:
        house.do("sven", "inspection.record", entry=entry, way="live", **ABOUT)
    assert publish_due(house.store, PROPERTY) == 1
    house.sign()
    content = draw_proof.proof(house.store, house.heads, PROPERTY, house.state().draws["night"])
    assert [entry["entry"] for entry in verify_draw.verify(content, [house.signer.public])["drawn"]] == [*drawn]
    stored = {event.raw.decode() for event in house.store.after(0, 100_000)}
    events = json.loads(content)["events"]
    assert set(events) <= stored, "the events' own bytes"
    recorded = [json.loads(event)["data"]["entry"] for event in events if InspectionRecorded.TYPE in event]
    assert recorded == [*drawn]
