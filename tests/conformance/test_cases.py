"""Cases of surveillance by the clauses that ask for them (the short names are those of the trade)."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backoffice.cases.export import case_exporter
from backoffice.cases.export.case_exporter import Exporter, export_case, read_case
from events.cases.decrypted_case import CaseFile
from events.integrity.signed_head_stores import MemoryHeads
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tools import verify_case

pytestmark = pytest.mark.django_db(databases="__all__")
SVEN = Exporter("sven", frozenset({"surveillance"}), "10.0.0.7")
OLGA = Exporter("olga", frozenset({"auditor"}), "10.0.0.8")
OPENED: dict[str, Any] = {
    "title": "Short pays at BJ1", "category": "procedure", "severity": "high", "places": ["BJ1"],
    "people": ["dora"], "occurred": "2026-11-20T20:00:00.000Z", "reported": "2026-11-20T22:00:00.000Z",
    "note": "The dealer paid 5.00 too little", "rounds": [f"FR1/{DAY}/3"],
}  # fmt: skip
TIMES = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[House]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    monkeypatch.setattr(case_exporter, "HEAD_WAIT_S", 2.0)
    made = House()
    evening_with_everything.play(made)
    evening_with_everything.project(made)
    yield made
    made.close()


def opened(house: House, **fields: Any) -> str:
    return str(house.ok("cases", "new", "sven", house.action("case.open", **{**OPENED, **fields}))[0].data.case)


def file_of(house: House, case: str) -> CaseFile:
    file = read_case(house.store, "athens", case)
    assert file is not None
    return file


def exported(house: House, case: str, out: Path, exporter: Exporter = SVEN) -> dict[str, bytes]:
    heads = house.store.process_cache.get((MemoryHeads, "athens"), MemoryHeads)
    export_case(house.store, heads, "athens", case, exporter, out)
    assert verify_case.verify(out)["case"] == case
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_ks_106_6_the_log_keeps_time_employee_summary_place_and_disposition_unchanged(house: House) -> None:
    case = opened(house)
    house.ok("cases", case, "sven", house.action("case.close", disposition="mistake", reason="Paid again"))
    file = file_of(house, case)
    entry = (file.opener, file.title, file.places, file.occurred, file.reported, file.disposition, file.reason)
    assert entry == (
        "sven", OPENED["title"], ("BJ1",), OPENED["occurred"], OPENED["reported"], "mistake", "Paid again",
    )  # fmt: skip
    assert file.opened
    assert file.closed
    before = [stored_event.raw for stored_event in house.store.after(0, 100_000)]
    house.ok("cases", case, "sven", house.action("case.note", note="It was 6.00"))
    house.ok("cases", case, "sven", house.action("case.reopen", reason="It was more"))
    after = [stored_event.raw for stored_event in house.store.after(0, 100_000)]
    assert after[: len(before)] == before, "a correction is another entry"
    notes = [(note.by, note.note) for note in file_of(house, case).notes]
    assert notes == [("sven", OPENED["note"]), ("sven", "It was 6.00"), ("sven", "It was more")]


def test_nigc_542_43_a_recording_of_an_incident_has_its_expiry_and_a_person(house: House) -> None:
    """A recording is kept for 7 days, and for 30 days after an incident."""
    case = opened(house)
    bookmark = house.action("case.bookmark", camera="C7", **TIMES, event="athens/floor@1")
    house.ok("cases", case, "sven", bookmark)
    [first] = file_of(house, case).bookmarks
    assert (first.by, first.camera, first.from_, first.to) == ("sven", "C7", TIMES["from"], TIMES["to"])
    assert first.expires is not None
    assert first.expires >= "2026-11-27T20:05", "not before 7 days have passed"
    protected = house.action(
        "case.bookmark", camera="C7", **TIMES, event="athens/floor@1", expires="2026-12-20T20:05:00.000Z"
    )
    house.ok("cases", case, "sven", protected)
    assert [each.expires for each in file_of(house, case).recordings] == ["2026-12-20T20:05:00.000Z"]
    assert len(file_of(house, case).bookmarks) == 2, "the first expiry stays on record"


def test_nigc_543_23_the_auditor_reads_works_on_and_exports_cases_of_others(house: House, tmp_path: Path) -> None:
    case = opened(house, roles=[])
    assert house.no("cases", case, "paul", house.action("case.note", note="seen")).status == 404
    house.ok("cases", case, "olga", house.action("case.note", note="Read by audit"))
    content = exported(house, case, tmp_path / "case.zip", OLGA)
    assert json.loads(content["case.json"])["notes"][-1]["by"] == "olga"
    house.ok("cases", case, "sven", house.action("case.add", subjects=["olga"]))
    assert house.no("cases", case, "olga", house.action("case.note", note="seen")).status == 404, "but not their own"


def test_nh_8205_06_a_jackpot_has_recordings_of_cards_table_and_meter(house: House, tmp_path: Path) -> None:
    [lock] = [
        stored_event for stored_event in house.store.after(0, 100_000) if stored_event.type == "hit.authorised.v1"
    ][:1]
    event = f"{lock.stream}@{lock.version}"
    case = opened(house, events=[event])
    for camera in ("cards of BJ1", "table BJ1", "meter blazing"):
        house.ok("cases", case, "sven", house.action("case.bookmark", camera=camera, **TIMES, event=event, table="BJ1"))
    assert {each.ref_event for each in file_of(house, case).bookmarks} == {event}
    content = exported(house, case, tmp_path / "case.zip")
    rows = list(csv.DictReader(io.StringIO(content["bookmarks.csv"].decode())))
    assert {row["camera"] for row in rows} == {"cards of BJ1", "table BJ1", "meter blazing"}
    unknown = house.action("case.bookmark", camera="table BJ1", **TIMES, event="athens/floor@999")
    assert house.no("cases", case, "sven", unknown).status == 422


def test_nj_13_69o_1_8_an_independent_copy_has_everything_and_proves_itself(house: House, tmp_path: Path) -> None:
    case = opened(house)
    content = exported(house, case, tmp_path / "case.zip")
    stored = {event.raw for event in house.store.after(0, 100_000)}
    lines = content["events.jsonl"].splitlines()
    assert len(lines) > 5
    assert set(lines) <= stored, "the events' own bytes recreate the round"
    rounds = {msgspec.json.decode(line)["data"].get("round") for line in lines}
    assert 3 in rounds
    assert set(content[verify_case.CASE].splitlines()) <= stored
