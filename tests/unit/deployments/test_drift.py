"""Compose, systemd and Kubernetes run the processes of backoffice/installation/processes_in_start_order.py.

Their settings and secrets are the same.
"""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from backoffice.installation.own_command_listing_and_parsers import parser_of
from backoffice.installation.processes_in_start_order import LOOPBACK, processes
from backoffice.running import database_and_mail_settings
from events.settings.setting_declarations import FILE, IN_FILES, SECRETS
from events.settings.settings_from_environment import read
from tests.unit.deployments import manifests, units
from tests.unit.deployments.units import PYTHON

ROOT = database_and_mail_settings.ROOT
SERVERS = {"postgres", "redis", "kafka", "proxy"}  # which are the house's own business under systemd and Kubernetes
ONCE = {"migrate": ["migrate", "--no-input"], "backup": ["backup", "--scheduled"]}
EVERYWHERE = "0.0.0.0"  # noqa: S104 - in a container loopback is nobody's


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    compose_file: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return {name: service for name, service in compose_file["services"].items() if name not in SERVERS}


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The programs that run under `up` on servers of the house's own, by name."""
    monkeypatch.delenv("PITLEDGER_LIVE_PORT", raising=False)
    return {part.name: list(part.command) for part in processes("kafka:9092", 8000, tmp_path)}


def written(command: list[str], python: str, loopback: str) -> list[str]:
    other = {sys.executable: python, str(ROOT / "manage.py"): "manage.py", LOOPBACK: loopback}
    return [other.get(word, word) for word in command]


def test_systemd_starts_what_up_starts(parts: dict[str, list[str]]) -> None:
    ours = {name: written(command, PYTHON, LOOPBACK) for name, command in parts.items()}
    ours |= {name: [PYTHON, "manage.py", *words] for name, words in ONCE.items()}
    assert {name: units.command(name) for name in units.services()} == ours


def test_kubernetes_starts_what_up_starts(parts: dict[str, list[str]]) -> None:
    ours = {name: written(command, "python", EVERYWHERE) for name, command in parts.items()}
    ours |= {name: ["python", "manage.py", *words] for name, words in ONCE.items()}
    assert {name: pod.container["command"] for name, pod in manifests.pods().items()} == ours


def test_what_runs_once_can_be_read_by_its_parser() -> None:
    for command, *words in ONCE.values():
        parser_of(command).parse_args(words)


def test_each_part_has_the_same_secrets_everywhere(parts: dict[str, list[str]], compose: dict[str, Any]) -> None:
    ours = {name: units.secrets(name) for name in [*parts, "migrate", "backup"]}
    assert {name: pod.secrets for name, pod in manifests.pods().items()} == ours
    optional = set(_files_that_may_be_missing(compose))
    assert {name: set(compose[name]["secrets"]) - optional for name in [*parts, "migrate"]} == {
        name: secrets for name, secrets in ours.items() if name != "backup"
    }


def _files_that_may_be_missing(compose: dict[str, Any]) -> list[str]:
    """The secrets that a house need not have: compose names their file only where a variable does."""
    values = [str(value) for service in compose.values() for value in service["environment"].values()]
    return [value.rpartition("/")[2].rstrip("}") for value in values if re.match(r"\$\{\w+:\+/run/secrets/", value)]


def test_each_part_finds_its_secrets_by_the_same_settings(parts: dict[str, list[str]], compose: dict[str, Any]) -> None:
    def files(variables: dict[str, Any]) -> dict[str, str]:
        files_ = {name: str(value) for name, value in variables.items() if name in IN_FILES}
        return {name: value.rpartition("/")[2] for name, value in files_.items() if not value.startswith("${")}

    for name in [*parts, "migrate", "backup"]:
        ours = files(units.variables(name))
        assert {setting.removesuffix(FILE) for setting in ours} <= SECRETS
        assert set(ours.values()) == units.secrets(name)
        assert files(manifests.pods()[name].environment) == ours, name
        assert name == "backup" or files(compose[name]["environment"]) == ours, name


def test_the_signer_is_the_same_everywhere(compose: dict[str, Any]) -> None:
    for name, pod in manifests.pods().items():
        if name in ONCE:  # on one machine a backup reads the keys themselves; compose restores in `migrate`
            continue
        at = pod.environment.get("PITLEDGER_SIGNER_AT", "")
        host = f"pitledger-{at}" if at else ""
        assert units.variables(name).get("PITLEDGER_SIGNER_AT", "") == host, name
        assert compose[name]["environment"].get("PITLEDGER_SIGNER_AT", "") == at, name


def test_settings_of_containers_are_those_of_compose(compose: dict[str, Any]) -> None:
    """Settings with a value in compose have the same value in the manifests. Compose leaves the others to the house."""
    ours = {name: value for name, value in compose["relay"]["environment"].items() if not str(value).startswith("${")}
    theirs = manifests.pods()["relay"].environment
    assert {name: theirs.get(name) for name in ours} == ours


def test_every_setting_of_units_and_manifests_is_declared() -> None:
    for name in units.services():
        settings_ = {**units.settings(), **units.variables(name)}
        settings_ |= units.settings("migrate.env") if name == "migrate" else {}
        read({key: value for key, value in settings_.items() if key not in IN_FILES})
    for pod in manifests.pods().values():
        read({key: value for key, value in pod.environment.items() if key not in IN_FILES})


def test_the_databases_are_made_by_the_same_statements() -> None:
    statements = r"^ *((?:CREATE|GRANT|ALTER) [^;]+;)"
    compose = re.findall(statements, (ROOT / "docker-compose.yml").read_text(encoding="utf-8"), re.MULTILINE)
    own = re.findall(
        statements, (ROOT / "tools" / "deploy" / "databases.sql").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert own == compose


def test_every_secret_is_made_by_the_guides() -> None:
    for page, secret_names in {
        "systemd.md": set().union(*map(units.secrets, units.services())),
        "kubernetes.md": set().union(*(pod.secrets for pod in manifests.pods().values())),
    }.items():
        how = (ROOT / "docs" / "howto" / page).read_text(encoding="utf-8")
        [names] = re.findall(r"^for name in ([a-z_ ]+); do$", how, re.MULTILINE)
        assert set(names.split()) == secret_names, page


def test_commands_of_the_guide_are_run_as_the_worker_is() -> None:
    script = (units.FOLDER / "pitledger").read_text(encoding="utf-8")
    assert set(re.findall(r"\(secret ([a-z_]+)\)", script)) == units.secrets("worker")
    assert f"exec {PYTHON} manage.py" in script
