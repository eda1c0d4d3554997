#!/usr/bin/env python3
"""Verify the certificate of a jackpot award, without the system that made it: Python's standard library alone.

    verify_certificate.py CERTIFICATE.json [--key HEX] [--head FILE] [--all] [--json]

What a certificate proves, if it is valid:

1. Both heads are signed (Ed25519) by the key that they name. Compare it with the key that the house has published
   (--key), or the later head with the one on the topic pitledger.heads (--head).
2. The log that the later head speaks of goes on from the earlier one: nothing before was rewritten (RFC 9162, 2.1.4).
3. Every event between the two heads is listed with its position, its type and the SHA-256 of its bytes, and none is
   left out (RFC 9162, 2.1). Those of every type that can move a meter are shown with their own bytes; of all others
   the contents stay closed.
4. The progressive's own events are shown from its opening on; each names the SHA-256 of the one before.
5. The meter at the hit is what the previous lock left and every contribution and correction since (or the start where
   there was none), and again, independently: start + seeds + fed - locked + adjustments over the whole life, with what
   the earlier head says was fed by then.
6. The shares are what the policy makes of that meter, what was paid is the share, and the envy bonuses are those of
   the round's players.

Amounts are whole: minor units (cents), and "micro", millionths of a minor unit.
Exit code: 0 valid, 1 not valid, 2 cannot be read.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
Shown = tuple[int, str, Json, str]  # position, type, event, digest
Line = tuple[int, str, str, int, int, int]  # position, what, where, stakes, feed, micro

MICRO = 1_000_000
ARMED, DECLARED, LATE = "progressive.armed.v1", "hit.declared.v1", "hit.declared_late.v1"
ROUND_VOIDED, OPENED = "round.voided.v1", "progressive.opened.v1"
LOCKED, WITHDRAWN, VOIDED = "shares.locked.v1", "lock.withdrawn.v1", "hit.voided.v1"
AUTHORISED, PAID, ENVY = "hit.authorised.v1", "jackpot.paid.v1", "envy.paid.v1"
PARAMETERS, ADJUSTED = "parameters.changed.v1", "meter.adjusted.v1"
# Every type that can move a meter, a share or a payment: an event of one of these is shown, or nothing is proved.
TELLING = {
    ARMED, DECLARED, LATE, ROUND_VOIDED,
    OPENED, LOCKED, WITHDRAWN, VOIDED, AUTHORISED, PAID, ENVY, PARAMETERS, ADJUSTED,
}  # fmt: skip


COLUMNS = ("position", "what", "where", "stakes_minor", "feed_millionths", "micro")


class Wrong(Exception):
    """The certificate does not prove what it claims; the message says why."""


def must(condition: object, message: str) -> None:
    """Raise Wrong unless it is so."""
    if not condition:
        raise Wrong(message)


# --- Ed25519 verification: RFC 8032, sections 5.1 and 6 -----------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add_points(one: Point, two: Point) -> Point:
    """Add in extended homogeneous coordinates (5.1.4)."""
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number: int, point: Point) -> Point:
    """A point, so many times."""
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add_points(total, point)
        point, number = add_points(point, point), number >> 1
    return total


def same_point(one: Point, two: Point) -> bool:
    """Whether two points are the same, whatever their scale."""
    return (one[0] * two[2] - two[0] * one[2]) % P == 0 and (one[1] * two[2] - two[1] * one[2]) % P == 0


def decode_point(raw: bytes) -> Point:
    """A point from its 32 bytes (5.1.3)."""
    must(len(raw) == 32, "a key or a signature has the wrong length")
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    must(y < P, "a key or a signature is not on the curve")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    must((x * x - square) % P == 0 and (x or not sign), "a key or a signature is not on the curve")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(key: str, signature: str, body: bytes) -> bool:
    """Whether the signature (hex) of the body was made with this public key (hex) (5.1.7)."""
    try:
        public, made = bytes.fromhex(key), bytes.fromhex(signature)
        must(len(made) == 64, "a signature has 64 bytes")
        point, nonce, scalar = decode_point(public), decode_point(made[:32]), int.from_bytes(made[32:], "little")
    except (ValueError, Wrong):
        return False
    if scalar >= ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(made[:32] + public + body).digest(), "little") % ORDER
    return same_point(multiply(scalar, BASE), add_points(nonce, multiply(challenge, point)))


# --- the tree: RFC 9162, section 2.1 ------------------------------------------------------------------------------


def leaf_hash(position: int, kind: str, digest: str) -> bytes:
    """A leaf: 0x00, position in 8 bytes, type with its length in 2, digest of the event's bytes."""
    name = kind.encode()
    body = position.to_bytes(8, "big") + len(name).to_bytes(2, "big") + name + bytes.fromhex(digest)
    return hashlib.sha256(b"\0" + body).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Two subtrees."""
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of_range(first: int, leaves: Sequence[bytes], size: int, proof: Sequence[bytes]) -> bytes:
    """The root that consecutive leaves and the subtrees beside them (from left to right) make."""
    end, rest = first + len(leaves), list(reversed(proof))

    def root(low: int, high: int) -> bytes:
        if high <= first or low >= end:
            must(rest, "the proof of the range is too short")
            return rest.pop()
        if high - low == 1:
            return leaves[low - first]
        middle = low + (1 << (high - low - 1).bit_length() - 1)
        left = root(low, middle)
        return node_hash(left, root(middle, high))

    must(0 <= first < end <= size, "the range is not within the tree")
    found = root(0, size)
    must(not rest, "the proof of the range is too long")
    return found


def check_consistency(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """The older tree is the beginning of the newer one (2.1.4.2)."""
    message = "the later head does not go on from the earlier one: the log was rewritten"
    if old == size:
        must(not proof and old_root == root, message)
        return
    must(0 < old < size, message)
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    must(path, message)
    node, last = old - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = now = path[0]
    for hash_ in path[1:]:
        must(last, message)
        if node & 1 or node == last:
            before, now = node_hash(hash_, before), node_hash(hash_, now)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            now = node_hash(now, hash_)
        node, last = node >> 1, last >> 1
    must(last == 0 and before == old_root and now == root, message)


# --- what the certificate shows -----------------------------------------------------------------------------------


def check_head(head: Json, keys: Collection[str]) -> None:
    """A head is signed by the key that it names, and that by the house's where it is known."""
    body = {name: value for name, value in head.items() if name != "signature"}
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    must(head["type"] == "pitledger.head.v1", "this is no head")
    must(is_signed(head["key"], head["signature"], signed), f"head {head['number']} is not signed by its key")
    must(not keys or head["key"] in keys, f"head {head['number']} is signed by {head['key']}, not by the house's key")


def open_log(certificate: Json, keys: Collection[str]) -> tuple[list[Shown], list[Shown]]:
    """Check heads and range; the events shown: those before the range, of the stream alone, and those within."""
    before, after = certificate["heads"]["before"], certificate["heads"]["after"]
    shown: dict[int, str] = {}
    for head in filter(None, (before, after)):
        check_head(head, keys)
        must(head["property"] == certificate["property"], "a head is another property's")
    if before:
        must(before["key"] == after["key"] or keys, "the heads are signed by two keys, and none is known")
        proof = [bytes.fromhex(hash_) for hash_ in certificate["consistency"]]
        roots = bytes.fromhex(before["root"]), bytes.fromhex(after["root"])
        check_consistency(before["size"], roots[0], after["size"], roots[1], proof)
    for one in certificate["events"]:
        must(one["position"] not in shown, f"position {one['position']} is shown twice")
        shown[one["position"]] = one["event"]
    first = before["size"] if before else 0
    listed: list[Shown] = []
    hashes, last = [], before["position"] if before else 0
    for position, kind, digest in certificate["range"]["leaves"]:
        must(position > last, f"position {position} does not come after {last}")
        text, last = shown.pop(position, None), position
        if text is not None:
            digest = hashlib.sha256(text.encode()).hexdigest()
            event = json.loads(text)
            must(event["type"] == kind, f"position {position} is listed as {kind} and says {event['type']}")
            listed.append((position, kind, event, digest))
        must(text is not None or kind not in TELLING, f"position {position}, {kind}, is not shown")
        hashes.append(leaf_hash(position, kind, digest))
    must(
        first + len(hashes) == after["size"] and last == after["position"], "the list does not end where the head does"
    )
    proof = [bytes.fromhex(hash_) for hash_ in certificate["range"]["proof"]]
    root = root_of_range(first, hashes, after["size"], proof)
    must(root.hex() == after["root"], "the events listed are not those that the head speaks of")
    earlier = [(0, json.loads(text)["type"], json.loads(text), hashlib.sha256(text.encode()).hexdigest())
               for _, text in sorted(shown.items())]  # fmt: skip
    return earlier, listed


def own_stream(certificate: Json, earlier: list[Shown], listed: list[Shown]) -> list[Shown]:
    """The progressive's own events from its opening on, as they are chained: none is missing, none is another's."""
    stream = certificate["progressive"]
    own = [*earlier, *(one for one in listed if one[2]["subject"] == stream)]
    end = hashlib.sha256(stream.encode()).hexdigest()
    for number, (_, _, event, digest) in enumerate(own, 1):
        must(event["id"] == f"{stream}@{number}", f"{stream}@{number} is missing, there is {event['id']}")
        must(event["subject"] == stream and event["prev"] == end, f"{event['id']} does not follow the event before it")
        end = digest
    must(len(own) > len(earlier), "no event of the progressive lies in the range")
    return own


def opening_of(own: list[Shown]) -> Json:
    """What the progressive was opened with."""
    found: list[Json] = [event["data"] for _, kind, event, _ in own if kind == OPENED]
    must(len(found) == 1, "the progressive was opened once")
    return found[0]


# --- the sum ------------------------------------------------------------------------------------------------------


def counts(opened: Json, data: Json) -> bool:
    """Whether an armed round feeds the meters: bets, one a box, each of one of the two stakes."""
    boxes = [bet["box"] for bet in data["bets"]]
    return bool(boxes) and len(set(boxes)) == len(boxes) and all(
        bet["stake_minor"] in opened["stakes_minor"] for bet in data["bets"]
    )  # fmt: skip


def policy_share(policy: str, shown_minor: int, hits: int) -> tuple[int, int]:
    """What each winner gets, and what of it all the meter gives."""
    if policy == "full-each":
        return shown_minor, shown_minor
    must(policy in ("split", "sequential"), f"there is no policy {policy}")
    return shown_minor // hits, shown_minor // hits * hits


class Level:
    """A level on its way to the hit: parameters in force, and everything that moved its meter, by position."""

    def __init__(self, opened: Json, name: str) -> None:
        found = [level for level in opened["levels"] if level["level"] == name]
        must(found, f"there is no level {name}")
        self.name, self.start, self.version = name, found[0]["meter_micro"], 1
        self.feed, self.seed, self.cap = (found[0].get(key) for key in ("feed_millionths", "seed_minor", "cap_minor"))
        self.adjusted = 0
        self.lines: list[Line] = []

    def take(self, position: int, kind: str, data: Json) -> None:
        """One event of the progressive's stream."""
        if kind == PARAMETERS and data["level"] == self.name:
            self.version += 1
            self.feed, self.seed = data.get("feed_millionths", self.feed), data.get("seed_minor", self.seed)
            self.cap = data.get("cap_minor", self.cap)
        elif kind == ADJUSTED and data["level"] == self.name:
            self.adjusted += data["amount_minor"] * MICRO
            self.lines.append((position, "adjustment", data["reason"], 0, 0, data["amount_minor"] * MICRO))

    def feed_from(self, position: int, data: Json) -> None:
        """A round's stakes."""
        stakes = sum(bet["stake_minor"] for bet in data["bets"])
        where = f"{data['table']} {data['gaming_day']} round {data['round']}"
        self.lines.append((position, "contribution", where, stakes, self.feed, stakes * self.feed))


def locks_said(own: list[Shown], level: str, until: int) -> list[Json]:
    """The last word on every group of the level among the first `until` events of the stream."""
    said: dict[str, Json | None] = {}
    for _, kind, event, _ in own[:until]:
        if kind in (LOCKED, WITHDRAWN) and event["data"]["level"] == level:
            said[event["data"]["group"]] = event["data"] if kind == LOCKED else None
    return [lock for lock in said.values() if lock is not None]


def first_payment(own: list[Shown], hits: Collection[str]) -> int:
    """Where in the stream the first payment of these hits stands (its length: nowhere)."""
    paid = [n for n, (_, kind, event, _) in enumerate(own) if kind == PAID and event["data"]["hit"] in hits]
    return min(paid, default=len(own))


def find_lock(own: list[Shown], hit: str) -> tuple[Json, list[Json], int]:
    """The lock that gave this hit its share: as it stood at the group's first payment, or stands now; and where."""
    holding = [event["data"] for _, kind, event, _ in own
               if kind == LOCKED and any(share["hit"] == hit for share in event["data"]["shares"])]  # fmt: skip
    must(holding, f"no lock names the hit {hit}")
    group = holding[-1]["group"]
    hits = {share["hit"] for lock in holding if lock["group"] == group for share in lock["shares"]}
    until = first_payment(own, hits)
    locks = locks_said(own, holding[-1]["level"], until)
    mine = [lock for lock in locks if lock["group"] == group]
    must(mine and any(share["hit"] == hit for share in mine[0]["shares"]), f"the hit {hit} has no share")
    return mine[0], [lock for lock in locks if lock["as_of"] < mine[0]["as_of"]], until


def sum_up(certificate: Json, own: list[Shown], listed: list[Shown], lock: Json) -> tuple[Level, int, tuple[str, Json]]:
    """Walk to the lock's position: the level as it was there, and what was fed by then by the heads' account."""
    stream, opened = certificate["progressive"], opening_of(own)
    level, before = Level(opened, lock["level"]), certificate["heads"]["before"]
    fed = before["fed"].get(stream, {}).get(level.name, 0) if before else 0
    inside = {event["id"] for _, _, event, _ in listed}
    for _, kind, event, _ in own:
        if event["id"] not in inside:
            level.take(0, kind, event["data"])
    anchor = None
    for position, kind, event, _ in listed:
        data = event["data"]
        if position == lock["as_of"]:
            anchor = kind, data
            break
        if kind == ARMED and data["progressive"] == opened["progressive"] and counts(opened, data):
            level.feed_from(position, data)
            fed += level.lines[-1][-1]
        elif event["subject"] == stream:
            level.take(position, kind, data)
    must(anchor is not None and anchor[0] in (DECLARED, LATE), "no hit was declared at the lock's position")
    assert anchor is not None
    must(anchor[1]["level"] == level.name, "the hit at the lock's position is of another level")
    return level, fed, anchor


def check_meter(
    listed: list[Shown], level: Level, fed: int, lock: Json, earlier_locks: list[Json]
) -> tuple[int, Json | None, list[Line]]:
    """The meter by the cycle and by the whole life; the lines of the cycle."""
    previous = max(earlier_locks, key=lambda one: one["as_of"], default=None)
    if previous:
        must(previous["as_of"] >= listed[0][0], "the range begins after the previous lock")
        opening = previous["seed_minor"] * MICRO + previous["meter_micro"] - previous["amount_minor"] * MICRO
        since = previous["as_of"]
    else:
        must(any(kind == OPENED for _, kind, _, _ in listed), "the range begins after the opening")
        opening, since = level.start, 0
    lines = [line for line in level.lines if line[0] > since]
    meter = opening + sum(line[-1] for line in lines)
    must(meter == lock["meter_micro"], f"the contributions make {meter} micro, the lock says {lock['meter_micro']}")
    moved = sum(one["seed_minor"] - one["amount_minor"] for one in earlier_locks) * MICRO
    life = level.start + fed + level.adjusted + moved
    must(life == meter, f"start, seeds, fed, locks and adjustments make {life} micro, the cycle {meter}")
    return opening, previous, lines


def check_shares(
    opened: Json, own: list[Shown], listed: list[Shown], level: Level, lock: Json, anchor: tuple[str, Json], until: int
) -> int:
    """Who is in the group by the cards declared, and what the policy gives each."""
    hits = group_of(opened, own, listed, lock, anchor, until)
    named = [share["hit"] for share in lock["shares"]]
    must(named == hits, f"the winners are {', '.join(hits)}, the lock names {', '.join(named)}")
    must((lock["seed_minor"], lock.get("cap_minor")) == (level.seed, level.cap), "seed or cap are not those in force")
    must(lock["parameters_version"] == level.version, "the parameters are not those in force")
    must((lock["policy"], lock["policy_version"]) == (opened["policy"], opened["policy_version"]), "another policy")
    meter = lock["meter_micro"]
    shown = max(meter if level.cap is None else min(meter, level.cap * MICRO), 0) // MICRO
    share, taken = policy_share(lock["policy"], shown, len(hits))
    must(all(one["share_minor"] == share for one in lock["shares"]), f"each share is {share}")
    amount = min(taken, max(meter, 0) // MICRO)
    must(lock["amount_minor"] == amount, f"the meter gives {amount}, not {lock['amount_minor']}")
    must(lock["house_minor"] == share * len(hits) - amount, "the house's part is wrong")
    return share


def group_of(
    opened: Json, own: list[Shown], listed: list[Shown], lock: Json, anchor: tuple[str, Json], until: int
) -> list[str]:
    """The hits that share the lock, by what was declared and by what was void by then."""
    stop = own[until][0] if until < len(own) else 2**63
    void = {event["data"]["hit"] for _, kind, event, _ in own[:until] if kind == VOIDED}
    first, hits = anchor[1], []
    alone = anchor[0] == LATE or opened["policy"] == "sequential"
    where = (first["table"], first["gaming_day"], first["round"])
    for position, kind, event, _ in listed:
        data = event["data"]
        if position >= stop or (data.get("table"), data.get("gaming_day"), data.get("round")) != where:
            continue
        must(kind != ROUND_VOIDED, "the round was declared void")
        if kind == DECLARED and data["progressive"] == opened["progressive"] and data["level"] == lock["level"]:
            hits.append(data["hit"])
    return [hit for hit in ([first["hit"]] if alone else hits) if hit not in void]


def check_paid(
    opened: Json, own: list[Shown], listed: list[Shown], lock: Json, hit: str, share: int
) -> tuple[list[tuple[int, str, Json]], dict[str, int]]:
    """Payments are shares, approvals those of the share, envy that of the round's players; what was done by whom."""
    done = []
    for position, kind, event, _ in own:
        data = event["data"]
        if data.get("hit") != hit or kind not in (AUTHORISED, PAID, ENVY, VOIDED):
            continue
        must(kind != VOIDED, f"the hit {hit} was declared void")
        must(kind != PAID or data["amount_minor"] == share, f"{data['amount_minor']} were paid, the share is {share}")
        if kind == AUTHORISED and data["amount_minor"] == share:
            check_authorised(opened, data, share * len(lock["shares"]))
        done.append((position, kind, event))
    envy = {event["data"]["player"]: event["data"]["amount_minor"] for _, kind, event in done if kind == ENVY}
    if any(kind == PAID for _, kind, _ in done):
        agreed = any(kind == AUTHORISED and event["data"]["amount_minor"] == share for _, kind, event in done)
        must(agreed, "it was paid, and nobody authorised this amount")
        due = envy_due(opened, listed, lock, hit)
        must(envy == due, f"envy of {due} is due, {envy} was paid")
    return done, envy


def check_authorised(opened: Json, data: Json, total_minor: int) -> None:
    """A lead of the pit who is not the dealer; over the limit also surveillance, a third name (004 L51)."""
    leads = {who for who, role in data["approvals"] if role in ("inspector", "pit boss")} - {data.get("dealer")}
    watch = {who for who, role in data["approvals"] if role == "surveillance"} - {data.get("dealer")}
    must(leads, "no inspector or pit boss but the dealer authorised it")
    over = total_minor > opened["surveillance_over_minor"]
    must(not over or (watch and len(leads | watch) > 1), "surveillance had to authorise it as well")


def envy_due(opened: Json, listed: list[Shown], lock: Json, hit: str) -> dict[str, int]:
    """The bonus of every player of the round by his highest stake, but for the winner's own hit (004 L53)."""
    won = next(share for share in lock["shares"] if share["hit"] == hit)
    where = (won["table"], won["gaming_day"], won["round"])
    armed = [event["data"] for _, kind, event, _ in listed if kind == ARMED
             and (event["data"]["table"], event["data"]["gaming_day"], event["data"]["round"]) == where]  # fmt: skip
    must(len(armed) == 1, "the winning round's stakes are not shown")
    highest: dict[str, int] = {}
    for bet in armed[0]["bets"]:
        highest[bet["player"]] = max(bet["stake_minor"], highest.get(bet["player"], 0))
    amounts = opened["envy_minor"].get(lock["level"], (0, 0))
    due = {player: amounts[opened["stakes_minor"].index(stake)] for player, stake in highest.items()}
    return {who: sum_ for who, sum_ in due.items() if sum_ and (opened["envy_to_winner"] or who != won["player"])}


def verify(certificate: Json, keys: Collection[str] = ()) -> Json:
    """Everything that the certificate proves, as plain data. Raises Wrong with the reason where it proves nothing."""
    try:
        must(certificate["type"] == "pitledger.certificate.v1", "this is no certificate")
        return _verify(certificate, set(keys))
    except Wrong:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise Wrong(f"the certificate is not well formed: {error!r}") from error


def _verify(certificate: Json, keys: Collection[str]) -> Json:
    earlier, listed = open_log(certificate, keys)
    own, hit = own_stream(certificate, earlier, listed), certificate["hit"]
    opened = opening_of(own)
    lock, earlier_locks, until = find_lock(own, hit)
    level, fed, anchor = sum_up(certificate, own, listed, lock)
    opening, previous, lines = check_meter(listed, level, fed, lock, earlier_locks)
    share = check_shares(opened, own, listed, level, lock, anchor, until)
    done, envy = check_paid(opened, own, listed, lock, hit, share)
    head = certificate["heads"]["after"]
    return {
        "property": certificate["property"], "progressive": opened["progressive"], "hit": hit, "level": level.name,
        "currency": opened["currency"], "policy": lock["policy"], "parameters_version": level.version,
        "opening_is": "previous lock" if previous else "start", "opening_micro": opening,
        "lines": [dict(zip(COLUMNS, line, strict=True)) for line in lines],
        "meter_micro": lock["meter_micro"], "cap_minor": level.cap, "amount_minor": lock["amount_minor"],
        "house_minor": lock["house_minor"], "winners": len(lock["shares"]), "share_minor": share,
        "remainder_micro": lock["meter_micro"] - lock["amount_minor"] * MICRO, "seed_minor": level.seed,
        "paid": any(kind == PAID for _, kind, _ in done), "envy_minor": envy,
        "people": [{"position": position, "what": kind, "time": event["time"], "actor": event["actor"],
                    "approvals": event["data"].get("approvals", [])} for position, kind, event in done],
        "head": head["number"], "as_of": head["time"], "key": head["key"],
        "events_listed": len(certificate["range"]["leaves"]),
    }  # fmt: skip


# --- showing it ---------------------------------------------------------------------------------------------------


def money(micro: int) -> str:
    """Millionths of a minor unit as money, exact."""
    sign, micro = ("-", -micro) if micro < 0 else ("", micro)
    whole, rest = divmod(micro, 100 * MICRO)
    decimals = f"{rest:08d}".rstrip("0").ljust(2, "0")
    return f"{sign}{whole:,}.{decimals}"


def show(found: Json, whole: bool = False) -> Iterator[str]:
    """The sum as one checks it by hand."""
    yield f"{found['hit']}: {found['level']} of {found['progressive']}, {found['property']}; {found['currency']}"
    yield f"{money(found['opening_micro']):>24}  after the {found['opening_is']}"
    tables: dict[str, tuple[int, int]] = {}
    for line in found["lines"]:
        if whole or line["what"] == "adjustment":
            how = f"{line['stakes_minor']} x {line['feed_millionths']} millionths" if line["stakes_minor"] else ""
            yield f"{money(line['micro']):>24}  {line['where']} {how} (position {line['position']})"
        else:
            rounds, micro = tables.get(line["where"].split()[0], (0, 0))
            tables[line["where"].split()[0]] = rounds + 1, micro + line["micro"]
    for table, (rounds, micro) in sorted(tables.items()):
        yield f"{money(micro):>24}  {table}, {rounds} rounds"
    yield f"{money(found['meter_micro']):>24}  the meter at the hit"
    if found["cap_minor"] is not None:
        yield f"{money(found['cap_minor'] * MICRO):>24}  its cap"
    yield f"{money(found['amount_minor'] * MICRO):>24}  given by the meter, policy {found['policy']}"
    yield f"{money(found['house_minor'] * MICRO):>24}  given by the house"
    yield f"{money(found['share_minor'] * MICRO):>24}  to each of {found['winners']}"
    yield f"{money(found['remainder_micro']):>24}  stays, on top of the seed of {money(found['seed_minor'] * MICRO)}"
    for one in found["people"]:
        agreed = ", ".join(f"{person} ({role})" for person, role in one["approvals"])
        yield f"{one['what']} at {one['time']} by {one['actor']}{': ' + agreed if agreed else ''}"
    for player, amount in sorted(found["envy_minor"].items()):
        yield f"{money(amount * MICRO):>24}  envy to {player}"
    listed = f"{found['events_listed']:,} events listed"
    yield f"{listed} up to head {found['head']} of {found['as_of']}, signed by {found['key']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's published public key")
    parser.add_argument("--head", type=Path, metavar="FILE", help="heads from elsewhere, one a line, to compare")
    parser.add_argument("--all", action="store_true", help="show every contribution, not only the sum of each table")
    parser.add_argument("--json", action="store_true", help="show everything as JSON")
    options = parser.parse_args(arguments)
    try:
        certificate = json.loads(options.certificate.read_text("utf-8"))
        heads = [json.loads(line) for line in options.head.read_text("utf-8").splitlines()] if options.head else None
    except (OSError, ValueError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    try:
        found = verify(certificate, options.key)
        must(heads is None or certificate["heads"]["after"] in heads, "the head is not among those from elsewhere")
    except Wrong as why:
        print(f"NOT VALID: {why}", file=sys.stderr)
        return 1
    print(json.dumps(found, indent=2) if options.json else "\n".join(show(found, options.all)))
    if not options.key and heads is None:
        print("The key was not compared: name the one that the house has published by --key.", file=sys.stderr)
    print("VALID", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
