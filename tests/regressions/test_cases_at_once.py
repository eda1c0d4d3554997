"""Cases with many writers: two desks at once, each action twice, and a kill at each step.

No action is lost, doubled or half done.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.cases import case_key_and_file_vault, decrypted_case
from events.cases.case_key_and_file_vault import Vault, destroy_again, vault_notes
from events.cases.decider import id_of
from events.cases.decrypted_case import CaseFile, SealedEntry
from events.desk.command_and_answer_structs import Command, Reply
from events.envelope import Action, Who
from events.errors import Conflict, Defect, Retry
from events.settings.settings_from_environment import settings
from events.store import open_store
from events.store.named_notes_shared_by_processes import Notes
from events.store.stream_chain_verification import verify
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.simulation.seeded_process_scheduler import SimulatedSigkill
from tests.support.houses.small_house import PROPERTY, House, events_of, reopened_house
from tests.support.processes.killed_process import (
    Where,
    before_it_commits,
    before_it_writes,
    before_the_files_are_deleted,
    before_the_key_is_destroyed,
    before_the_key_is_made,
    done_and_died,
    opened,
)

OPENING = {"title": "Short pays", "category": "theft", "severity": "high", "roles": ["surveillance"]}
NEW_KEY = "another house case key of 32 characters"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of a house with two people of surveillance. Keys and files are in a database of the same kind."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_CASE_RETENTION_DAYS", "0")
    place, access = (f"sqlite:///{tmp_path / name}.sqlite3" for name in ("events", "access"))
    if request.param == "postgresql":
        place, access = (request.getfixturevalue("new_database")() for _ in range(2))
    monkeypatch.setenv("PITLEDGER_ACCESS", access)
    house = House(open_store(place))
    house.grant("sara", "surveillance")
    house.close()
    return place


def keyed(key: str, kind: str, **data: Any) -> Action:
    return Action(type=kind, key=key, data=msgspec.Raw(msgspec.json.encode(data)))


def answered(house: House, name: str, person: str, action: Action) -> Reply:
    """Return the reply to an action. It is sent again while other processes are faster."""
    while True:
        try:
            [reply] = house.send("cases", name, person, action)
        except (Conflict, Retry):
            continue
        if not isinstance(reply, Problem) or reply.status not in (429, 503):
            return reply


def at_once(url: str, name: str, sent: dict[str, list[Action]]) -> list[list[Reply]]:
    """Return the answers to people who send their actions at once, each action twice, each at a desk of their own."""

    def send(person: str) -> list[Reply]:
        house = reopened_house(opened(url))
        try:
            return [answered(house, name, person, action) for action in sent[person] for _time in range(2)]
        finally:
            house.close()

    with ThreadPoolExecutor(len(sent)) as people:
        return [*people.map(send, sent)]


def file_of(url: str, case: str) -> CaseFile:
    """The case as its key opens it; its versions have no gap."""
    store, entries = open_store(url), list[SealedEntry]()
    events = store.stream(f"{PROPERTY}/cases/{case}")
    store.close()
    assert [event.version for event in events] == [*range(1, len(events) + 1)]
    for stored_event in events:
        envelope = msgspec.json.decode(stored_event.raw)
        if stored_event.type in decrypted_case.CONTENTS:
            sealed = envelope["data"]["sealed"]
            entries.append(SealedEntry(stored_event.type, envelope["actor"], sealed, envelope["id"], envelope["time"]))
    key = case_key_and_file_vault.vault().key(case)
    assert key is not None
    file = decrypted_case.decrypted(case, key, entries)
    assert file is not None
    return file


def types_of(url: str, case: str) -> list[str]:
    store = open_store(url)
    types = [event.type for event in store.stream(f"{PROPERTY}/cases/{case}")]
    assert verify(store).findings == []
    store.close()
    return types


def closed_case(url: str) -> str:
    """A closed case with a file."""
    [[reply, _again]] = at_once(url, "new", {"sven": [keyed("open", "case.open", **OPENING)]})
    assert not isinstance(reply, Problem), reply
    case = id_of("open")
    digest = case_key_and_file_vault.vault().add_file(case, b"I saw it.", "text/plain")
    attach = keyed("attach", "case.attach", attachment=digest, name="statement.txt")
    at_once(url, case, {"sven": [attach, keyed("close", "case.close", disposition="unfounded", reason="Nothing")]})
    assert file_of(url, case).status == "closed"
    return case


def test_two_people_open_add_attach_and_close_at_once(url: str) -> None:
    opening = keyed("open", "case.open", **OPENING)
    answers = at_once(url, "new", {"sven": [opening], "sara": [opening]})
    case = id_of("open")
    assert types_of(url, case) == ["case.opened.v1"]
    assert [reply for replies in answers for reply in replies if not isinstance(reply, Problem)]
    digest = case_key_and_file_vault.vault().add_file(case, b"I saw it.", "text/plain")
    assert case_key_and_file_vault.vault().add_file(case, b"I saw it.", "text/plain") == digest
    at_once(
        url,
        case,
        {
            person: [
                keyed(f"{person}-note", "case.note", note=f"by {person}"),
                keyed(f"{person}-add", "case.add", people=[f"g-{person}"]),
                keyed(f"{person}-attach", "case.attach", attachment=digest, name="statement.txt"),
                keyed(f"{person}-task", "case.task", task="1", what="Ask"),
                keyed(f"{person}-close", "case.close", disposition="unfounded", reason="Nothing"),
            ]
            for person in ("sven", "sara")
        },
    )
    file, types = file_of(url, case), types_of(url, case)
    assert file.notes
    assert len({note.note for note in file.notes}) == len(file.notes), "no note stands twice"
    assert len(file.attachments) <= 1
    assert types.count("case.closed.v1") == 1
    assert file.status == "closed"


def test_two_people_destroy_at_once(url: str) -> None:
    case = closed_case(url)
    requested = at_once(url, case, {"sven": [keyed("destroy", "case.destroy_key", reason="court order")]})
    assert not isinstance(requested[0][0], Problem), requested
    request = events_of(requested[0][:1])[0].data
    give = {"request": request.request, "content": request.content}
    at_once(url, case, {person: [keyed(f"{person}-give", "approval.give", **give)] for person in ("sara", "olga")})
    assert types_of(url, case).count("case.key_destroyed.v1") == 1
    assert case_key_and_file_vault.vault().stored() == frozenset()


# --- kills ------------------------------------------------------------------------------------------------------------


def who(person: str) -> Who:
    return Who(person=person, roles=frozenset(), factor_s=0)


@pytest.mark.parametrize("where", [before_the_key_is_made, before_it_writes, before_it_commits])
def test_an_opening_is_killed(url: str, where: Where) -> None:
    opening = keyed("open", "case.open", **OPENING)
    done_and_died(url, PROPERTY, Command(Target("cases", "new"), (opening,), who("sven")), where)
    at_once(url, "new", {"sven": [opening]})
    assert types_of(url, id_of("open")) == ["case.opened.v1"]
    assert file_of(url, id_of("open")).title == OPENING["title"]


@pytest.mark.parametrize("where", [before_it_commits, before_the_key_is_destroyed, before_the_files_are_deleted])
def test_a_destruction_is_killed(url: str, where: Where) -> None:
    case = closed_case(url)
    [[reply, _again]] = at_once(url, case, {"sven": [keyed("destroy", "case.destroy_key", reason="court order")]})
    assert not isinstance(reply, Problem), reply
    request = events_of([reply])[0].data
    give = keyed("give", "approval.give", request=request.request, content=request.content)
    done_and_died(url, PROPERTY, Command(Target("cases", case), (give,), who("sara")), where)
    if where is before_it_commits:
        assert case_key_and_file_vault.vault().key(case) is not None, "no key is destroyed without its event"
        at_once(url, case, {"sara": [give]})
    store = open_store(url)
    destroy_again(store)  # as each process does at its start
    store.close()
    assert types_of(url, case).count("case.key_destroyed.v1") == 1
    assert case_key_and_file_vault.vault().stored() == frozenset()


def killed_at(number: int, monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> bool:
    """Tell whether the process is killed before its write of this number."""
    writes_left = iter(range(number))

    def dying(write: Any) -> Any:
        def inner(*arguments: Any) -> Any:
            if next(writes_left, None) is None:
                raise SimulatedSigkill
            return write(*arguments)

        return inner

    with monkeypatch.context() as patch:
        for name in ("add", "write", "replace", "remove"):
            patch.setattr(Notes, name, dying(getattr(Notes, name)))
        try:
            do()
        except SimulatedSigkill:
            return True
    return False


def kills(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> Iterator[int]:
    """Kill a process before its first write, its second, and so on; it is done in the end."""
    number = 0
    while killed_at(number, monkeypatch, do):
        yield number
        number += 1


def test_an_upload_is_killed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(url, "new", {"sven": [keyed("open", "case.open", **OPENING)]})
    case, keys = id_of("open"), case_key_and_file_vault.vault()
    ran = [*kills(monkeypatch, lambda: keys.add_file(case, b"I saw it.", "text/plain"))]
    assert len(ran) == 3
    assert len(keys.sizes(case)) == 1
    [digest] = keys.sizes(case)
    assert (keys.file(case, digest), keys.described(case, digest)) == (b"I saw it.", ("text/plain", 9))


def test_a_change_of_the_house_case_key_is_killed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    openings = [keyed(f"open-{number}", "case.open", **OPENING) for number in range(3)]
    at_once(url, "new", {"sven": openings})
    old, new = case_key_and_file_vault.vault(), Vault(vault_notes(settings().access), lambda: NEW_KEY)
    cases = old.keys()
    before = {case: old.key(case) for case in cases}
    ran = 0
    for _number in kills(monkeypatch, lambda: old.rewrap(NEW_KEY)):
        ran += 1
        assert {case: old.key(case) or new.key(case) for case in before} == before, "each is opened by one of the two"
    assert ran == 3
    assert {case: new.key(case) for case in before} == before
    with pytest.raises(Defect):
        old.make_key("0" * 16)
    assert new.make_key("0" * 16)


def test_a_key_that_is_destroyed_while_it_is_wrapped_anew_stays_destroyed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once(url, "new", {"sven": [keyed("open", "case.open", **OPENING)]})
    keys, wrap = case_key_and_file_vault.vault(), Vault._wrap
    case = id_of("open")

    def slow(own: Vault, name: str, key: bytes) -> bytes:
        keys.destroy([case])
        return wrap(own, name, key)

    monkeypatch.setattr(Vault, "_wrap", slow)
    assert keys.rewrap(NEW_KEY) == 0
    assert keys.stored() == frozenset()


def test_a_wrong_house_case_key_changes_nothing(url: str) -> None:
    at_once(url, "new", {"sven": [keyed("open", "case.open", **OPENING)]})
    wrong = Vault(vault_notes(settings().access), lambda: "a key of another house, 32 letters")
    with pytest.raises(Defect):
        wrong.rewrap(NEW_KEY)
    at_once(url, "new", {"sven": [keyed("second", "case.open", **OPENING)]})
    assert file_of(url, id_of("second")).title == OPENING["title"]
