"""Every page names the parts of the house that do not run, with the hour and the reason."""

import os
from pathlib import Path

import msgspec
import pytest
from django.test import Client

from backoffice.running import status_files
from backoffice.running.parts_not_running import NAME, Away
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report a stopped relay in this data folder, as a supervisor does."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    parts = [Away("relay", "2026-11-20T22:14:03Z", "gave no sign of life for 30 s")]
    status_files.announce(NAME, data=tmp_path, pid=os.getpid(), down={}, away=msgspec.to_builtins(parts))


@pytest.mark.parametrize("path", ["/", "/progressives/", "/progressives/blazing/matters"])
def test_a_page_says_what_does_not_run_and_since_when(
    path: str, client: Client, evening_house: House, stopped: None
) -> None:
    assert "relay has not been running since 2026-11-20 22:14:03 UTC" in words(client, path)
    assert "gave no sign of life for 30 s" in source(client, path)


def test_and_so_does_the_interface_for_programs(client: Client, evening_house: House, stopped: None) -> None:
    parts = client.get("/api/v1/position").json()["freshness"]["away"]
    assert parts == [{"name": "relay", "since": "2026-11-20T22:14:03Z", "why": "gave no sign of life for 30 s"}]


def test_nothing_is_said_where_all_runs_or_nobody_looks(client: Client, evening_house: House) -> None:
    assert "has not been running since" not in client.get("/", follow=True).content.decode()
