#!/usr/bin/env python3
"""Verify the export of a case, without the system that made it: Python's standard library alone.

    verify_case.py FILE [--key HEX] [--head FILE] [--json]

FILE is the archive that `./manage.py case export CASE FILE` writes. A valid export proves:
1. The head in proof.json is signed (Ed25519) by the key that it names. Compare it with the key that the house has
   published (--key), or the head with those on the topic pitledger.heads (--head).
2. Every event in events.jsonl and case.jsonl has the bytes that the head covers (RFC 9162, 2.1.3). The case's own
   events are complete up to the export: each names the SHA-256 of the one before.
3. The event of the export names the SHA-256 of manifest.json, and the manifest that of every other file. So notes,
   bookmarks, attachments, custody and summary are those that the house exported then.
4. The archive has no other entry and no other byte.

The first change is named: an event by its line, id and position, any other content by its file. Nothing is unpacked.
Archives with too many entries, too much content, links, doubled names or names that point elsewhere are refused.

Exit: 0 valid, 1 not valid, 2 cannot be read.
"""

import argparse
import hashlib
import json
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
PROOF, MANIFEST, EVENTS, CASE = "proof.json", "manifest.json", "events.jsonl", "case.jsonl"
TYPE, EXPORTED = "pitledger.case-export.v1", "case.exported.v1"
CHUNK = 1 << 20
# Limits: an attachment has at most 25 MB, a case 500 MB of them.
ENTRIES_MAX, NAME_MAX, DIRECTORY_MAX = 20_000, 200, 8 << 20
ARCHIVE_MAX, ENTRY_MAX, JSON_MAX, RATIO_MAX = 2 << 30, 1 << 30, 64 << 20, 200
LINKS_MAX = 64  # hashes of an inclusion proof
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, StopIteration)
PARTS = {"type", "property", "case", "export", "head", "exported", "events", "own"}
LEAF = {"position", "id", "type", "sha256", "index", "proof"}


class CaseProofError(Exception):
    """The proof of the export fails; the message names the first change."""


class MalformedExport(CaseProofError):
    """The export cannot be read as one."""


def must(condition: object, message: str) -> None:
    """Raise CaseProofError unless the condition holds."""
    if not condition:
        raise CaseProofError(message)


# --- Ed25519 verification: RFC 8032, 5.1. A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z -------------------

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(first: Point, second: Point) -> Point:
    """5.1.4."""
    a, b = (first[1] - first[0]) * (second[1] - second[0]) % P, (first[1] + first[0]) * (second[1] + second[0]) % P
    c, d = 2 * first[3] * second[3] * D % P, 2 * first[2] * second[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number: int, point: Point) -> Point:
    """A point, so many times."""
    even = multiply(number // 2, add(point, point)) if number else (0, 1, 1, 0)
    return add(even, point) if number & 1 else even


def decode_point(raw: bytes) -> Point:
    """5.1.3. Raises ValueError for bytes that are no point."""
    y = int.from_bytes(raw, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if len(raw) != 32 or y >= P or (x * x - square) % P or (not x and raw[31] >> 7):
        raise ValueError("not on the curve")
    x = x if x & 1 == raw[31] >> 7 else P - x
    return x, y, 1, x * y % P


def is_signed(key: str, signature: str, body: bytes) -> bool:
    """Return whether this public key made the signature of the body, both in hex (5.1.7)."""
    try:
        public, signature_bytes = from_hex(key), from_hex(signature)
        point, nonce, scalar = (
            decode_point(public),
            decode_point(signature_bytes[:32]),
            int.from_bytes(signature_bytes[32:], "little"),
        )
    except (ValueError, IndexError):
        return False
    base = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    challenge = int.from_bytes(hashlib.sha512(signature_bytes[:32] + public + body).digest(), "little") % ORDER
    first, second = multiply(scalar % ORDER, base), add(nonce, multiply(challenge, point))
    is_same = all((first[axis] * second[2] - second[axis] * first[2]) % P == 0 for axis in (0, 1))
    return len(signature_bytes) == 64 and scalar < ORDER and is_same


def from_hex(text: str) -> bytes:
    """Bytes from hex in small letters: each value has one spelling. Raises ValueError."""
    raw = bytes.fromhex(text)
    if raw.hex() != text:
        raise ValueError("hex in small letters is expected")
    return raw


# --- JSON in one spelling --------------------------------------------------------------------------------------------


def encode(content: Json) -> bytes:
    """Return the only spelling of a JSON file of the archive."""
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def unique(pairs: list[tuple[str, Any]]) -> Json:
    """An object of JSON; two programs would read two values of a doubled name."""
    must(len(dict(pairs)) == len(pairs), "a name stands twice in one JSON object")
    return dict(pairs)


def parse(name: str, raw: bytes) -> Json:
    """The content of a JSON file. Raises CaseProofError for another spelling."""
    try:
        content = json.loads(raw, object_pairs_hook=unique)
        is_own = isinstance(content, dict) and encode(content) == raw
    except (ValueError, RecursionError, CaseProofError) as error:
        raise CaseProofError(f"{name} was changed: {error}") from error
    must(is_own, f"{name} was changed: it is not written as an export writes it")
    return dict(content)


# --- the archive: every entry stored as it is, every header known to the byte ----------------------------------------


class ArchivedFile:
    """A file of the archive: its name, its size, and where its bytes begin."""

    def __init__(self, name: str, size: int, read: Callable[[], IO[bytes]]) -> None:
        self.name, self.size, self._read = name, size, read

    def chunks(self) -> Iterator[bytes]:
        """Yield the content; never more than its size."""
        rest = self.size
        with self._read() as source:
            while rest:
                chunk = source.read(min(CHUNK, rest))
                must(chunk, f"{self.name} was changed: its content ends early")
                rest -= len(chunk)
                yield chunk

    def content(self, limit: int = JSON_MAX) -> bytes:
        """Return the whole content of a small file."""
        must(self.size <= limit, f"{self.name} has {self.size:,} bytes: too many")
        return b"".join(self.chunks())

    def digest(self) -> str:
        """Return the SHA-256 of the content, in hex."""
        sha = hashlib.sha256()
        for chunk in self.chunks():
            sha.update(chunk)
        return sha.hexdigest()


LOCAL, CENTRAL, END = "<IHHHHHIIIHH", "<IHHHHHHIIIHHHHHII", "<IHHHHIIH"
LOCAL_SIZE, END_SIZE = struct.calcsize(LOCAL), struct.calcsize(END)
MARKS = (0x04034B50, 0x02014B50, 0x06054B50)
VERSION, UTF8, STORED, MIDNIGHT, FIRST_DAY = 20, 0x800, 0, 0, 0x21  # 1 January 1980: an export has no clock here
UNIX, A_FILE = 3 << 8, 0o100644 << 16


def local_header(name: bytes, crc: int, size: int) -> bytes:
    """Return the header in front of an entry."""
    fixed = (MARKS[0], VERSION, UTF8, STORED, MIDNIGHT, FIRST_DAY)
    return struct.pack(LOCAL, *fixed, crc, size, size, len(name), 0) + name


def directory(entries: Sequence[tuple[bytes, int, int, int]]) -> bytes:
    """Return the end of an archive: its directory, from (name, CRC-32, size, place of the header) of each entry."""
    lines = [
        struct.pack(CENTRAL, MARKS[1], UNIX | VERSION, VERSION, UTF8, STORED, MIDNIGHT, FIRST_DAY, crc, size, size,
                    len(name), 0, 0, 0, 0, A_FILE, at) + name
        for name, crc, size, at in entries
    ]  # fmt: skip
    begin = sum(LOCAL_SIZE + len(name) + size for name, _, size, _ in entries)
    count, size = len(entries), sum(map(len, lines))
    return b"".join(lines) + struct.pack(END, MARKS[2], 0, 0, count, count, size, begin, 0)


def must_be_safe(names: Sequence[str]) -> None:
    """Raise CaseProofError for names that point elsewhere, or stand twice."""
    known_names = set[str]()
    for name in names:
        fault = name_fault(name) or ("stands twice in the archive" if name.casefold() in known_names else "")
        must(not fault, f"the entry {name!r} {fault}")
        known_names.add(name.casefold())


def name_fault(name: str) -> str:
    """Return the reason why no entry may have this name; "" for a good name."""
    if not name.isprintable() or set(name) & set('\\:*?"<>|') or not 0 < len(name) <= NAME_MAX:
        return "has a name that is not allowed"
    return "points out of the archive" if {"", ".", ".."} & set(name.split("/")) else ""


def stored_entries(archive: IO[bytes], size: int) -> list[ArchivedFile]:
    """The entries of an archive as an export writes it, read from front to back. Raises CaseProofError at
    the first header that is no such one; CRC-32 and directory are compared by `check_headers`."""
    entries, known_names, at, header = list[ArchivedFile](), dict[str, int](), 0, 0
    while len(entries) <= ENTRIES_MAX:
        archive.seek(at)
        raw = archive.read(LOCAL_SIZE)
        if entries and raw[:4] == MARKS[1].to_bytes(4, "little"):
            return entries
        before = f"{entries[-1].name!r} or its header (byte {header}) was changed: " if entries else ""
        is_header = len(raw) == LOCAL_SIZE and raw[:4] == MARKS[0].to_bytes(4, "little")
        must(is_header, f"{before}no entry of the archive begins at byte {at}")
        fields = struct.unpack(LOCAL, raw)
        name, length = archive.read(fields[9]), fields[7]
        text, begin = name.decode(errors="backslashreplace"), at + LOCAL_SIZE + len(name)
        is_ours = raw + name == local_header(name, fields[6], length) and not name_fault(text)
        must(is_ours and begin + length <= size, f"the header of {text!r} was changed (the entry at byte {at})")
        if text.casefold() in known_names:
            raise CaseProofError(doubled_fault(archive, known_names, text, at))
        known_names[text.casefold()] = at
        entries.append(ArchivedFile(text, length, lambda begin=begin: part(archive, begin)))  # type: ignore[misc]
        header, at = at, begin + length
    raise CaseProofError(f"the archive has more than {ENTRIES_MAX:,} entries")


def doubled_fault(archive: IO[bytes], known_names: dict[str, int], name: str, at: int) -> str:
    """Return the fault of a name that stands twice: where the directory has it once, a header was changed.

    `known_names` has the places of the headers before, by name; `at` is that of the second one.
    """
    first, places, place = known_names[name.casefold()], [*known_names.values()], at
    archive.seek(place)
    while (raw := archive.read(LOCAL_SIZE))[:4] == MARKS[0].to_bytes(4, "little") and len(raw) == LOCAL_SIZE:
        places.append(place)
        fields = struct.unpack(LOCAL, raw)
        place += LOCAL_SIZE + fields[9] + fields[7]
        archive.seek(place)
    archive.seek(place)
    listed = dict[int, bytes]()
    for header in places[:ENTRIES_MAX]:
        line = archive.read(struct.calcsize(CENTRAL))
        listed[header] = archive.read(line[28] | line[29] << 8) if len(line) == struct.calcsize(CENTRAL) else b""
    for header in (first, at):
        archive.seek(header + LOCAL_SIZE)
        if archive.read(len(listed.get(header, b""))) != listed.get(header):
            return f"the header of {name!r} was changed (the entry at byte {header})"
    return f"the entry {name!r} stands twice in the archive (byte {at})"


def check_headers(archive: IO[bytes], entries: Sequence[ArchivedFile]) -> None:
    """Raise CaseProofError unless headers and directory match these entries: CRC-32 of each, and nothing else."""
    lines, begin = list[tuple[bytes, int, int, int]](), 0
    for entry in entries:
        name, crc = entry.name.encode(), 0
        for chunk in entry.chunks():
            crc = zlib.crc32(chunk, crc)
        archive.seek(begin)
        is_own = archive.read(LOCAL_SIZE + len(name)) == local_header(name, crc, entry.size)
        must(is_own, f"the header of {entry.name!r} was changed (the entry at byte {begin})")
        lines.append((name, crc, entry.size, begin))
        begin += LOCAL_SIZE + len(name) + entry.size
    due = directory(lines)
    archive.seek(begin)
    end = archive.read(len(due) + 1)
    if end != due:
        pairs = zip(end, due, strict=False)
        place = next((n for n, (here, ours) in enumerate(pairs) if here != ours), min(len(end), len(due)))
        raise CaseProofError(
            f"the directory of the archive was changed (byte {begin + place}), behind {entries[-1].name}"
        )


def part(archive: IO[bytes], begin: int) -> IO[bytes]:
    """Return the archive, opened again at a place."""
    source = open(archive.name, "rb")  # noqa: SIM115 - the caller closes it
    source.seek(begin)
    return source


def packed_entries(path: Path, size: int) -> list[ArchivedFile]:
    """The entries of an archive that another program packed, by its directory. Raises CaseProofError where
    that is not safe, BadZipFile."""
    with path.open("rb") as source:
        source.seek(max(0, size - END_SIZE - 0xFFFF))
        tail = source.read()
    place = tail.rfind(MARKS[2].to_bytes(4, "little"))
    if not 0 <= place <= len(tail) - END_SIZE:
        raise zipfile.BadZipFile("its end is missing")
    _, _, _, _, count, length, _, _ = struct.unpack(END, tail[place : place + END_SIZE])
    must(count <= ENTRIES_MAX and length <= DIRECTORY_MAX, f"the archive has more than {ENTRIES_MAX:,} entries")
    try:
        archive = zipfile.ZipFile(path)
        infos = archive.infolist()
    except (ValueError, NotImplementedError, struct.error, OverflowError) as error:
        raise zipfile.BadZipFile(str(error)) from error
    must_be_safe([info.orig_filename for info in infos])
    for info in infos:
        kind = info.external_attr >> 16 & 0o170000
        must(kind in (0, 0o100000), f"the entry {info.filename!r} is a link or no file")
        must(not info.flag_bits & 1, f"the entry {info.filename!r} is encrypted")
        must(info.compress_type in (STORED, zipfile.ZIP_DEFLATED), f"the entry {info.filename!r} cannot be unpacked")
        is_small = info.file_size <= ENTRY_MAX and info.file_size <= max(CHUNK, info.compress_size * RATIO_MAX)
        must(is_small, f"the entry {info.filename!r} unpacks to {info.file_size:,} bytes: too many")
    total, packed = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
    must(total <= ARCHIVE_MAX and packed <= size, f"the archive unpacks to {total:,} bytes: too many")
    return [ArchivedFile(info.filename, info.file_size, lambda info=info: archive.open(info)) for info in infos]  # type: ignore[misc]


# --- the proof: head, event of the export, manifest, events, files ---------------------------------------------------


def open_head(proof: Json, keys: Collection[str]) -> Json:
    """The signed head. Raises CaseProofError."""
    head: Json = proof["head"]
    body = {name: value for name, value in head.items() if name != "signature"}
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    is_ours = (head["type"], head["property"]) == ("pitledger.head.v1", proof["property"])
    must(is_ours, f"{PROOF}: the head is another property's, or none")
    must(is_signed(head["key"], head["signature"], signed), f"{PROOF}: head {head['number']} is not signed by its key")
    must(not keys or head["key"] in keys, f"{PROOF}: head {head['number']} is signed by {head['key']}, another key")
    return head


def is_covered(head: Json, leaf: Json) -> bool:
    """Return whether the head covers this event: position, type, digest, index, and the hashes beside its path."""
    kind, index, last = leaf["type"].encode(), leaf["index"], head["size"] - 1
    hashes = leaf["proof"]
    if not 0 <= index <= last or len(hashes) > LINKS_MAX:
        return False
    name = leaf["position"].to_bytes(8, "big") + len(kind).to_bytes(2, "big") + kind
    root = hashlib.sha256(b"\0" + name + from_hex(leaf["sha256"])).digest()
    for hash_ in map(from_hex, hashes):
        if last == 0:
            return False
        if index & 1 or index == last:
            root = hashlib.sha256(b"\1" + hash_ + root).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            root = hashlib.sha256(b"\1" + root + hash_).digest()
        index, last = index >> 1, last >> 1
    return last == 0 and bool(root.hex() == head["root"])


def read_event(where: str, raw: bytes, leaf: Json) -> Json:
    """An event from its own bytes, which its leaf must name. Raises CaseProofError."""
    name = f"{where}: event {leaf['id']} at position {leaf['position']}"
    must(hashlib.sha256(raw).hexdigest() == leaf["sha256"], f"{name} was changed")
    event: Json = json.loads(raw, object_pairs_hook=unique)
    must((event["id"], event["type"]) == (leaf["id"], leaf["type"]), f"{name} is another event")
    return event


def check_events(name: str, entry: ArchivedFile, leaves: Sequence[Json], head: Json) -> list[Json]:
    """The events of a file, line by line. Raises CaseProofError at the first that differs from its leaf,
    or the head's tree."""
    lines = entry.content().split(b"\n")
    events = []
    for number, leaf in enumerate(leaves, 1):
        where = f"{name}, line {number}"
        must(number < len(lines), f"{where}: event {leaf['id']} at position {leaf['position']} is missing")
        events.append(read_event(where, lines[number - 1], leaf))
        must(leaf["position"] <= head["position"], f"{where}: event {leaf['id']} is later than the head")
        must(is_covered(head, leaf), f"{where}: event {leaf['id']} is not the one that the head covers")
    must(lines[len(leaves) :] == [b""], f"{name} was changed behind line {len(leaves)}")
    return events


def check_chain(case: Sequence[Json], exported: Json) -> None:
    """The case's own events, complete up to the export. Raises CaseProofError at the first gap."""
    stream = exported["subject"]
    end = hashlib.sha256(stream.encode()).hexdigest()
    for number, event in enumerate([*case, exported], 1):
        fields = event["id"], event["subject"], event["prev"]
        must(fields == (f"{stream}@{number}", stream, end), f"{CASE}: event {stream}@{number} is missing or changed")
        end = event["digest"]


def with_digest(events: Sequence[Json], leaves: Sequence[Json]) -> list[Json]:
    """The events with the digests of their bytes."""
    return [event | {"digest": leaf["sha256"]} for event, leaf in zip(events, leaves, strict=True)]


def check_manifest(raw: bytes, proof: Json, exported: Json) -> Json:
    """The manifest that the export's event names. Raises CaseProofError."""
    must(hashlib.sha256(raw).hexdigest() == exported["data"]["manifest"], f"{MANIFEST} was changed")
    manifest = parse(MANIFEST, raw)
    for name in ("type", "property", "case", "export"):
        must(manifest[name] == proof[name], f"{PROOF} was changed: its {name} is not that of {MANIFEST}")
    return manifest


def check_files(entries: Sequence[ArchivedFile], manifest: Json) -> None:
    """Each file has the bytes that the manifest names, in its order. Raises CaseProofError at the first."""
    due = [PROOF, *(file["name"] for file in manifest["files"]), MANIFEST]
    for position, name in enumerate(due):
        here = entries[position].name if position < len(entries) else ""
        must(here == name, f"{name} is missing" + (f": {here} stands there" if here else ""))
    must(len(entries) == len(due), f"{entries[len(due) - 1].name} is the last file, and others follow")
    for entry, file in zip(entries[1:-1], manifest["files"], strict=True):
        must(is_of(entry, file), f"{entry.name} was changed")


def is_of(entry: ArchivedFile, file: Json) -> bool:
    """Return whether an entry has the bytes that the manifest names."""
    return bool(entry.size == file["size"] and entry.digest() == file["sha256"])


def check_shown(entry: ArchivedFile, leaves: Sequence[Json], head: Json, manifest: Json | None) -> list[Json]:
    """The events of a file. Where the manifest vouches for the file, a difference is one of the proof.
    Raises CaseProofError."""
    try:
        return check_events(entry.name, entry, leaves, head)
    except (CaseProofError, *MALFORMED) as why:
        files = manifest["files"] if manifest else ()
        if any(file["name"] == entry.name and is_of(entry, file) for file in files):
            raise CaseProofError(f"{PROOF} was changed: {why}") from why
        raise


def check_content(entries: Sequence[ArchivedFile], keys: Collection[str]) -> Json:
    """Everything that the content of the archive proves. Raises CaseProofError with the first change."""
    must_be_safe([entry.name for entry in entries])
    by_name = {entry.name: entry for entry in entries}
    for name in (PROOF, EVENTS, CASE, MANIFEST):
        must(name in by_name, f"{name} is missing: this is no whole export of a case")
    proof = parse(PROOF, by_name[PROOF].content())
    must(set(proof) == PARTS and set(proof["exported"]) == {"event", "leaf"}, f"{PROOF} was changed")
    leaf = proof["exported"]["leaf"]
    must(all(set(entry) == LEAF for entry in (*proof["events"], *proof["own"], leaf)), f"{PROOF} was changed: a leaf")
    must(proof["type"] == TYPE, f"{PROOF}: this is no export of a case")
    head = open_head(proof, keys)
    exported = read_event(f"{PROOF}, the export", proof["exported"]["event"].encode(), leaf)
    must(exported["type"] == EXPORTED and is_covered(head, leaf), f"{PROOF}: the event of the export was changed")
    manifest, wrong = None, None
    try:
        manifest = check_manifest(by_name[MANIFEST].content(), proof, exported)
    except CaseProofError as why:
        wrong = why  # an event that was changed as well comes first
    check_shown(by_name[EVENTS], proof["events"], head, manifest)
    own = check_shown(by_name[CASE], proof["own"], head, manifest)
    check_chain(with_digest(own, proof["own"]), exported | {"digest": ""})
    if manifest is None:
        raise wrong or CaseProofError(f"{MANIFEST} was changed")
    check_files(entries, manifest)
    counts = {"events": len(proof["events"]), "own_events": len(own), "files": len(entries)}
    return {name: proof[name] for name in ("property", "case", "export", "head")} | counts | {"made": exported["time"]}


def checked(entries: Sequence[ArchivedFile], keys: Collection[str]) -> Json:
    """The same; content that is not well formed is CaseProofError too."""
    try:
        return check_content(entries, keys)
    except MALFORMED as error:  # all other content is compared by its digest before it is read
        raise MalformedExport(f"{PROOF} was changed: it is not well formed, {error!r}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise MalformedExport(f"the archive cannot be unpacked: {error}") from error


def verify(path: Path, keys: Collection[str] = ()) -> Json:
    """Everything that the export proves, as plain data. Raises CaseProofError with the first change, OSError.

    An archive that another program packed is read as well, so that a change in it has a name: it is never valid.
    """
    size = path.stat().st_size
    must(size <= ARCHIVE_MAX, f"the archive has {size:,} bytes: too many")
    with path.open("rb") as archive:
        try:
            entries = stored_entries(archive, size)
        except CaseProofError as repacked:
            try:
                checked(packed_entries(path, size), keys)
            except (zipfile.BadZipFile, MalformedExport):
                raise repacked from None
            raise CaseProofError(f"the archive was packed by another program: {repacked}") from repacked
        report = checked(entries, keys)
        check_headers(archive, entries)
    return report


# --- showing it ------------------------------------------------------------------------------------------------------


def show(report: Json) -> str:
    """The result, in lines for people."""
    head = report["head"]
    return "\n".join((
        f"case {report['case']} of {report['property']}, export {report['export']} of {report['made']}",
        (
            f"{report['events']:,} events as evidence, {report['own_events']:,} of the case itself, "
            f"{report['files']:,} files"
        ),
        f"by head {head['number']} of {head['time']}, signed by {head['key']}",
    ))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's published public key")
    parser.add_argument("--head", type=Path, metavar="FILE", help="heads from elsewhere, one a line, to compare")
    parser.add_argument("--json", action="store_true", help="show everything as JSON")
    options = parser.parse_args(arguments)
    try:
        heads = [json.loads(head) for head in options.head.read_text("utf-8").splitlines()] if options.head else None
        report = verify(options.export, options.key)
        must(heads is None or report["head"] in heads, "the head is not among those from elsewhere")
    except CaseProofError as why:
        print(f"NOT VALID: {why}", file=sys.stderr)
        return 1
    except (OSError, ValueError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2) if options.json else show(report))
    if not options.key and heads is None:
        print("The key was not compared: name the one that the house has published by --key.", file=sys.stderr)
    print("VALID", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
