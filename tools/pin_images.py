"""Add the digests of the base images to docker-compose.yml: `make pin-images`.

A tag may be moved to another image, a digest names one permanently. Docker pulls each image by its tag and says which
digest it has. Where no registry can be reached nothing is written, and the exit code is 1.
"""

import re
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "docker-compose.yml"
_BASE = re.compile(r"(\$\{PITLEDGER_IMAGE_[A-Z]+:-)([^@}]+)(@sha256:[0-9a-f]{64})?\}")


class UnreachableError(Exception):
    """An image could not be had; the message says which and why."""


def main() -> int:
    """Return the exit code."""
    text = FILE.read_text(encoding="utf-8")
    images = sorted({match[2] for match in _BASE.finditer(text)})
    try:
        digests = {image: digest_of(image) for image in images}
    except UnreachableError as error:
        print(f"{error}\nNothing was changed: the images keep their exact tags. Try again where a registry answers.")
        return 1
    FILE.write_text(_BASE.sub(lambda match: f"{match[1]}{match[2]}@{digests[match[2]]}}}", text), encoding="utf-8")
    for image, digest in digests.items():
        print(f"{image}@{digest}")
    return 0


def digest_of(image: str) -> str:
    """Return "sha256:..." of the image that has this tag now. Raises UnreachableError."""
    _docker("pull", "--quiet", image)
    lines = _docker("image", "inspect", "--format", "{{range .RepoDigests}}{{println .}}{{end}}", image).split()
    if not lines:
        raise UnreachableError(f"{image} has no digest: it was made on this machine, and is in no registry.")
    return lines[0].partition("@")[2]


def _docker(*words: str) -> str:
    try:
        completed = subprocess.run(["docker", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UnreachableError("Docker is not installed, which asks the registry. Install Docker.") from None
    if completed.returncode:
        why = completed.stderr.strip().splitlines()[-1:] or ["it gave no reason"]
        raise UnreachableError(f"No registry gave {words[-1]}: {why[0]}")
    return completed.stdout


if __name__ == "__main__":
    sys.exit(main())
