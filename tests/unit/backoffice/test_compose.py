"""docker-compose.yml starts what `up` starts, by the same commands."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from backoffice import environment
from backoffice.programs import LOOPBACK, processes

SERVERS = {"postgres", "redis", "kafka", "migrate"}  # which `up` embeds or does itself
WEB_PORT = 8000


def services() -> dict[str, Any]:
    text = (environment.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)["services"]
    return found


def as_in_a_container(command: list[str]) -> list[str]:
    """There Python is on the path, the code in the working directory, and loopback is nobody's."""
    other = {sys.executable: "python", str(environment.ROOT / "manage.py"): "manage.py", LOOPBACK: "0.0.0.0"}  # noqa: S104
    return [other.get(word, word) for word in command]


def test_compose_starts_the_processes_that_up_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITLEDGER_LIVE_PORT", raising=False)
    ours = {part.name: as_in_a_container(list(part.command)) for part in processes("kafka:9092", WEB_PORT, tmp_path)}
    theirs = {name: shlex.split(one["command"]) for name, one in services().items() if name not in SERVERS}
    assert theirs == ours


def test_what_listens_is_published_on_loopback_only() -> None:
    ports = {name: one["ports"] for name, one in services().items() if "ports" in one}
    assert ports == {"web": ["127.0.0.1:8000:8000"], "live": ["127.0.0.1:8001:8001"]}
    assert services()["live"]["environment"]["PITLEDGER_LIVE_HOST"] == "0.0.0.0"  # noqa: S104


def test_every_setting_of_compose_is_explained() -> None:
    used = set(re.findall(r"PITLEDGER_[A-Z_]+", (environment.ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
    docs = environment.ROOT / "docs"
    explained = (docs / "reference" / "settings.md").read_text(encoding="utf-8")
    how = (docs / "howto" / "real-servers.md").read_text(encoding="utf-8")
    required = set(re.findall(r"\$\{(PITLEDGER_[A-Z_]+):\?", (environment.ROOT / "docker-compose.yml").read_text()))
    assert {name for name in used - {"PITLEDGER_DB_PASSWORD"} if f"`{name}`" not in explained} == set()
    assert {name for name in required if f"export {name}=" not in how} == set()
