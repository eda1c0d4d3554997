"""Every changed byte of an export is found, and the message names the first change.

The suite changes some bytes of each part. To change every byte: `python -m tests.unit.cases.test_changed_exports`.
"""

import hashlib
import random
import re
import struct
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import pytest

from backoffice.cases.export.archive import json_lines, manifest, text_file
from tests.support.records.exported_case import ExportedCase
from tools import verify_case

ENTRIES = 200
Span = tuple[int, int, str]  # first byte, end, and the pattern that the message must have


def exported_case(folder: Path) -> ExportedCase:
    """An export of 200 entries."""
    return ExportedCase(folder, events=40, notes=10, attachments=ENTRIES - 5)


def spans(raw: bytes) -> Iterator[Span]:
    """The parts of an archive: headers, lines of events, files, the directory."""
    at = 0
    while raw[at : at + 4] == b"PK\3\4":
        fields = struct.unpack(verify_case.LOCAL, raw[at : at + verify_case.LOCAL_SIZE])
        begin = at + verify_case.LOCAL_SIZE + fields[9]
        name, end = raw[begin - fields[9] : begin].decode(), begin + fields[7]
        yield at, begin, rf"{re.escape(name)}|byte {at}\b|byte {end}\b"
        if name.endswith(".jsonl"):
            for number, line in enumerate(raw[begin:end].splitlines(keepends=True), 1):
                yield begin, begin + len(line), rf"{name}, line {number}:|{name} was changed behind line {number}\b"
                begin += len(line)
        else:
            yield begin, end, re.escape(name)
        at = end
    yield at, len(raw), rf"directory of the archive|byte {at}\b"


def fault(path: Path, raw: bytes, at: int, value: int) -> str:
    """The message about an archive with one byte changed; "" where nothing is found."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes([value]))
    try:
        verify_case.verify(path)
    except verify_case.CaseProofError as why:
        return str(why)
    finally:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(raw[at : at + 1])
    return ""


def must_name(path: Path, raw: bytes, at: int, value: int, names: str) -> None:
    """Assert that the changed byte is found, and named."""
    message = fault(path, raw, at, value)
    assert re.search(names, message), f"byte {at} -> {value}: {message!r}, not {names}"


def test_a_whole_export_is_valid(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    report = verify_case.verify(export.path, [export.by.public])
    assert (report["events"], report["own_events"], report["files"]) == (40, 10, ENTRIES)


def test_the_same_files_are_the_same_archive(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    assert export.path.read_bytes() == export.write()


def test_a_changed_byte_is_found_and_named(tmp_path: Path) -> None:
    export, chance = exported_case(tmp_path), random.Random(35)
    raw = export.path.read_bytes()
    parts = list(spans(raw))
    assert [end for _, end, _ in parts[:-1]] == [begin for begin, _, _ in parts[1:]], "the parts are the whole archive"
    for begin, end, names in (parts[0], parts[1], parts[-1], *chance.sample(parts, 60)):
        at = chance.randrange(begin, end)
        must_name(export.path, raw, at, raw[at] ^ chance.randrange(1, 256), names)


def test_a_name_that_becomes_another_entry_s_is_the_first_change(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    raw = export.path.read_bytes()
    for changed, other in (
        (b"attachments/014.txt", b"attachments/084.txt"),
        (b"attachments/113.txt", b"attachments/013.txt"),
    ):
        header = raw.index(changed) - verify_case.LOCAL_SIZE
        at = next(n for n, byte in enumerate(changed) if byte != other[n])
        where = header + verify_case.LOCAL_SIZE + at
        must_name(export.path, raw, where, other[at], rf"byte {header}\b")


def test_of_two_changed_events_the_first_is_named(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    lines = export.files[0].read().splitlines()
    for number in (17, 30):
        lines[number] = lines[number].replace(b"dealer", b"cashier")
    export.files[0] = json_lines(export.files[0].name, lines)
    export.write()
    with pytest.raises(
        verify_case.CaseProofError, match=r"events.jsonl, line 18: event athens/people@35 at position 35"
    ):
        verify_case.verify(export.path)


def test_an_event_with_a_new_proof_and_manifest_is_named(tmp_path: Path) -> None:
    """A person without the key changes an event, and rewrites its proof and the manifest to match."""
    export = exported_case(tmp_path)
    lines = export.files[0].read().splitlines()
    lines[17] = lines[17].replace(b"dealer", b"cashier")
    export.files[0] = json_lines(export.files[0].name, lines)
    export.proof["events"][17]["sha256"] = hashlib.sha256(lines[17]).hexdigest()
    export.manifest = manifest(export.heading, export.files)
    export.write()
    with pytest.raises(verify_case.CaseProofError, match=r"events.jsonl, line 18: .* not the one that the head covers"):
        verify_case.verify(export.path)


def test_a_file_with_a_new_manifest_is_a_changed_manifest(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    export.files[2] = text_file("notes.csv", "nothing was seen")
    export.manifest = manifest(export.heading, export.files)
    export.write()
    with pytest.raises(verify_case.CaseProofError, match=r"manifest\.json was changed"):
        verify_case.verify(export.path)


def test_another_signer_has_another_key(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    with pytest.raises(verify_case.CaseProofError, match="another key"):
        verify_case.verify(export.path, ["00" * 32])


def test_an_event_of_the_case_that_is_left_out_is_missed(tmp_path: Path) -> None:
    export = exported_case(tmp_path)
    export.files[1] = json_lines("case.jsonl", [line for n, line in enumerate(lines_of(export)) if n != 4])
    del export.proof["own"][4]
    export.write()
    with pytest.raises(
        verify_case.CaseProofError, match=r"case.jsonl: event athens/cases/00c0ffee00c0ffee@5 is missing"
    ):
        verify_case.verify(export.path)


def lines_of(export: ExportedCase) -> list[bytes]:
    """The case's own events."""
    return export.files[1].read().splitlines()


def main(arguments: Sequence[str]) -> int:
    """Change every byte, each to another value by chance; print the number of those that were not found.

    With two numbers it changes only the bytes from the first one up to the second one.
    """
    missed = 0
    signature = patch.object(verify_case, "is_signed", lru_cache(1_024)(verify_case.is_signed))  # it takes the longest
    with tempfile.TemporaryDirectory() as folder, signature:
        export = exported_case(Path(folder))
        raw = export.path.read_bytes()
        first, last = map(int, arguments) if arguments else (0, len(raw))
        for begin, end, names in spans(raw):
            for at in range(max(begin, first), min(end, last)):
                message = fault(export.path, raw, at, raw[at] ^ random.Random(at).randrange(1, 256))
                if not re.search(names, message):
                    missed += 1
                    print(f"byte {at} of {len(raw)}: {message!r}, not {names}")
    print(f"bytes {first:,} to {min(last, len(raw)):,} of {len(raw):,} changed, {missed:,} not found or not named")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
