"""A case exported from a house: the content of the archive, its proofs, and the case's own record of the export."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from backoffice.access import personal_data_access_log as access_log
from backoffice.access.models import Look
from backoffice.cases.export import case_exporter, stored_unfinished_exports
from backoffice.cases.export.case_exporter import Exporter, export_case, read_case
from events.cases.case_key_and_file_vault import vault
from events.errors import Retry, Unknown
from events.integrity.signed_head_stores import MemoryHeads
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tools import verify_case

pytestmark = pytest.mark.django_db(databases="__all__")
SVEN = Exporter("sven", frozenset({"surveillance"}), "10.0.0.7")
TERMINAL = Exporter("", frozenset({"surveillance", "auditor"}), "terminal of root")
OPENED = {"title": "Short pays at BJ1", "category": "theft", "severity": "high", "subjects": ["dora"]}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[House]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    monkeypatch.setattr(case_exporter, "HEAD_WAIT_S", 2.0)
    house = House()
    evening_with_everything.play(house)
    yield house
    house.close()


@pytest.fixture
def case(house: House) -> str:
    """A case with events, a note, a bookmark and an attachment."""
    events = [
        f"{stored_event.stream}@{stored_event.version}"
        for stored_event in house.store.after(0, 400)
        if "/tables/" in stored_event.stream
    ]
    opening = house.action("case.open", **OPENED, events=events[:60], note="=2+2 she slides a chip")
    [opened] = house.ok("cases", "new", "sven", opening)
    case = str(opened.data.case)
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C101", **times, note="hands", table="BJ1"))
    digest = vault().add_file(case, b"I saw it.", "text/plain")
    house.ok("cases", case, "sven", house.action("case.attach", attachment=digest, name="../Statement of Ann.txt"))
    return case


def exported(house: House, case: str, out: Path, exporter: Exporter = SVEN) -> Any:
    heads = house.store.process_cache.get((MemoryHeads, "athens"), MemoryHeads)
    return export_case(house.store, heads, "athens", case, exporter, out)


def files(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_export_has_everything_and_verifies(house: House, case: str, tmp_path: Path) -> None:
    out = tmp_path / "case.zip"
    result = exported(house, case, out)
    report = verify_case.verify(out)
    assert (report["case"], report["export"], report["events"], report["files"]) == (
        case,
        result.export,
        60,
        result.files,
    )
    content = files(out)
    stored_event = {stored_event.raw for stored_event in house.store.after(0, 10_000)}
    lines = content["events.jsonl"].splitlines()
    assert len(lines) == 60
    assert set(lines) <= stored_event, "the events' own bytes"
    assert len(list(csv.DictReader(io.StringIO(content["events.csv"].decode())))) == 60
    assert json.loads(content["case.json"])["title"] == OPENED["title"]
    assert content["attachments/001-Statement-of-Ann.txt"] == b"I saw it."
    assert b"'=2+2" in content["notes.csv"], "no spreadsheet computes a note"
    [body] = json.loads(content["bookmarks.json"])
    assert body["devicePath"] == {"type": "cameras", "id": "C101"}
    assert content["summary.pdf"].startswith(b"%PDF")
    assert content["verify_case.py"] == Path(verify_case.__file__).read_bytes()


def test_an_export_is_logged_before_it_is_made(house: House, case: str, tmp_path: Path) -> None:
    exported(house, case, tmp_path / "case.zip")
    line = Look.objects.get(kind="export")
    assert (line.person, line.what, line.source) == ("sven", f"case export {case}", "10.0.0.7")
    custody = files(tmp_path / "case.zip")["custody.csv"].decode()
    assert f"case export {case}" in custody, "the export itself is in the chain of custody"


def test_no_export_without_its_line(house: House, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise Retry("the access log does not answer")

    monkeypatch.setattr(access_log, "add", refuse)
    before = house.store.position()
    with pytest.raises(Retry):
        exported(house, case, tmp_path / "case.zip")
    assert not (tmp_path / "case.zip").exists()
    assert house.store.position() == before


def test_exports_and_hand_overs_are_listed_on_the_case(house: House, case: str, tmp_path: Path) -> None:
    result = exported(house, case, tmp_path / "one.zip", TERMINAL)
    hand_over = {"export": result.export, "to": "Inspector Papas, police of Athens", "reason": "Order 12/2026"}
    house.ok("cases", case, "sven", house.action("case.hand_over", **hand_over))
    file = read_case(house.store, "athens", case)
    assert file is not None
    assert [(export.export, export.source) for export in file.exports] == [(result.export, "terminal of root")]
    assert [(line.export, line.to) for line in file.hand_overs] == [(result.export, hand_over["to"])]
    second = exported(house, case, tmp_path / "two.zip")
    assert second.export != result.export
    custody = files(tmp_path / "two.zip")["custody.csv"].decode()
    assert "Inspector Papas" in custody
    assert result.export in custody
    unknown = house.no("cases", case, "sven", house.action("case.hand_over", **{**hand_over, "export": "0" * 32}))
    assert unknown.status == 422


def test_the_topic_learns_only_the_digest_of_the_manifest(house: House, case: str, tmp_path: Path) -> None:
    exported(house, case, tmp_path / "case.zip")
    data = json.loads(house.store.stream(f"athens/cases/{case}")[-1].raw)["data"]
    assert set(data) == {"case", "sealed", "digest", "manifest"}


@pytest.mark.parametrize("person", ["dora", "paul", "nobody"])
def test_who_may_not_work_on_the_case_exports_nothing(house: House, case: str, tmp_path: Path, person: str) -> None:
    exporter = Exporter(person, frozenset({"pit boss"} if person == "paul" else {"dealer"}), "")
    with pytest.raises(Unknown):
        exported(house, case, tmp_path / "case.zip", exporter)
    assert not (tmp_path / "case.zip").exists()
    assert not Look.objects.exists()


def test_an_earlier_export_verifies_after_the_key_is_destroyed(house: House, case: str, tmp_path: Path) -> None:
    exported(house, case, tmp_path / "case.zip")
    vault().destroy([case])
    assert verify_case.main([str(tmp_path / "case.zip")]) == 0
    with pytest.raises(Unknown):
        exported(house, case, tmp_path / "later.zip")


def test_the_summary_has_the_round_drawn_and_told(house: House, tmp_path: Path) -> None:
    evening_with_everything.project(house)
    round_ = f"FR1/{DAY}/1"
    opening = house.action("case.open", **OPENED, rounds=[round_], note="Look at the dozen")
    [opened] = house.ok("cases", "new", "sven", opening)
    result = exported(house, str(opened.data.case), tmp_path / "case.zip")
    assert result.missing == ()
    content = files(tmp_path / "case.zip")
    assert all(json.loads(line)["data"].get("round", 1) == 1 for line in content["events.jsonl"].splitlines())
    pages = PdfReader(io.BytesIO(content["summary.pdf"])).pages
    first, drawn = (" ".join(page.extract_text().split()) for page in (pages[0], pages[1]))
    assert str(OPENED["title"]) in first
    assert "Look at the dozen" in first
    assert f"Round {round_}" in drawn
    assert "dora" in drawn, "each step has its person"
    numbers = set(re.findall(r"\b\d+\b", drawn))
    assert {str(number) for number in range(37)} <= numbers, "the layout has every number"
    contents = pages[1].get_contents()
    assert contents is not None
    shapes = re.findall(rb"\b(?:re|l|c)\b", contents.get_data())
    assert len(shapes) > 150, "fields, wheel and chips are drawn"


def test_every_view_export_and_hand_over_is_in_the_chain_of_custody(house: House, case: str, tmp_path: Path) -> None:
    views = (f"/cases/{case}", f"/api/v1/cases/{case}", f"/cases/{case}/files/{'0' * 64}?view=1")
    for view in views:
        access_log.add(access_log.CASE, view, person="sara", source="10.0.0.8")
    access_log.add(access_log.CASE, f"/cases/{'0' * 16}", person="sara")
    first = exported(house, case, tmp_path / "one.zip")
    house.ok("cases", case, "sven", house.action("case.hand_over", export=first.export, to="Papas", reason="Order 12"))
    exported(house, case, tmp_path / "two.zip")
    rows = [*csv.DictReader(io.StringIO(files(tmp_path / "two.zip")["custody.csv"].decode()))]
    seen = [row["details"] for row in rows if row["what"] == "case"]
    assert seen == [*views]
    assert [row["person"] for row in rows if row["what"] == "export"] == ["sven", "sven"]
    assert [row["details"] for row in rows if row["what"] == "exported" and row["access_log_line"]] == [
        f"case export {case} {first.export}"
    ]
    assert [row["details"] for row in rows if row["what"] == "handed over"] == [f"{first.export} to Papas: Order 12"]
    assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)


# --- stopped ones -----------------------------------------------------------------------------------------------------


def events_of_exports(house: House, case: str) -> int:
    return sum(stored_event.type == "case.exported.v1" for stored_event in house.store.stream(f"athens/cases/{case}"))


def without_head(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(case_exporter, "HEAD_WAIT_S", 0.0)
    patch.setattr(case_exporter, "make_head", lambda *_, **__: (None, True))


def test_an_export_without_a_head_waits_and_is_finished_by_the_same_command(
    house: House, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without_head(patch)
        with pytest.raises(Retry):
            exported(house, case, tmp_path / "case.zip")
    assert not (tmp_path / "case.zip").exists()
    file = read_case(house.store, "athens", case)
    assert file is not None
    assert case_exporter.unfinished_exports(case) == {file.exports[0].export}, "the case says which one it is"
    result = exported(house, case, tmp_path / "case.zip")
    assert (result.export, events_of_exports(house, case)) == (file.exports[0].export, 1)
    assert verify_case.verify(tmp_path / "case.zip")["export"] == result.export
    assert case_exporter.unfinished_exports(case) == frozenset()


def test_a_changed_case_gets_a_new_export_and_the_old_one_can_be_finished(
    house: House, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without_head(patch)
        with pytest.raises(Retry):
            exported(house, case, tmp_path / "case.zip")
    house.ok("cases", case, "sven", house.action("case.note", note="Later"))
    new = exported(house, case, tmp_path / "new.zip")
    [old] = case_exporter.unfinished_exports(case)
    assert old != new.export
    heads = house.store.process_cache.get((MemoryHeads, "athens"), MemoryHeads)
    assert export_case(house.store, heads, "athens", case, SVEN, tmp_path / "old.zip", old).export == old
    own = [verify_case.verify(tmp_path / name)["own_events"] for name in ("old.zip", "new.zip")]
    assert own[1] - own[0] == 2
    for other in (TERMINAL, Exporter("sven", frozenset({"surveillance", "auditor"}), "")):
        with pytest.raises(Unknown):
            export_case(house.store, heads, "athens", case, other, tmp_path / "other.zip", old)


@pytest.mark.parametrize("stop", ["add", "_record", "add_proof", "hand_out", "archive_parts"])
def test_a_killed_export_has_one_event_when_it_is_repeated(
    house: House, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stored_unfinished_exports.Stages if stop.startswith("add") else case_exporter, stop, die)
        with pytest.raises(KeyboardInterrupt):
            exported(house, case, tmp_path / "case.zip")
    assert not [*tmp_path.glob("*.zip*")]
    exported(house, case, tmp_path / "case.zip")
    assert events_of_exports(house, case) == 1
    assert verify_case.main([str(tmp_path / "case.zip")]) == 0


@pytest.mark.parametrize("place", ["add", "_record", "add_proof"])
def test_two_at_once_with_one_number_make_one_export(
    house: House, case: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The second one does everything while the first one is at this place."""
    heads = house.store.process_cache.get((MemoryHeads, "athens"), MemoryHeads)
    number, archives = case_exporter.begin_export(house.store, "athens", case, SVEN), list[bytes]()
    owner = stored_unfinished_exports.Stages if place.startswith("add") else case_exporter
    own = getattr(owner, place)

    def finish() -> None:
        finished = case_exporter.finish_export(house.store, heads, "athens", case, SVEN, number)
        archives.append(b"".join(finished.archive_parts()))

    def between(*values: Any) -> Any:
        monkeypatch.setattr(owner, place, own)
        finish()
        return own(*values)

    monkeypatch.setattr(owner, place, between)
    finish()
    assert len(archives) == 2
    assert archives[0] == archives[1]
    assert events_of_exports(house, case) == 1


def test_what_is_stored_of_an_export_goes_with_the_key_and_after_its_time(
    house: House, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported(house, case, tmp_path / "case.zip")
    assert vault().parts(case)
    raw = (tmp_path / "access.sqlite3").read_bytes()
    assert b"she slides a chip" not in raw, "it is encrypted"
    monkeypatch.setattr(stored_unfinished_exports, "EXPORT_RETENTION", timedelta(seconds=-1))
    stored_unfinished_exports.Stages(vault(), case).expire()
    assert vault().parts(case) == ()
    exported(house, case, tmp_path / "two.zip")
    vault().destroy([case])
    assert vault().parts(case) == ()
