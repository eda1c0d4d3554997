#!/usr/bin/env python3
"""Verify the proof of a gaming day, without the system that made it: Python's standard library alone.

    verify_day.py FILE [--key HEX] [--head FILE] [--json]

FILE is made by `./manage.py report DAY --export FILE`. It has the figures of the day, two signed heads, and between
them every event of the house in its order. Each has position, type and SHA-256, and those of the day their own bytes.
It proves:
1. Both heads are signed (Ed25519) by the key that they name. Compare it with the key that the house has published
   (--key), or the later head with those on the topic pitledger.heads (--head).
2. The listed events are those of the later head, without omission, change or exchange. The earlier events are those of
   the earlier head (RFC 9162, 2.1), which was signed before any event of the day could be recorded.
3. Every event that can move a figure of the day is shown with its own bytes. Each stream of the day is shown from its
   first event on, each event with the SHA-256 of the one before. Once the tables of the day are closed, types that
   cannot follow a close stay closed: bets of other days.
4. The figures follow from these events: both wins of every table by shift with all their parts, slips, discrepancies,
   and the tables' own accounts (tray, income, winnings owed). The expected content of the cage follows from its last
   closing on. The place of all chips (issued, at tables, in transit, with players) needs a file that begins with the
   house's first event (--export FILE --whole).
5. Where the day is closed, the closing, or the last restatement, names the SHA-256 of the whole report. So its other
   figures (progressives, other accounts) are those of the close. An open day's file does not have this hash.

The file does not prove that a slip issued before the earlier head was settled, or that the recorded facts were true.
Amounts are whole minor units (cents). Exit: 0 equal, 1 not, with the first event or figure; 2 cannot be read.

Read RULES first: the effect of each event. The next part makes the figures from these effects, and compares them with
the file's. The last part checks that the events are the house's and complete.
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
Rule = Callable[[Json], Json]
Point = tuple[int, int]
LAYOUT = 4  # of an open day's report; a closed one keeps its own
BY_PLACE = 3  # from this layout on: a box by all that was put into it, the cage from its opening count
MARK = 64  # so many events lie between two roots of the tree in the making: they say where a change is


class DayProofError(Exception):
    """The file does not prove its claims; the message names the first event or figure."""


def must(condition: object, message: str) -> None:
    """Raise DayProofError unless it is so."""
    if not condition:
        raise DayProofError(message)


def written(value: Any) -> bytes:
    """JSON as RFC 8785 writes it: there is no floating point here."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


# --- the rules: conditions and effects of events ----------------------------------------------------------------------

TENDERS, HELD = ("cash", "marker", "promotional"), ("chips", "cash", "marker")
IN_BOX, ENDS = (*TENDERS, "chips"), ("session.closed", "session.rolled")


def worth(pieces: dict[str, int] | None) -> int:
    """Of chips or notes, by denomination."""
    return sum(int(value) * count for value, count in (pieces or {}).items())


def content(count: Json) -> Json:
    """Of a box, as it was counted."""
    return {
        tender: count.get(f"{tender}_minor", 0) if tender in TENDERS[1:] else worth(count.get(tender))
        for tender in IN_BOX
    }


def staked(data: Json) -> Json:
    """A stake, laid or raised."""
    return {"lying": data.get("amount_minor", 0), "commission": data.get("commission_minor", 0)}


def settled(data: Json) -> Json:
    """A bet that was decided. A voucher that is lost brings no chip."""
    profit, vouchers = data["profit_minor"], data.get("promotional_minor", 0)
    moved = {"lost": max(0, -profit) - vouchers, "due": max(0, profit), "owed": max(0, profit)}
    moved |= {"promotional_stakes": vouchers, "commission": data.get("commission_minor", 0)}
    return moved | {"lying": data.get("remaining_minor", 0) - data["amount_minor"]}


def paid(data: Json) -> Json:
    """By the cage, but for what the law withholds."""
    return {data["tender"]: data.get("withheld_minor", 0) - data["amount_minor"]}


def reverse(rule: Rule) -> Rule:
    """Takes back what the other moves."""
    return lambda data: {name: -amount for name, amount in rule(data).items()}


def same(row: tuple[str, Rule], *names: str) -> dict[str, tuple[str, Rule]]:
    """Types of one row."""
    return dict.fromkeys(names, row)


# An event must be shown with its own bytes where it can move a figure of the day: up to the report's last position,
ALWAYS = "wherever it stands"
CAGE = "wherever it stands, in files of the second form"
LATE = "from the day's first opening on, or the close of the day before: it may follow a table's close"
PLAY = "while a table of the day is open: it follows no close"
# By type (all of them .v1): condition, and effect. At a table the effect is the sums of its shift, `lying` on the
# layout, and `owed` to the players of the running round. Elsewhere it is the cage's content in chips, cash and markers.
RULES: dict[str, tuple[str, Rule]] = {
    **same((ALWAYS, lambda _: {}), "session.opened", "cage.opened", "cage.counted", "cage.closed", "discrepancy.found",
           "discrepancy.explained", "house.voided"),
    **same((LATE, lambda _: {}), "session.voided", "round.ended", "round.voided", "drop.put", "drop.removed",
           "drop.counted"),
    **same((PLAY, lambda _: {}), *ENDS, "shift.counted", "table.counted", "round.opened"),
    **same((PLAY, staked), "bet.placed", "bet.restaked", "layout.carried", "hand.doubled", "hand.split",
           "insurance.taken"),
    "bet.corrected": (LATE, staked),
    "bet.withdrawn": (PLAY, reverse(staked)),
    "bet.settled": (LATE, settled),
    "settlement.voided": (LATE, reverse(settled)),
    "settlement.corrected": (LATE, lambda data: {
        "lost": data.get("lost_minor", 0), "due": data.get("due_minor", 0),
        "promotional_stakes": data.get("promotional_minor", 0), "commission": data.get("commission_minor", 0)}),
    "payment.made": (LATE, lambda data: {
        "paid": data["amount_minor"], "owed": -data["amount_minor"] if data.get("won_in") is None else 0}),
    "buyin.made": (LATE, lambda data: {data["tender"]: data["amount_minor"]}),
    "fill.received": (ALWAYS, lambda data: {"fills": data["amount_minor"]}),
    "credit.sent": (LATE, lambda data: {"credits": data["amount_minor"]}),
    "credit.returned": (LATE, lambda data: {"credits": -data["amount_minor"]}),
    "credit.received": (ALWAYS, lambda data: {"chips": worth(data["chips"])}),
    "slip.issued": (ALWAYS, lambda data: {"chips": -worth(data["chips"])} if data["kind"] == "fill" else {}),
    "slip.voided": (ALWAYS, lambda data: {"chips": data["amount_minor"]} if data["kind"] == "fill" else {}),
    "count.settled": (ALWAYS, lambda data: {
        tender: content(data["found"])[tender] - content(data.get("before") or {})[tender] for tender in HELD}),
    **same((ALWAYS, paid), "jackpot.paid", "envy.paid", "house.paid"),
    "variance.closed": (ALWAYS, lambda data: {"cash": -data["amount_minor"]} if data["way"] == "paid" else {}),
    "fund.deposited": (CAGE, lambda data: {"cash": -data["amount_minor"]}),
    "cage.cashed_out": (CAGE, lambda data: {"chips": worth(data["chips"]), "cash": -data["amount_minor"]}),
    "cage.cashed_in": (CAGE, lambda data: {"chips": -worth(data["chips"]), "cash": data["amount_minor"]}),
    "marker.redeemed": (CAGE, lambda data: {"marker": -data["amount_minor"], **(
        {"cash": data["amount_minor"]} if data.get("chips") is None else {"chips": worth(data["chips"])})}),
    "chips.issued": (CAGE, lambda data: {"chips": worth(data["chips"]) * (1 if data["way"] == "brought in" else -1)}),
}  # fmt: skip
# By form of the file, further events shown: in the second, all that move the cage or chips in transit.
FORMS = {"pitledger.day.v1": set[str](), "pitledger.day.v2": {
    *(name for name, (when, _) in RULES.items() if when == CAGE),
    "credit.sent", "credit.returned", "session.voided", *ENDS,
}}  # fmt: skip
PAID = ("jackpot.paid", "envy.paid", "house.paid", "variance.closed")
OF_INCOME = ("bet.settled", "settlement.voided", "settlement.corrected", "bet.corrected")
CLOSINGS = ("day.closed", "day.amended")
DATED = ("tables", "cage", "days")  # streams of these kinds are a gaming day's
# The total of the amounts at a table, with their signs.
TRAY = {"fills": 1, "credits": -1, "lost": 1, "paid": -1, "commission": 1, **dict.fromkeys(TENDERS, -1)}
EVENT_WIN = {"lost": 1, "due": -1, "commission": 1}


def summed(signs: dict[str, int], amounts: Json) -> int:
    """Amounts with their signs."""
    return sum(sign * amounts[name] for name, sign in signs.items() if name in amounts)


def total(*plus: Any, minus: Sequence[Any] = ()) -> Any:
    """None where one of them is not known yet, `...` where this file cannot say one."""
    amounts = (*plus, *minus)
    return None if None in amounts else ... if ... in amounts else sum(plus) - sum(minus)


def minor(amounts: Json) -> Json:
    """By the names that the report has for them."""
    return {f"{name}_minor": amount for name, amount in amounts.items()}


# --- a table's day by shift -------------------------------------------------------------------------------------------


class TableDayFigures:
    """A table's gaming day. `owed` is due and unpaid of the running round, `tray` and `income` its accounts.

    A box is of the shift in which it was put. The unnamed one has the buy-ins over no box. `late` is the content from
    later shifts, `moved` the part of its recorded buy-ins that is in another: until layout 3 that was its own.
    """

    def __init__(self, data: Json) -> None:
        self.about = {name: data[name] for name in ("table", "game", "pit")}
        self.recorded, self.has_boxes = data.get("recorded", True), data.get("has_boxes", False)
        self.lying = self.income = self.owed = 0
        self.tray, self.currency, self.is_running, self.is_closed = data["amount_minor"], data["currency"], False, False
        self.box: str | None = None
        self.boxes: list[Json] = []
        self.shifts: list[Json] = []
        self._begin(data["shift"], self.tray)

    def _begin(self, name: str, counted: int) -> None:
        self.moved = Counter[str]()
        self.shifts.append({"shift": name, "begin": counted, "end": None, "undecided": 0, "moved": self.moved})

    def take(self, kind: str, data: Json) -> None:
        if kind in ("shift.counted", "table.counted", *ENDS):
            self._count(kind, data)
        elif kind in ("round.opened", "round.ended", "round.voided"):
            self.is_running = kind == "round.opened"
            self.owed = self.owed if self.is_running else 0
        elif kind.startswith("drop."):
            self._of_box(kind, data["drop_box"], data)
        elif kind in RULES:
            self._move(RULES[kind][1](data))

    def _move(self, by: Json) -> None:
        """Apply a movement. A closed tray holds its counted amount; at a table that is counted only, the difference is
        income.
        """
        self.moved.update(by)
        for tender in by.keys() & TENDERS:
            under = (self._boxes(self.box, self.moved) or [self._loose()])[0]
            under["recorded"][tender] += by[tender]
            hung = self._boxes(self.box) if self.box is not None and under["name"] is None else []
            if hung:
                under["moved"][tender] += by[tender]
                hung[-1]["late"].append((self.moved, tender, by[tender]))
        self.lying += by.get("lying", 0)
        self.owed += by.get("owed", 0) if self.is_running else 0
        self.income += (summed(TRAY, by) if self.is_closed and not self.recorded else 0) - summed(EVENT_WIN, by)
        self.tray += 0 if self.is_closed else summed(TRAY, by)

    def _count(self, kind: str, data: Json) -> None:
        counted = data["amount_minor"]
        self.income += 0 if self.recorded else self.tray - counted
        self.tray, self.is_closed = counted, self.is_closed or kind in ENDS
        if kind in ENDS:  # a round that runs then owes nothing in the books of the next day
            self.is_running, self.owed = False, 0
        if kind != "table.counted":
            self.shifts[-1] |= {"end": counted, "undecided": self.lying}
        if kind == "shift.counted":
            self._begin(data["next_shift"], counted)

    def _boxes(self, name: str | None, shift: Json | None = None) -> list[Json]:
        return [box for box in self.boxes if box["name"] == name and (shift is None or box["shift"] is shift)]

    def _put(self, name: str | None, shift: Json, counted: Json | None = None) -> Json:
        box: Json = {"name": name, "shift": shift, "recorded": dict.fromkeys(IN_BOX, 0), "found": counted}
        self.boxes.append(box | {"late": [], "moved": Counter[str]()})
        return self.boxes[-1]

    def _content(self, box: Json, shift: Json, layout: int) -> Json:
        """Return a box's content of a shift: for its own without later shifts' money, for a later one its own money."""
        late = Counter[str]()
        for of, tender, amount in box["late"] if layout >= BY_PLACE else ():
            late[tender] += amount if of is shift or box["shift"] is shift else 0
        if box["shift"] is not shift:
            return {tender: late[tender] for tender in IN_BOX}
        if box["found"]:
            return {tender: box["found"][tender] - late[tender] for tender in IN_BOX}
        return {
            tender: box["recorded"][tender] - (box["moved"][tender] if layout >= BY_PLACE else 0) for tender in IN_BOX
        }

    def _loose(self) -> Json:
        return next(iter(self._boxes(None, self.moved)), None) or self._put(None, self.moved)

    def _of_box(self, kind: str, name: str, data: Json) -> None:
        is_known = bool(self._boxes(name))
        if kind == "drop.put":
            self._loose()["name"] = name if not is_known else None
            self.box, self.has_boxes = name, True
        elif kind == "drop.removed" and (name == self.box or not is_known):
            if self.box is None and (self.has_boxes or not self.is_closed):  # no one put it
                self._loose()["name"], self.has_boxes = name, True
            for box in self._boxes(self.box) if self.box is not None else ():
                box["name"] = name
            self.box = None
        elif kind == "drop.removed":  # it was left hanging when the next one was put
            return
        else:  # drop.counted: it told vouchers apart and nothing else, so markers are taken as recorded
            vouchers, bought = data.get("promotional_minor", 0), sum(shift["moved"]["marker"] for shift in self.shifts)
            net, marker = data["amount_minor"] - vouchers, min(bought, data["amount_minor"] - vouchers)
            self.count_box(name, {"cash": net - marker, "marker": marker, "promotional": vouchers, "chips": 0})

    def count_box(self, name: str, counted: Json) -> None:
        """The last count of a box stands. One box that all shifts went into: a difference is the last one's."""
        if self.has_boxes:
            for box in self._boxes(name) or [self._put(name, self.moved)]:
                box["found"] = counted
            return
        self.boxes = []
        for moved in (shift["moved"] for shift in self.shifts):
            bought = {tender: moved[tender] for tender in IN_BOX}
            self._put(name, moved, counted if moved is self.moved else bought)
            counted = {tender: amount - bought[tender] for tender, amount in counted.items()}

    def _holds(self, shift: Json, layout: int) -> list[Json]:
        """The boxes with buy-ins of a shift: its own, and since layout 3 older ones that hung on in it."""
        others = layout >= BY_PLACE
        is_in = [any(of is shift for of, _, _ in box["late"]) for box in self.boxes]
        return [box for box, late in zip(self.boxes, is_in, strict=True) if box["shift"] is shift or (others and late)]

    def _of_shift(self, shift: Json, layout: int) -> Json:
        begin, end, moved = shift["begin"], shift["end"], shift["moved"]
        boxes = self._holds(moved, layout)
        named_boxes = [box for box in boxes if box["name"] is not None]
        counted = end is not None and bool(named_boxes or self.has_boxes) and all(box["found"] for box in named_boxes)
        held = [self._content(box, moved, layout) for box in (named_boxes if counted else boxes)]
        drop = {tender: sum(content[tender] for content in held) for tender in IN_BOX}
        net = drop["cash"] + drop["marker"] + drop["chips"]
        amounts: Json = {"begin": begin, "end": end, "fills": moved["fills"], "credits": moved["credits"]}
        amounts |= {"inventory_win": total(net, end, moved["credits"], minus=(begin, moved["fills"]))}
        bets: Json = {tender: moved[tender] for tender in ("lost", "due", "paid", "commission", "promotional_stakes")}
        bets |= {"undecided": self.lying if end is None else shift["undecided"], "event_win": summed(EVENT_WIN, moved)}
        bets |= {"expected": begin + summed(TRAY, moved)}
        parts: Json = {"mispay": moved["due"] - moved["paid"], "inventory": total(end, minus=[bets["expected"]])}
        if not self.recorded:
            bets, parts = dict.fromkeys(bets), dict.fromkeys(parts)
        parts |= {"promotional": -moved["promotional"]}
        parts |= {"drop": net - moved["cash"] - moved["marker"] if counted else None}
        parts["rest"] = total(amounts["inventory_win"], minus=[bets["event_win"], *parts.values()])
        sums = {
            "drop": minor(drop) | {"counted": counted},
            "buyins": minor({tender: moved[tender] for tender in TENDERS}),
        }
        return {"shift": shift["shift"], **minor(amounts | bets), **sums, "parts": minor(parts)}

    def figures(self, layout: int) -> Json:
        """By shift, and of the day: from the first shift's beginning to the last one's end, and the sums."""

        def summed(values: list[Any]) -> Any:
            if isinstance(values[0], dict):
                return {name: summed([value[name] for value in values]) for name in values[0] if name != "shift"}
            return all(values) if isinstance(values[0], bool) else total(*values)

        shifts = [self._of_shift(shift, layout) for shift in self.shifts]
        begin, last = shifts[0]["begin_minor"], {name: shifts[-1][name] for name in ("end_minor", "undecided_minor")}
        between = (total(shift["expected_minor"], minus=[shift["begin_minor"]]) for shift in shifts)
        day = summed(shifts) | last | {"begin_minor": begin, "expected_minor": total(begin, *between)}
        return {**self.about, "recorded": self.recorded, "shifts": shifts, "day": day}


# --- the cage ---------------------------------------------------------------------------------------------------------


class CageContent:
    """Content of the cage by tender: `now` from the last count on, `moved` by movements alone since its last close.

    `since` counts from its opening, which is the expected content since layout 3. Before its first opening no movement
    is known; a later file (not `is_whole`) is complete from a closing on.
    """

    def __init__(self, *, is_whole: bool) -> None:
        self.is_whole, self.issued, self.day = is_whole, 0, ""
        self.now: Json = dict.fromkeys(HELD, None if is_whole else ...)
        self.moved = self.since = self.now
        self.days: dict[str, tuple[Json, Json, Json]] = {}  # moved, since, counted
        self.floats: dict[str, tuple[str, int]] = {}  # first ones, by table: for which of its days
        self.tenders: dict[tuple[str, int], str] = {}

    def take(self, kind: str, stream: str, data: Json) -> None:
        if kind in ("cage.opened", "cage.counted", "cage.closed"):
            self._count(kind, data)
        elif kind in ("session.opened", "session.voided"):
            self._float(kind, stream, data)
        elif kind == "house.voided":
            known = self.tenders.get((data["slip_year"], data["slip"]), "cash" if self.is_whole else None)
            tender = data.get("tender") or known
            self._move({tender: data["amount_minor"]} if tender else {"chips": ..., "cash": ...})
        elif kind in RULES and "/tables/" not in stream:
            self._move(by := RULES[kind][1](data))
            self.issued += by["chips"] if kind == "chips.issued" else 0
        if kind == "house.paid":
            self.tenders[data["slip_year"], data["slip"]] = data["tender"]

    def _count(self, kind: str, data: Json) -> None:
        counted = {"chips": worth(data["chips"]), **{tender: data[f"{tender}_minor"] for tender in HELD[1:]}}
        self.moved, self.now = counted if None in self.moved.values() else self.moved, counted
        if kind == "cage.opened":
            self.day, self.since = data["gaming_day"], counted
        elif kind == "cage.closed":
            self.days[data["gaming_day"]] = self.moved, self.since, counted
            self.moved, self.since, self.day = counted, counted, ""

    def _move(self, by: Json) -> None:
        held = (self.now, self.moved, self.since)
        self.now, self.moved, self.since = (
            {tender: total(of[tender], by.get(tender, 0)) for tender in HELD} for of in held
        )

    def _float(self, kind: str, stream: str, data: Json) -> None:
        """A new table's first float comes from here, and goes back if that day was none; only a whole file knows."""
        table, (of, amount) = data["table"], self.floats.get(data["table"], ("", 0))
        if kind == "session.opened" and not of:
            amount = -worth(data["opener"])
            self.floats[table] = stream, -amount
        elif kind == "session.voided" and of in ("", stream):
            self.floats.pop(table, None)
        else:
            return
        self._move({"chips": amount if self.is_whole else ...})

    def figures(self, day: str, layout: int) -> Json:
        none: Json = dict.fromkeys(HELD)
        now = self.moved, self.since, none
        moved, since, counted = now if self.day == day else self.days.get(day, (none, none, none))
        expected = since if layout >= BY_PLACE else moved
        return {f"{tender}_minor": minor({"expected": expected[tender], "counted": counted[tender]}) for tender in HELD}


# --- the day ----------------------------------------------------------------------------------------------------------


class VerifiedDay:
    """The figures of a gaming day, by the events up to `until` and those that were named later."""

    def __init__(self, header: Json) -> None:
        self.property, self.day, self.until = header["property"], header["day"], header["until"]
        self.position = self.said_at = header["position"]  # the latter: where the close, or the last restatement stands
        self.is_whole, self.has_cage = header["heads"]["before"] is None, bool(FORMS[header["type"]])
        self.tables: dict[str, TableDayFigures] = {}
        self.cage, self.began = CageContent(is_whole=self.is_whole), 0
        self.is_late = False  # a later day had begun before it: late events of a closed day may be posted there
        self.trays: dict[str, Json] = {}  # by table and day: the counted amount at its close
        self.recorded: dict[str, bool] = {}  # by stream that was opened here: whether its bets are events
        self.slips: dict[tuple[str, str, int, str], Json] = {}
        self.discrepancies: dict[str, Json] = {}
        self.closed, self.unsure = set[str](), set[str]()
        self.closings: list[Json] = []
        self.later: list[tuple[int, Json]] = []

    def take(self, position: int, event: Json) -> None:
        """Apply an event. Events after the close wait, since a restatement may name them."""
        kind, data = event["type"].removesuffix(".v1"), event["data"]
        if kind in CLOSINGS and position <= self.position and data["gaming_day"] == self.day:
            self.closings.append(data)
            self.said_at = position
        if position <= self.until:
            self._take(position, event)
        else:
            self.later.append((position, event))

    def finish(self) -> None:
        """Those that were named, in their order."""
        named_events = {event for closing in self.closings for event in closing.get("events", ())}
        for position, event in self.later:
            if event["id"] in named_events:
                named_events.discard(event["id"])
                self._take(position, event)
        must(not named_events, f"{min(named_events, default='')} was named for the day, and is not shown")

    def _take(self, position: int, event: Json) -> None:
        stream, kind, data = event["subject"], event["type"].removesuffix(".v1"), event["data"]
        owner, place, *name = stream.split("/")
        if owner != self.property:
            return
        if place in DATED and not self.began:
            self.is_late = self.is_late or name[-1] > self.day
            self.began = position if name[-1] == self.day else 0
        if place == "tables":
            self._of_table(stream, name[0], name[1], kind, data)
        elif kind == "day.closed":
            self.closed.add(data["gaming_day"])
        elif kind == "count.settled" and data["gaming_day"] == self.day and data["table"] in self.tables:
            self.tables[data["table"]].count_box(data["drop_box"], content(data["found"]))
        elif kind == "discrepancy.explained" and data["discrepancy"] in self.discrepancies:
            self.discrepancies[data["discrepancy"]]["explained"] = True
        if kind == "discrepancy.found":
            self.discrepancies[event["id"]] = {**data, "explained": False}
        self._of_slip(kind, data, position)
        self.cage.take(kind, stream, data)

    def _of_table(self, stream: str, table: str, day: str, kind: str, data: Json) -> None:
        trays, is_ours, is_open = self.trays.setdefault(table, {}), day == self.day, kind == "session.opened"
        if is_open or kind in ENDS:
            trays[day] = ... if is_open else data["amount_minor"]
        elif kind == "session.voided":
            trays.pop(day, None)
        if is_open and is_ours:
            self.tables[table] = TableDayFigures(data)
        elif is_open:
            self.recorded[stream] = data.get("recorded", True)
        elif is_ours and kind == "session.voided":
            self.tables.pop(table, None)
        elif is_ours and table in self.tables:
            self.tables[table].take(kind, data)
        elif day < self.day and kind in RULES and (day in self.closed or stream not in self.recorded):
            # Changes of a closed day's income are posted on a later day, which this file cannot tell.
            is_moved = RULES[kind][0] == LATE or kind == "fill.received"
            if kind in OF_INCOME or (is_moved and not self.recorded.get(stream)):
                self.unsure.add(table)

    def _of_slip(self, kind: str, data: Json, position: int) -> None:
        of = data["kind"] if kind in ("slip.issued", "slip.voided") else kind.partition(".")[0]
        slip = self.slips.get((of, data.get("year", ""), data.get("slip", 0), ""), {})
        if kind == "slip.issued" or (kind in PAID and (of != "variance" or data["way"] == "paid")):
            self._issue(of, data, is_paid=kind in PAID)
        elif kind == "house.voided":
            slip = self.slips.get((of, data["slip_year"], data["slip"], data["progressive"]), {"said": {}})
            slip["said"] |= {"status": "void", "received_minor": None}
        elif slip and kind in ("fill.received", "credit.received", "slip.voided"):
            received = None if kind == "slip.voided" else worth(data["chips"])
            slip["said"] |= {"status": "void" if received is None else "received", "received_minor": received}
            # A credit that was sent is on its way until its table says that it is back.
            slip |= {"settled": position, "transit": slip["transit"] if data.get("was_sent") else 0}
        elif slip and kind in ("credit.sent", "credit.returned"):
            is_on_its_way = kind == "credit.sent" and slip["settled"] is None
            slip["transit"] = worth(data["chips"]) if is_on_its_way else 0

    def _issue(self, of: str, data: Json, *, is_paid: bool) -> None:
        """A slip of a progressive is paid at once, and has a number of that one's series."""
        amount = data["amount_minor"] if is_paid else worth(data["chips"])
        year, day, whose = ("slip_year", "paid_gaming_day", "progressive") if is_paid else ("year", "gaming_day", "")
        slip = {"kind": of, "number": data["slip"], "table": data.get("table"), "issued_minor": amount}
        slip |= {"status": "received" if is_paid else "open", "received_minor": amount if is_paid else None}
        how = {"settled": 0 if is_paid else None, "transit": amount if of == "fill" else 0}
        self.slips[of, data[year], data["slip"], data.get(whose, "")] = {"said": slip, "day": data[day], **how}

    def _is_listed(self, slip: Json) -> bool:
        """Of this day; or issued before, and open when it began."""
        was_open = slip["settled"] is None or slip["settled"] >= self.began
        return slip["day"] == self.day or (slip["day"] < self.day and was_open)

    def figures(self, stated: Json) -> Json:
        """Those that the events make; `...` is what this file cannot say."""
        tables = [self.tables[name] for name in sorted(self.tables)]
        last = self.closings[-1] if self.closings else {"position": self.position, "layout": LAYOUT}
        names = ("kind", "table", "expected_minor", "found_minor", "band", "explained")
        discrepancies = [
            discrepancy for discrepancy in self.discrepancies.values() if discrepancy["gaming_day"] == self.day
        ]
        has_cage = self.has_cage and (self.is_whole or self.closings)
        return {
            "layout": last["layout"], "day": self.day, "as_of": last["position"],
            "currency": tables[0].currency if tables else stated["currency"] if self.closings else None,
            "restatement": sum("events" in closing for closing in self.closings),
            "tables": [table.figures(last["layout"]) for table in tables],
            "slips": [slip["said"] for _, slip in sorted(self.slips.items()) if self._is_listed(slip)],
            "discrepancies": [{name: discrepancy.get(name) for name in names} for discrepancy in discrepancies],
            "cage": self.cage.figures(self.day, last["layout"]) if has_cage else ...,
            "chips": self._chips() if self.has_cage and self.is_whole else ...,
            "progressives": ...,
        }  # fmt: skip

    def _chips(self) -> Json:
        """Return the place of all chips of the house; of a table's other day only its counted closer is known."""
        ours = {name: {self.day: table.tray} for name, table in self.tables.items()}
        last = [max((days | ours.get(table, {})).items()) for table, days in self.trays.items() if days]
        chips = {
            "tables": total(*(tray for _, tray in last)),
            "cage": self.cage.now["chips"],
        }
        chips |= {"transit": sum(slip["transit"] for slip in self.slips.values())}
        issued = self.cage.issued or None
        return minor({"issued": issued, **chips, "players": total(issued, minus=[*chips.values()])})

    def accounts(self, currency: str | None) -> Json:
        """Return the tables' own accounts: content of the tray, win, and winnings owed to players; debits count up."""
        accounts: Json = {}
        for name, table in self.tables.items():
            of = {"Assets:Chips:Tables": table.tray, "Income:Tables": table.income, "Liabilities:Winnings": -table.owed}
            text = {f"{account}:{name}": decimal(amount, currency) for account, amount in of.items()}
            accounts |= dict.fromkeys(text, ...) if self.is_late else text
        return accounts | {f"Income:Tables:{name}": ... for name in self.unsure}


# ISO 4217: how many digits a currency's minor unit stands for, where it is not 2.
DIGITS = {"BHD": 3, "CLF": 4, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "UYW": 4} | dict.fromkeys(
    ("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
     "XPF"), 0)  # fmt: skip


def decimal(amount: int, currency: str | None) -> str:
    """Minor units as decimal text."""
    digits = DIGITS.get(currency or "", 2)
    whole, rest = divmod(abs(amount), 10**digits)
    return f"{'-' if amount < 0 else ''}{whole}{f'.{rest:0{digits}d}' if digits else ''}"


# --- comparing --------------------------------------------------------------------------------------------------------


def name_of(line: Any, number: int) -> str:
    """Return the name of a line of the report for people."""
    fields = line if isinstance(line, dict) else {}
    if "number" in fields:
        return f"{fields['kind']} {fields['number']}"
    return str(fields.get("shift") or (fields.get("table") if "shifts" in fields else None) or number + 1)


def differing(place: str, stated: Any, calculated: Any) -> Iterator[str]:
    """Where the file says something else than the events make, in the order of the report."""
    if isinstance(stated, list) and isinstance(calculated, list):
        names = [
            *enumerate(name_of(item, number) for number, item in enumerate((*calculated, *stated[len(calculated) :])))
        ]
        stated, calculated = dict(zip(names, stated, strict=False)), dict(zip(names, calculated, strict=False))
    if isinstance(stated, dict) and isinstance(calculated, dict):
        for name in [*calculated, *(name for name in stated if name not in calculated)]:
            where = f"{place}/{name if isinstance(name, str) else name[1]}".lstrip("/")
            if name in calculated and name in stated:
                yield from differing(where, stated[name], calculated[name])
            else:
                yield f"{where} is {'missing' if name in calculated else 'in no report'}"
    elif calculated is not ... and (stated != calculated or type(stated) is not type(calculated)):
        yield f"{place}: the file says {json.dumps(stated)}, the events make {json.dumps(calculated)}"


def unsaid(calculated: Any, place: str = "") -> Iterator[str]:
    """The places of what the file cannot say."""
    if isinstance(calculated, dict):
        for name, value in calculated.items():
            yield from unsaid(value, f"{place}/{name}".lstrip("/"))
    elif calculated is ...:
        yield place


def compare(day: VerifiedDay, header: Json) -> Json:
    """Every figure that the events make; of a closed day the digest of all of them."""
    stated, last = header["figures"], day.closings[-1] if day.closings else None
    until = day.closings[0]["position"] if last else day.position
    must(header["until"] == until, f"the report is of the events up to {until}, not {header['until']}")
    must(day.position == day.said_at, f"what was said last of the day stands at {day.said_at}, not {day.position}")
    calculated = day.figures(stated)
    if not last:  # nothing vouches for what its events do not make
        calculated = {name: value for name, value in calculated.items() if not [*unsaid(value)]}
    posted, ours = stated.get("journal") or {}, day.accounts(calculated["currency"])
    if last and not posted.keys() & ours:  # a closed journal of an earlier layout, or by accounts of the house's own
        ours = dict.fromkeys(ours, ...)
    missing_names = {*unsaid(calculated), *(name for name, amount in ours.items() if amount is ...)}
    if last:  # a closed day has other accounts as well, and none that nothing was posted to
        ours = {name: amount for name, amount in ours.items() if amount is ... or amount.strip("-0.") or name in posted}
    ours = {name: amount for name, amount in ours.items() if amount is not ... or name in posted}
    calculated["journal"] = {**dict.fromkeys(posted, ...), **ours} if last else ours
    first = next(differing("", stated, calculated), "")
    must(not first, f"figures: {first}")
    digest = hashlib.sha256(written(stated)).hexdigest()
    why = f"figures: {', '.join(sorted(missing_names))} or another account: the day was closed with others"
    must(last is None or last["digest"] == digest, why)
    return {"figures": stated, "digest": digest, "not_recomputed": sorted(missing_names)}


# --- signatures: Ed25519, RFC 8032, 5.1 -------------------------------------------------------------------------------

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(first: Point, second: Point) -> Point:
    """On the curve -x^2 + y^2 = 1 + D x^2 y^2, where this holds for any two points."""
    (a, b), (c, d) = first, second
    both = D * a * b * c * d
    return (a * d + b * c) * pow(1 + both, -1, P) % P, (b * d + a * c) * pow(1 - both, -1, P) % P


def multiply(number: int, point: Point) -> Point:
    """A point, so many times."""
    even = multiply(number // 2, add(point, point)) if number else (0, 1)
    return add(even, point) if number & 1 else even


def decode_point(raw: bytes) -> Point:
    """Decode a point (5.1.3). Raises ValueError for other bytes."""
    y = int.from_bytes(raw, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if len(raw) != 32 or y >= P or (x * x - square) % P or (not x and raw[31] >> 7):
        raise ValueError("not on the curve")
    return x if x & 1 == raw[31] >> 7 else P - x, y


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
    base = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    challenge = int.from_bytes(hashlib.sha512(signature_bytes[:32] + public + body).digest(), "little") % ORDER
    is_whole = len(signature_bytes) == 64 and scalar < ORDER
    return is_whole and multiply(scalar, base) == add(nonce, multiply(challenge, point))


# --- the log: its heads, its tree (RFC 9162, 2.1), and the chains of the day's streams -------------------------------


def is_hash(text: Any) -> bool:
    """Return whether this is a SHA-256 in hex, as it is written."""
    return isinstance(text, str) and len(text) == 64 and not text.strip("0123456789abcdef")


class GrowingTree:
    """A growing tree: the roots of its complete subtrees, from left to right."""

    def __init__(self, size: int, hashes: Sequence[str]) -> None:
        is_whole = len(hashes) == size.bit_count() and all(map(is_hash, hashes))
        must(is_whole, "the tree before the range (front) is not whole")
        self.size, self.hashes = size, [bytes.fromhex(digest) for digest in hashes]

    def add(self, leaf: bytes) -> None:
        """One more leaf, by its hash."""
        behind = self.size
        while behind & 1:
            leaf, behind = hashlib.sha256(b"\1" + self.hashes.pop() + leaf).digest(), behind >> 1
        self.hashes.append(leaf)
        self.size += 1

    def root(self) -> str:
        """Of all of it, in hex."""
        digest = self.hashes[-1] if self.hashes else hashlib.sha256(b"").digest()
        for left_hash in reversed(self.hashes[:-1]):
            digest = hashlib.sha256(b"\1" + left_hash + digest).digest()
        return digest.hex()


def check_heads(header: Json, keys: Collection[str]) -> GrowingTree:
    """Both heads are the house's and signed; the tree as it was at the earlier one."""
    must(set(header["heads"]) == {"before", "after"}, "there are two heads: before, after")
    before, after = header["heads"]["before"], header["heads"]["after"]
    for head in (before, after) if before is not None else (after,):
        name, whose = f"head {head['number']}", (head["type"], head["property"])
        must(whose == ("pitledger.head.v1", header["property"]), f"{name} is another property's, or none")
        signed = json.dumps({k: v for k, v in head.items() if k != "signature"}, sort_keys=True, separators=(",", ":"))
        is_plain = head["signature"] == head["signature"].lower()
        is_valid = is_plain and is_signed(head["key"], head["signature"], signed.encode("ascii"))
        must(is_valid, f"{name} is not signed by its key")
        must(not keys or head["key"] in keys, f"{name} is signed by {head['key']}, not the house's key")
    tree = GrowingTree(before["size"] if before is not None else 0, header["front"])
    if before is not None:
        begin = f"{date.fromisoformat(header['day']) - timedelta(days=2)}T10:00"
        must(keys or before["key"] == after["key"], "the heads are signed by two keys, and none is known")
        must(before["time"] < begin, f"the earlier head may lie behind the day's beginning: {begin}")
        must(tree.root() == before["root"], "the tree before the range (front) is not the earlier head's")
    return tree


def read_line(raw: bytes, name: str) -> Any:
    """A line as it was written, and no other way."""
    try:
        line = json.loads(raw)
        is_same = raw == written(line) + b"\n"
    except (ValueError, RecursionError):
        is_same = False
    must(is_same, f"{name} is not written as it was")
    return line


class VerifiedLog:
    """Reads the lines behind the first, and gives the events that are shown once the tree vouches for them."""

    def __init__(self, lines: Iterator[bytes], header: Json, tree: GrowingTree) -> None:
        self.lines, self.day, self.until, self.tree = lines, header["day"], header["until"], tree
        self.after, self.always = header["heads"]["after"], FORMS[header["type"]]
        self.last = (header["heads"]["before"] or {"position": 0})["position"]
        self.ends: dict[str, tuple[int, str]] = {}  # of the day's streams: version and digest of the last event
        self.has_begun, self.open, self.listed, self.shown = False, set[str](), 0, 0
        self.eve = str(date.fromisoformat(self.day) - timedelta(days=1))

    def events(self) -> Iterator[tuple[int, Json]]:
        waiting: list[tuple[int, Json]] = []
        since, size = self.last, self.after["size"]
        while self.tree.size < size:
            waiting += self._event(self._line())
            if self.tree.size % MARK == 0 or self.tree.size == size:
                where = f"an event behind position {since}, up to {self.last}, is not what was signed, or left out"
                must(self._line() == self.tree.root(), where)
                yield from waiting
                waiting, since = [], self.last
        must(self.last == self.after["position"], f"the list ends at {self.last}, not at {self.after['position']}")
        must(self.tree.root() == self.after["root"], f"an event up to {self.last} is not what the later head speaks of")
        must(next(self.lines, None) is None, f"something stands behind the last event, {self.last}")

    def _line(self) -> Any:
        raw = next(self.lines, None)
        must(raw is not None, f"the file ends at position {self.last}: what stood behind is missing")
        return read_line(raw or b"", f"the line behind position {self.last}")

    def _event(self, line: Any) -> list[tuple[int, Json]]:
        is_one = isinstance(line, list) and len(line) in (3, 4) and type(line[0]) is int
        must(is_one and isinstance(line[1], str), f"behind position {self.last} no event stands")
        position, kind, digest, *text = line
        name = f"position {position}, {kind}"
        must(is_hash(digest), f"{name}: no digest")
        must(position > self.last, f"{name}, does not come after {self.last}")
        self.last, self.listed, self.shown = position, self.listed + 1, self.shown + len(text)
        leaf = position.to_bytes(8, "big") + len(kind.encode()).to_bytes(2, "big") + kind.encode()
        self.tree.add(hashlib.sha256(b"\0" + leaf + bytes.fromhex(digest)).digest())
        if not text:
            must(not self._tells(position, kind.removesuffix(".v1")), f"{name}, is not shown")
            return []
        must(hashlib.sha256(text[0].encode()).hexdigest() == digest, f"{name}: other bytes")
        event: Json = json.loads(text[0])
        must(event["type"] == kind, f"position {position} is listed as {kind} and says {event['type']}")
        self._follow(f"at position {position}", kind.removesuffix(".v1"), event, digest)
        return [(position, event)]

    def _tells(self, position: int, kind: str) -> bool:
        """Return whether an event of this type can move a figure of the day, where it stands."""
        when = ALWAYS if kind in self.always else RULES[kind][0] if kind in RULES else ""
        is_now = when == ALWAYS or (when == LATE and self.has_begun) or (when == PLAY and bool(self.open))
        return kind in CLOSINGS or (position <= self.until and is_now)

    def _follow(self, where: str, kind: str, event: Json, digest: str) -> None:
        """The chain of its stream, where that is the day's; when the day begins, and which of its tables are open."""
        stream = event["subject"]
        _, place, *name = stream.split("/")
        if place in DATED and name[-1] == self.day:
            version, end = self.ends.get(stream, (0, hashlib.sha256(stream.encode()).hexdigest()))
            expected = f"{stream}@{version + 1}"
            must(event["id"] == expected, f"{expected} is missing: {event['id']} stands there, {where}")
            is_next = event["prev"] == end or (not version and event["data"].get("follows"))  # of a day that was rolled
            must(is_next, f"{stream}@{version} is not what {event['id']} {where} goes on from")
            self.ends[stream] = version + 1, digest
            self.open |= {stream} if kind == "session.opened" else set()
        # Events of the previous day after its close are posted on this day.
        self.has_begun |= bool(self.open) or (kind == "day.closed" and event["data"]["gaming_day"] == self.eve)
        if kind in (*ENDS, "session.voided"):
            self.open.discard(stream)


def verify(lines: Iterable[bytes], keys: Collection[str] = ()) -> Json:
    """Everything that the file proves, as plain data. Raises DayProofError with the first that is not."""
    behind = iter(lines)
    try:
        header = read_line(next(behind, b""), "the first line")
        names = {"type", "property", "day", "position", "until", "heads", "front", "figures"}
        is_one = isinstance(header, dict) and set(header) == names and header["type"] in FORMS
        must(is_one, "this is no proof of a day")
        log, day = VerifiedLog(behind, header, check_heads(header, set(keys))), VerifiedDay(header)
        must(header["until"] <= header["position"] <= header["heads"]["after"]["position"], "the heads do not cover it")
        for position, event in log.events():
            day.take(position, event)
        day.finish()
        report = compare(day, header)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise DayProofError(f"the file is not well formed: {error!r}") from error
    status = "restated" if len(day.closings) > 1 else "closed" if day.closings else "open"
    report |= {"property": header["property"], "status": status, "listed": log.listed, "shown": log.shown}
    return report | {"head": header["heads"]["after"]}


# --- showing it -------------------------------------------------------------------------------------------------------


def show(report: Json) -> str:
    """Return both wins by table, and the proofs of them."""
    figures, head = report["figures"], report["head"]
    rows = [
        f"{report['property']}, {figures['day']}, {report['status']}, as of {figures['as_of']}, {figures['currency']}"
    ]
    rows.append(f"{'table':<12}{'inventory win':>18}{'event win':>18}{'rest':>12}")
    for table in figures["tables"]:
        day = table["day"]
        amounts = (day["inventory_win_minor"], day["event_win_minor"], day["parts"]["rest_minor"])
        wins = ["-" if amount is None else decimal(amount, figures["currency"]) for amount in amounts]
        rows.append(f"{table['table']:<12}{wins[0]:>18}{wins[1]:>18}{wins[2]:>12}")
    rows.append(
        f"{len(figures['slips'])} slips, {len(figures['discrepancies'])} discrepancies; digest {report['digest']}"
    )
    if report["not_recomputed"]:
        rows.append(f"not recomputed: {', '.join(report['not_recomputed'])}")
    rows.append(f"{report['listed']:,} events listed, {report['shown']:,} shown")
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
            report = verify(lines, options.key)
        must(heads is None or report["head"] in heads, "the head is not among those from elsewhere")
    except DayProofError as why:
        print(f"NOT EQUAL: {why}", file=sys.stderr)
        return 1
    except (OSError, ValueError, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2) if options.json else show(report))
    if not options.key and heads is None:
        print("The key was not compared: name the one that the house has published by --key.", file=sys.stderr)
    print("EQUAL", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
