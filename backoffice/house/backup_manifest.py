"""The manifest of a backup: its content, its house, and the digest of every file. It is written last.

A folder without a manifest is no backup. `check_files` reads every file and names the first changed one.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from events.errors import Conflict, Invalid

NAME, DIGEST = "manifest.json", "manifest.sha256"  # the second as sha256sum writes and checks it
FORMAT = 1
CHUNK = 1 << 20
Kind = Literal["sqlite", "postgresql"]
Role = Literal["events", "read", "access"]
M = TypeVar("M", "Manifest", "KeysManifest")
_THEN = "Use another backup, or another copy of this one"


class BackupFile(msgspec.Struct, frozen=True, order=True):
    """A file of a backup: its path below the folder, its length and its SHA-256."""

    path: str
    size_bytes: int
    sha256: str


class BackupTable(msgspec.Struct, frozen=True):
    """A table of a PostgreSQL database, in `file` as gzipped text of COPY."""

    name: str
    columns: tuple[str, ...]
    rows: int
    file: str


class Database(msgspec.Struct, frozen=True):
    """A database of a backup. `migrations`: (app, name) of those that were applied; `tables`: on PostgreSQL."""

    role: Role
    kind: Kind
    file: str = ""
    tables: tuple[BackupTable, ...] = ()
    migrations: tuple[tuple[str, str], ...] = ()


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A backup. `house` identifies its house: the digest of the first event. `head`: the last in it (0: none).

    `keys`: whether the keys are in this folder, in another one, or nowhere. `secret`: a fingerprint of the secret key.
    """

    format: int
    id: str
    software: str
    property: str
    house: str
    made: str
    position: int
    events: int
    head: int
    access_lines: int
    databases: tuple[Database, ...]
    keys: Literal["here", "apart", "none"]
    files: tuple[BackupFile, ...]
    secret: str = ""


class KeysManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a backup, in a folder of their own. `backup` is the id of the backup that they belong to."""

    format: int
    backup: str
    property: str
    house: str
    made: str
    files: tuple[BackupFile, ...]


class _ManifestHeader(msgspec.Struct, frozen=True):
    """Fields that a manifest has in every format."""

    format: int
    software: str = "of a later version"


def total_bytes(manifest: Manifest) -> int:
    """Return the bytes of all files of a backup."""
    return sum(file.size_bytes for file in manifest.files)


def new_id() -> str:
    """Return the id of a new backup."""
    return os.urandom(16).hex()


def describe_files(folder: Path) -> tuple[BackupFile, ...]:
    """Return every file below a folder with its digest, sorted by path, but for the manifest itself."""
    return tuple(
        BackupFile(str(path.relative_to(folder)), path.stat().st_size, digest_of(path))
        for path in sorted(_files(folder))
        if path.name not in (NAME, DIGEST)
    )


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest | KeysManifest) -> None:
    """Write the manifest of a folder."""
    content = msgspec.json.format(msgspec.json.encode(manifest))
    content += b"\n"
    (folder / DIGEST).write_text(f"{hashlib.sha256(content).hexdigest()}  {NAME}\n")
    (folder / NAME).write_bytes(content)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup. Raises Invalid for a folder that is no backup, or of a later format."""
    return _read(folder, Manifest)


def read_keys_manifest(folder: Path) -> KeysManifest:
    """Return the manifest of a folder with keys. Raises Invalid."""
    return _read(folder, KeysManifest)


def check_files(folder: Path, files: Iterable[BackupFile]) -> None:
    """Compare every file with its digest. Raises Conflict with the first file that is missing, short or changed."""
    expected = {file.path: file for file in files}
    for path, file in expected.items():
        _check(folder / path, file)
    for present in sorted(_files(folder)):
        name = str(present.relative_to(folder))
        if name not in expected and name not in (NAME, DIGEST):
            raise Conflict(f"{present} is not part of this backup. Move it away, or use another backup")


def _check(path: Path, file: BackupFile) -> None:
    if not path.is_file():
        raise Conflict(f"{path} is missing. {_THEN}")
    if (size := path.stat().st_size) != file.size_bytes:
        raise Conflict(f"{path} has {size:,} bytes instead of {file.size_bytes:,}. {_THEN}")
    if digest_of(path) != file.sha256:
        raise Conflict(f"{path} has changed since the backup: its SHA-256 differs. {_THEN}")


def _read(folder: Path, kind: type[M]) -> M:
    try:
        content = (folder / NAME).read_bytes()
        if f"{hashlib.sha256(content).hexdigest()}  {NAME}\n" != (folder / DIGEST).read_text():
            raise Conflict(f"{folder / NAME} has changed since the backup: its SHA-256 differs. {_THEN}")
        header = msgspec.json.decode(content, type=_ManifestHeader)
        if header.format > FORMAT:
            raise Invalid(str(folder), f"the backup was made by Pitledger {header.software}: restore it with that one")
        return msgspec.json.decode(content, type=kind)
    except FileNotFoundError as error:
        raise Invalid(str(folder), f"no {NAME}, so it is no complete backup. Name another folder") from error
    except (OSError, msgspec.MsgspecError) as error:
        raise Invalid(str(folder / NAME), f"the manifest cannot be read ({error}). Use another backup") from error


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
