"""The documented client runs the recipes over HTTP, block by block, as the page has them."""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.http import signed_person_passes
from docs.clients import pitledger_client
from docs.clients.pitledger_client import Client, GiveApproval, Wire
from events.store import open_store
from tests.integration.door.conftest import badge_of, let_in
from tests.support.houses.small_house import House
from tests.support.processes.web_process import DoorProcess, Web

PAGES = Path(__file__).parents[3] / "docs" / "howto" / "over-http"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
TABLES = {
    "FR1": ("roulette.md", "roulette", "roulette-french"),
    "AR1": ("roulette.md", "roulette", "roulette-american"),
    "BA1": ("baccarat.md", "baccarat", "baccarat"),
    "BA2": ("baccarat.md", "baccarat", "baccarat-no-commission"),
    "CR1": ("craps.md", "craps", "craps-gr"),
    "CR2": ("craps.md", "craps", "craps-by"),
    "BJ1": ("blackjack.md", "blackjack", "blackjack-trilux"),
}
DAY = "2026-11-20"
KEYS = ("paul", "sven")  # who agree at their pages


def fill(folder: Path) -> None:
    """Tables of every game, closed as yet."""
    with closing(House(open_store(f"sqlite:///{folder}/events.sqlite3"))) as house:
        for table, (_, game, ruleset) in TABLES.items():
            if table not in ("FR1", "BJ1"):  # which every house has
                house.install(table, game, ruleset)
    let_in(folder)


@pytest.fixture(scope="module")
def address(django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with Web(fill, django_db_blocker) as web, DoorProcess(web) as door:
        yield f"http://{door.address}"


def blocks(page: str) -> list[str]:
    return BLOCK.findall((PAGES / page).read_text())


def agree(address: str, table: str, done: Any) -> None:
    """Approve the waiting requests of a table as each person with a key, as the pages send it."""
    for number, waiting in enumerate(done["requests"]):
        for person in KEYS:
            wire = Wire(address, patience_s=0.0)
            house = Client(
                address, signed_person_passes.to_act(person, time.time()), wire=wire, scheme=signed_person_passes.SCHEME
            )
            approval: GiveApproval = {"request": waiting["request"], "content": waiting["content"]}
            key = f"{table}-{person}-{number}"
            house.act_tables(table, [{"type": "approval.give", "key": key, "data": approval}])
            wire.close()


@pytest.mark.parametrize("table", TABLES)
def test_the_recipe_is_executed_as_it_stands(address: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "HOUSE": address,
        "TABLE": table,
        "INSPECTOR": badge_of("ines"),
        "DEALER": badge_of("dora"),
        "DAY": DAY,
    }
    for name, value in (variables | {"NO_COMMISSION": "BA2"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "pitledger_client", pitledger_client)
    names: dict[str, Any] = {}
    *begin, last = blocks(TABLES[table][0])
    for block in begin:
        exec(compile(block, TABLES[table][0], "exec"), names)  # noqa: S102 - what the page tells the reader to run
    agree(address, table, names["inspector"].layout(table))
    exec(compile(last, TABLES[table][0], "exec"), names)  # noqa: S102 - the same
    assert names["inspector"].layout(table)["round"] == 2
    names["house"].wire.close()


def test_every_game_has_its_recipe() -> None:
    assert {page.name for page in PAGES.glob("*.md")} == {page for page, *_ in TABLES.values()}
    assert all(len(blocks(page)) >= 6 for page, *_ in TABLES.values())
