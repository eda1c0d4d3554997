"""The tools of the image: digests of base images from a registry, and the bill of materials."""

from pathlib import Path

import pytest

from tools import pin_images, sbom

DIGEST = f"sha256:{'ab' * 32}"
COMPOSE = """\
    image: ${PITLEDGER_IMAGE_REDIS:-redis:7.4.5-bookworm}
        PYTHON_IMAGE: ${PITLEDGER_IMAGE_PYTHON:-python:3.12.11-slim-bookworm}
    image: &image ${PITLEDGER_IMAGE:-pitledger:0.1.0}
"""
DOCKER = """\
#!/bin/sh
case "$1" in
pull) [ -z "$UNREACHABLE" ] || { echo "dial tcp: no route to host" >&2; exit 1; } ;;
image) [ -n "$LOCAL" ] || echo "registry.example/library/${5%%:*}@$DIGEST" ;;
esac
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DIGEST", DIGEST)
    path = tmp_path / "docker-compose.yml"
    path.write_text(COMPOSE)
    monkeypatch.setattr(pin_images, "FILE", path)
    return path


def test_digests_are_added_to_the_base_images_and_renewed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pin_images.main() == 0
    assert f"${{PITLEDGER_IMAGE_REDIS:-redis:7.4.5-bookworm@{DIGEST}}}" in file.read_text()
    assert file.read_text().count(DIGEST) == 2, "our own image has none: it is built here"
    monkeypatch.setenv("DIGEST", newer := f"sha256:{'cd' * 32}")
    assert pin_images.main() == 0
    assert (file.read_text().count(DIGEST), file.read_text().count(newer)) == (0, 2)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("UNREACHABLE", "No registry gave python:3.12.11-slim-bookworm: dial tcp: no route to host"),
        ("LOCAL", "no digest"),
    ],
)
def test_where_no_registry_answers_it_says_so_and_changes_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, line: str
) -> None:
    monkeypatch.setenv(name, "yes")
    assert pin_images.main() == 1
    assert line in capsys.readouterr().out
    assert file.read_text() == COMPOSE


def test_the_bill_names_every_package_with_the_hashes_of_the_lock(tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text(
        "Package: bash\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5.2-2\n\n"
        "Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n"
    )
    lock = sbom.ROOT / "requirements.lock"
    bill = sbom.bill(lock, status)
    by_purl = {component["purl"]: component for component in bill["components"]}
    assert "pkg:deb/debian/bash@5.2-2?arch=amd64" in by_purl
    assert not any("gone" in purl for purl in by_purl)
    [django] = [component for purl, component in by_purl.items() if purl.startswith("pkg:pypi/django@")]
    assert f"django=={django['version']}" in lock.read_text().lower()
    assert django["hashes"]
    for digest in django["hashes"]:
        assert digest["content"] in lock.read_text()
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "pitledger")
