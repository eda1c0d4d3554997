"""Cases at the desk: who may act, what their events say, two people, and the end of a key."""

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from backoffice.case_files.cases_by_evidence_index import CaseIndex, IndexedEvent
from events.cases import decrypted_case, encryption
from events.cases.case_key_and_file_vault import Vault, destroy_again, destroyed_cases, vault, vault_notes
from events.cases.decider import id_of
from events.cases.decrypted_case import CaseFile, SealedEntry
from events.settings.settings_from_environment import settings
from events.store import EventStore, everything
from events.store.named_notes_shared_by_processes import Notes
from tests.support.houses.small_house import House

OPENED = {"title": "Short pays at BJ1", "category": "theft", "severity": "high", "subjects": ["dora"]}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[House]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    house = House()
    yield house
    house.close()


def opened(house: House, person: str = "sven", **fields: Any) -> str:
    [event] = house.ok("cases", "new", person, house.action("case.open", **{**OPENED, **fields}))
    return str(event.data.case)


def case_of(house: House, case: str) -> CaseFile:
    """The case as its key opens it."""
    entries = []
    for stored_event in house.store.stream(f"athens/cases/{case}"):
        envelope = msgspec.json.decode(stored_event.raw)
        if "sealed" in envelope["data"]:
            sealed = envelope["data"]["sealed"]
            entries.append(SealedEntry(stored_event.type, envelope["actor"], sealed, envelope["id"], envelope["time"]))
    key = vault().key(case)
    assert key is not None
    file = decrypted_case.decrypted(case, key, entries)
    assert file is not None
    return file


def followed(index: CaseIndex, store: EventStore) -> CaseIndex:
    """The index after all events of cases in a store."""

    def read_events(position: int) -> tuple[list[IndexedEvent], int]:
        events = [
            IndexedEvent(event.stream.rpartition("/")[2], event.position, event.version, event.type, event.raw)
            for event in everything(store, position)
            if "/cases/" in event.stream
        ]
        return events, store.position()

    index.update(store, read_events, vault().open_keys)
    return index


@pytest.mark.parametrize("is_longer", [True, False])
def test_the_index_of_cases_follows_a_store_that_was_replaced(house: House, *, is_longer: bool) -> None:
    """The other history is longer, or as long: its position alone does not tell that it is another."""
    other = House()
    other.grant("pam", "dealer")
    opened(house, events=["athens/people@1"])
    opened(house, events=["athens/people@2"])
    case = opened(other, events=["athens/people@1"])
    while other.store.position() < house.store.position() + is_longer:
        other.ok("cases", case, "sven", other.action("case.note", note="a note"))
    assert other.store.position() == house.store.position() + is_longer
    index = followed(CaseIndex(), house.store)
    assert len(index.cases()) == 2
    followed(index, other.store)
    assert index.cases() == {case}
    assert index.marks() == followed(CaseIndex(), other.store).marks()
    assert index.marks_of_evidence("event", "athens/people@1").keys() == {case}
    assert index.marks_of_evidence("event", "athens/people@2") == {}
    other.close()


def status(house: House, case: str, by: str, kind: str = "case.note", /, **fields: Any) -> tuple[int, str]:
    problem = house.no("cases", case, by, house.action(kind, **(fields or {"note": "a note"})))
    return problem.status, str(problem.detail)


def test_a_case_says_nothing_in_its_events(house: House) -> None:
    case = opened(house, note="She slides a chip", people=["pam"], places=["pit A"])
    house.ok("cases", case, "sven", house.action("case.note", note="Dora again"))
    events = house.store.stream(f"athens/cases/{case}")
    for stored_event in events:
        data = msgspec.json.decode(stored_event.raw)["data"]
        assert set(data) == {"case", "sealed", "digest"}
        assert data["digest"] == encryption.digest(data["sealed"])
        # The ciphertext is checked for long words only: short ones occur in random bytes by chance.
        ciphertext = b64decode(data["sealed"])
        assert not any(text in ciphertext for text in (b"slides a chip", b"Dora again", b"Short pays at BJ1"))
        outside = stored_event.raw.replace(data["sealed"].encode(), b"").lower()
        assert not any(word in outside for word in (b"dora", b"chip", b"pam", b"pit a", b"bj1", b"theft"))
    file = case_of(house, case)
    assert (file.title, file.subjects, file.roles) == ("Short pays at BJ1", ("dora",), ("surveillance",))
    assert [note.note for note in file.notes] == ["She slides a chip", "Dora again"]


def test_who_may_not_see_it_gets_the_answer_of_an_unknown_case(house: House) -> None:
    case, unknown = opened(house), "0" * 16
    for person in ("paul", "sid", "dora", "anna", "cage"):
        there, nowhere = (status(house, name, person) for name in (case, unknown))
        assert there == (nowhere[0], nowhere[1].replace(unknown, case))
        assert there[0] == (404 if person in ("paul", "sid") else 403)
    assert house.ok("cases", case, "olga", house.action("case.note", note="Read by audit"))


def test_a_subject_who_is_added_later_sees_it_no_more(house: House) -> None:
    house.grant("sara", "surveillance")
    opening = house.action("case.open", **OPENED)
    [event] = house.ok("cases", "new", "sara", opening)
    case = event.data.case
    house.ok("cases", case, "sara", house.action("case.note", note="Mine"))
    house.ok("cases", case, "sven", house.action("case.add", subjects=["sara"]))
    assert status(house, case, "sara")[0] == 404
    assert house.no("cases", "new", "sara", opening).status == 404  # not even the first answer again
    assert status(house, case, "sven", "case.grant", person="sara", level="read")[0] == 422
    assert status(house, case, "sven", "case.add", subjects=["sven"])[0] == 422


def test_a_case_about_all_of_surveillance(house: House) -> None:
    case = opened(house, "paul", subjects=[], subject_roles=["surveillance"])
    assert status(house, case, "sven")[0] == 404
    own = house.no("cases", "new", "sven", house.action("case.open", **OPENED, subject_roles=["surveillance"]))
    assert own.status == 422
    house.grant("sara", "surveillance")
    assert status(house, case, "sara")[0] == 404
    close = house.action("case.close", disposition="disciplinary", reason="They slept", concerns=["job"])
    [request] = house.ok("cases", case, "paul", close)
    assert set(request.data.input) == {"sealed"}
    give = house.action("approval.give", request=request.data.request, content=request.data.content)
    assert house.no("cases", case, "sven", give).status == 404
    house.ok("cases", case, "olga", give)
    file = case_of(house, case)
    assert (file.status, file.disposition, file.reason) == ("closed", "disciplinary", "They slept")


def test_access_is_granted_and_withdrawn_by_case(house: House) -> None:
    case = opened(house)
    assert status(house, case, "sid")[0] == 404
    house.ok("cases", case, "sven", house.action("case.grant", person="sid", level="read"))
    assert status(house, case, "sid") == (422, "You may read this case, not change it. Ask for access to work on it.")
    house.ok("cases", case, "sven", house.action("case.grant", person="sid", level="work"))
    house.ok("cases", case, "sid", house.action("case.note", note="Seen on the door"))
    house.ok("cases", case, "sid", house.action("case.grant", person="sven", level="none"))
    assert status(house, case, "sven")[0] == 404
    assert status(house, case, "sid", "case.grant", person="dora", level="read")[0] == 422


def test_repeats_get_the_first_answer_and_another_content_none(house: House) -> None:
    case = opened(house)
    note = house.action("case.note", note="Once")
    first, again = (house.ok("cases", case, "sven", note) for _ in range(2))
    assert [event.id for event in first] == [event.id for event in again]
    other = house.action("case.note", _key=note.key, note="Twice")
    assert house.no("cases", case, "sven", other).status == 409
    key = house.store.keys([note.key])[note.key]
    assert key.content != b""
    assert len(house.store.stream(f"athens/cases/{case}")) == 2


def test_an_id_follows_from_the_key_of_its_action(house: House) -> None:
    opening = house.action("case.open", **OPENED)
    assert house.no("cases", "f" * 16, "sven", opening).status == 404
    [event] = house.ok("cases", "new", "sven", opening)
    assert event.data.case == id_of(opening.key)


def test_evidence_must_be_there(house: House) -> None:
    case = opened(house)
    [event] = house.ok("cases", case, "sven", house.action("case.add", events=["athens/floor@1"], people=["pam"]))
    assert event.type == "case.added.v1"
    for ref in ("athens/floor@999", f"athens/cases/{case}@1", "thebes/floor@1", "athens/floor@0", "rubbish"):
        assert status(house, case, "sven", "case.add", events=[ref])[0] == 422
    assert status(house, case, "sven", "case.add", note=None)[0] == 400
    assert [piece.ref for piece in case_of(house, case).evidence] == ["athens/floor@1"]


def test_tasks_links_and_bookmarks(house: House) -> None:
    case, other = opened(house), opened(house, title="Another")
    task = {"task": "1", "what": "Ask for the tape", "due": "2026-11-21", "person": "sven"}
    house.ok("cases", case, "sven", house.action("case.task", **task))
    assert status(house, case, "sven", "case.task", task="2", what="x", person="dora")[0] == 422
    house.ok("cases", case, "sven", house.action("case.task", task="1", state="done"))
    house.ok("cases", case, "sven", house.action("case.link", other=other, how="same night"))
    assert status(house, case, "sven", "case.link", other="0" * 16)[0] == 404
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C7", **times, note="The slide"))
    file = case_of(house, case)
    assert [(task.what, task.due, task.state) for task in file.tasks] == [("Ask for the tape", "2026-11-21", "done")]
    assert file.links[0].other == other
    assert (file.bookmarks[0].camera, file.bookmarks[0].from_) == ("C7", times["from"])


def test_a_key_is_destroyed_by_two_when_its_term_is_over(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.grant("sara", "surveillance")
    case = opened(house, subjects=["sara"])
    destroy = {"reason": "retention over"}
    assert status(house, case, "sven", "case.destroy_key", **destroy)[0] == 422
    house.ok("cases", case, "sven", house.action("case.close", disposition="unfounded", reason="Nothing"))
    assert status(house, case, "sven", "case.destroy_key", **destroy)[0] == 422  # its term runs for years
    house.ok("cases", case, "sven", house.action("case.reopen", reason="For its term"))
    monkeypatch.setenv("PITLEDGER_CASE_RETENTION_DAYS", "0")
    house.ok("cases", case, "sven", house.action("case.close", disposition="unfounded", reason="Nothing"))
    [request] = house.ok("cases", case, "sven", house.action("case.destroy_key", **destroy))
    give = house.action("approval.give", request=request.data.request, content=request.data.content)
    assert house.no("cases", case, "sara", give).status == 404
    events = house.ok("cases", case, "olga", give)
    assert events[-1].type == "case.key_destroyed.v1"
    assert {person for person, _role in events[-1].data.approvals} == {"sven", "olga"}
    assert status(house, case, "sven")[0] == 404
    assert status(house, case, "olga")[0] == 404
    assert vault().key(case) is None
    assert destroyed_cases(house.store) == (case,)
    vault().make_key(case)  # as a restored backup has it
    assert destroy_again(house.store) == (case,)
    assert destroy_again(house.store) == ()
    assert vault().key(case) is None


def test_only_the_keys_of_the_cases_asked_for_are_read(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [opened(house, title=f"Number {number}") for number in range(5)]
    fetch_rows, rows = Notes._fetch_rows, list[str]()

    def counted(notes: Notes, queries: Any) -> list[tuple[str, Any]]:
        answer = fetch_rows(notes, queries)
        rows.extend(name for name, _content in answer)
        return answer

    monkeypatch.setattr(Notes, "_fetch_rows", counted)
    for chosen_cases in ([], cases[:1], cases[1:3], [cases[4], "0" * 16], cases):
        rows.clear()
        keys = vault().open_keys(chosen_cases)
        stored = [case for case in chosen_cases if case in cases]
        assert keys == {case: vault().key(case) for case in stored}
        assert sorted(rows) == sorted(f"case-key/{case}" for case in stored)


def test_the_house_case_key_is_changed_and_a_foreign_one_opens_nothing(house: House) -> None:
    case, notes = opened(house), vault_notes(settings().access)
    foreign = Vault(notes, lambda: "another key of the house")
    assert foreign.key(case) is None
    assert foreign.unreadable() == (case,)
    assert vault().rewrap("another key of the house") == 1
    assert vault().key(case) is None
    assert foreign.key(case) is not None
    assert foreign.rewrap("another key of the house") == 0
