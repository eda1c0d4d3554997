"""Install the requirements of the tests: `python -m tests.servers.install`, called by `make test`.

On Debian as root, missing packages come by apt-get, and the other versions of PostgreSQL from their Debian release.
Kafka's jars come by Maven on any system. Installed programs stay unchanged. The command prints a line for each need. It
exits with 1 if CI=true and a requirement is still missing, else with 0.
"""

import os
import shutil
import subprocess
import sys

from tests.servers import kafka, postgres, postgres_package_download, suite_requirements

APT = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-q", "-y"]


def main() -> int:
    missing_needs = [need for need in suite_requirements.NEEDS.values() if not need.is_installed()]
    install_packages(missing_needs)
    suite_requirements.forget()
    fetch_kafka()
    fetch_postgres()
    missing = [need for need in suite_requirements.NEEDS.values() if not need.is_installed()]
    required = [need for need in missing if not need.is_optional]
    for need in suite_requirements.NEEDS.values():
        print(f"{need.what}: {'missing: ' + suite_requirements.how_to_have(need) if need in missing else 'there'}")
    return 1 if required and suite_requirements.in_ci() else 0


def install_packages(missing_needs: list[suite_requirements.Need]) -> None:
    """Install the missing packages by apt-get, where that is possible."""
    if not suite_requirements.on_debian() or os.geteuid() != 0:
        return
    packages = suite_requirements.missing_packages([need for need in missing_needs if not _only_jars_missing(need)])
    if not packages:
        return
    print(f"installing {' '.join(packages)}", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "--no-install-recommends", *packages]):
        completed = subprocess.run(
            [*APT, *step],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,  # hundreds of lines, of interest only where it fails
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if completed.returncode:
            print(f"{completed.stdout}\napt-get {step[0]} failed with {completed.returncode}", file=sys.stderr)


def _only_jars_missing(need: suite_requirements.Need) -> bool:
    return need.marker == "kafka" and kafka.find_java() is not None and shutil.which("mvn") is not None


def fetch_kafka() -> None:
    """Fetch Kafka's jars where they are missing and Java and Maven are there."""
    if kafka.find_jars() is not None or kafka.find_java() is None or shutil.which("mvn") is None:
        return
    print("fetching Apache Kafka's jars", flush=True)
    try:
        kafka.fetch_jars()
    except subprocess.CalledProcessError as error:
        print(f"{error.output}\nMaven failed with {error.returncode}", file=sys.stderr)


def fetch_postgres() -> None:
    """Fetch the supported versions of PostgreSQL that are missing, where Debian's packages can be had."""
    for version in postgres.SUPPORTED:
        if postgres.find_version(version) is None and postgres_package_download.can_fetch(version):
            print(f"fetching PostgreSQL {version}", flush=True)
            try:
                postgres_package_download.fetch(version)
            except postgres_package_download.FetchError as error:
                print(error, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
