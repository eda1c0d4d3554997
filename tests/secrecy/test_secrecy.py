"""A subject of a case is answered as in a house in which the case does not exist.

These are drawn cells; `make secrecy` asks all of them (`every_cell.py`).
"""

import io
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from tests.integration.commands.test_every_command_looks import OF_NO_PERSON, SHOWING
from tests.secrecy.compared_questions import compare, drawn
from tests.secrecy.house_with_and_without_case import HIDDEN, SECRETS, SUBJECTS, Asker, Question, stored, world
from tests.support.pages.page_actors import at

pytestmark = pytest.mark.django_db(databases="__all__")
DRAWN = 150


@pytest.mark.parametrize("is_later", [False, True], ids=["from the start", "added later"])
def test_a_subject_is_answered_as_in_a_house_without_the_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_later: bool
) -> None:
    leaks = compare(drawn(DRAWN, seed=35), tmp_path, monkeypatch, is_later=is_later)
    assert not leaks, "\n\n".join(map(str, leaks[:5]))


def test_no_one_gets_an_export_that_was_stored_for_another_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are those for the id of no case, also after people lost their access."""
    nowhere = "0" * 16
    with world(tmp_path / "house", monkeypatch) as house:
        house.open_case(())
        askers = {person: Asker(person) for person in ("sven", "sara", "olga")}
        for asker in askers.values():
            assert all("athens/floor@1" in asker.ask(question).content for question in stored(HIDDEN))
        house.wait()
        house.add_subjects()
        house.wait()
        assert all("athens/floor@1" in askers["sven"].ask(question).content for question in stored(HIDDEN))
        for person in ("sara", "olga"):
            for own, other in zip(stored(HIDDEN), stored(nowhere), strict=True):
                answer = askers[person].ask(own)
                assert answer.status == 400
                assert answer.content == askers[person].ask(other).content.replace(nowhere, HIDDEN)


# Of an event of a case, and of a request in it.
NAMES = {"case", "sealed", "digest", "request", "action", "input", "content", "person", "until", "role", "roles"}


def test_no_command_tells_of_the_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the commands that decrypt cases show it, and only to the machine's administrator."""
    ran, secrets_by_command = 0, dict[str, list[str]]()
    with world(tmp_path / "house", monkeypatch, has_file=True) as house:
        house.open_case()
        for command, each in (SHOWING | OF_NO_PERSON).items():
            for words in each:
                if "FILE" not in words and "FOLDER" not in words:
                    secrets_by_command[" ".join((command, *words))] = secrets_of(command, *words)
                    ran += 1
        for person in SUBJECTS:
            assert output("cases", "--json", "--as", person) == ""
            assert output("case", "export", HIDDEN, str(tmp_path / "out"), "--as", person).startswith(
                "There is no case"
            )
            ran += 2
        assert len(output("cases", "--json", "--as", "sven").splitlines()) == 2
    print(f"{ran} commands tried")
    assert {command for command, secrets in secrets_by_command.items() if secrets} == {"cases", "cases --json"}


def secrets_of(*words: str) -> list[str]:
    """Return the secrets in the output of a command."""
    text = output(*words)
    return [secret for secret in SECRETS if secret in text]


def output(*words: str) -> str:
    """Return the output of a command, and its error."""
    out = io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=io.StringIO())
    except CommandError as error:
        return out.getvalue() + str(error)
    return out.getvalue()


def test_the_topic_has_ids_types_and_digests_of_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The topic has the bytes of the store."""
    with world(tmp_path / "house", monkeypatch) as house:
        before = house.head
        house.open_case()
        events = house.house.store.after(before, 1_000)
    assert len(events) > 10
    for event in events:
        envelope = msgspec.json.decode(event.raw)
        plain = event.raw.decode().replace(HIDDEN, "")
        assert not any(secret in plain for secret in SECRETS if secret != HIDDEN)
        assert envelope["data"].keys() <= NAMES
        assert set(envelope["data"].get("input", {})) <= {"sealed"}


def test_the_access_log_shows_no_line_of_a_case_to_its_subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with world(tmp_path / "house", monkeypatch) as house:
        house.open_case(subjects=("sara",))
        olga, sven = Asker("olga"), at("sven")
        own = (f"/cases/{HIDDEN}", f"/events?q=case:{HIDDEN}", "/cases?q=Shaved")
        for address in own:
            assert sven.get(address).status_code == 200
            assert olga.pages.get(address).status_code == 200
        seen = olga.pages.get("/api/v1/looks").json()["looks"]
        assert {(line["person"], line["what"]) for line in seen} >= {
            ("sven", own[0]),
            *(("olga", what) for what in own),
        }
        house.wait()
        house.add_subjects()
        house.wait()
        assert HIDDEN not in olga.ask(Question("/api/v1/looks")).content
        olga.pages.get(f"/cases?q={HIDDEN}")  # as for any other word
        lines = olga.pages.get("/api/v1/looks").json()["looks"]
        assert [line["what"] for line in lines if HIDDEN in line["what"]] == [f"/cases?q={HIDDEN}"]
        assert HIDDEN not in olga.pages.get("/integrity/looks/export.jsonl?kind=search").getvalue().decode()
