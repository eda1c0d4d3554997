"""The commands of docs/howto/open-a-house.md, exactly as the page has them, end with a closed gaming day."""

import json
import re
import time
from collections.abc import Iterator

import httpx
import pytest

from backoffice.http import signed_person_passes
from tests.integration.system.running_house import CHECKOUT, Installation, Up, installation
from tests.restores.documentation_page_commands import blocks, run
from tests.servers import free_port
from tests.support.processes.relays_and_topic_readers import within

PAGE = CHECKOUT / "docs" / "howto" / "open-a-house.md"
CAUGHT_UP_S = 90.0


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An empty machine: a data folder that is not there yet."""
    with installation(tmp_path_factory.mktemp("opening") / "mine", free_port()) as installed:
        yield installed


def as_written(here: Installation, heading: str, place: int = 0) -> str:
    """A block of the page, on this house's folder and port."""
    block = blocks(PAGE, heading)[place]
    folder = here.data.parent / "my-house"
    block = block.replace("my-house", str(folder)).replace("export PITLEDGER_DATA=var/mine", "")
    return block.replace(":8000/", f":{here.port}/")


def checklist(here: Installation, day: str) -> dict[str, bool | None]:
    """Return each item of the day's checklist, and whether it holds."""
    report = json.loads(here.manage("report", day, "--json").stdout)
    return {item["item"]: item["holds"] for item in report["checklist"]}


def closed_by_the_accountant(here: Installation, day: str) -> httpx.Response:
    """Close the day as its page does for a person who is signed in with a recent second factor."""
    secret = (here.data / "login-key").read_text()
    headers = {
        "Authorization": f"{signed_person_passes.SCHEME} {signed_person_passes.to_act('k-601', time.time(), secret)}"
    }
    body = {"type": "day.close", "key": "first-close", "data": {}}
    return httpx.post(f"{here.url}/api/v1/days/actions?gaming_day={day}", json=body, headers=headers, timeout=60)


def test_the_page_leads_from_nothing_to_a_closed_day(here: Installation) -> None:
    env = here.env
    run(as_written(here, "Fill in the files"), env)
    assert "nothing was written" in run(as_written(here, "Check them"), env)
    assert not here.data.exists()
    assert "The house has moved in." in run(as_written(here, "Move in"), env)
    house = Up(here).wait_until_up()
    try:
        assert f"http://localhost:{here.port}/enrol#" in run(as_written(here, "Let people in", 1), env)
        output = run(as_written(here, "The first gaming day"), env)
        assert "R1, roulette, pit A, counted only" in output
        assert re.search(r"^inventory_win +60\.00 ", output, re.MULTILINE), output
        day = re.search(r"^(\d{4}-\d\d-\d\d), open", output, re.MULTILINE)[1]  # type: ignore[index]
        within(lambda: False not in checklist(here, day).values(), "the checklist never holds", CAUGHT_UP_S)
        answer = closed_by_the_accountant(here, day)
        assert answer.status_code == 200, answer.text
        report = json.loads(here.manage("report", day, "--json").stdout)
        assert report["status"] == "closed"
        assert report["chips"]["players_minor"] == 4_000
        assert report["cage"]["marker_minor"] == {"expected_minor": 50_000, "counted_minor": 50_000}
        assert house.process.poll() is None
    finally:
        house.stop()
