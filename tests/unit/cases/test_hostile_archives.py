"""Archives that were made to harm the program that opens them: each is refused, quickly, and nothing is unpacked."""

import os
import stat
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.records.exported_case import ExportedCase
from tools import verify_case

Packed = Callable[[zipfile.ZipFile], None]
CPU_S, MEMORY_KB = 20.0, 200_000


def packed(folder: Path, fill: Packed) -> Path:
    """An archive of another program."""
    path = folder / "hostile.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    return path


def entries_of(folder: Path) -> list[tuple[str, bytes]]:
    """The files of a whole export."""
    with zipfile.ZipFile(ExportedCase(folder, events=3, notes=2, attachments=2).path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def packed_file(name: str) -> Packed:
    return lambda archive: archive.writestr(zipfile.ZipInfo(name), b"x")


def filled(entries: list[tuple[str, bytes]]) -> Packed:
    """Fill an archive with these files."""

    def fill(archive: zipfile.ZipFile) -> None:
        for name, raw in entries:
            archive.writestr(name, raw)

    return fill


def linked(archive: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo("summary.pdf")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, "/etc/passwd")


def device(archive: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo("summary.pdf")
    info.create_system, info.external_attr = 3, (stat.S_IFCHR | 0o666) << 16
    archive.writestr(info, "")


def bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr("events.jsonl", bytes(300 << 20))


def many_bombs(archive: zipfile.ZipFile) -> None:
    block = os.urandom(1 << 16) * 80  # 5 MB that shrink to a few percent
    for number in range(500):
        archive.writestr(f"attachments/{number}.txt", block[:1])
    archive.writestr("events.jsonl", bytes(64 << 20))


def too_many(archive: zipfile.ZipFile) -> None:
    for number in range(verify_case.ENTRIES_MAX + 1):
        archive.writestr(zipfile.ZipInfo(f"a/{number}"), b"")


def deep(archive: zipfile.ZipFile) -> None:
    for name in ("proof.json", "manifest.json", "events.jsonl", "case.jsonl"):
        archive.writestr(name, b"[" * 500_000)


def huge_number(archive: zipfile.ZipFile) -> None:
    for name in ("proof.json", "manifest.json", "events.jsonl", "case.jsonl"):
        archive.writestr(name, b'{"size": ' + b"9" * 500_000 + b"}")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (packed_file("../../outside.txt"), "points out of the archive"),
        (packed_file("attachments/../../outside.txt"), "points out of the archive"),
        (packed_file("/etc/passwd"), "points out of the archive"),
        (packed_file("./events.jsonl"), "points out of the archive"),
        (packed_file("attachments//x"), "points out of the archive"),
        (packed_file("C:/windows/x"), "not allowed"),
        (packed_file("..\\outside.txt"), "not allowed|points out"),
        (packed_file("a\nVALID"), "not allowed"),
        (packed_file("a\x1b[2Jb"), "not allowed"),
        (packed_file("x" * 300), "not allowed"),
        (filled([("a.txt", b"1"), ("a.txt", b"2")]), "stands twice"),
        (filled([("a.txt", b"1"), ("A.TXT", b"2")]), "stands twice"),
        (linked, "link"),
        (device, "link"),
        (bomb, "too many"),
        (many_bombs, "too many"),
        (too_many, "more than 20,000 entries"),
        (deep, "proof.json was changed"),
        (huge_number, "proof.json was changed"),
    ],
)  # fmt: skip
def test_a_hostile_archive_is_refused(tmp_path: Path, fill: Packed, words: str) -> None:
    path, before = packed(tmp_path, fill), sorted(tmp_path.iterdir())
    began = time.process_time()
    with pytest.raises(verify_case.CaseProofError, match=words):
        verify_case.verify(path)
    assert time.process_time() - began < CPU_S
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["../x", "/x", "attachments/0.txt", "attachments/000.txt", "events.jsonl", "more.txt"])
def test_a_further_entry_is_refused(tmp_path: Path, name: str) -> None:
    """Also where the export itself is whole, and the archive is written as the house writes it."""
    export = ExportedCase(tmp_path, events=3, notes=2, attachments=2)
    export.files.append(type(export.files[0])(name, lambda: b"x"))
    export.write()
    with pytest.raises(verify_case.CaseProofError):
        verify_case.verify(export.path)


def test_an_archive_that_claims_less_than_it_unpacks_to(tmp_path: Path) -> None:
    """The size in both headers is 10 bytes, the content a bomb: no more than the size is read."""

    def fill(archive: zipfile.ZipFile) -> None:
        for name in ("proof.json", "manifest.json", "events.jsonl", "case.jsonl"):
            archive.writestr(name, bytes(64 << 20))

    path = packed(tmp_path, fill)
    raw = path.read_bytes().replace(struct.pack("<I", 64 << 20), struct.pack("<I", 10))
    path.write_bytes(raw)
    began = time.process_time()
    with pytest.raises(verify_case.CaseProofError):
        verify_case.verify(path)
    assert time.process_time() - began < CPU_S


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """A bomb without nesting: every line of the directory leads to the same bytes."""
    name, content = b"a", bytes(1000)
    local = verify_case.local_header(name, 0, len(content)) + content
    lines = [
        struct.pack(
            verify_case.CENTRAL, verify_case.MARKS[1], 20, 20, 0, 0, 0, 0x21, 0, 1000, 1000, 5, 0, 0, 0, 0, 0, 0
        )
        + b"%05d" % number
        for number in range(5_000)
    ]
    body = b"".join(lines)
    end = struct.pack(verify_case.END, verify_case.MARKS[2], 0, 0, 5_000, 5_000, len(body), len(local), 0)
    path = tmp_path / "shared.zip"
    path.write_bytes(local + body + end)
    with pytest.raises(verify_case.CaseProofError):
        verify_case.verify(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"no archive at all", bytes(100_000)])
def test_no_archive_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "nothing.zip"
    path.write_bytes(content)
    with pytest.raises(verify_case.CaseProofError):
        verify_case.verify(path)
    assert verify_case.main([str(path)]) == 1


def test_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    assert verify_case.main([str(tmp_path / "missing.zip")]) == 2


def test_an_export_packed_by_another_program_is_named_so(tmp_path: Path) -> None:
    entries = entries_of(tmp_path)
    path = packed(tmp_path, filled(entries))
    with pytest.raises(verify_case.CaseProofError, match="packed by another program"):
        verify_case.verify(path)


def test_a_change_in_a_packed_archive_is_named(tmp_path: Path) -> None:
    entries = dict(entries_of(tmp_path))
    lines = entries["events.jsonl"].splitlines(keepends=True)
    entries["events.jsonl"] = lines[0] + lines[1].replace(b"dealer", b"cashier") + lines[2]
    path = packed(tmp_path, filled([*entries.items()]))
    with pytest.raises(verify_case.CaseProofError, match=r"events.jsonl, line 2: event athens/people@3"):
        verify_case.verify(path)


@pytest.mark.parametrize("cut", [1, 22, 100, 5_000])
def test_a_truncated_export_is_refused(tmp_path: Path, cut: int) -> None:
    export = ExportedCase(tmp_path, events=3, notes=2, attachments=2)
    raw = export.path.read_bytes()
    export.path.write_bytes(raw[:-cut])
    with pytest.raises(verify_case.CaseProofError):
        verify_case.verify(export.path)


def test_bytes_behind_the_archive_are_found(tmp_path: Path) -> None:
    export = ExportedCase(tmp_path, events=3, notes=2, attachments=2)
    with export.path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(verify_case.CaseProofError, match="directory of the archive was changed"):
        verify_case.verify(export.path)
