"""The drill of docs/howto/house-case-key.md, by exactly the commands of the page."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from events.cases.case_key_and_file_vault import vault
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.relay.witness_delivery import hand_over
from events.signing import house_signing_key
from events.store import open_store
from tests.integration.system.running_house import CHECKOUT, Installation
from tests.restores.documentation_page_commands import blocks, run
from tests.support.houses.small_house import PROPERTY, House, reopened_house
from tools import witness

PAGE = CHECKOUT / "docs" / "howto" / "house-case-key.md"
FILES = {"STORE": "events", "READ": "read", "ACCESS": "access"}
TITLES = ("Short pays", "A cup")


@pytest.fixture(params=["files", pytest.param("postgres", marks=pytest.mark.postgres)])
def new_place(
    request: pytest.FixtureRequest, tmp_path: Path, free_port: Callable[[], int]
) -> Callable[[str], Installation]:
    """A function that makes a named place without a house."""

    def place(name: str) -> Installation:
        (data := tmp_path / name).mkdir()
        urls = {role: f"sqlite:///{data}/{file}.sqlite3" for role, file in FILES.items()}
        if request.param == "postgres":
            make = request.getfixturevalue("new_database")
            urls = {role: make() for role in FILES}
        return Installation(data, free_port(), PROPERTY=PROPERTY, CASE_RETENTION_DAYS="0", **urls)

    return place


def ok(place: Installation, *words: str) -> str:
    """The output of a command that must succeed."""
    completed = place.manage(*words, timeout_s=240.0)
    assert completed.returncode == 0, f"{words}: {completed.stdout}\n{completed.stderr}"
    return completed.stdout


def played(place: Installation) -> str:
    """A house with two closed cases, the first with an attachment; the id of the first."""
    ok(place, "migrate", "--verbosity", "0")
    house, ids = House(open_store(place.env["PITLEDGER_STORE"])), list[str]()
    for title in TITLES:
        opening = house.action("case.open", title=title, category="theft", severity="high")
        ids.append(house.ok("cases", "new", "sven", opening)[0].data.case)
        digest = vault().add_file(ids[-1], b"I saw it.", "text/plain")
        attach = house.action("case.attach", attachment=digest, name="statement.txt")
        close = house.action("case.close", disposition="unfounded", reason="Nothing")
        house.ok("cases", ids[-1], "sven", attach, close)
    house.close()
    ok(place, "rebuild", "all", "--approve")
    sign(place)
    return ids[0]


def sign(place: Installation) -> list[bytes]:
    """Sign the present events, and return all heads so far."""
    url = place.env["PITLEDGER_STORE"]
    with closing(open_store(url)) as store:
        make_head(store, open_heads(url), PROPERTY, house_signing_key.signer(place.data))
    return [bytes(raw) for raw in open_heads(url).after(0)]


def destroy(place: Installation, case: str) -> None:
    """Destroy a key by two people."""
    store = open_store(place.env["PITLEDGER_STORE"])
    house = reopened_house(store)
    house.agreed("cases", case, ("sven", "olga"), house.action("case.destroy_key", reason="retention over"))
    house.close()


def use(place: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process work on a place as its commands do."""
    for name, value in place.env.items():
        if name.startswith("PITLEDGER_"):
            monkeypatch.setenv(name, value)


def test_the_drill(new_place: Callable[[str], Installation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_house, without_key, with_key, changed, destroyed = blocks(PAGE, "Drill")
    house, scratch, other = (new_place(name) for name in ("house", "scratch", "other"))
    use(house, monkeypatch)
    case = played(house)
    (safe := tmp_path / "safe").mkdir()
    (safe / "case-key").write_bytes((house.data / "case-key").read_bytes())
    places = {name: str(tmp_path / name.lower()) for name in ("BACKUP", "KEYS", "SAFE", "WITNESS")}

    run(on_house, house.env | places)
    output = run(without_key, scratch.env | places)
    assert "Everything holds." in output
    assert not any(title in output for title in TITLES)
    output = run(with_key, scratch.env | places)
    assert "2 of 2 keys of cases are opened." in output
    assert all(title in output for title in TITLES)
    output = run(changed, scratch.env | places)
    assert "0 of 2 keys of cases are opened." in output
    assert output.splitlines()[-1] == "2 of 2 keys of cases are opened."

    destroy(house, case)
    assert vault().keys() != ()
    outside = witness.WitnessStore(Path(places["WITNESS"]))
    with outside._file:
        assert witness.take_all(outside, sign(house))["refused"] == []
    output = run(destroyed, other.env | places)
    assert "destroyed again: the keys of 1 cases" in output
    assert output.index("destroyed again") < output.index("building read models"), "before anything is shown"
    assert "Everything holds." in output
    assert TITLES[0] not in output
    assert TITLES[1] in output
    assert case not in ok(other, "cases", "--json")
    assert "Everything holds." in ok(house, "verify", "--no-topic")
    ok(house, "rebuild", "all", "--approve")
    assert case in ok(house, "cases", "--destroyed", "--json")


def test_a_restore_reads_the_witness_by_itself(
    new_place: Callable[[str], Installation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, scratch = new_place("house"), new_place("scratch")
    use(house, monkeypatch)
    case = played(house)
    backup, drop = tmp_path / "backup", f"file://{tmp_path / 'drop'}"
    ok(house, "backup", str(backup))
    (scratch.data / "case-key").write_bytes((house.data / "case-key").read_bytes())
    destroy(house, case)
    sign(house)
    scratch.env["PITLEDGER_WITNESS"] = drop
    refused = scratch.manage("restore", str(backup), timeout_s=240.0)
    assert refused.returncode == 1
    assert "With --without-witness these keys come back" in refused.stderr

    hand_over(open_heads(house.env["PITLEDGER_STORE"]), drop, PROPERTY)
    output = ok(scratch, "restore", str(backup))
    assert "destroyed again: the keys of 1 cases" in output
    assert output.index("destroyed again") < output.index("building read models"), "before anything is shown"
    shown = ok(scratch, "cases")
    assert TITLES[0] not in shown
    assert TITLES[1] in shown
