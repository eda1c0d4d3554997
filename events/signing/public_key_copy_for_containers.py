"""The signer's copy for other containers: its public keys and its memory, which they only read.

The folder DATA/published is there where a person mounted it (docker-compose.yml); elsewhere nothing is published, and
every process reads DATA/keys itself. No private key is ever copied.
"""

import os
from pathlib import Path

_PUBLIC = ("*.pub", "last-head.*.json")


def published(keys: Path) -> Path | None:
    """Return the folder of the copies, next to that of the keys; None where no one has requested any."""
    folder = keys.parent / "published"
    return folder if folder.is_dir() else None


def publish(keys: Path) -> None:
    """Copy changed public files, each as a whole. Raises OSError."""
    if (folder := published(keys)) is None:
        return
    for pattern in _PUBLIC:
        for path in keys.glob(pattern):
            content, copy = path.read_bytes(), folder / path.name
            if not copy.exists() or copy.read_bytes() != content:
                fresh = copy.with_suffix(f".{os.getpid()}")
                fresh.write_bytes(content)
                fresh.replace(copy)
