"""The archive of a case's export: a ZIP file in which every byte is content, or follows from it.

Entries are stored, not compressed, and have no times. So the same files are the same archive, and a changed byte is a
changed file or a changed header (ADR 150). `tools/verify_case.py` reads it.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from tools import verify_case

Json = dict[str, Any]


class ArchiveFile(msgspec.Struct, frozen=True):
    """A file of the archive: its name, and a function that reads its bytes (25 MB at most). The manifest has
    its digest and `manifest_fields`."""

    name: str
    read: Callable[[], bytes]
    manifest_fields: Json = {}


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
        listed.append({"name": file.name, "size": len(content), "sha256": digest, **file.manifest_fields})
    return verify_case.encode({"type": verify_case.TYPE, **heading, "files": listed})


def archive_parts(proof: bytes, files: Iterable[ArchiveFile], manifest_: bytes) -> Iterator[bytes]:
    """Yield the bytes of the archive: proof, files, manifest, directory."""
    entries, at = list[tuple[bytes, int, int, int]](), 0
    ends = (ArchiveFile(verify_case.PROOF, lambda: proof), ArchiveFile(verify_case.MANIFEST, lambda: manifest_))
    for file in chain(ends[:1], files, ends[1:]):
        name, content = file.name.encode(), file.read()
        entries.append((name, zlib.crc32(content), len(content), at))
        header = verify_case.local_header(*entries[-1][:3])
        yield header
        yield content
        at += len(header) + len(content)
    yield verify_case.directory(entries)


def archive_size(proof: bytes, manifest_: bytes) -> int:
    """Return the bytes of the archive with this proof and manifest."""
    files = [(file["name"], file["size"]) for file in msgspec.json.decode(manifest_)["files"]]
    entries = [(verify_case.PROOF, len(proof)), *files, (verify_case.MANIFEST, len(manifest_))]
    headers: int = sum(verify_case.LOCAL_SIZE + len(name.encode()) + size for name, size in entries)
    return headers + len(verify_case.directory([(name.encode(), 0, 0, 0) for name, _size in entries]))
