#!/usr/bin/env python3
"""A witness outside the house: keeps the heads that the house signed, so that no one rewrites its history secretly.

    witness.py FILE take PLACE...          heads from files, or from the *.jsonl of a folder (a file drop).
    witness.py FILE serve [HOST:]PORT      heads by HTTP: POST them, one a line; GET returns its state, GET ?heads FILE.
    witness.py FILE follow BROKER          heads from the topic pitledger.heads of a broker (needs kafka-python).
    witness.py FILE check                  read FILE again: the events that it covers, and the gaps in it.
    witness.py FILE give-up N --reason R   people decided that the house continues from head N, after a backup.

FILE is the witness's own, append-only. Each line has the time at which a head was received, its bytes, and the SHA-256
of the line before. A head is taken if the house's key has signed it and it follows the last head by number, hash, size
and position. A head that contradicts an earlier one is refused, and kept as evidence. A missing number is requested.
Where more than --gap seconds separate two heads, `check` reports it: only the later head covers the time between.

Name the key that the house published by --key; without it the first head's key is trusted, and then no other. Run the
witness where the people who keep the house's database and key cannot write. `./manage.py verify --witness FILE`
compares with a copy. Python's standard library is enough, except for `follow`. Exit: 0; 1 for a contradiction; 2 for
unreadable or unwritable files. On a full disk `serve` answers 507, `follow` waits, and both continue when there is
room.
"""

import argparse
import errno
import fcntl
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
ANOTHER_HAND = "a head of the house, and not as the house writes it: the next one follows other bytes"
TOPIC, BODY_MAX, ANSWER_S, GAP_S = "pitledger.heads", 4_000_000, 10.0, 300.0
LINE_MAX, FULL_S = 4 * BODY_MAX, 5.0  # of FILE; between two tries to write on a full disk
FIELDS = {"type": str, "property": str, "number": int, "size": int, "position": int, "root": str, "time": str,
          "previous": str, "fed": dict, "key": str, "signature": str}  # fmt: skip
LOOKED = {"lines": int, "digest": str}  # how far the access log was: the last field, where the house could ask
OPTIONAL = ("looked", "destroyed")  # lines of the access log; cases whose key is destroyed


class HeadRejection(Exception):
    """Not taken: no head, not signed by the house's key, or another property's."""


class Contradiction(HeadRejection):
    """A signed head that differs from the witnessed one: the house, or a holder of its key, has two histories."""


class NoRoom(Exception):
    """The witness's disk is full: the head is not witnessed, and must be sent again."""


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
    """Decode a point (5.1.3). Raises ValueError for other bytes."""
    y = int.from_bytes(raw, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if len(raw) != 32 or y >= P or (x * x - square) % P or (not x and raw[31] >> 7):
        raise ValueError("not on the curve")
    x = x if x & 1 == raw[31] >> 7 else P - x
    return x, y, 1, x * y % P


def is_signed(key: str, signature: str, body: bytes) -> bool:
    """Return whether the signature of the body was made with this public key, both in hex (5.1.7)."""
    try:
        public, signature_bytes = bytes.fromhex(key), bytes.fromhex(signature)
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


def read_head(raw: bytes) -> Json:
    """A head from its bytes. Raises HeadRejection for anything else."""
    try:
        head: Json = json.loads(raw.decode())
        is_one = head["type"] == "pitledger.head.v1" and has(
            FIELDS, {k: v for k, v in head.items() if k not in OPTIONAL}
        )
        is_one = is_one and ("looked" not in head or has(LOOKED, head["looked"]))
        is_one = is_one and all(type(case) is str for case in head.get("destroyed", []))
        is_written = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode() == raw
        is_written = is_written and head["signature"] == bytes.fromhex(head["signature"]).hex()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HeadRejection(f"not a head: {error}") from error
    if not is_one:
        raise HeadRejection("not a head: its fields are others")
    if (
        not is_written
        or [*head] != [*FIELDS, *(name for name in OPTIONAL if name in head)]
        or [*head["fed"]] != sorted(head["fed"])
    ):
        raise HeadRejection(ANOTHER_HAND)
    return head


def has(fields: dict[str, type], record: Json) -> bool:
    """Return whether it has these fields and no others, in this order."""
    return [*record] == [*fields] and all(type(record[name]) is kind for name, kind in fields.items())


def grows(last: Json, head: Json) -> bool:
    """Return whether a head covers more than the last: more events, or the same events and more lines of the access
    log.
    """
    if head["size"] > last["size"]:
        return bool(head["position"] > last["position"])
    same = all(head[name] == last[name] for name in ("size", "position", "root"))
    lines = [checkpoint.get("looked", {"lines": 0})["lines"] for checkpoint in (last, head)]
    return same and lines[1] > lines[0]


def must_be_signed(head: Json) -> None:
    """Raise HeadRejection unless the key that the head names signed it."""
    body = {name: value for name, value in head.items() if name != "signature"}
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    if not is_signed(head["key"], head["signature"], signed):
        raise HeadRejection(f"head {head['number']} is not signed by the key that it names")


def sha256(raw: bytes) -> str:
    """In hex."""
    return hashlib.sha256(raw).hexdigest()


def now() -> str:
    """The witness's own clock, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def lines_of(path: Path) -> Iterator[tuple[Json, str]]:
    """Every line with its digest. Raises ValueError where a line was changed, or does not follow the one before."""
    end = ""
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE_MAX), b""), 1):
            if len(line) == LINE_MAX:
                raise ValueError(f"{path}, line {number} is longer than any of a witness")
            if not line.endswith(b"\n"):  # the power went; no one was told that this one was taken
                return
            record: Json = json.loads(line)
            if record["previous"] != end:
                raise ValueError(f"{path}, line {number} does not follow the line before: somebody changed this file")
            end = sha256(line)
            yield record, end


def whole_of(path: Path) -> int:
    """Up to where the file consists of whole lines, in bytes."""
    with path.open("rb") as file:
        return sum(len(line) for line in file if line.endswith(b"\n"))


class WitnessStore:
    """The file, opened by one witness at a time."""

    def __init__(self, path: Path, keys: Iterable[str] = ()) -> None:
        self.path, self.keys = path, set(keys)
        self.lock = threading.Lock()
        self.last: Json | None = None
        self.digests: dict[int, str] = {}  # of the heads taken, by number
        self.evidence: set[str] = set()  # digests of the refused heads that were kept
        self.seen: list[tuple[str, int]] = []  # when each head was taken, and its number
        self.end = ""
        path.touch(mode=0o600)
        if not path.is_file():
            raise ValueError(f"{path} is no file, so nothing can be kept there")
        self._file = path.open("r+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for record, self.end in lines_of(path):
                self._remember(record)
            self._file.truncate(whole_of(path))
        except BaseException:
            self._file.close()
            raise

    def _remember(self, record: Json) -> None:
        if "head" in record:
            raw = record["head"].encode()
            self.last = read_head(raw)
            self.digests[self.last["number"]] = sha256(raw)
            self.seen.append((record["seen"], self.last["number"]))
        elif "refused" in record:
            self.evidence.add(sha256(record["refused"].encode()))
        elif "give_up" in record:
            self.digests = {number: digest for number, digest in self.digests.items() if number <= record["give_up"]}
            self.last = read_head(record["head_kept"].encode()) if record["head_kept"] else None

    def write(self, **fields: Any) -> None:
        """One more line, which lies on the disk when this returns. Raises NoRoom; then nothing of it does."""
        line = json.dumps({"seen": now(), **fields, "previous": self.end}).encode() + b"\n"
        size = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # a disk takes what there is room for
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(size)
            raise NoRoom(f"{self.path} takes nothing: {error}") from error
        self.end = sha256(line)
        self._remember(json.loads(line))

    def take(self, raw: bytes) -> bool:
        """Keep a head; False where it was kept before. Raises HeadRejection, and Contradiction, which is kept as
        evidence."""
        with self.lock:
            head = read_head(raw)
            if self.digests.get(head["number"]) == sha256(raw):
                return False
            self._must_be_ours(head)
            try:
                self._must_follow(head)
            except Contradiction as error:
                if sha256(raw) not in self.evidence:
                    self.write(refused=raw.decode(), why=str(error))
                raise
            self.write(head=raw.decode())
            return True

    def _must_be_ours(self, head: Json) -> None:
        must_be_signed(head)
        known_keys = self.keys or ({self.last["key"]} if self.last else set())
        if known_keys and head["key"] not in known_keys:
            raise HeadRejection(f"head {head['number']} is signed by {head['key']}, which is not the house's key")
        if self.last and head["property"] != self.last["property"]:
            raise HeadRejection(
                f"head {head['number']} is of {head['property']}, this file is of {self.last['property']}"
            )
        for stream, levels in (self.last or {"fed": {}})["fed"].items():
            now = head["fed"].get(stream, {})
            if [level for level in levels if level in now] != [level for level in now if level in levels]:
                raise HeadRejection(ANOTHER_HAND)

    def _must_follow(self, head: Json) -> None:
        number, last = head["number"], self.last
        next_number = last["number"] + 1 if last else 1
        if number < next_number:
            raise Contradiction(f"head {number} is not the one that was witnessed: the history before it was rewritten")
        if number > next_number:
            raise HeadRejection(f"heads {next_number} to {number - 1} were not handed over")
        if head["previous"] != (self.digests[last["number"]] if last else ""):
            raise Contradiction(f"head {number} does not follow the head {number - 1} that was witnessed")
        if last and not grows(last, head):
            raise Contradiction(f"head {number} vouches for no more than head {number - 1}: the log was cut off")

    def give_up(self, number: int, reason: str) -> None:
        """Continue from head `number` after a backup: later witnessed heads stay in the file."""
        kept_head = None
        for record, _ in lines_of(self.path):
            if "head" in record and read_head(record["head"].encode())["number"] == number:
                kept_head = record["head"]
        if number and (kept_head is None or number not in self.digests):
            raise HeadRejection(f"head {number} was never witnessed")
        self.write(give_up=number, reason=reason, head_kept=kept_head)

    def gaps(self, longest_s: float) -> list[str]:
        """Where two heads were seen further apart than this, and how long the last one is ago."""
        stops = [*self.seen, (now(), 0)]
        gaps = []
        for (before, number), (after, later) in pairwise(stops):
            apart = (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()
            if apart > longest_s:
                until = f"head {later} at {after}" if later else f"now, {after}"
                gaps.append(f"nothing was witnessed for {apart:,.0f} s: from head {number} at {before} to {until}")
        return gaps

    def last_state(self) -> Json:
        """Return the state for the house, which sends the next heads: the last head's number, and the time of the last
        one.
        """
        return {"last": self.last["number"] if self.last else 0, "seen": self.seen[-1][0] if self.seen else None}


def take_all(witness: WitnessStore, raws: Iterable[bytes]) -> Json:
    """Take what can be taken, in the order given; how many were new, and why others were refused, each once."""
    taken_count, contradicts, refused = 0, False, dict[str, None]()
    for raw in raws:
        try:
            taken_count += witness.take(raw)
        except HeadRejection as error:
            contradicts |= isinstance(error, Contradiction)
            refused.setdefault(f"{'CONTRADICTION' if isinstance(error, Contradiction) else 'REFUSED'}: {error}")
    for line in refused:
        tell(line)
    return {"taken": taken_count, "contradicts": contradicts, "refused": list(refused), **witness.last_state()}


def dropped(places: Sequence[Path]) -> Iterator[bytes]:
    """The lines of these files, and of the *.jsonl of these folders."""
    for place in places:
        for path in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
            with path.open("rb") as file:
                yield from (line.strip() for line in file if line.endswith(b"\n") and line.strip())


def followed(broker: str, until_end: bool) -> Iterator[bytes]:
    """The values of the topic's records, of all partitions, from its beginning; waits for more unless `until_end`."""
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        TOPIC,
        bootstrap_servers=broker,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=int(ANSWER_S * 1000) if until_end else float("inf"),
    )
    try:
        yield from (record.value for record in consumer if record.value)
    finally:
        consumer.close()


class WitnessRequestHandler(BaseHTTPRequestHandler):
    """GET: where the witness stands; with `?heads` its file. POST: heads, one a line; 409 for a contradiction or a
    number left out, 507 for a full disk."""

    timeout = ANSWER_S
    witness: WitnessStore

    def do_GET(self) -> None:
        if self.path.endswith("?heads"):
            self._hand_out(whole_of(self.witness.path))
        else:
            self._answer(200, self.witness.last_state())

    def _hand_out(self, length: int) -> None:
        """Send this many bytes of the file, which may grow meanwhile."""
        self.send_response(200)
        self.send_header("content-type", "application/jsonl")
        self.send_header("content-length", str(length))
        self.end_headers()
        with self.witness.path.open("rb") as file:
            while length > 0 and (part := file.read(min(length, 1 << 20))):
                self.wfile.write(part)
                length -= len(part)

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdecimal() or int(length) > BODY_MAX:
            self._answer(413, {"refused": [f"a body of up to {BODY_MAX} bytes is wanted, with its length"]})
            return
        lines = [line for line in self.rfile.read(int(length)).split(b"\n") if line.strip()]
        try:
            result = take_all(self.witness, lines)
        except NoRoom as error:
            tell(str(error))
            self._answer(507, {"refused": [str(error)], **self.witness.last_state()})
            return
        self._answer(409 if result["refused"] else 200, result)

    def _answer(self, status: int, result: Json) -> None:
        body = json.dumps(result).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Do nothing: important messages are written where they arise."""


def door(witness: WitnessStore, host: str, port: int) -> ThreadingHTTPServer:
    """The server, bound and not serving yet."""
    return ThreadingHTTPServer((host, port), type("Door", (WitnessRequestHandler,), {"witness": witness}))


def tell(line: str) -> None:
    """For people."""
    sys.stderr.write(f"{now()} {line}\n")


def serve(witness: WitnessStore, address: str) -> int:
    """Until a person ends it."""
    host, _, port = address.rpartition(":")
    with door(witness, host or "127.0.0.1", int(port)) as server:
        tell(f"listening on {server.server_address[0]!s}:{server.server_address[1]}, {witness.last_state()}")
        server.serve_forever()
    return 0


def patiently(witness: WitnessStore, raw: bytes, pause: Callable[[float], object] = time.sleep) -> int:
    """Take one head that arrives on its own, as soon as the disk has room: no later one is requested before."""
    while True:
        try:
            return take(witness, [raw])
        except NoRoom as error:
            tell(f"{error}; tried again in {FULL_S:g} s")
            pause(FULL_S)


def take(witness: WitnessStore, raws: Iterable[bytes]) -> int:
    """Take the arriving heads; return 1 after any contradiction."""
    result = take_all(witness, raws)
    if result["taken"]:
        print(f"{result['taken']} heads taken, the last is {result['last']}", flush=True)
    return 1 if result["contradicts"] else 0


def check(witness: WitnessStore, gap_s: float) -> int:
    """Check the content of the file, with every signature again."""
    for record, _ in lines_of(witness.path):
        if "head" in record:
            must_be_signed(read_head(record["head"].encode()))
        elif "refused" in record:
            print(f"refused at {record['seen']}: {record['why']}")
        else:
            print(f"at {record['seen']} people went on from head {record['give_up']}: {record['reason']}")
    for line in witness.gaps(gap_s):
        print(line)
    last = witness.last
    vouched = f"head {last['number']} over {last['size']:,} events up to position {last['position']:,}" if last else ""
    print(f"vouches for {vouched}, signed by {last['key']}" if last else "nothing was witnessed yet")
    return 1 if witness.evidence else 0


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the witness's own file; made where there is none")
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's public key")
    parser.add_argument("--gap", type=float, default=GAP_S, metavar="S", help="seconds between two heads (300)")
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("take").add_argument("place", type=Path, nargs="+")
    what.add_parser("serve").add_argument("address", metavar="[HOST:]PORT")
    what.add_parser("follow").add_argument("broker")
    what.choices["follow"].add_argument("--until-end", action="store_true", help="end when nothing more comes")
    what.add_parser("check")
    what.add_parser("give-up").add_argument("number", type=int)
    what.choices["give-up"].add_argument("--reason", required=True)
    return parser


def run(options: argparse.Namespace, witness: WitnessStore) -> int:
    """Run the requested command; return the exit code."""
    if options.what == "take":
        return take(witness, dropped(options.place))
    if options.what == "serve":
        return serve(witness, options.address)
    if options.what == "follow":
        each = (patiently(witness, raw) for raw in followed(options.broker, options.until_end))
        return max(each, default=0)
    if options.what == "give-up":
        witness.give_up(options.number, options.reason)
        return 0
    return check(witness, options.gap)


def main() -> int:
    """Run as a program."""
    options = arguments().parse_args()
    try:
        return run(options, WitnessStore(options.file, options.key))
    except KeyboardInterrupt:
        return 0
    except NoRoom as error:
        tell(str(error))
        return 2
    except Exception as error:  # whatever it is, the file was not read to its end
        tell(f"cannot be read: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
