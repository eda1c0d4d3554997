"""Discrepancies between expected and counted amounts, from the events alone (NJ 1.21)."""

from tests.accountant.event_effects_on_tray import CLOSES, COUNTS, Json, Seen, counted, differ, tray_change, worth
from tests.accountant.expected_cage_content import ExpectedCage, slips
from tests.accountant.expected_table_days import TENDERS, ExpectedTableDay, content, late_in


class Finding:
    """Reads the events once, and notes each discrepancy."""

    def __init__(self, events: list[Seen]) -> None:
        self.events = events
        self.lines: list[tuple[str, Json]] = []  # gaming day, line
        self.bounds = (2_500, 10_000)
        self.expected: dict[str, int] = {}  # by stream: what the tray must hold, from its last count on
        self.closers: dict[str, tuple[str, dict[str, int]]] = {}  # by table: its last day and how it was closed
        self.recorded: dict[str, bool] = {}
        self.under: dict[str, str | None] = {}  # by stream: the box that was put under the table
        self.hanging: dict[str, set[str]] = {}  # by stream
        for number, (_, event) in enumerate(events):
            self._look(number, event)

    def _note(self, kind: str, table: str | None, day: str, expected: int, counted_minor: int) -> None:
        apart = abs(counted_minor - expected)
        band = "regulator" if apart >= self.bounds[1] else "reported" if apart > self.bounds[0] else "recorded"
        line = {"kind": kind, "table": table, "expected_minor": expected, "found_minor": counted_minor, "band": band}
        self.lines.append((day, line))

    def _look(self, number: int, event: Json) -> None:
        kind, data, stream = event["type"], event["data"], event["subject"]
        if kind == "setting.changed.v1":
            names = ("reported_over_minor", "regulator_from_minor")
            low, high = (data["value"] if data["setting"] == n else b for n, b in zip(names, self.bounds, strict=True))
            self.bounds = (low, high)
        elif "/tables/" in stream:
            self._at_table(number, kind, data, stream, event)
        elif kind == "credit.received.v1":
            self._credit(number, data, stream)
        elif kind in ("cage.opened.v1", "cage.counted.v1", "cage.closed.v1"):
            self._in_cage(number, kind, data, stream)
        elif kind == "count.differed.v1":
            self._note("counters", data["table"], data["gaming_day"], all_of(data["first"]), all_of(data["second"]))
        elif kind == "count.settled.v1":
            self._box(number, data)

    # --- at tables ----------------------------------------------------------------------------------------------------

    def _at_table(self, number: int, kind: str, data: Json, stream: str, event: Json) -> None:
        if kind == "session.opened.v1":
            self.recorded[stream] = data.get("recorded", True)
            self._opener(data, stream)
        elif kind in COUNTS:
            self._count(kind, data, stream, event)
        elif kind == "session.voided.v1":
            self._void(data["table"], stream)
        elif kind in ("fill.received.v1", "credit.sent.v1"):
            self._slip(number, kind, data)
        elif kind in ("drop.put.v1", "drop.removed.v1"):
            self._under(kind, data, stream)
        elif kind == "chips.exchanged.v1" and worth(data["chips_out"]) != worth(data["chips_in"]):
            amounts = worth(data["chips_out"]), worth(data["chips_in"])
            self._note("exchange", data["table"], data["gaming_day"], *amounts)
        self.expected[stream] = counted(event) if kind in COUNTS else self.expected.get(stream, 0) + tray_change(event)

    def _under(self, kind: str, data: Json, stream: str) -> None:
        """Note a removed box that was neither put nor left hanging."""
        before = self.under.get(stream)
        left = self.hanging.setdefault(stream, set())
        if kind == "drop.put.v1" and before is not None:
            left.add(before)
        elif kind == "drop.removed.v1" and data["drop_box"] in left - {before}:
            left.discard(data["drop_box"])
            return
        if kind == "drop.removed.v1" and before not in (None, data["drop_box"]):
            self._note("box", data["table"], data["gaming_day"], 0, 0)
        self.under[stream] = data["drop_box"] if kind == "drop.put.v1" else None

    def _opener(self, data: Json, stream: str) -> None:
        """Compare the opener with the last closer by denomination. A new table has no closer."""
        day, closer = self.closers.get(data["table"], ("", None))
        if closer is not None and day < data["gaming_day"] and differ(closer, data["opener"]):
            self._note("opener", data["table"], data["gaming_day"], worth(closer), worth(data["opener"]))

    def _count(self, kind: str, data: Json, stream: str, event: Json) -> None:
        counted_, expected = counted(event), self.expected[stream]
        if self.recorded[stream] and counted_ != expected:
            name = {"shift.counted.v1": "shift_count", "table.counted.v1": "table_count"}.get(kind, "closer")
            self._note(name, data["table"], data["gaming_day"], expected, counted_)
        if kind in CLOSES:
            self.closers[data["table"]] = (data["gaming_day"], data["closer"])

    def _void(self, table: str, stream: str) -> None:
        """Remove the closer of a void day. The closer is then that of the day before."""
        before = [
            event["data"]
            for _, event in self.events
            if event["type"] in CLOSES and event["data"]["table"] == table and event["subject"] != stream
        ]
        self.closers.pop(table, None)
        known = [data for data in before if data["gaming_day"] < stream.rpartition("/")[2]]
        if known:
            self.closers[table] = (known[-1]["gaming_day"], known[-1]["closer"])

    def _slip(self, number: int, kind: str, data: Json) -> None:
        way = "fill" if kind == "fill.received.v1" else "credit"
        slip = slips(self.events[:number]).get((way, data.get("year", ""), data["slip"]))
        if slip is None:
            if any(event["type"] == "cage.opened.v1" for _, event in self.events[:number]):
                self._note("unknown_slip", data["table"], data["gaming_day"], 0, worth(data["chips"]))
        elif way == "fill" and differ(slip["chips"], data["chips"]):
            self._note("fill", data["table"], data["gaming_day"], worth(slip["chips"]), worth(data["chips"]))

    # --- in cage and count room ---------------------------------------------------------------------------------------

    def _credit(self, number: int, data: Json, stream: str) -> None:
        """Note one discrepancy a slip at most: of the received chips, or else of the sent chips."""
        slip = slips(self.events[:number]).get(("credit", data["year"], data["slip"]))
        if slip is None:  # chips by a slip that the cage has not issued, or that is settled
            day, table = stream.rpartition("/")[2], data["table"] or None
            self._note("unknown_slip", table, day, 0, data["amount_minor"])
            return
        slip["sent"] = slip["sent"] if slip["sent"] is not None else data["chips"]  # its table has not said so
        for received in (data["chips"], slip["sent"]):
            if differ(slip["chips"], received or {}):
                day = stream.rpartition("/")[2]
                self._note("credit", data["table"], day, worth(slip["chips"]), worth(received))
                return

    def _in_cage(self, number: int, kind: str, data: Json, stream: str) -> None:
        before = ExpectedCage(self.events[:number])
        counted_ = {"chips": worth(data["chips"]), "cash": data["cash_minor"], "marker": data["marker_minor"]}
        pieces = kind == "cage.opened.v1" and not before.moved and differ(before.pieces, data["chips"])
        if before.known and (counted_ != before.now or pieces):
            day = stream.rpartition("/")[2]
            self._note("cage", None, day, sum(before.now.values()), sum(counted_.values()))

    def _box(self, number: int, data: Json) -> None:
        """Compare the count with the recorded buy-ins of all tenders.

        The box may also hold vouchers that were staked.
        """
        counted_ = content(data["found"])
        recorded = self._recorded(number, data)
        least, most = recorded["promotional"], recorded["promotional"] + self._staked(number, data)
        recorded["promotional"] = min(max(counted_["promotional_minor"], least), most)
        if any(counted_[f"{tender}_minor"] != recorded.get(tender, 0) for tender in (*TENDERS, "chips")):
            self._note("box", data["table"], data["gaming_day"], sum(recorded.values()), sum(counted_.values()))

    def _of_table(self, number: int, data: Json) -> list[Seen]:
        """The events of its table's day, from the opening that counts."""
        stream = f"tables/{data['table']}/{data['gaming_day']}"
        mine = [event for event in self.events[:number] if event[1]["subject"].endswith(f"/{stream}")]
        return mine[max(at for at, event in enumerate(mine) if event[1]["type"] == "session.opened.v1") :]

    def _recorded(self, number: int, data: Json) -> dict[str, int]:
        table = ExpectedTableDay(self._of_table(number, data), recorded=True, settled={})
        if not table.with_boxes:
            return {tender: sum(table.bought(shift, tender) for shift in table.shifts) for tender in TENDERS}
        named_boxes = [box for box in table.boxes() if box["name"] == data["drop_box"]]
        if not named_boxes:  # nobody has put it, or taken it
            return dict.fromkeys(TENDERS, 0)
        [box] = named_boxes
        return {tender: box[tender] + late_in(box, tender) for tender in TENDERS}

    def _staked(self, number: int, data: Json) -> int:
        """Return the vouchers staked over a box, without returned ones.

        They were staked while the box hung, or were on the layout when it was put. A table without box names has one
        box.
        """
        events = [event for _, event in self._of_table(number, data)]
        with_boxes = any(event["type"] == "drop.put.v1" for event in events)
        over: list[tuple[str | None, list[Json]]] = [(None, [])]  # the boxes in their order, with their stakes
        lying: dict[str, Json] = {}
        stakes: dict[str, Json] = {}
        settled: list[tuple[Json, Json]] = []  # settlements for good, with their stakes
        for event in events:
            kind, payload = event["type"], event["data"]
            if kind == "drop.put.v1":
                over.append((payload["drop_box"], [*lying.values()]))
            elif kind == "drop.removed.v1" and over[-1][0] is not None:
                over[-1] = (payload["drop_box"], over[-1][1])
                over.append((None, []))
            for name, amount in staked_by(event):
                stakes[name] = lying[name] = {"amount": amount, "back": False}
                over[-1][1].append(stakes[name])
            name = payload.get("bet", "")
            if name in lying and kind == "bet.settled.v1" and not payload.get("remaining_minor"):
                settled.append((payload, stakes[name]))
            elif kind == "settlement.corrected.v1":
                correct_vouchers(settled, payload)
            if kind == "bet.placed.v1" and payload.get("tender") != "promotional":
                stakes.pop(name, None)
            elif kind in ("bet.corrected.v1", "bet.restaked.v1") and name in lying:
                stakes[name]["amount"] = changed_voucher(stakes[name]["amount"], kind, payload)
            elif kind == "settlement.voided.v1":
                lying |= voided_stakes(settled, payload)
            elif kind in ("bet.settled.v1", "bet.withdrawn.v1") and not payload.get("remaining_minor", 0):
                stake = lying.pop(name, None)
                if stake is not None and payload.get("outcome", "void") == "void":
                    stakes.pop(name)["back"] = True
        mine = [
            stake for name, stakes in over if name == (data["drop_box"] if with_boxes else None) for stake in stakes
        ]
        return sum(stake["amount"] for stake in mine if not stake["back"])


def is_same_bet(settlement: Json, change: Json) -> bool:
    """Return whether a change is about this settlement. A name of a bet comes again in later rounds."""
    return bool((settlement["bet"], settlement["round"]) == (change["bet"], change["round"]))


def voided_stakes(settled: list[tuple[Json, Json]], void: Json) -> dict[str, Json]:
    """Return the stake that a void settlement puts back on the layout, by its name."""
    of_bet = [stake for line, stake in settled if is_same_bet(line, void)]
    return {void["bet"]: of_bet[-1]} if of_bet and not of_bet[-1]["back"] else {}


def changed_voucher(voucher: int, kind: str, data: Json) -> int:
    """Return the voucher of a stake on the layout after its change. A corrected stake is one as far as it was one."""
    is_all = kind == "bet.corrected.v1" and voucher == (data.get("stake_before_minor") or voucher)
    return int(data["stake_minor"]) if is_all else min(voucher, data["stake_minor"])


def correct_vouchers(settled: list[tuple[Json, Json]], correction: Json) -> None:
    """Correct the voucher of a settled stake: to the true stake, or to a part of it where chips had raised it."""
    of_bet = [line for line in settled if is_same_bet(line[0], correction)]
    if of_bet:
        settlement, stake = of_bet[-1]
        vouchers = stake.setdefault("settled", min(stake["amount"], settlement["amount_minor"]))
        has_chips = settlement["amount_minor"] > vouchers
        stake["amount"] = min(vouchers, correction["stake_minor"]) if has_chips else correction["stake_minor"]


def staked_by(event: Json) -> list[tuple[str, int]]:
    """Bets that an event lays with vouchers, each with its amount."""
    data = event["data"]
    if event["type"] == "layout.carried.v1":
        return [(bet["bet"], bet["promotional_minor"]) for bet in data.get("bets", ()) if bet.get("promotional_minor")]
    is_one = event["type"] == "bet.placed.v1" and data.get("tender") == "promotional"
    return [(data["bet"], data["amount_minor"])] if is_one else []


def all_of(count: Json) -> int:
    """Return the total of one counter's entry for a box."""
    return sum(content(count).values())
