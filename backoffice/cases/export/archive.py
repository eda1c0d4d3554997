"""The archive of a case's export: a ZIP file in which every byte is content, or follows from it.

Entries are stored, not compressed, and have no times. So the same files are the same archive, and a changed byte is a
changed file or a changed header (ADR 150). `tools/verify_case.py` reads it.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from tools import verify_case

Json = dict[str, Any]


class ArchiveFile(msgspec.Struct, frozen=True):
    """A file of the archive: its name, and a function that reads its bytes (25 MB at most). The manifest lists
    `more` with its digest."""

    name: str
    read: Callable[[], bytes]
    more: Json = {}


def text_file(name: str, content: str) -> ArchiveFile:
    """A file in UTF-8."""
    raw = content.encode()
    return ArchiveFile(name, lambda: raw)


def json_lines(name: str, lines: Iterable[bytes]) -> ArchiveFile:
    """A file of lines, each with its own bytes."""
    raw = b"".join(line + b"\n" for line in lines)
    return ArchiveFile(name, lambda: raw)


def manifest(heading: Json, files: Sequence[ArchiveFile]) -> bytes:
    """Return the manifest: the heading, and name, size and SHA-256 of every file in order."""
    listed = []
    for file in files:
        content = file.read()
        digest = hashlib.sha256(content).hexdigest()
        listed.append({"name": file.name, "size": len(content), "sha256": digest, **file.more})
    return verify_case.encode({"type": verify_case.TYPE, **heading, "files": listed})


def write_archive(out: IO[bytes], proof: Json, files: Sequence[ArchiveFile], manifest_: bytes) -> int:
    """Write the archive: proof, files, manifest. Return its size in bytes. Raises Invalid where it is too large."""
    proof_file = ArchiveFile(verify_case.PROOF, lambda: verify_case.encode(proof))
    entries, at = list[tuple[bytes, int, int, int]](), 0
    for file in (proof_file, *files, ArchiveFile(verify_case.MANIFEST, lambda: manifest_)):
        name, content = file.name.encode(), file.read()
        entries.append((name, zlib.crc32(content), len(content), at))
        at += out.write(verify_case.local_header(*entries[-1][:3])) + out.write(content)
        if at > verify_case.ARCHIVE_MAX:
            raise Invalid("case", coded("case-export-too-large", megabytes=verify_case.ARCHIVE_MAX >> 20))
    return at + out.write(verify_case.directory(entries))
