"""Rounds that are played in a house in containers, by the recipes of docs/howto/over-http."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from backoffice.http import signed_person_passes
from docs.clients import pitledger_client
from docs.clients.pitledger_client import Client, Wire
from tests.compose.conftest import Compose
from tests.integration.door.test_recipes import KEYS, blocks
from tests.integration.door.test_recipes import TABLES as RECIPES


def play_round(compose: Compose, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the table and play its first round, as the page tells the reader to."""
    variables = {"HOUSE": compose.address(), "TABLE": table, "DAY": datetime.now(UTC).date().isoformat()}
    variables |= {"INSPECTOR": compose.badges["ines"], "DEALER": compose.badges["dora"], "NO_COMMISSION": "BA2"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "pitledger_client", pitledger_client)
    names: dict[str, Any] = {}
    page = RECIPES[table][0]
    *begin, last = blocks(page)
    for block in begin:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - what the page tells the reader to run
    _agree(compose, table, names["inspector"].layout(table))
    exec(compile(last, page, "exec"), names)  # noqa: S102 - the same
    assert names["inspector"].layout(table)["round"] == 2
    names["house"].wire.close()


def _agree(compose: Compose, table: str, layout: Any) -> None:
    """Give the approval of every key holder to the requests that wait at a table, as the pages send it."""
    for number, waiting in enumerate(layout["requests"]):
        for person in KEYS:
            wire = Wire(compose.address(), patience_s=0.0)
            shown = signed_person_passes.to_act(person, time.time(), compose.secret("secret_key"))
            data = {"request": waiting["request"], "content": waiting["content"]}
            action: Any = {"type": "approval.give", "key": f"{table}-{person}-{number}", "data": data}
            Client(compose.address(), shown, wire=wire, scheme=signed_person_passes.SCHEME).act_tables(table, [action])
            wire.close()


def await_that(seconds: float, holds: Callable[[], bool]) -> None:
    """Return once the condition holds; fail after that number of seconds."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"not within {seconds:g} s"
        time.sleep(1.0)
