#!/usr/bin/env python3
"""Verify the proof of a gaming day, without the system that made it: Python's standard library alone.

    verify_day.py FILE [--key HEX] [--head FILE] [--json]

FILE is what `./manage.py report DAY --export FILE` writes: the figures of the day, two signed heads, and between them
every event of the house in its order, by position, type and SHA-256, those of the day with their own bytes. It proves:
1. Both heads are signed (Ed25519) by the key that they name. Compare it with the key that the house has published
   (--key), or the later head with those on the topic pitledger.heads (--head).
2. The events listed are those that the later head speaks of, none left out, none changed, none moved; those in front of
   them are the earlier head's (RFC 9162, 2.1), which was signed before anything of the day could be recorded.
3. Every event that can move a figure of the day is shown with its own bytes; each stream of the day from its first
   event on, each naming the SHA-256 of the one before. Once the tables of the day are closed, what may not follow a
   close stays closed: bets of other days, by their types.
4. Both wins of every table by shift with all that they are made of, slips, discrepancies, and the tables' own accounts
   (tray, income, winnings owed) are what these events make; and what the cage should have held, from its last closing
   on. Where all chips are (issued, at tables, on their way, with players) a file tells that begins with the house's
   first event (--export FILE --whole).
5. Where the day is closed, the whole report is the one whose SHA-256 the closing, or the last restatement, names: so
   its other figures (progressives, other accounts) are those it was closed with. An open day's file has none.

What it does not prove: that a slip issued before the earlier head was not open still, and that what people recorded was
true. Amounts are whole minor units (cents). Exit: 0 equal, 1 not, with the first event or figure; 2 cannot be read.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Point = tuple[int, int, int, int]
LAYOUT = 2  # of an open day's report; a closed one keeps its own
MARK = 64  # so many events lie between two roots of the tree in the making: they say where a change is
CLOSED, AMENDED, OPENED = "day.closed.v1", "day.amended.v1", "session.opened.v1"
ENDS = ("session.closed.v1", "session.rolled.v1")
COUNTS = ("shift.counted.v1", "table.counted.v1", *ENDS)
STAKES = ("bet.placed.v1", "bet.restaked.v1", "bet.corrected.v1", "layout.carried.v1", "hand.doubled.v1",
          "hand.split.v1", "insurance.taken.v1")  # fmt: skip
PAID = {"jackpot.paid.v1": "jackpot", "envy.paid.v1": "envy", "house.paid.v1": "house",
        "variance.closed.v1": "variance"}  # fmt: skip
# Which types must be shown: until the report's last position, wherever they stand,
ALWAYS = {OPENED, "slip.issued.v1", "slip.voided.v1", "fill.received.v1", "credit.received.v1", "count.settled.v1",
          "discrepancy.found.v1", "discrepancy.explained.v1", "cage.opened.v1", "cage.counted.v1", "cage.closed.v1",
          "house.voided.v1", *PAID}  # fmt: skip
# from the first opening of the day on, or the close of the day before: at a table they may follow a close,
LATE = {"session.voided.v1", "credit.sent.v1", "credit.returned.v1", "buyin.made.v1",
        "drop.put.v1", "drop.removed.v1", "drop.counted.v1", "bet.settled.v1", "settlement.voided.v1",
        "settlement.corrected.v1", "bet.corrected.v1", "payment.made.v1", "round.ended.v1",
        "round.voided.v1"}  # fmt: skip
# and while a table of the day is open: these follow no close.
PLAY = {*COUNTS, *STAKES, "bet.withdrawn.v1", "round.opened.v1"} - LATE
OF_INCOME = ("bet.settled.v1", "settlement.voided.v1", "settlement.corrected.v1", "bet.corrected.v1")
TENDERS = ("cash", "marker", "promotional")
FORMS = {"pitledger.day.v1": set[str](), "pitledger.day.v2": {
    "cage.cashed_out.v1", "cage.cashed_in.v1", "marker.redeemed.v1", "chips.issued.v1", "fund.deposited.v1",
    "credit.sent.v1", "credit.returned.v1", "session.voided.v1", *ENDS,
}}  # by form of the file, what is always shown beside  # fmt: skip


class Wrong(Exception):
    """The file does not prove what it claims; the message names the first event or figure."""


def must(condition: object, message: str) -> None:
    """Raise Wrong unless it is so."""
    if not condition:
        raise Wrong(message)


def is_hash(text: Any) -> bool:
    """Whether this is a SHA-256 in hex, as it is written."""
    return isinstance(text, str) and len(text) == 64 and not text.strip("0123456789abcdef")


def written(said: Any) -> bytes:
    """JSON as RFC 8785 writes it: there is no floating point here."""
    return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


# --- Ed25519 verification: RFC 8032, 5.1. A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z -------------------

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(one: Point, two: Point) -> Point:
    """5.1.4."""
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number: int, point: Point) -> Point:
    """A point, so many times."""
    even = multiply(number // 2, add(point, point)) if number else (0, 1, 1, 0)
    return add(even, point) if number & 1 else even


def decode_point(raw: bytes) -> Point:
    """5.1.3. Raises ValueError for what is no point."""
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
        public, made = bytes.fromhex(key), bytes.fromhex(signature)
        point, nonce, scalar = decode_point(public), decode_point(made[:32]), int.from_bytes(made[32:], "little")
    except (ValueError, IndexError):
        return False
    base = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    challenge = int.from_bytes(hashlib.sha512(made[:32] + public + body).digest(), "little") % ORDER
    one, two = multiply(scalar % ORDER, base), add(nonce, multiply(challenge, point))
    is_same = all((one[axis] * two[2] - two[axis] * one[2]) % P == 0 for axis in (0, 1))
    return len(made) == 64 and scalar < ORDER and is_same


# --- the log: its heads, its tree (RFC 9162, 2.1), and the chains of the day's streams -------------------------------


class Tree:
    """A growing tree: the roots of its complete subtrees, from left to right."""

    def __init__(self, size: int, hashes: Iterable[str]) -> None:
        front = [*hashes]
        is_whole = len(front) == size.bit_count() and all(map(is_hash, front))
        must(is_whole, "the tree before the range (front) is not whole")
        self.size, self.hashes = size, [bytes.fromhex(one) for one in front]

    def add(self, leaf: bytes) -> None:
        """One more leaf, by its hash."""
        behind = self.size
        while behind & 1:
            leaf, behind = hashlib.sha256(b"\1" + self.hashes.pop() + leaf).digest(), behind >> 1
        self.hashes.append(leaf)
        self.size += 1

    def root(self) -> str:
        """Of all of it, in hex."""
        found = self.hashes[-1] if self.hashes else hashlib.sha256(b"").digest()
        for left in reversed(self.hashes[:-1]):
            found = hashlib.sha256(b"\1" + left + found).digest()
        return found.hex()


def check_heads(header: Json, keys: Collection[str]) -> Tree:
    """Both heads are the house's and signed; the tree as it was at the earlier one."""
    must(set(header["heads"]) == {"before", "after"}, "there are two heads: before, after")
    before, after = header["heads"]["before"], header["heads"]["after"]
    for head in (before, after) if before is not None else (after,):
        signed = json.dumps({k: v for k, v in head.items() if k != "signature"}, sort_keys=True, separators=(",", ":"))
        name, is_ours = f"head {head['number']}", (head["type"], head["property"]) == (
            "pitledger.head.v1", header["property"])  # fmt: skip
        must(is_ours, f"{name} is another property's, or none")
        is_plain = head["signature"] == head["signature"].lower()
        is_valid = is_plain and is_signed(head["key"], head["signature"], signed.encode("ascii"))
        must(is_valid, f"{name} is not signed by its key")
        must(not keys or head["key"] in keys, f"{name} is signed by {head['key']}, not the house's key")
    must(before is None or before["key"] == after["key"] or keys, "the heads are signed by two keys, and none is known")
    begin = (date.fromisoformat(header["day"]) - timedelta(days=2)).isoformat() + "T10:00"
    must(before is None or before["time"] < begin, f"the earlier head may lie behind the day's beginning: {begin}")
    tree = Tree(before["size"] if before else 0, header["front"])
    must(before is None or tree.root() == before["root"], "the tree before the range (front) is not the earlier head's")
    return tree


class Log:
    """Reads the lines behind the first, and gives the events that are shown once the tree vouches for them."""

    def __init__(self, lines: Iterator[bytes], header: Json, tree: Tree) -> None:
        self.lines, self.header, self.tree = lines, header, tree
        self.last = header["heads"]["before"]["position"] if header["heads"]["before"] else 0
        self.always = ALWAYS | FORMS[header["type"]]
        self.ends: dict[str, tuple[int, str]] = {}  # of the day's streams: version and digest of the last event
        self.has_opened, self.open, self.listed, self.shown = False, set[str](), 0, 0
        self.eve = (date.fromisoformat(header["day"]) - timedelta(days=1)).isoformat()

    def events(self) -> Iterator[tuple[int, Json]]:
        """Position and event, in order."""
        waiting: list[tuple[int, Json]] = []
        since, after = self.last, self.header["heads"]["after"]
        while self.tree.size < after["size"]:
            waiting += self._event(self._line())
            if self.tree.size % MARK == 0 or self.tree.size == after["size"]:
                where = f"an event behind position {since}, up to {self.last}, is not what was signed, or left out"
                must(self._line() == self.tree.root(), where)
                yield from waiting
                waiting, since = [], self.last
        must(self.last == after["position"], f"the list ends at {self.last}, the later head at {after['position']}")
        must(self.tree.root() == after["root"], f"an event up to {self.last} is not what the later head speaks of")
        must(next(self.lines, None) is None, f"something stands behind the last event, {self.last}")

    def _line(self) -> Any:
        raw = next(self.lines, None)
        must(raw is not None, f"the file ends at position {self.last}: what stood behind is missing")
        return read_line(raw or b"", f"the line behind position {self.last}")

    def _event(self, line: Any) -> list[tuple[int, Json]]:
        is_one = isinstance(line, list) and len(line) in (3, 4) and type(line[0]) is int
        must(is_one and isinstance(line[1], str), f"behind position {self.last} no event stands")
        position, kind, digest, *text = line
        must(is_hash(digest), f"position {position}, {kind}: no digest")
        must(position > self.last, f"position {position}, {kind}, does not come after {self.last}")
        self.last, self.listed = position, self.listed + 1
        leaf = position.to_bytes(8, "big") + len(kind.encode()).to_bytes(2, "big") + kind.encode()
        self.tree.add(hashlib.sha256(b"\0" + leaf + bytes.fromhex(digest)).digest())
        if not text:
            must(not self._tells(position, kind), f"position {position}, {kind}, is not shown")
            return []
        must(hashlib.sha256(text[0].encode()).hexdigest() == digest, f"position {position}, {kind}: other bytes")
        event: Json = json.loads(text[0])
        must(event["type"] == kind, f"position {position} is listed as {kind} and says {event['type']}")
        self._chain(position, event, digest)
        self._note(event)
        self.shown += 1
        return [(position, event)]

    def _tells(self, position: int, kind: str) -> bool:
        """Whether an event of this type can move a figure of the day, where it stands."""
        if kind in (CLOSED, AMENDED):
            return True
        if position > self.header["until"]:
            return False
        return kind in self.always or (kind in LATE and self.has_opened) or (kind in PLAY and bool(self.open))

    def _chain(self, position: int, event: Json, digest: str) -> None:
        stream, day = event["subject"], event["subject"].rpartition("/")[2]
        if day != self.header["day"] or stream.split("/")[1] not in ("tables", "cage", "days"):
            return
        version, end = self.ends.get(stream, (0, hashlib.sha256(stream.encode()).hexdigest()))
        expected = f"{stream}@{version + 1}"
        must(event["id"] == expected, f"{expected} is missing: {event['id']} stands there, at position {position}")
        is_next = event["prev"] == end or (not version and event["data"].get("follows"))  # one that was rolled goes on
        must(is_next, f"{stream}@{version} is not what {event['id']} at position {position} goes on from")
        self.ends[stream] = version + 1, digest

    def _note(self, event: Json) -> None:
        kind, day = event["type"], self.header["day"]
        if kind == CLOSED and event["data"]["gaming_day"] == self.eve:
            self.has_opened = True  # what comes to the eve from now on is posted on this day
        if event["subject"].rpartition("/")[2] == day and kind == OPENED:
            self.has_opened = True
            self.open.add(event["subject"])
        elif kind in (*ENDS, "session.voided.v1"):
            self.open.discard(event["subject"])


def read_line(raw: bytes, name: str) -> Any:
    """A line as it was written, and no other way."""
    try:
        said = json.loads(raw)
        is_same = raw == written(said) + b"\n"
    except (ValueError, RecursionError):
        is_same = False
    must(is_same, f"{name} is not written as it was")
    return said


# --- a table's day by shift -------------------------------------------------------------------------------------------


def worth(pieces: dict[str, int] | None) -> int:
    """Of chips or notes, by denomination."""
    return sum(int(value) * count for value, count in (pieces or {}).items())


def content(found: Json) -> Json:
    """Of a box, as it was counted."""
    amounts = {name: found.get(f"{name}_minor", 0) for name in ("marker", "promotional")}
    return {"cash": worth(found.get("cash")), **amounts, "chips": worth(found.get("chips"))}


def nothing() -> Json:
    """Of an empty box."""
    return dict.fromkeys((*TENDERS, "chips"), 0)


def settled(data: Json, sign: int = 1) -> Json:
    """What a settlement moves, or takes back; `owed` to the players of the round that runs."""
    profit, vouchers = data["profit_minor"], data.get("promotional_minor", 0)
    moved = {"lost": max(0, -profit) - vouchers, "due": max(0, profit), "owed": max(0, profit), "vouchers": vouchers}
    moved |= {"lying": data.get("remaining_minor", 0) - data["amount_minor"]}
    return {name: sign * amount for name, amount in (moved | {"commission": data.get("commission_minor", 0)}).items()}


def staked(data: Json, sign: int = 1) -> Json:
    """What a stake moves, or its withdrawal."""
    return {"lying": sign * data.get("amount_minor", 0), "commission": sign * data.get("commission_minor", 0)}


# What the events of a table move, of what its shift sums up, and of `lying` and `owed`.
AT_TABLE: dict[str, Callable[[Json], Json]] = {
    **dict.fromkeys(STAKES, staked),
    "bet.withdrawn.v1": lambda said: staked(said, -1),
    "bet.settled.v1": settled,
    "settlement.voided.v1": lambda said: settled(said, -1),
    "settlement.corrected.v1": lambda said: {
        "lost": said.get("lost_minor", 0), "due": said.get("due_minor", 0),
        "vouchers": said.get("promotional_minor", 0), "commission": said.get("commission_minor", 0)},
    "payment.made.v1": lambda said: {
        "paid": said["amount_minor"], "owed": -said["amount_minor"] if said.get("won_in") is None else 0},
    "fill.received.v1": lambda said: {"fills": said["amount_minor"]},
    "credit.sent.v1": lambda said: {"credits": said["amount_minor"]},
    "credit.returned.v1": lambda said: {"credits": -said["amount_minor"]},
}  # fmt: skip


class Shift:
    """What moved in a shift; `boxes` were put in it, `loose` was bought in over none of them."""

    def __init__(self, name: str, begin: int) -> None:
        self.name, self.begin, self.undecided = name, begin, 0
        self.end: int | None = None
        self.boxes: list[Json] = []
        self.buyins, self.loose, self.moved = nothing(), nothing(), Counter[str]()

    @property
    def expected(self) -> int:
        """What the tray must hold."""
        one, bought = self.moved, sum(self.buyins.values())
        moved = one["fills"] - one["credits"] - bought + one["lost"] - one["paid"] + one["commission"]
        return int(self.begin + moved)

    def figures(self, *, recorded: bool, has_boxes: bool, lying: int) -> Json:
        """As the report has them."""
        found = self.end is not None and bool(self.boxes or has_boxes) and all(box["found"] for box in self.boxes)
        parts = [box["found"] or box["recorded"] for box in self.boxes] + ([] if found else [self.loose])
        drop = {name: sum(part[name] for part in parts) for name in nothing()}
        net, end, moved = drop["cash"] + drop["marker"] + drop["chips"], self.end, self.moved
        win = None if end is None else net + end + moved["credits"] - self.begin - moved["fills"]
        by_events = moved["lost"] - moved["due"] + moved["commission"]
        said: Json = {"mispay": moved["due"] - moved["paid"], "promotional": -self.buyins["promotional"]}
        said |= {"drop": net - self.buyins["cash"] - self.buyins["marker"] if found else None}
        said |= {"inventory": None if end is None else end - self.expected}
        said |= {} if recorded else {"mispay": None, "inventory": None}
        is_known = None not in said.values()
        said["rest"] = None if win is None or not is_known else win - by_events - sum(said.values())
        bets: Json = {name: moved[name] for name in ("lost", "due", "paid", "commission")}
        bets |= {"promotional_stakes": moved["vouchers"], "undecided": lying if end is None else self.undecided}
        bets |= {"event_win": by_events, "expected": self.expected}
        bets = bets if recorded else dict.fromkeys(bets)
        amounts = {"begin": self.begin, "end": end, "fills": moved["fills"], "credits": moved["credits"]}
        bought = {name: self.buyins[name] for name in TENDERS}
        sums = {"drop": minor(drop) | {"counted": found}, "buyins": minor(bought), "parts": minor(said)}
        return {"shift": self.name, **minor(amounts | {"inventory_win": win} | bets), **sums}


class Table:
    """A table's gaming day. `owed` is due and unpaid of the round that runs, `tray` and `income` its accounts."""

    def __init__(self, data: Json) -> None:
        self.about = {name: data[name] for name in ("table", "game", "pit")}
        self.recorded, self.currency = data.get("recorded", True), data["currency"]
        self.shifts = [Shift(data["shift"], data["amount_minor"])]
        self.has_boxes: bool = data.get("has_boxes", False)
        self.box: str | None = None
        self.lying = self.income = self.owed = 0
        self.tray, self.is_running, self.is_closed = data["amount_minor"], False, False

    def take(self, kind: str, data: Json) -> None:
        """The next event of the table."""
        if kind in COUNTS:
            self._count(kind, data)
        elif kind in ("round.opened.v1", "round.ended.v1", "round.voided.v1"):
            self.is_running = kind == "round.opened.v1"
            self.owed = self.owed if self.is_running else 0
        elif kind in AT_TABLE or kind == "buyin.made.v1":
            last, before = self.shifts[-1], self.shifts[-1].expected
            if kind == "buyin.made.v1":
                under = next((box["recorded"] for box in last.boxes if box["name"] == self.box), last.loose)
                for bought in (last.buyins, under):
                    bought[data["tender"]] += data["amount_minor"]
            else:
                self._move(AT_TABLE[kind](data))
            self._post(last.expected - before)
        elif kind.startswith("drop."):
            self._of_box(kind, data)

    def _move(self, by: Json) -> None:
        self.shifts[-1].moved.update(by)
        self.lying += by.get("lying", 0)
        self.owed += by.get("owed", 0) if self.is_running else 0
        self.income += by.get("due", 0) - by.get("lost", 0) - by.get("commission", 0)

    def _post(self, moved: int) -> None:
        """A tray that was closed holds what was counted; at a table that is counted only the difference is income."""
        if not self.is_closed:
            self.tray += moved
        elif not self.recorded:
            self.income += moved

    def _count(self, kind: str, data: Json) -> None:
        found, last = data["amount_minor"], self.shifts[-1]
        self.income += 0 if self.recorded else self.tray - found
        self.tray = found
        if kind != "table.counted.v1":
            last.end, last.undecided = found, self.lying
            self.is_closed = self.is_closed or kind in ENDS
        if kind == "shift.counted.v1":
            self.shifts.append(Shift(data["next_shift"], found))

    def _of_box(self, kind: str, data: Json) -> None:
        name, last = data["drop_box"], self.shifts[-1]
        if kind == "drop.put.v1":
            last.boxes.append({"name": name, "recorded": last.loose, "found": None})
            last.loose, self.box, self.has_boxes = nothing(), name, True
        elif kind == "drop.removed.v1":
            for box in self._boxes(self.box) if self.box is not None else ():
                box["name"] = name
            self.box = None
        elif kind == "drop.counted.v1":  # it told vouchers apart and nothing else: markers are taken as recorded
            vouchers = data.get("promotional_minor", 0)
            net = data["amount_minor"] - vouchers
            marker = min(sum(shift.buyins["marker"] for shift in self.shifts), net)
            self.count_box(name, {"cash": net - marker, "marker": marker, "promotional": vouchers, "chips": 0})

    def _boxes(self, name: str | None) -> list[Json]:
        return [box for shift in self.shifts for box in shift.boxes if box["name"] == name]

    def count_box(self, name: str, found: Json) -> None:
        """The last count of a box stands. One box that all shifts went into: a difference is the last one's."""
        if not self.has_boxes:
            for shift in self.shifts:
                is_last = shift is self.shifts[-1]
                shift.boxes = [{"name": name, "recorded": shift.buyins, "found": found if is_last else shift.buyins}]
                shift.loose = nothing()
                found = {one: amount - shift.buyins[one] for one, amount in found.items()}
        elif boxes := self._boxes(name):
            for box in boxes:
                box["found"] = found
        else:
            self.shifts[-1].boxes.append({"name": name, "recorded": nothing(), "found": found})

    def figures(self) -> Json:
        """As the report has them."""
        how = {"recorded": self.recorded, "has_boxes": self.has_boxes, "lying": self.lying}
        shifts = [shift.figures(**how) for shift in self.shifts]
        return {**self.about, "recorded": self.recorded, "shifts": shifts, "day": together(shifts)}

    def accounts(self) -> dict[str, int]:
        """The table's own: what the tray holds, what was won, what is owed to players; debits count up."""
        table = self.about["table"]
        return {f"Assets:Chips:Tables:{table}": self.tray, f"Income:Tables:{table}": self.income,
                f"Liabilities:Winnings:{table}": -self.owed}  # fmt: skip


def minor(amounts: Json) -> Json:
    """By the names that the report has for them."""
    return {f"{name}_minor": amount for name, amount in amounts.items()}


def together(shifts: list[Json]) -> Json:
    """A table's day: from the first shift's beginning to the last one's end, and the sums; null is in no sum."""

    def total(values: list[Any]) -> Any:
        if isinstance(values[0], dict):
            return {name: total([value[name] for value in values]) for name in values[0]}
        return all(values) if isinstance(values[0], bool) else None if None in values else sum(values)

    day: Json = {name: total([shift[name] for shift in shifts]) for name in shifts[0] if name != "shift"}
    last = {name: shifts[-1][name] for name in ("end_minor", "undecided_minor")}
    moved = total([None if s["expected_minor"] is None else s["expected_minor"] - s["begin_minor"] for s in shifts])
    begin = shifts[0]["begin_minor"]
    return {**day, **last, "begin_minor": begin, "expected_minor": None if moved is None else begin + moved}


# --- the cage ---------------------------------------------------------------------------------------------------------

HELD = ("chips", "cash", "marker")
MOVES: dict[str, Callable[[Json], Json]] = {
    "chips.issued.v1": lambda said: {"chips": worth(said["chips"]) * (1 if said["way"] == "brought in" else -1)},
    "cage.cashed_out.v1": lambda said: {"chips": worth(said["chips"]), "cash": -said["amount_minor"]},
    "cage.cashed_in.v1": lambda said: {"chips": -worth(said["chips"]), "cash": said["amount_minor"]},
    "slip.issued.v1": lambda said: {"chips": -worth(said["chips"])} if said["kind"] == "fill" else {},
    "slip.voided.v1": lambda said: {"chips": said["amount_minor"]} if said["kind"] == "fill" else {},
    "credit.received.v1": lambda said: {"chips": worth(said["chips"])},
    "variance.closed.v1": lambda said: {"cash": -said["amount_minor"]} if said["way"] == "paid" else {},
    "fund.deposited.v1": lambda said: {"cash": -said["amount_minor"]},
    "marker.redeemed.v1": lambda said: (
        {"marker": -said["amount_minor"]}
        | ({"cash": said["amount_minor"]} if said.get("chips") is None else {"chips": worth(said["chips"])})
    ),
    "count.settled.v1": lambda said: {
        one: content(said["found"])[one] - content(said.get("before") or {})[one] for one in HELD
    },
}


class Cage:
    """What lies there by tender: `now` from the last count on, `moved` by movements alone since it was closed last.

    None is what a file cannot say that does not begin with the house (`is_whole`): it says so from a closing on.
    """

    def __init__(self, *, is_whole: bool) -> None:
        self.is_whole, self.has_books = is_whole, not is_whole  # before its first opening nothing is known to move
        self.now: Json = dict.fromkeys(HELD, 0 if is_whole else None)
        self.moved, self.issued, self.day = self.now, 0, ""
        self.days: dict[str, tuple[Json, Json]] = {}
        self.tables = set[str]()
        self.floats: dict[str, int] = {}  # first ones, by the stream of the table's day
        self.tenders: dict[tuple[str, int], str] = {}

    def take(self, kind: str, stream: str, data: Json) -> None:
        """The next event of the house."""
        if kind in ("cage.opened.v1", "cage.counted.v1", "cage.closed.v1"):
            self._count(kind, {"chips": worth(data["chips"]), **{one: data[f"{one}_minor"] for one in HELD[1:]}}, data)
        elif kind in MOVES:
            self._move(MOVES[kind](data))
            self.issued += MOVES[kind](data)["chips"] if kind == "chips.issued.v1" else 0
        elif kind in (OPENED, "session.voided.v1"):
            self._float(kind, stream, data)
        elif kind in PAID or kind == "house.voided.v1":
            self._pay(kind, data)

    def _count(self, kind: str, found: Json, data: Json) -> None:
        self.moved = self.moved if self.has_books else found
        self.now, self.has_books = found, self.has_books or kind == "cage.opened.v1"
        if kind == "cage.opened.v1":
            self.day = data["gaming_day"]
        elif kind == "cage.closed.v1":
            self.days[data["gaming_day"]] = self.moved, found
            self.moved, self.day = found, ""

    def _move(self, by: Json) -> None:
        if self.has_books:
            self.now, self.moved = (
                {one: None if None in (held[one], by.get(one, 0)) else held[one] + by.get(one, 0) for one in HELD}
                for held in (self.now, self.moved)
            )

    def _float(self, kind: str, stream: str, data: Json) -> None:
        """A new table's first float comes from here, and goes back if that day was none; only a whole file knows."""
        table, sign = data["table"], -1
        if kind == OPENED:
            if table in self.tables:
                return
            self.tables.add(table)
            self.floats[stream] = worth(data["opener"])
        elif stream in self.floats:
            sign = 1
            self.tables.discard(table)
        elif self.is_whole or table in self.tables:
            return
        self._move({"chips": sign * self.floats.get(stream, 0) if self.is_whole else None})

    def _pay(self, kind: str, data: Json) -> None:
        name, amount = (data["slip_year"], data["slip"]), -data["amount_minor"]
        if kind == "house.voided.v1":
            if "tender" not in data and name not in self.tenders and not self.is_whole:
                return self._move({"chips": None, "cash": None})
            tender, amount = data.get("tender") or self.tenders.get(name, "cash"), -amount
        else:
            tender = data["tender"]
            self.tenders |= {name: tender} if kind == "house.paid.v1" else {}
        return self._move({tender: amount + data.get("withheld_minor", 0)} if tender != "transfer" else {})

    def figures(self, day: str) -> Json:
        """As the report has them; `...` is what this file cannot say."""
        nothing: Json = dict.fromkeys(HELD)
        open_ = (self.moved, nothing) if self.day == day else None
        expected, counted = open_ or self.days.get(day, (nothing, nothing))
        is_there = open_ is not None or day in self.days
        said = {one: ... if is_there and expected[one] is None else expected[one] for one in HELD}
        return {f"{one}_minor": {"expected_minor": said[one], "counted_minor": counted[one]} for one in HELD}


# --- the day ----------------------------------------------------------------------------------------------------------


class Day:
    """The figures of a gaming day, by the events up to `until` and those that were named later."""

    def __init__(self, header: Json) -> None:
        self.property, self.day, self.until = header["property"], header["day"], header["until"]
        self.position = self.said_at = header["position"]  # the latter: where the close, or the last restatement stands
        self.tables: dict[str, Table] = {}
        self.form, self.is_whole = header["type"], header["heads"]["before"] is None
        self.cage = Cage(is_whole=self.is_whole)
        self.sessions: dict[str, dict[str, int | None]] = {}  # by table and day; what was counted at its close
        self.slips: dict[tuple[str, str, int, str], Json] = {}
        self.found: dict[str, Json] = {}
        self.closings: list[Json] = []
        self.later: list[tuple[int, Json]] = []
        self.began = 0
        self.closed, self.unsure = set[str](), set[str]()
        self.known: dict[str, bool] = {}  # streams that were opened here, and whether their bets are events

    def take(self, position: int, event: Json) -> None:
        """The next event; what comes behind the close waits, for it may be named."""
        data = event["data"]
        if event["type"] in (CLOSED, AMENDED) and position <= self.position and data["gaming_day"] == self.day:
            self.closings.append(data)
            self.said_at = position
        if position <= self.until:
            self._take(position, event)
        else:
            self.later.append((position, event))

    def finish(self) -> None:
        """Those that were named, in their order."""
        named = {one for closing in self.closings for one in closing.get("events", ())}
        for position, event in self.later:
            if event["id"] in named:
                named.discard(event["id"])
                self._take(position, event)
        must(not named, f"{min(named, default='')} was named for the day, and is not shown")

    def _take(self, position: int, event: Json) -> None:
        owner, kind, *name = event["subject"].split("/")
        if owner != self.property:
            return
        if kind in ("tables", "cage", "days") and name[-1] == self.day:
            self.began = self.began or position
        if kind == "tables":
            self._of_table(name[0], name[1], event)
        elif event["type"] == CLOSED:
            self.closed.add(event["data"]["gaming_day"])
        self._beside(position, event["type"], event["id"], event["data"])
        self.cage.take(event["type"], event["subject"], event["data"])

    def _of_table(self, table: str, day: str, event: Json) -> None:
        kind, data, days = event["type"], event["data"], self.sessions.setdefault(table, {})
        if kind in (OPENED, *ENDS):
            days[day] = data["amount_minor"] if kind in ENDS else None
        if kind == OPENED:
            self.known[event["subject"]] = data.get("recorded", True)
        elif kind == "session.voided.v1":
            days.pop(day, None)
        if day != self.day:
            known = self.known.get(event["subject"])
            is_won = kind in OF_INCOME or (not known and kind in (*LATE, "fill.received.v1"))
            if day < self.day and is_won and (day in self.closed or known is None):
                self.unsure.add(table)  # posted on a later day: which one, this file cannot say
        elif kind == OPENED:
            self.tables[table] = Table(data)
        elif kind == "session.voided.v1":
            self.tables.pop(table, None)
        elif table in self.tables:
            self.tables[table].take(kind, data)

    def _beside(self, position: int, kind: str, id_: str, data: Json) -> None:
        if kind == "slip.issued.v1":
            self._issued(data["kind"], data)
        elif kind in ("fill.received.v1", "credit.received.v1") and data.get("year"):
            self._settle(kind.partition(".")[0], data, position, worth(data["chips"]))
        elif kind in ("credit.sent.v1", "credit.returned.v1"):
            slip = self.slips.get(("credit", data.get("year", ""), data["slip"], ""), {"transit": 0})
            is_on_its_way = kind == "credit.sent.v1" and slip.get("settled", 0) is None
            slip["transit"] = worth(data["chips"]) if is_on_its_way else 0
        elif kind == "slip.voided.v1":
            self._settle(data["kind"], data, position, None)
        elif kind == "count.settled.v1" and data["gaming_day"] == self.day and data["table"] in self.tables:
            self.tables[data["table"]].count_box(data["drop_box"], content(data["found"]))
        elif kind == "discrepancy.found.v1":
            names = ("kind", "table", "expected_minor", "found_minor", "band")
            self.found[id_] = {name: data.get(name) for name in names} | {"explained": False, "day": data["gaming_day"]}
        elif kind == "discrepancy.explained.v1" and data["discrepancy"] in self.found:
            self.found[data["discrepancy"]]["explained"] = True
        elif kind == "house.voided.v1":
            if paid := self.slips.get(("house", data["slip_year"], data["slip"], data["progressive"])):
                paid["said"] |= {"status": "void", "received_minor": None}
        elif kind in PAID and (kind != "variance.closed.v1" or data["way"] == "paid"):
            self._issued(PAID[kind], data, is_paid=True)

    def _issued(self, kind: str, data: Json, *, is_paid: bool = False) -> None:
        """A new slip; those of a progressive have numbers of its own, and are paid at once."""
        issued = data["amount_minor"] if is_paid else worth(data["chips"])
        said = {"kind": kind, "number": data["slip"], "status": "received" if is_paid else "open"}
        said |= {"table": data.get("table"), "issued_minor": issued, "received_minor": issued if is_paid else None}
        year, day = ("slip_year", "paid_gaming_day") if is_paid else ("year", "gaming_day")
        self.slips[kind, data[year], data["slip"], data["progressive"] if is_paid else ""] = {
            "said": said, "day": data[day], "settled": 0 if is_paid else None,
            "transit": issued if kind == "fill" else 0,
        }  # fmt: skip

    def _settle(self, kind: str, data: Json, position: int, received: int | None) -> None:
        if slip := self.slips.get((kind, data["year"], data["slip"], "")):
            slip["said"] |= {"status": "void" if received is None else "received", "received_minor": received}
            slip["settled"] = position
            slip["transit"] = slip["transit"] if data.get("was_sent") else 0  # it is back when its table says so

    def _is_listed(self, key: tuple[str, str, int, str], slip: Json) -> bool:
        """Of this day; or issued before, and open when it began."""
        was_open = slip["settled"] is None or slip["settled"] >= self.began
        return slip["day"] == self.day or (not key[3] and slip["day"] < self.day and was_open)

    def figures(self, said: Json) -> Json:
        """Those that the events make."""
        tables = [self.tables[name] for name in sorted(self.tables)]
        last = self.closings[-1] if self.closings else {"position": self.position, "layout": LAYOUT}
        names = ("kind", "table", "expected_minor", "found_minor", "band", "explained")
        return {
            "layout": last["layout"], "day": self.day, "as_of": last["position"],
            "currency": tables[0].currency if tables else said["currency"] if self.closings else None,
            "restatement": sum("events" in one for one in self.closings),
            "tables": [table.figures() for table in tables],
            "slips": [slip["said"] for key, slip in sorted(self.slips.items()) if self._is_listed(key, slip)],
            "discrepancies": [{n: one[n] for n in names} for one in self.found.values() if one["day"] == self.day],
        }  # fmt: skip

    def places(self) -> Json:
        """What the cage should have held, and where all chips are; `...` is what this file cannot say."""
        if not FORMS[self.form]:
            return {"cage": ..., "chips": ...}
        found: Json = {"issued": self.cage.issued or None, "tables": self._trays()}
        found |= {"cage": self.cage.now["chips"] if self.cage.has_books else None}
        found |= {"transit": sum(slip["transit"] for slip in self.slips.values())}
        left = found["issued"]
        for name in ("tables", "cage", "transit"):
            one = found[name]
            left = None if left is None or one is None else ... if ... in (left, one) else left - one
        chips = minor(found | {"players": left}) if self.is_whole else ...
        return {"cage": self.cage.figures(self.day), "chips": chips}

    def _trays(self) -> Any:
        """Of every table's last day: of another day than this one only what was counted at its close is known."""
        found = 0
        for table, days in self.sessions.items():
            last = max(days, default=None)
            tray = self.tables[table].tray if last == self.day else days[last] if last else 0
            if tray is None:
                return ...
            found += tray
        return found

    def accounts(self, currency: str) -> dict[str, str]:
        """The tables' own that this file can prove."""
        found = {name: amount for table in self.tables.values() for name, amount in table.accounts().items()}
        return {name: decimal(amount, currency) for name, amount in found.items() if name not in self.unknown}

    @property
    def unknown(self) -> set[str]:
        """Where something of an earlier day, closed before, was posted."""
        return {f"Income:Tables:{table}" for table in self.unsure}


# ISO 4217: how many digits a currency's minor unit stands for, where it is not 2.
DIGITS = dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
                        "VUV", "XAF", "XOF", "XPF"), 0)  # fmt: skip
DIGITS |= dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3) | {"CLF": 4, "UYW": 4}


def decimal(amount: int, currency: str | None) -> str:
    """Minor units as decimal text."""
    digits = DIGITS.get(currency or "", 2)
    whole, rest = divmod(abs(amount), 10**digits)
    return f"{'-' if amount < 0 else ''}{whole}{f'.{rest:0{digits}d}' if digits else ''}"


# --- comparing --------------------------------------------------------------------------------------------------------


def differing(place: str, said: Any, made: Any) -> Iterator[str]:
    """Where the file says something else than the events make, in the order of the report."""
    if isinstance(said, dict) and isinstance(made, dict):
        for name in [*made, *(name for name in said if name not in made)]:
            if name in made and name in said:
                yield from differing(f"{place}/{name}".lstrip("/"), said[name], made[name])
            else:
                yield f"{place}/{name} is {'missing' if name in made else 'in no report'}"
    elif isinstance(said, list) and isinstance(made, list):
        for number, (one, other) in enumerate(zip(said, made, strict=False)):
            yield from differing(f"{place}/{name_of(other, number)}", one, other)
        for number, other in [*enumerate(made)][len(said) :]:
            yield f"{place}/{name_of(other, number)} is missing"
        if len(said) > len(made):
            yield f"{place}/{name_of(said[len(made)], len(made))} is one too many"
    elif made is not ... and (said != made or type(said) is not type(made)):
        yield f"{place}: the file says {json.dumps(said)}, the events make {json.dumps(made)}"


def unknown(made: Any, place: str) -> Iterator[str]:
    """The places of what the file cannot say."""
    if isinstance(made, dict):
        for name, one in made.items():
            yield from unknown(one, f"{place}/{name}")
    elif made is ...:
        yield place


def name_of(line: Any, number: int) -> str:
    """What people call a line of the report."""
    said = line if isinstance(line, dict) else {}
    if "number" in said:
        return f"{said['kind']} {said['number']}"
    return str(said.get("shift") or (said.get("table") if "shifts" in said else None) or number + 1)


def compare(day: Day, header: Json) -> Json:
    """Every figure that the events make; of a closed day the digest of all of them."""
    said, last = header["figures"], day.closings[-1] if day.closings else None
    until = day.closings[0]["position"] if last else day.position
    must(header["until"] == until, f"the report is of the events up to {until}, not {header['until']}")
    must(day.position == day.said_at, f"what was said last of the day stands at {day.said_at}, not {day.position}")
    made, names, places = day.figures(said), {"progressives"} if last else set[str](), day.places()
    left = {one for name in places for one in unknown(places[name], name)}
    if not last:  # of an open day nothing vouches for what its events do not make
        is_told = {name: day.is_whole and not [*unknown(one, name)] for name, one in places.items()}
        places, left = {name: one for name, one in places.items() if is_told[name]}, set()
    made |= places
    first = next(differing("", {name: one for name, one in said.items() if name not in {"journal", *names}}, made), "")
    must(not first, f"figures: {first}")
    for name in (*names, "journal"):
        must(name in said, f"figures: {name} is missing")
    left, accounts = left | day.unknown, day.accounts(made["currency"])
    own = {name: one for name, one in (said["journal"] or {}).items() if name in accounts}
    told = {name: one for name, one in (said["journal"] or {}).items() if name not in day.unknown}
    if not last or (own and made["layout"] > 1):
        known = {name: one for name, one in accounts.items() if not last or name in own or not is_nothing(one)}
        first = next(differing("journal", own if last else told, known), "")
        must(not first, f"figures: {first}")
    elif accounts:
        left = left | {*accounts}
    digest = hashlib.sha256(written(said)).hexdigest()
    why = f"figures: {', '.join(sorted({*names, *left}))} or another account: the day was closed with others"
    must(last is None or last["digest"] == digest, why)
    return {"figures": said, "digest": digest, "not_recomputed": sorted({*names, *left})}


def is_nothing(amount: str) -> bool:
    """An account that nothing was posted to is in no journal."""
    return not amount.strip("-0.")


def verify(lines: Iterable[bytes], keys: Collection[str] = ()) -> Json:
    """Everything that the file proves, as plain data. Raises Wrong with the first event or figure that is not."""
    behind = iter(lines)
    try:
        header = read_line(next(behind, b""), "the first line")
        names = {"type", "property", "day", "position", "until", "heads", "front", "figures"}
        must(isinstance(header, dict) and set(header) == names, "this is no proof of a day")
        must(header["type"] in FORMS, "this is no proof of a day")
        log, day = Log(behind, header, check_heads(header, set(keys))), Day(header)
        must(header["until"] <= header["position"] <= header["heads"]["after"]["position"], "the heads do not cover it")
        for position, event in log.events():
            day.take(position, event)
        day.finish()
        found = compare(day, header)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise Wrong(f"the file is not well formed: {error!r}") from error
    status = "restated" if len(day.closings) > 1 else "closed" if day.closings else "open"
    found |= {"property": header["property"], "status": status, "listed": log.listed, "shown": log.shown}
    return found | {"head": header["heads"]["after"]}


# --- showing it -------------------------------------------------------------------------------------------------------


def show(found: Json) -> str:
    """Both wins by table, and what they rest on."""
    said, head = found["figures"], found["head"]
    rows = [f"{found['property']}, {said['day']}, {found['status']}, as of {said['as_of']}, {said['currency']}"]
    rows.append(f"{'table':<12}{'inventory win':>18}{'event win':>18}{'rest':>12}")
    for one in said["tables"]:
        day = one["day"]
        amounts = (day["inventory_win_minor"], day["event_win_minor"], day["parts"]["rest_minor"])
        wins = ["-" if amount is None else decimal(amount, said["currency"]) for amount in amounts]
        rows.append(f"{one['table']:<12}{wins[0]:>18}{wins[1]:>18}{wins[2]:>12}")
    rows.append(f"{len(said['slips'])} slips, {len(said['discrepancies'])} discrepancies; digest {found['digest']}")
    if found["not_recomputed"]:
        rows.append(f"not recomputed: {', '.join(found['not_recomputed'])}")
    rows.append(f"{found['listed']:,} events listed, {found['shown']:,} shown")
    return "\n".join([*rows, f"by head {head['number']} of {head['time']}, signed by {head['key']}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's published public key")
    parser.add_argument("--head", type=Path, metavar="FILE", help="heads from elsewhere, one a line, to compare")
    parser.add_argument("--json", action="store_true", help="show everything as JSON")
    options = parser.parse_args(arguments)
    try:
        heads = [json.loads(head) for head in options.head.read_text("utf-8").splitlines()] if options.head else None
        with options.file.open("rb") as lines:
            found = verify(lines, options.key)
        must(heads is None or found["head"] in heads, "the head is not among those from elsewhere")
    except Wrong as why:
        print(f"NOT EQUAL: {why}", file=sys.stderr)
        return 1
    except (OSError, ValueError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, indent=2) if options.json else show(found))
    if not options.key and heads is None:
        print("The key was not compared: name the one that the house has published by --key.", file=sys.stderr)
    print("EQUAL", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
