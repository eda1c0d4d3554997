"""docker-compose.yml starts what `up` starts, by the same commands."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from backoffice.installation.processes_in_start_order import LOOPBACK, processes
from backoffice.running import database_and_mail_settings
from backoffice.running.version import version
from events.settings.setting_declarations import FILE, NAMES, OF_CHILDREN, SECRETS

# Which `up` embeds or does itself, and who stands in front.
SERVERS = {"postgres", "redis", "kafka", "migrate", "proxy"}
WEB_PORT = 8000


def services() -> dict[str, Any]:
    text = (database_and_mail_settings.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    compose: dict[str, Any] = yaml.safe_load(text)["services"]
    return compose


def as_in_a_container(command: list[str]) -> list[str]:
    """Return the command as a container runs it: Python by name, code in the working directory, all addresses."""
    other = {
        sys.executable: "python",
        str(database_and_mail_settings.ROOT / "manage.py"): "manage.py",
        LOOPBACK: "0.0.0.0",  # noqa: S104
    }
    return [other.get(word, word) for word in command]


def test_compose_starts_the_processes_that_up_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITLEDGER_LIVE_PORT", raising=False)
    ours = {part.name: as_in_a_container(list(part.command)) for part in processes("kafka:9092", WEB_PORT, tmp_path)}
    theirs = {name: shlex.split(service["command"]) for name, service in services().items() if name not in SERVERS}
    assert theirs == ours


def test_what_listens_is_published_on_loopback_only() -> None:
    ports = {name: service["ports"] for name, service in services().items() if "ports" in service}
    assert ports.pop("proxy") == [
        "${PITLEDGER_HTTP_PORT:-80}:80",
        "${PITLEDGER_HTTPS_PORT:-443}:${PITLEDGER_HTTPS_PORT:-443}",
    ]
    assert ports == {"web": ["127.0.0.1:8000:8000"], "live": ["127.0.0.1:8001:8001"]}
    assert services()["live"]["environment"]["PITLEDGER_LIVE_HOST"] == "0.0.0.0"  # noqa: S104


def test_every_setting_of_compose_is_explained() -> None:
    used = set(
        re.findall(
            r"PITLEDGER_[A-Z_]+", (database_and_mail_settings.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
        )
    )
    docs = database_and_mail_settings.ROOT / "docs"
    explained = (docs / "reference" / "settings.md").read_text(encoding="utf-8")
    how = "".join((docs / "howto" / name).read_text(encoding="utf-8") for name in ("real-servers.md", "tls.md"))
    setting_names = {name.removesuffix(FILE) for name in used - OF_CHILDREN}
    assert {name for name in setting_names if f"`{name}`" not in explained + how} == set()


def test_every_secret_of_compose_is_made_by_the_guide() -> None:
    text = (database_and_mail_settings.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    how = (database_and_mail_settings.ROOT / "docs" / "howto" / "real-servers.md").read_text(encoding="utf-8")
    [names] = re.findall(r"^for name in ([a-z_ ]+); do$", how, re.MULTILINE)
    secret_names = {
        name for name, service in yaml.safe_load(text)["secrets"].items() if "/dev/null" not in service["file"]
    }
    assert sorted(names.split()) == sorted(secret_names)


# What a container is by its image and its command: its folder, and the ports that its health check asks.
OF_THE_IMAGE = {"PITLEDGER_DATA", "PITLEDGER_WEB_PORT", "PITLEDGER_LIVE_PORT", "PITLEDGER_PAGES_PORT"}
PARTS = ("relay", "projector", "worker", "beat", "pages", "web", "live")


def test_every_setting_reaches_the_containers() -> None:
    """Each setting has a line in x-settings. Each secret is in a file, for the parts that need it."""
    settings_by_part = {name: set(services()[name]["environment"]) for name in PARTS}
    everywhere = set.intersection(*settings_by_part.values())
    assert set(NAMES) - OF_THE_IMAGE - SECRETS - everywhere == set()
    somewhere = set.union(*settings_by_part.values())
    assert {f"{name}{FILE}" for name in SECRETS} - somewhere == set()
    assert SECRETS & somewhere == set(), "no secret stands in an environment"


def test_a_secret_is_mounted_where_its_setting_names_it_and_nowhere_else() -> None:
    for name, part in services().items():
        if name in SERVERS - {"migrate"}:
            continue
        values = {str(value) for value in part["environment"].values()}
        secret_names = {secret for value in values for secret in re.findall(r"/run/secrets/(\w+)", value)}
        assert secret_names == set(part["secrets"]), name


def test_only_the_worker_signs() -> None:
    holders = [name for name, part in services().items() if "head_key" in part.get("secrets", [])]
    mounts = {name: part.get("volumes", []) for name, part in services().items()}
    writers = [name for name, volumes in mounts.items() for volume in volumes if volume.startswith("keys:")]
    assert (holders, writers) == (["worker"], ["worker"])
    published = {
        name: volume for name, volumes in mounts.items() for volume in volumes if volume.startswith("published:")
    }
    assert published.pop("worker") == "published:/var/lib/pitledger/published"
    assert {volume.rpartition(":")[2] for volume in published.values()} == {"ro"}


def test_the_image_s_version_is_the_project_s() -> None:
    text = (database_and_mail_settings.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert f"${{PITLEDGER_IMAGE:-pitledger:{version()}}}" in text
    assert services()["migrate"]["build"]["args"]["VERSION"] == version()


def test_one_service_builds_the_image_and_base_images_have_exact_versions() -> None:
    assert [name for name, service in services().items() if "build" in service] == ["migrate"]
    text = (database_and_mail_settings.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    bases = re.findall(r"\$\{PITLEDGER_IMAGE_[A-Z]+:-([^}]+)\}", text)
    assert len(bases) == 5
    assert all(re.search(r":\d+\.\d+(\.\d+)?(-|$)", base) for base in bases), bases


def test_every_service_is_bounded_and_its_health_check_starts_no_java() -> None:
    for name, service in services().items():
        assert service["mem_limit"], name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        if name == "migrate":  # it ends
            continue
        program = service["healthcheck"]["test"][1]
        assert program in {"bash", "pg_isready", "python", "redis-cli", "wget"}, name
