"""Cases under any sequence of actions of any person: checks after each action."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from events.cases import decrypted_case, encryption
from events.cases.access import is_subject, may_read, may_work
from events.cases.case_key_and_file_vault import vault
from events.cases.decrypted_case import CaseFile, SealedEntry
from events.streams.problem_details import Problem
from tests.support.houses.small_house import PEOPLE, House

ROLES = {**PEOPLE, "sara": "surveillance"}
ACTORS = ("sven", "sara", "paul", "olga", "sid", "dora", "anna")
WORKERS = ("sven", "sara", "paul", "olga")
NOTE = st.builds(lambda text: ("case.note", {"note": f"{text}."}), st.sampled_from(["seen", "again", "third time"]))
ADD = st.builds(
    lambda names: ("case.add", {"subjects": [*names], "people": ["g-1"]}),
    st.sets(st.sampled_from(["dora", "sid", "sara", "paul", "anna"]), max_size=2),
)
ADD_ROLE = st.just(("case.add", {"subject_roles": ["pit boss"]}))
GRANT = st.builds(
    lambda person, level: ("case.grant", {"person": person, "level": level}),
    st.sampled_from(["sara", "sid", "anna", "paul", "dora"]),
    st.sampled_from(["read", "work", "none"]),
)
CLOSE = st.builds(
    lambda concerns: ("case.close", {"disposition": "disciplinary", "reason": "Short", "concerns": [*concerns]}),
    st.sets(st.sampled_from(["money", "job"]), max_size=2),
)
REOPEN = st.just(("case.reopen", {"reason": "New evidence"}))
DESTROY = st.just(("case.destroy_key", {"reason": "court order"}))
GIVE: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.just(("approval.give", {}))
STEPS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(WORKERS), st.sampled_from(ACTORS)),
        st.one_of(NOTE, ADD, ADD_ROLE, GRANT, CLOSE, CLOSE, GIVE, GIVE, REOPEN, DESTROY),
    ),
    min_size=3,
    max_size=14,
)

CLOSING = ("case.close", {"disposition": "disciplinary", "reason": "Short", "concerns": ["job"]})
GIVING: tuple[str, dict[str, Any]] = ("approval.give", {})
DESTROYING = ("case.destroy_key", {"reason": "court order"})


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[House]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    monkeypatch.setenv("PITLEDGER_CASE_RETENTION_DAYS", "0")
    made = House()
    made.grant("sara", "surveillance")
    yield made
    made.close()


class PlayedCase:
    """A case at the desk of a house, with its known facts before and after each action."""

    def __init__(self, house: House) -> None:
        self.house = house
        opening = house.action("case.open", title="Short", category="theft", severity="high", roles=["surveillance"])
        self.case = str(house.ok("cases", "new", "sven", opening)[0].data.case)
        self.request: dict[str, str] = {}
        self.asked_by = ""

    @property
    def events(self) -> list[Any]:
        return self.house.store.stream(f"athens/cases/{self.case}")

    def file(self) -> CaseFile | None:
        """Return the case as its key decrypts it, or None after the key is destroyed."""
        key, entries = vault().key(self.case), list[SealedEntry]()
        for stored_event in self.events:
            envelope = msgspec.json.decode(stored_event.raw)
            if stored_event.type in decrypted_case.CONTENTS:
                sealed = envelope["data"]["sealed"]
                entries.append(
                    SealedEntry(stored_event.type, envelope["actor"], sealed, envelope["id"], envelope["time"])
                )
        return None if key is None else decrypted_case.decrypted(self.case, key, entries)

    def act(self, person: str, kind: str, data: dict[str, Any]) -> int:
        """Send an action, or the approval of the request that waits; the status, 200 for a success."""
        data = dict(self.request) if kind == "approval.give" else data
        if kind == "approval.give" and not data:
            return 0
        (reply,) = self.house.send("cases", self.case, person, self.house.action(kind, **data))
        if isinstance(reply, Problem):
            return reply.status
        last = msgspec.json.decode(self.events[-1].raw)
        if last["type"] == "approval.requested.v1":
            self.request, self.asked_by = {name: last["data"][name] for name in ("request", "content")}, person
        return 200


def roles(person: str) -> frozenset[str]:
    return frozenset({ROLES[person]})


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
@example(steps=[("sven", CLOSING), ("sven", GIVING), ("olga", GIVING), ("sara", DESTROYING), ("olga", GIVING)])
@example(steps=[("sven", CLOSING), ("olga", ("case.add", {"subjects": ["sara"]})), ("sara", GIVING), ("olga", GIVING)])
def test_invariants_of_a_case(house: House, steps: list[tuple[str, tuple[str, dict[str, Any]]]]) -> None:
    played = PlayedCase(house)
    for person, (kind, data) in steps:
        before, file = house.store.after(0, 100_000), played.file()
        status = played.act(person, kind, data)
        after, now = house.store.after(0, 100_000), played.file()
        new = after[len(before) :]
        assert [stored_event.raw for stored_event in after[: len(before)]] == [
            stored_event.raw for stored_event in before
        ], "no event changes"
        assert {stored_event.stream for stored_event in new} <= {f"athens/cases/{played.case}"}, (
            "only the case's own stream"
        )
        _has_sealed_events(new)
        _is_refused_to_those_outside(file, person, status, kind)
        if file is not None and now is not None:
            assert now.notes[: len(file.notes)] == file.notes, "notes are only added"
            assert {*file.subjects} <= {*now.subjects}, "a subject stays one"
        _has_two_people(played, [stored_event.type for stored_event in new], person, file)
        if now is None:
            return


def _has_sealed_events(new: list[Any]) -> None:
    for stored_event in new:
        data = msgspec.json.decode(stored_event.raw)["data"]
        if "digest" in data:
            assert set(data) == {"case", "sealed", "digest"}
            assert data["digest"] == encryption.digest(data["sealed"]), "the digest is over the ciphertext"


def _is_refused_to_those_outside(file: CaseFile | None, person: str, status: int, kind: str) -> None:
    if file is None or status == 0:
        return
    if is_subject(file, person, roles(person)):
        assert status in (403, 404), "a subject gets the answer of an unknown case"
    if not may_read(file, person, roles(person)):
        assert status in (403, 404)
    elif not may_work(file, person, roles(person)):
        assert status in (403, 422)


def _has_two_people(played: PlayedCase, types: list[str], person: str, file: CaseFile | None) -> None:
    """Assert that a close about money or a job, and a destruction, have the approval of another, unconcerned person."""
    now = played.file()
    is_two = "case.key_destroyed.v1" in types
    is_two |= "case.closed.v1" in types and now is not None and bool(now.concerns)
    if is_two:
        assert "approval.given.v1" in types, types
        assert file is not None
        assert person != played.asked_by
        for each in (person, played.asked_by):
            assert may_work(file, each, roles(each)), "both may act on the case, so neither is its subject"


def test_a_case_about_all_of_surveillance_is_opened_and_closed_by_pit_management_and_the_auditor(house: House) -> None:
    for opener, other in (("paul", "olga"), ("olga", "paul")):
        opening = house.action(
            "case.open", title="They slept", category="conduct", severity="high", subject_roles=["surveillance"],
            roles=["pit boss"],
        )  # fmt: skip
        case = str(house.ok("cases", "new", opener, opening)[0].data.case)
        for person in ("sven", "sara"):
            assert house.no("cases", case, person, house.action("case.note", note="seen")).status == 404
        close = house.action("case.close", disposition="disciplinary", reason="They slept", concerns=["job"])
        events = house.agreed("cases", case, (opener, other), close)
        assert [event.type for event in events][-1] == "case.closed.v1"
