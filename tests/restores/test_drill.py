"""The drill of docs/howto/restore.md, by exactly the commands of the page, in a house that `up` runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.system.running_house import CHECKOUT, Installation, Up, installation
from tests.restores.documentation_page_commands import blocks, run
from tests.restores.test_backup_page import PARTS, PeopleAtWork, read, signed

PAGE = CHECKOUT / "docs" / "howto" / "restore.md"
ROLES = ("STORE", "READ", "ACCESS")


@pytest.mark.parametrize("kind", ["files", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_drill(kind: str, tmp_path: Path, free_port: Callable[[], int], request: pytest.FixtureRequest) -> None:
    on_house, on_scratch = blocks(PAGE, "Drill")
    data, scratch = tmp_path / "house", tmp_path / "scratch"
    for folder in (data, scratch):
        folder.mkdir()

    def urls(folder: Path) -> dict[str, str]:
        if kind == "files":
            return {role: f"sqlite:///{folder}/{role.lower()}.sqlite3" for role in ROLES}
        make = request.getfixturevalue("new_database")
        return {role: make() for role in ROLES}

    folders = {"BACKUP": str(tmp_path / "backup"), "KEYS": str(tmp_path / "keys")}
    with installation(data, free_port(), HEAD_S="0.5", **urls(data)) as here:
        up = Up(here, *PARTS).wait_until_up()
        work = PeopleAtWork(here)
        last = work.buys()
        signed(here, last)
        read(here, last)
        work.close()
        digest = run(on_house, here.env | folders).splitlines()[-1]
        assert up.stop() == 0
    other = Installation(scratch, free_port(), **urls(scratch))
    output = run(on_scratch, other.env | folders)
    assert "Everything holds." in output
    assert output.splitlines()[-1] == digest
