"""The house case key is stored before it wraps anything, and is the same for all who ask for it at once."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.envelope import Action, Who
from events.errors import Defect
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings
from events.signing import secrets_created_at_first_use
from events.signing.secrets_created_at_first_use import case_key, durable_login_key, durable_secret_key
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import House

OPENING = {"title": "Short pays", "category": "theft", "severity": "high", "roles": ["surveillance"]}
THREADS, FOLDERS = 4, 40


@pytest.fixture
def quick_turns() -> Iterator[None]:
    """Threads take turns as often as on a loaded machine."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_turns")
def test_all_who_ask_at_once_get_the_stored_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(FOLDERS):
        monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / str(number)))
        house, together = settings(), Barrier(THREADS)

        def ask(_thread: int, house: Settings = house, together: Barrier = together) -> str:
            together.wait()
            return case_key(house)

        with ThreadPoolExecutor(THREADS) as threads:
            keys = {*threads.map(ask, range(THREADS))}
        assert keys == {(tmp_path / str(number) / secrets_created_at_first_use.CASE_KEY).read_text()}
        assert len([*(tmp_path / str(number)).iterdir()]) == 1


@pytest.fixture
def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data folder cannot be made, also by the administrator of the machine: a file is in its place."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "file" / "house"))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    monkeypatch.delenv("PITLEDGER_CASE_KEY", raising=False)
    monkeypatch.delenv("PITLEDGER_SECRET_KEY", raising=False)


@pytest.mark.usefixtures("unwritable")
def test_no_case_is_opened_under_a_key_that_cannot_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    problem = house.no("cases", "new", "sven", house.action("case.open", _key="open", **OPENING))
    assert problem.status == 500
    assert "Make the data folder writable, or set PITLEDGER_CASE_KEY_FILE." in str(problem.detail)
    house.grant("nora", "dealer")  # the house goes on
    monkeypatch.setenv("PITLEDGER_CASE_KEY", "k" * 32)
    [event] = house.ok("cases", "new", "sven", house.action("case.open", _key="open", **OPENING))
    assert event.type == "case.opened.v1"
    house.close()


@pytest.mark.usefixtures("unwritable")
@pytest.mark.parametrize("stored_key", [durable_secret_key, durable_login_key])
def test_nothing_stored_is_encrypted_with_a_key_that_ends_with_the_process(
    stored_key: Callable[[Settings], str],
) -> None:
    with pytest.raises(Defect, match="set PITLEDGER_SECRET_KEY"):
        stored_key(settings())
    assert (
        len(secrets_created_at_first_use.secret_key(settings()))
        == len(secrets_created_at_first_use.login_key(settings()))
        == 64
    )


def test_an_empty_key_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    (tmp_path / secrets_created_at_first_use.CASE_KEY).touch()
    with pytest.raises(Defect, match=r"case-key is empty\. Restore it from its copy\."):
        case_key(settings())


# --- another house case key -------------------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    house = House()
    yield house
    house.close()


def opened(house: House) -> str:
    """The id of a new case."""
    [event] = house.ok("cases", "new", "sven", house.action("case.open", **OPENING))
    return str(event.data.case)


def lose_key(tmp_path: Path) -> None:
    (tmp_path / secrets_created_at_first_use.CASE_KEY).unlink()


def set_other_key(tmp_path: Path) -> None:
    (tmp_path / secrets_created_at_first_use.CASE_KEY).write_text("a key of another house, 32 letters")


@pytest.mark.parametrize(
    ("change", "code"), [(lose_key, "case-house-key-missing"), (set_other_key, "case-house-key-differs")]
)
def test_every_case_is_answered_with_the_key_that_is_wrong_and_the_remedy(
    house: House, tmp_path: Path, change: Callable[[Path], None], code: str
) -> None:
    case, right = opened(house), (tmp_path / secrets_created_at_first_use.CASE_KEY).read_text()
    change(tmp_path)
    for name, kind, data in (
        ("new", "case.open", OPENING),
        (case, "case.note", {"note": "Seen"}),
        ("0" * 16, "case.note", {"note": "Seen"}),
    ):
        with pytest.raises(Defect, match=r"Set PITLEDGER_CASE_KEY_FILE to the right file\.") as wrong:
            house.send("cases", name, "sven", house.action(kind, **data))
        assert wrong.value.code == code
    assert (tmp_path / secrets_created_at_first_use.CASE_KEY).exists() is (change is set_other_key), (
        "no new key is made"
    )
    (tmp_path / secrets_created_at_first_use.CASE_KEY).write_text(right)
    house.ok("cases", case, "sven", house.action("case.note", note="Seen"))


def test_a_batch_with_actions_on_cases_is_served_for_all_others(house: House, tmp_path: Path) -> None:
    """The key is changed while the actions wait in the queue."""
    case = opened(house)
    set_other_key(tmp_path)

    def command_and_future(kind: str, name: str, person: str, action: Action) -> tuple[Command, "Future[list[Reply]]"]:
        return Command(Target(kind, name), (action,), Who(person=person, roles=frozenset(), factor_s=0)), Future()

    def grant(person: str) -> tuple[Command, "Future[list[Reply]]"]:
        return command_and_future("people", "", "adam", house.action("role.grant", person=person, role="dealer"))

    taken = [
        grant("nora"),
        command_and_future("cases", "new", "sven", house.action("case.open", **OPENING)),
        command_and_future("cases", case, "sven", house.action("case.note", note="Seen")),
        grant("nick"),
    ]
    house.desk.serve(taken)
    first, opening, note, last = (future.result(0)[0] for _command, future in taken)
    assert isinstance(first, Answer)
    assert isinstance(last, Answer)
    for problem in (opening, note):
        assert isinstance(problem, Problem)
        assert (problem.status, problem.code) == (500, "case-house-key-differs")
        assert "Set PITLEDGER_CASE_KEY_FILE to the right file." in problem.detail
