"""The requirements of the test suites beyond Python packages, and the ways to find and to install them."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.compose import docker
from tests.servers import chromium, kafka, postgres, redis
from tests.tls import network


@dataclass(frozen=True)
class Need:
    """A requirement of a marker's tests: `is_installed` checks it, `packages` are Debian's, `advice` is for others.

    If `is_optional`, CI reports that it is missing and continues.
    """

    marker: str
    what: str
    is_installed: Callable[[], bool]
    packages: tuple[str, ...]
    advice: str
    is_optional: bool = False


def _kafka_found() -> bool:
    return kafka.find_java() is not None and kafka.find_jars() is not None


NEEDS = {
    need.marker: need
    for need in (
        Need(
            "postgres",
            "PostgreSQL",
            lambda: postgres.find() is not None,
            ("postgresql",),
            f"install PostgreSQL {postgres.OLDEST} or later, with initdb on PATH",
        ),
        Need(
            "postgres_versions",
            f"PostgreSQL {' and '.join(map(str, postgres.SUPPORTED))}",
            lambda: None not in map(postgres.find_version, postgres.SUPPORTED),
            ("postgresql",),
            "the versions that the machine lacks are fetched from Debian's archive: run it on Debian",
        ),
        Need(
            "redis",
            "Redis",
            lambda: redis.find() is not None,
            ("redis-server",),
            "install Redis, with redis-server on PATH",
        ),
        Need(
            "kafka",
            "Apache Kafka",
            _kafka_found,
            ("default-jre-headless", "maven"),
            f"install Java {kafka.OLDEST_JAVA} or later and Maven; the jars are then fetched",
        ),
        Need("kcat", "kcat", lambda: kafka.find_kcat() is not None, ("kcat",), "install kcat"),
        Need(
            "browser",
            "Chromium",
            lambda: chromium.find() is not None,
            ("chromium-headless-shell",),
            "install Chromium, best its headless shell",
        ),
        Need(
            "tls",
            "nginx, Caddy and a network of its own",
            network.is_available,
            ("nginx-light", "caddy", "libnss3-tools", "iproute2", "curl"),
            "install nginx, Caddy, certutil, curl and iproute2, and run as root where network namespaces can be made",
            is_optional=True,
        ),
        Need(
            "promtool",
            "Prometheus's promtool",
            lambda: shutil.which("promtool") is not None,
            ("prometheus",),
            "install Prometheus, with promtool on PATH",
        ),
        Need(
            "docker",
            "Docker",
            docker.is_available,
            ("docker.io", "debootstrap", "eatmydata"),
            "tests of docker-compose.yml make their base images by debootstrap: run them on Debian as root",
            is_optional=True,
        ),
    )
}

# A fixture that a test asks for, directly or by another one, gives the test these markers.
MARKERS_OF_FIXTURES = {
    "postgres_server": ("postgres",),
    "postgres_versions": ("postgres_versions",),
    "redis_server": ("redis",),
    "kafka_server": ("kafka",),
    "kcat_path": ("kcat",),
    "chromium_path": ("browser",),
    "docker": ("docker",),
    "promtool": ("promtool",),
}


def on_debian() -> bool:
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def how_to_have(need: Need) -> str:
    """Return one clause that says what to do about a missing need on this machine."""
    if on_debian():
        return f"apt-get install {' '.join(need.packages)}, then `make test` (as root it does that itself)"
    return f"{need.advice}, then `make test`"


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def forget() -> None:
    """Forget the earlier results, so that the next search sees a new installation."""
    for finder in (postgres.find, redis.find, kafka.find_java, chromium.find):
        finder.cache_clear()


def missing_packages(needs: list[Need]) -> list[str]:
    """Return Debian's packages of these needs that are not installed."""
    return sorted({name for need in needs for name in need.packages if not _installed(name)})


def _installed(package: str) -> bool:
    command = ["dpkg-query", "-W", "-f=${db:Status-Abbrev}", package]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.startswith("ii")
