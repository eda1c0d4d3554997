#!/usr/bin/env python3
"""Verify the certificate of a jackpot award, without the system that made it: Python's standard library alone.

    verify_certificate.py CERTIFICATE.json [--key HEX] [--head FILE] [--json]

A valid certificate proves:
1. Both heads are signed (Ed25519) by the key that they name. Compare it with the key that the house has published
   (--key), or the later head with those on the topic pitledger.heads (--head).
2. Every event between the heads is listed by position, type and SHA-256 of its bytes, without omission. The earlier
   events are those of the earlier head, not rewritten (RFC 9162, 2.1). Events of every type that can move a meter are
   shown with their own bytes, the others stay closed. The progressive's own events are shown from its opening on; each
   names the SHA-256 of the one before.
3. The meter at the hit is the remainder of the previous lock (or the start) with every later contribution and
   correction. The same holds over the whole life: start + seeds + fed - locked + adjustments, with the contributions
   stated by the earlier head.
4. The shares follow from that meter by the policy. The payment is the share, with the necessary approvals. The envy
   bonuses are those of the round's players.

Amounts are whole: minor units (cents), and "micro", millionths of one. Exit: 0 valid, 1 not valid, 2 cannot be read.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
MICRO = 1_000_000
ARMED, DECLARED, LATE = "progressive.armed.v1", "hit.declared.v1", "hit.declared_late.v1"
OPENED, PARAMETERS, ADJUSTED = "progressive.opened.v1", "parameters.changed.v1", "meter.adjusted.v1"
LOCKED, WITHDRAWN, VOIDED = "shares.locked.v1", "lock.withdrawn.v1", "hit.voided.v1"
AUTHORISED, PAID, ENVY, ROUND_VOIDED = "hit.authorised.v1", "jackpot.paid.v1", "envy.paid.v1", "round.voided.v1"
DONE = (AUTHORISED, PAID, ENVY, VOIDED)
# Every type that can move a meter, a share or a payment: an event of one of these is shown, or nothing is proved.
TELLING = {ARMED, DECLARED, LATE, OPENED, PARAMETERS, ADJUSTED, LOCKED, WITHDRAWN, VOIDED, AUTHORISED, PAID, ENVY,
           ROUND_VOIDED}  # fmt: skip


class CertificateError(Exception):
    """The certificate does not prove its claims; the message gives the reason."""


def must(condition: object, message: str) -> None:
    """Raise CertificateError unless it is so."""
    if not condition:
        raise CertificateError(message)


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


def unique(pairs: list[tuple[str, Any]]) -> Json:
    """An object of JSON; of a name that stands twice two programs would read two values."""
    must(len(dict(pairs)) == len(pairs), "a name stands twice in one JSON object")
    return dict(pairs)


# --- the log: its heads, its tree (RFC 9162, 2.1), and the chain of the progressive's own stream ---------------------


def read(position: int, text: str) -> Json:
    """An event from its own bytes, with its position (0: from before the range) and their digest."""
    event: Json = json.loads(text)
    return event | {"position": position, "digest": hashlib.sha256(text.encode()).hexdigest()}


def check_tree(certificate: Json, leaves: Sequence[bytes]) -> None:
    """The leaves and the subtrees in front of them make the later head's root; the subtrees alone the earlier one's."""
    before, after = certificate["heads"]["before"], certificate["heads"]["after"]
    first, proof = before["size"] if before else 0, [bytes.fromhex(hash_) for hash_ in certificate["range"]["proof"]]
    front = iter(proof)

    def root(low: int, high: int) -> bytes:
        if high <= first or high - low == 1:
            return next(front) if high <= first else leaves[low - first]
        middle = low + (1 << (high - low - 1).bit_length() - 1)
        return hashlib.sha256(b"\1" + root(low, middle) + root(middle, high)).digest()

    whole, old = root(0, after["size"]), proof[-1] if proof else b""
    must(whole.hex() == after["root"] and not [*front], "the events listed are not those that the head speaks of")
    for left_hash in reversed(proof[:-1]):
        old = hashlib.sha256(b"\1" + left_hash + old).digest()
    must(not before or old.hex() == before["root"], "the later head does not go on from the earlier one")


def open_log(certificate: Json, keys: Collection[str]) -> tuple[list[Json], list[Json]]:
    """Check heads, range and chain. The events shown within the range, and all of the progressive's own."""
    before, after, stream = certificate["heads"]["before"], certificate["heads"]["after"], certificate["progressive"]
    for head in (before, after) if before else (after,):
        body = {name: value for name, value in head.items() if name != "signature"}
        signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
        is_ours = head["type"] == "pitledger.head.v1" and head["property"] == certificate["property"]
        must(is_ours, "a head is another property's, or none")
        must(is_signed(head["key"], head["signature"], signed), f"head {head['number']} is not signed by its key")
        must(not keys or head["key"] in keys, f"head {head['number']} is signed by {head['key']}, not the house's key")
    must(not before or before["key"] == after["key"] or keys, "the heads are signed by two keys, and none is known")
    shown_events = {item["position"]: item["event"] for item in certificate["events"]}
    must(len(shown_events) == len(certificate["events"]), "a position is shown twice")
    listed: list[Json] = []
    hashes, last = [], before["position"] if before else 0
    for position, kind, digest in certificate["range"]["leaves"]:
        must(position > last, f"position {position} does not come after {last}")
        last, text = position, shown_events.pop(position, None)
        must(text is not None or kind not in TELLING, f"position {position}, {kind}, is not shown")
        if text is not None:
            event = read(position, text)
            must(event["type"] == kind, f"position {position} is listed as {kind} and says {event['type']}")
            listed.append(event)
            digest = event["digest"]
        leaf = position.to_bytes(8, "big") + len(kind.encode()).to_bytes(2, "big") + kind.encode()
        hashes.append(hashlib.sha256(b"\0" + leaf + bytes.fromhex(digest)).digest())
    ends = (before["size"] if before else 0) + len(hashes), last
    must(ends == (after["size"], after["position"]), "the list does not end where the head does")
    check_tree(certificate, hashes)
    own = [read(0, text) for _, text in sorted(shown_events.items())]
    own += [event for event in listed if event["subject"] == stream]
    must(own and own[-1]["position"], "no event of the progressive lies in the range: nothing vouches for its stream")
    end = hashlib.sha256(stream.encode()).hexdigest()
    for number, event in enumerate(own, 1):
        identity = event["id"], event["subject"], event["prev"]
        must(identity == (f"{stream}@{number}", stream, end), f"{stream}@{number} is missing: {identity} stands there")
        end = event["digest"]
    return listed, own


# --- the sum ---------------------------------------------------------------------------------------------------------


def data_of(events: list[Json], kind: str, of: Json | None = None) -> list[Json]:
    """The data of the events of a type; only of those in the same round as `of`, where there is one."""
    records, names = [event["data"] for event in events if event["type"] == kind], ("table", "gaming_day", "round")
    return [data for data in records if of is None or all(data[name] == of[name] for name in names)]


def hits_of(lock: Json) -> list[str]:
    """The winners that a lock names."""
    return [share["hit"] for share in lock["shares"]]


def find_lock(own: list[Json], hit: str) -> tuple[Json, list[Json], set[str]]:
    """The lock that gave the hit its share, the level's locks before it, and what hits were void then.

    Then: at the first payment of its group, which fixed the share; now, where nothing of it is paid.
    """
    holding = [lock for lock in data_of(own, LOCKED) if hit in hits_of(lock)]
    must(holding, f"no lock names the hit {hit}")
    group, level = holding[-1]["group"], holding[-1]["level"]
    hits = {name for lock in holding if lock["group"] == group for name in hits_of(lock)}
    paid = (number for number, event in enumerate(own) if event["type"] == PAID and event["data"]["hit"] in hits)
    then = own[: next(paid, len(own))]
    last = {event["data"]["group"]: event for event in then if event["type"] in (LOCKED, WITHDRAWN)}
    locks = {data["group"]: data for data in data_of([*last.values()], LOCKED) if data["level"] == level}
    must(group in locks and hit in hits_of(locks[group]), f"the hit {hit} has no share")
    earlier = [lock for lock in locks.values() if lock["as_of"] < locks[group]["as_of"]]
    return locks[group], earlier, {data["hit"] for data in data_of(then, VOIDED)}


def walk(opened: Json, listed: list[Json], own: list[Json], lock: Json) -> tuple[Json, list[Json], Json]:
    """The level's parameters at the lock, everything that moved its meter till then, and the hit at its position."""
    stream, name, stakes = opened["subject"], opened["data"]["progressive"], set(opened["data"]["stakes_minor"])
    level: Json = {"cap_minor": None, "version": 1}
    level |= next(level for level in opened["data"]["levels"] if level["level"] == lock["level"])
    lines: list[Json] = []
    for event in [event for event in own if not event["position"]] + listed:
        data = event["data"]
        is_levels = event["subject"] == stream and data.get("level") == lock["level"]
        if event["position"] == lock["as_of"]:
            is_hit = event["type"] in (DECLARED, LATE) and (data["level"], data["progressive"]) == (lock["level"], name)
            must(is_hit, "the lock stands at no hit of this level")
            return level, lines, event
        if event["type"] == ARMED and data["progressive"] == name:
            laid, boxes = [bet["stake_minor"] for bet in data["bets"]], {bet["box"] for bet in data["bets"]}
            if laid and len(boxes) == len(laid) and set(laid) <= stakes:
                what = f"{data['table']} {data['gaming_day']} round {data['round']}: {sum(laid)} x "
                what, micro = f"{what}{level['feed_millionths']} millionths", sum(laid) * level["feed_millionths"]
                lines.append({"position": event["position"], "what": what, "micro": micro})
        elif event["type"] == PARAMETERS and is_levels:
            changed = {"feed_millionths", "seed_minor", "cap_minor"} & data.keys()
            level |= {key: data[key] for key in changed} | {"version": level["version"] + 1}
        elif event["type"] == ADJUSTED and is_levels:
            what, micro = f"adjustment: {data['reason']}", data["amount_minor"] * MICRO
            lines.append({"position": event["position"], "what": what, "micro": micro})
    raise CertificateError("no event stands at the lock's position")


def check_meter(
    certificate: Json, opened: Json, lock: Json, earlier: list[Json], level: Json, lines: list[Json]
) -> Json:
    """The meter by the cycle, and by the whole life."""
    before = certificate["heads"]["before"] or {"position": 0, "fed": {}}
    previous = max(earlier, key=lambda earlier_lock: earlier_lock["as_of"], default=None)
    since, opening = opened["position"], level["meter_micro"]
    if previous:
        since, left = previous["as_of"], previous["meter_micro"] - previous["amount_minor"] * MICRO
        opening = left + previous["seed_minor"] * MICRO
    must(since > before["position"], "the range begins after the previous lock, or the opening")
    cycle = [line for line in lines if line["position"] > since]
    meter = opening + sum(line["micro"] for line in cycle)
    must(meter == lock["meter_micro"], f"the contributions make {meter} micro, the lock says {lock['meter_micro']}")
    fed = before["fed"].get(certificate["progressive"], {}).get(lock["level"], 0) + sum(line["micro"] for line in lines)
    life = (
        level["meter_micro"]
        + fed
        + sum(earlier_lock["seed_minor"] - earlier_lock["amount_minor"] for earlier_lock in earlier) * MICRO
    )
    must(life == meter, f"start, seeds, fed, locks and adjustments make {life} micro, the cycle {meter}")
    return {"opening_is": "previous lock" if previous else "start", "opening_micro": opening, "lines": cycle}


def check_shares(terms: Json, listed: list[Json], void: set[str], level: Json, lock: Json, first: Json) -> int:
    """Check the group by the declared hits, and each share by the policy."""
    must(not data_of(listed, ROUND_VOIDED, first["data"]), "the round was declared void")
    is_alone = first["type"] == LATE or terms["policy"] == "sequential"
    group = [first["data"]] if is_alone else data_of(listed, DECLARED, first["data"])
    ours = [
        candidate
        for candidate in group
        if (candidate["progressive"], candidate["level"]) == (terms["progressive"], lock["level"])
    ]
    hits = [our_lock["hit"] for our_lock in ours if our_lock["hit"] not in void]
    must(hits == hits_of(lock), f"the winners are {', '.join(hits)}, the lock names {', '.join(hits_of(lock))}")
    stated = [lock.get(key) for key in ("seed_minor", "cap_minor", "parameters_version", "policy", "policy_version")]
    rules = [level["seed_minor"], level["cap_minor"], level["version"], terms["policy"], terms["policy_version"]]
    must(stated == rules, f"seed, cap, parameters and policy in force are {rules}, the lock says {stated}")
    must(lock["policy"] in ("split", "full-each", "sequential"), f"there is no policy {lock['policy']}")
    is_full, whole = lock["policy"] == "full-each", max(lock["meter_micro"], 0) // MICRO
    share: int = min(whole, whole if level["cap_minor"] is None else level["cap_minor"]) // (
        1 if is_full else len(hits)
    )
    amount = share if is_full else share * len(hits)
    parts = [lock["amount_minor"], lock["house_minor"], *(share["share_minor"] for share in lock["shares"])]
    due = [amount, share * len(hits) - amount, *(share for _ in hits)]
    must(parts == due, f"meter, house and the shares give {due}, the lock says {parts}")
    return share


def check_paid(terms: Json, listed: list[Json], own: list[Json], lock: Json, hit: str, share: int) -> list[Json]:
    """Check the decisions on the hit: the payment is the share with the necessary approvals, and envy is as due."""
    payment_events = [event for event in own if event["data"].get("hit") == hit and event["type"] in DONE]
    must(not data_of(payment_events, VOIDED), f"the hit {hit} was declared void")
    agreed = [data for data in data_of(payment_events, AUTHORISED) if data["amount_minor"] == share]
    for data in agreed:  # a lead of the pit who is not the dealer; over the limit another person from surveillance
        leads = {who for who, role in data["approvals"] if role in ("inspector", "pit boss")} - {data.get("dealer")}
        watch = {who for who, role in data["approvals"] if role == "surveillance"} - {data.get("dealer")}
        is_over = share * len(lock["shares"]) > terms["surveillance_over_minor"]
        must(leads and (not is_over or (watch and len(leads | watch) > 1)), "it was not authorised by those who must")
    paid = [data["amount_minor"] for data in data_of(payment_events, PAID)]
    must(not paid or (agreed and paid == [share]), f"{paid} was paid, of a share of {share} agreed {len(agreed)} times")
    won = next(share for share in lock["shares"] if share["hit"] == hit)
    armed = [event for event in data_of(listed, ARMED, won) if event["progressive"] == terms["progressive"]]
    must(len(armed) == 1, "the winning round's stakes are not shown")
    bets, amounts = armed[0]["bets"], terms["envy_minor"].get(lock["level"], (0, 0))
    highest = {bet["player"]: bet["stake_minor"] for bet in sorted(bets, key=lambda bet: int(bet["stake_minor"]))}
    due = {player: amounts[terms["stakes_minor"].index(stake)] for player, stake in highest.items()} if paid else {}
    due = {who: sum_ for who, sum_ in due.items() if sum_ and (terms["envy_to_winner"] or who != won["player"])}
    envy = sorted((data["player"], data["amount_minor"]) for data in data_of(payment_events, ENVY))
    must(envy == sorted(due.items()), f"envy of {due} is due, {envy} was paid")
    return payment_events


def verify(certificate: Json, keys: Collection[str] = ()) -> Json:
    """Everything that the certificate proves, as plain data. Raises CertificateError with the reason."""
    try:
        must(certificate["type"] == "pitledger.certificate.v1", "this is no certificate")
        listed, own = open_log(certificate, set(keys))
        (opened,) = (event for event in own if event["type"] == OPENED)
        hit, terms, head = certificate["hit"], opened["data"], certificate["heads"]["after"]
        lock, earlier, void = find_lock(own, hit)
        level, lines, first = walk(opened, listed, own, lock)
        report = check_meter(certificate, opened, lock, earlier, level, lines)
        share = check_shares(terms, listed, void, level, lock, first)
        payment_events = check_paid(terms, listed, own, lock, hit, share)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, StopIteration) as error:
        raise CertificateError(f"the certificate is not well formed: {error!r}") from error
    envy = {data["player"]: data["amount_minor"] for data in data_of(payment_events, ENVY)}
    report |= {"hit": hit, "progressive": terms["progressive"], "currency": terms["currency"], "lock": lock}
    report |= {
        "share_minor": share,
        "paid": bool(data_of(payment_events, PAID)),
        "envy_minor": envy,
        "done": payment_events,
        "head": head,
    }
    return report


# --- showing it ------------------------------------------------------------------------------------------------------


# ISO 4217: how many digits a currency's minor unit stands for, where it is not 2.
WHOLE = (
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
)  # fmt: skip
DIGITS = dict.fromkeys(WHOLE, 0) | dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3)


def money(micro: int, currency: str) -> str:
    """Millionths of a minor unit as money, exact."""
    digits = DIGITS.get(currency, 2)
    whole, rest = divmod(abs(micro), 10**digits * MICRO)
    fraction = f"{rest:0{digits + 6}d}".rstrip("0").ljust(digits, "0")
    return f"{'-' if micro < 0 else ''}{whole:,}{'.' if fraction else ''}{fraction}"


def show(report: Json) -> str:
    """Return the calculation in the form of a check by hand, with the people of each decision."""
    lock, head = report["lock"], report["head"]
    rows = [(report["opening_micro"], f"after the {report['opening_is']}")]
    rows += [(line["micro"], f"{line['what']} (position {line['position']})") for line in report["lines"]]
    rows += [
        (lock["meter_micro"], f"{lock['level']} of {report['progressive']}, {head['property']}, at {report['hit']}")
    ]
    rows += [(lock["amount_minor"] * MICRO, f"given by the meter, in {report['currency']}")]
    rows += [(lock["house_minor"] * MICRO, "given by the house")]
    rows += [(report["share_minor"] * MICRO, f"to each of {len(lock['shares'])}, by policy {lock['policy']}")]
    rows += [(lock["meter_micro"] - lock["amount_minor"] * MICRO, "cannot be shared: it stays on top of the seed")]
    rows += [(lock["seed_minor"] * MICRO, "the seed")]
    rows += [(amount * MICRO, f"envy to {player}") for player, amount in sorted(report["envy_minor"].items())]
    printed = [f"{money(micro, report['currency']):>24}  {text}" for micro, text in rows]
    for event in report["done"]:
        agreed = "".join(f", agreed by {person} ({role})" for person, role in event["data"].get("approvals", []))
        printed.append(f"{event['type']} at {event['time']} by {event['actor']}{agreed}")
    return "\n".join([*printed, f"by head {head['number']} of {head['time']}, signed by {head['key']}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's published public key")
    parser.add_argument("--head", type=Path, metavar="FILE", help="heads from elsewhere, one a line, to compare")
    parser.add_argument("--json", action="store_true", help="show everything as JSON")
    options = parser.parse_args(arguments)
    try:
        certificate = json.loads(options.certificate.read_text("utf-8"), object_pairs_hook=unique)
        heads = [json.loads(head) for head in options.head.read_text("utf-8").splitlines()] if options.head else None
        report = verify(certificate, options.key)
        must(heads is None or certificate["heads"]["after"] in heads, "the head is not among those from elsewhere")
    except CertificateError as why:
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
