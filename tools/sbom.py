"""The bill of materials of an image, as CycloneDX JSON: `python -m tools.sbom requirements.lock`.

Every Python package that is installed, with the hashes that the lock allows, and every Debian package of the base
image. The image holds it as /srv/pitledger/sbom.cdx.json. Only the standard library is used.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = Path("/var/lib/dpkg/status")


def bill(lock: Path, debian: Path = DEBIAN) -> dict[str, Any]:
    """Return the document, in the order of the packages' names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = [_of_python(package, hashes_of(lock)) for package in distributions()]
    components = [*python, *_of_debian(debian)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": project["name"], "version": project["version"]}},
        "components": sorted(components, key=lambda component: str(component["purl"])),
    }


def hashes_of(lock: Path) -> dict[str, list[str]]:
    """Return the SHA-256 digests that the lock allows, by the package's name."""
    blocks = re.findall(r"^([A-Za-z0-9._-]+)==\S+((?:.*\\\n)+.*)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    return {_normal(name): re.findall(r"--hash=sha256:([0-9a-f]{64})", rest) for name, rest in blocks}


def _of_python(package: Distribution, hashes: dict[str, list[str]]) -> dict[str, Any]:
    name = _normal(package.name)
    component = {
        "type": "library",
        "name": name,
        "version": package.version,
        "purl": f"pkg:pypi/{name}@{package.version}",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes.get(name, [])],
    }
    licence = str(package.metadata["License-Expression"] or "")  # None where it states none
    return component | ({"licenses": [{"expression": licence}]} if licence else {})


def _of_debian(status: Path) -> Iterator[dict[str, Any]]:
    """The packages of the base image; none where it is no Debian."""
    text = status.read_text(encoding="utf-8") if status.exists() else ""
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Architecture|Status): (.*)$", block, re.MULTILINE))
        if fields.get("Status", "").endswith(" installed"):
            name, version = fields["Package"], fields["Version"]
            purl = f"pkg:deb/debian/{name}@{version}?arch={fields['Architecture']}"
            yield {"type": "library", "name": name, "version": version, "purl": purl}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(json.dumps(bill(Path(sys.argv[1])), indent=1))
