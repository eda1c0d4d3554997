#!/usr/bin/env python3
"""Verify a draw of tables and times to inspect, without the system that made it: Python's standard library alone.

    verify_draw.py FILE [--key HEX] [--witness HEADS.jsonl] [--json]

FILE is what `./manage.py inspection-draws export DRAW FILE` writes. It proves:
1. The list, the weights, the number and the time of the draw were fixed before the head that decided: the commitment is
   in the tree of an earlier head (RFC 9162, 2.1), signed (Ed25519) by the key that the heads name. Compare it with the
   key that the house has published (--key).
2. The head that decided is the first one signed at or after the stated time: every head in between is in the file, each
   names the SHA-256 of the one before. --witness compares them with the witness's own file, and prints when it saw the
   deciding head.
3. The secret is the one that was committed: SHA-256 of `pitledger draw commitment v1`, a line feed and the secret.
4. The result follows from both. The seed is SHA-256 of the secret and of the head's bytes. Number n (from 0) is SHA-256
   of the seed and of n in 8 bytes. With W the sum of the weights of the entries left, numbers are passed over from
   2**256 - 2**256 mod W on; the remainder by W falls into the weight of one entry, in the order of the list.
5. Every event of the stream in between is unchanged, and none of them commits another draw for this period.

Exit: 0 proved; 1 not, with the first thing that is wrong; 2 cannot be read.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
FORM = "pitledger.draw.v1"
COMMITTED, REVEALED, OPENED = "draw.committed.v1", "draw.revealed.v1", "draw.opened.v1"
SPACE = 2**256
LEAST_WAIT = timedelta(minutes=10)


class DrawProofError(Exception):
    """The file is no proof; the message names the first error."""


def must(condition: object, message: str) -> None:
    """Raise DrawProofError unless it is so."""
    if not condition:
        raise DrawProofError(message)


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
    """5.1.3. Raises ValueError for other bytes."""
    y = int.from_bytes(raw, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if len(raw) != 32 or y >= P or (x * x - square) % P or (not x and raw[31] >> 7):
        raise ValueError("not on the curve")
    x = x if x & 1 == raw[31] >> 7 else P - x
    return x, y, 1, x * y % P


def is_signed(key: str, signature: str, body: bytes) -> bool:
    """Whether the signature of the body was made with this public key, both in hex (5.1.7)."""
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


# --- the draw ---------------------------------------------------------------------------------------------------------


def numbers(seed: bytes) -> Iterator[int]:
    """Whole numbers of 256 bits that follow from the seed."""
    place = 0
    while True:
        yield int.from_bytes(hashlib.sha256(seed + place.to_bytes(8, "big")).digest(), "big")
        place += 1


def entry_at(weights: dict[int, int], place: int) -> int:
    """The entry in whose weight a place lies."""
    end = 0
    for entry, weight in weights.items():
        end += weight
        if place < end:
            return entry
    raise DrawProofError("a place lies behind all weights")


def recompute(seed: bytes, weights: Sequence[int], count: int) -> list[int]:
    """The drawn entries by number, in order: weighted, without replacement."""
    remaining = dict(enumerate(weights, 1))
    stream, drawn = numbers(seed), list[int]()
    while len(drawn) < count:
        total = sum(remaining.values())
        value = next(stream)
        while value >= SPACE - SPACE % total:
            value = next(stream)
        drawn.append(entry_at(remaining, value % total))
        del remaining[drawn[-1]]
    return drawn


# --- events, heads and the tree ---------------------------------------------------------------------------------------


def digest(text: str) -> str:
    """SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def root(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf and its path make (RFC 9162, 2.1.3.2)."""
    must(0 <= index < size, "the leaf is not in the tree")
    node, last, value = index, size - 1, leaf
    for sibling in path:
        must(last, "the path is too long")
        if node & 1 or node == last:
            value = hashlib.sha256(b"\1" + sibling + value).digest()
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            value = hashlib.sha256(b"\1" + value + sibling).digest()
        node, last = node >> 1, last >> 1
    must(not last, "the path is too short")
    return value


def check_place(name: str, text: str, place: Json, head: Json) -> None:
    """Raise DrawProofError unless the event is in the tree of the head."""
    kind = json.loads(text)["type"].encode()
    head_of_leaf = b"\0" + place["position"].to_bytes(8, "big") + len(kind).to_bytes(2, "big") + kind
    leaf = hashlib.sha256(head_of_leaf + bytes.fromhex(digest(text))).digest()
    try:
        calculated_root = root(leaf, place["index"], head["size"], [bytes.fromhex(node) for node in place["inclusion"]])
    except DrawProofError as why:
        raise DrawProofError(f"the place of {name}: {why}") from why
    must(calculated_root.hex() == head["root"], f"{name} is not what head {head['number']} covers")
    must(place["position"] <= head["position"], f"{name} has a position behind its head")


def check_signature(head: Json, keys: Collection[str]) -> None:
    """Raise DrawProofError unless the head is signed, and by one of the keys where some are given."""
    body = {name: value for name, value in head.items() if name != "signature"}
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    must(is_signed(head["key"], head["signature"], signed), f"head {head['number']} is not signed by its key")
    must(not keys or head["key"] in keys, f"head {head['number']} is signed by another key: {head['key']}")


def check_heads(proof: Json, keys: Collection[str]) -> list[Json]:
    """The heads from the commitment to the deciding one: signed at both ends, each following the one before."""
    heads = [json.loads(text) for text in proof["heads"]]
    must(len(heads) > 1, "no head before the deciding one covers the commitment")
    for place, head in enumerate(heads[1:]):
        must(head["previous"] == digest(proof["heads"][place]), f"head {head['number']} does not follow its previous")
        must(head["number"] == heads[place]["number"] + 1, f"a head is missing before {head['number']}")
    last = json.loads(proof["last_head"])
    for head in (heads[0], heads[-1], last):
        must(head["type"] == "pitledger.head.v1", "this is no head")
        must(head["property"] == proof["property"], "a head is of another property")
        check_signature(head, keys)
    must(last["key"] == heads[-1]["key"], "the last head is signed by another key")
    return heads


def check_chain(proof: Json) -> list[Json]:
    """The events of the stream, each following the one before."""
    events: list[Json] = [json.loads(text) for text in proof["events"]]
    stream = f"{proof['property']}/draws"
    first = int(events[0]["id"].rpartition("@")[2])
    for place, event in enumerate(events):
        must(event["id"] == f"{stream}@{first + place}", f"{event['id']} is not the next event of {stream}")
        is_next = place == 0 or event["prev"] == digest(proof["events"][place - 1])
        must(is_next, f"{events[place - 1]['id']} is not what {event['id']} follows")
    return events


def check_terms(terms: Json, recorded: str) -> None:
    """Raise DrawProofError where the commitment does not count."""
    must(not terms.get("second_of"), f"the draw {terms.get('second_of')} counts for this period")
    wait = datetime.fromisoformat(terms["draw_at"]) - datetime.fromisoformat(recorded)
    must(wait >= LEAST_WAIT, "the draw was less than ten minutes after the commitment")


def check_periods(terms: Json, events: Sequence[Json]) -> None:
    """Raise DrawProofError where a later commitment for the same period counts as well."""
    begin, end = (datetime.fromisoformat(terms[name]) for name in ("since", "until"))
    for event in events[1:]:
        if event["type"] == COMMITTED and not event["data"].get("second_of"):
            since, until = (datetime.fromisoformat(event["data"][name]) for name in ("since", "until"))
            must(until <= begin or end <= since, f"{event['id']} commits another draw for this period")


def verify(content: bytes, keys: Collection[str] = ()) -> Json:
    """The proved facts, as plain data. Raises DrawProofError with the first thing that is wrong."""
    try:
        proof: Json = json.loads(content)
        must(proof["type"] == FORM, "this is no proof of a draw")
        proof_bytes = json.dumps(proof, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        must(proof_bytes == content, "the file is not written as the house writes it")
        return _verified(proof, keys)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise DrawProofError(f"the file is not well formed: {error!r}") from error


def _verified(proof: Json, keys: Collection[str]) -> Json:
    heads, events = check_heads(proof, keys), check_chain(proof)
    committed, opening_event = events[0], events[-1]
    revealed = [event for event in events if event["type"] == REVEALED and event["data"]["draw"] == proof["draw"]]
    must((committed["type"], opening_event["type"]) == (COMMITTED, OPENED), "the events are not those of a draw")
    must(len(revealed) == 1, "the draw was not revealed once")
    must(committed["data"]["draw"] == opening_event["data"]["draw"] == proof["draw"], "the events are of another draw")
    check_place("the commitment", proof["events"][0], proof["committed"], heads[0])
    check_place("the publication", proof["events"][-1], proof["opened"], json.loads(proof["last_head"]))
    terms, deciding = committed["data"], heads[-1]
    check_terms(terms, committed["recordedat"])
    check_periods(terms, events)
    at = datetime.fromisoformat(terms["draw_at"])
    early = [head["number"] for head in heads[:-1] if datetime.fromisoformat(head["time"]) >= at]
    must(not early, f"head {early[0] if early else 0} is earlier and counts")
    must(datetime.fromisoformat(deciding["time"]) >= at, "the deciding head is before the time of the draw")
    named_head = (revealed[0]["data"]["head"], revealed[0]["data"]["head_digest"])
    must(named_head == (deciding["number"], digest(proof["heads"][-1])), "another head was revealed")
    secret = bytes.fromhex(opening_event["data"]["secret"])
    commitment = hashlib.sha256(b"pitledger draw commitment v1\n" + secret).hexdigest()
    must(len(secret) == 32 and commitment == terms["commitment"], "the secret is not the one that was committed")
    seed = hashlib.sha256(secret + proof["heads"][-1].encode()).digest()
    drawn = recompute(seed, [entry.get("weight", 1) for entry in terms["entries"]], terms["number"])
    must(
        drawn == opening_event["data"]["drawn"],
        f"the secret and the head draw {drawn}, not {opening_event['data']['drawn']}",
    )
    entries = [{"entry": entry, **terms["entries"][entry - 1]} for entry in drawn]
    return {
        "property": proof["property"],
        "draw": proof["draw"],
        "since": terms["since"],
        "until": terms["until"],
        "is_late": terms.get("is_late", False),
        "listed": len(terms["entries"]),
        "drawn": entries,
        "head": {name: deciding[name] for name in ("number", "time", "key")},
    }


def check_witness(path: Path, proof: Json) -> str:
    """When the witness saw the deciding head. Raises DrawProofError where a head is not the witness's."""
    witnessed = dict[str, str]()
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = entry.get("head", line)
        witnessed[digest(text)] = entry.get("seen", "")
    for text in proof["heads"]:
        must(digest(text) in witnessed, f"head {json.loads(text)['number']} is not the witness's")
    return witnessed[digest(proof["heads"][-1])]


# --- showing it -------------------------------------------------------------------------------------------------------


def show(report: Json) -> str:
    """The drawn entries, and what decided."""
    head = report["head"]
    rows = [f"{report['property']}, draw {report['draw']}, {report['since']} to {report['until']}"]
    rows += ["Committed after its period began."] if report["is_late"] else []
    rows += [
        f"{entry['entry']:>5}  {entry['table']:<12} {entry['since']} to {entry['until']}" for entry in report["drawn"]
    ]
    rows.append(
        f"{len(report['drawn'])} of {report['listed']} entries, drawn by head {head['number']} of {head['time']}"
    )
    rows += [f"The witness saw this head at {report['witnessed']}."] if report.get("witnessed") else []
    return "\n".join([*rows, f"signed by {head['key']}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's published public key")
    parser.add_argument("--witness", type=Path, metavar="FILE", help="the witness's file of heads, to compare")
    parser.add_argument("--json", action="store_true", help="show everything as JSON")
    options = parser.parse_args(arguments)
    try:
        content = options.file.read_bytes()
        report = verify(content, options.key)
        if options.witness:
            report["witnessed"] = check_witness(options.witness, json.loads(content))
    except DrawProofError as why:
        print(f"NOT PROVED: {why}", file=sys.stderr)
        return 1
    except (OSError, ValueError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2) if options.json else show(report))
    if not options.key:
        print("The key was not compared: name the one that the house has published by --key.", file=sys.stderr)
    print("PROVED", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
