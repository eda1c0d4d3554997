"""A table's day, divided into shifts by its counts: both wins, the parts of their difference (NY 5315.1), its boxes."""

from typing import Any

from tests.accountant.event_effects_on_tray import (
    CLOSES,
    PUT_RIGHT,
    Json,
    Seen,
    commission,
    counted,
    due,
    lies,
    lost,
    tray_change,
    worth,
)

TENDERS = ("cash", "marker", "promotional")


class ExpectedTableDay:
    """A table's day, cut into shifts by its counts."""

    def __init__(self, events: list[Seen], *, recorded: bool, settled: dict[str, Json]) -> None:
        self.recorded, self.settled = recorded, settled
        self.names = [events[0][1]["data"]["shift"]]
        self.shifts: list[list[Json]] = [[]]
        self.begins = [counted(events[0][1])]
        self.ends: list[int | None] = []
        self.positions = {id(event): at for at, event in events}
        self.cuts: list[int] = []  # where a shift ends
        for at, event in events[1:]:
            if event["type"] == "shift.counted.v1":
                self.cuts.append(at)
                self.ends.append(counted(event))
                self.names.append(event["data"]["next_shift"])
                self.begins.append(counted(event))
                self.shifts.append([])
            else:
                self.shifts[-1].append(event)
                if event["type"] in CLOSES:
                    self.ends.append(counted(event))
        if len(self.ends) < len(self.shifts):
            self.ends.append(None)
        self.with_boxes = bool(events[0][1]["data"].get("has_boxes")) or self._any("drop.put.v1")
        self.with_boxes = self.with_boxes or self._is_taken_in_session()

    def _is_taken_in_session(self) -> bool:
        """Tell whether a box was removed before the close of a table that had put none."""
        kinds = [event["type"] for shift in self.shifts for event in shift]
        closed = next((at for at, kind in enumerate(kinds) if kind in CLOSES), len(kinds))
        return "drop.removed.v1" in kinds[:closed]

    def _any(self, kind: str) -> bool:
        return any(event["type"] == kind for shift in self.shifts for event in shift)

    def shift(self, number: int) -> Json:
        events, begin, end = self.shifts[number], self.begins[number], self.ends[number]
        bought = {t: self.bought(events, t) for t in TENDERS}
        figures: Json = {
            "shift": self.names[number],
            "begin_minor": begin,
            "end_minor": end,
            "fills_minor": sum(worth(e["data"]["chips"]) for e in events if e["type"] == "fill.received.v1"),
            "credits_minor": self._credits(events),
            "buyins": {f"{tender}_minor": amount for tender, amount in bought.items()},
            "lost_minor": sum(map(lost, events)),
            "due_minor": sum(map(due, events)),
            "paid_minor": sum(e["data"]["amount_minor"] for e in events if e["type"] == "payment.made.v1"),
            "commission_minor": sum(map(commission, events)),
            "promotional_stakes_minor": sum(self._vouchers(event) for event in events),
            "undecided_minor": self._undecided(number),
            "expected_minor": begin + sum(map(tray_change, events)),
        }
        figures["event_win_minor"] = figures["lost_minor"] - figures["due_minor"] + figures["commission_minor"]
        figures |= self._wins(number, figures, bought)
        return figures if self.recorded else without_bets(figures)

    def _wins(self, number: int, figures: Json, bought: dict[str, int]) -> Json:
        drop, is_counted = self._drop(number, bought)
        end = figures["end_minor"]
        net = drop["cash_minor"] + drop["marker_minor"] + drop["chips_minor"]
        taken = figures["credits_minor"] - figures["fills_minor"]
        win = None if end is None else net + end + taken - figures["begin_minor"]
        parts: Json = {
            "mispay_minor": figures["due_minor"] - figures["paid_minor"],
            "promotional_minor": -bought["promotional"],
            "drop_minor": net - bought["cash"] - bought["marker"] if is_counted else None,
            "inventory_minor": None if end is None else end - figures["expected_minor"],
            "rest_minor": None,
        }
        if win is not None and is_counted:
            known = sum(value for value in parts.values() if value is not None)
            parts["rest_minor"] = win - figures["event_win_minor"] - known
        return {"inventory_win_minor": win, "parts": parts, "drop": {**drop, "counted": is_counted}}

    def bought(self, events: list[Json], tender: str) -> int:
        return sum(
            event["data"]["amount_minor"]
            for event in events
            if event["type"] == "buyin.made.v1" and event["data"]["tender"] == tender
        )

    def _credits(self, events: list[Json]) -> int:
        signs = {"credit.sent.v1": 1, "credit.returned.v1": -1}
        return sum(signs[e["type"]] * worth(e["data"]["chips"]) for e in events if e["type"] in signs)

    def _vouchers(self, event: Json) -> int:
        sign = {"bet.settled.v1": 1, "settlement.voided.v1": -1, PUT_RIGHT: 1}.get(event["type"], 0)
        return sign * int(event["data"].get("promotional_minor", 0))

    def _undecided(self, number: int) -> int:
        """Return the unsettled bets at the end of a shift, before any later result."""
        lying = 0
        for shift in self.shifts[: number + 1]:
            for event in shift:
                if event["type"] in CLOSES:
                    return lying
                lying += lies(event)
        return lying

    # --- boxes --------------------------------------------------------------------------------------------------------

    def boxes(self) -> list[Json]:
        """Return the boxes, each with its shift and the buy-ins over it by shift (`late` for later shifts).

        Buy-ins without a box count for the next box that is put, or for a removed box that was never put. A box that is
        put twice, or is removed late, is the same box.
        """
        day_boxes: list[Json] = []
        under: Json | None = None
        for number, events in enumerate(self.shifts):
            loose = dict.fromkeys(TENDERS, 0)
            for event in events:
                data = event["data"]
                self._counted_by(self.positions[id(event)], number, day_boxes)
                known = next((box for box in day_boxes if box["name"] == data.get("drop_box")), None)
                if event["type"] == "drop.put.v1" and known is not None:
                    under = known
                elif event["type"] == "drop.put.v1":
                    under = {"name": data["drop_box"], "shift": number, "late": {}, **loose}
                    loose = dict.fromkeys(TENDERS, 0)
                    day_boxes.append(under)
                elif event["type"] == "drop.removed.v1" and known is not None and known is not under:
                    continue
                elif event["type"] == "drop.removed.v1" and under is not None:
                    under["name"], under = data["drop_box"], None
                elif event["type"] == "drop.removed.v1":
                    day_boxes.append({"name": data["drop_box"], "shift": number, "late": {}, **loose})
                    loose = dict.fromkeys(TENDERS, 0)
                elif event["type"] == "buyin.made.v1":
                    self._into(under, loose, number)[data["tender"]] += data["amount_minor"]
            self._counted_by(self.cuts[number] if number < len(self.cuts) else None, number, day_boxes)
        return day_boxes

    def _counted_by(self, position: int | None, shift: int, boxes: list[Json]) -> None:
        """Add the boxes that were counted in this shift, but never put or removed."""
        known = {box["name"] for box in boxes}
        for name, count in self.settled.items():
            if name not in known and (position is None or count["first_at"] < position):
                boxes.append({"name": name, "shift": shift, "late": {}, **dict.fromkeys(TENDERS, 0)})

    def _into(self, under: Json | None, loose: dict[str, int], number: int) -> dict[str, int]:
        """Return the amounts of the box under the table, even if it belongs to an earlier shift."""
        if under is None:
            return loose
        if under["shift"] == number:
            return under
        late: dict[str, int] = under["late"].setdefault(number, dict.fromkeys(TENDERS, 0))
        return late

    def _drop(self, number: int, bought: dict[str, int]) -> tuple[Json, bool]:
        """Return the drop, and whether all boxes of the shift are counted.

        Counted boxes give their counted content, and others their recorded buy-ins. Buy-ins into an earlier shift's box
        stay with their shift. A difference belongs to the shift of the box.
        """
        if not self.with_boxes:
            return self._undivided(number, bought)
        mine = [box for box in self.boxes() if box["shift"] == number]
        others = [box for box in self.boxes() if number in box["late"]]
        drop = dict.fromkeys(("cash_minor", "marker_minor", "promotional_minor", "chips_minor"), 0)
        for box in mine:
            for name, amount in self._content(box).items():
                drop[name] += amount
        for tender in TENDERS:
            drop[f"{tender}_minor"] += sum(box["late"][number][tender] for box in others)
        is_counted = self.ends[number] is not None and all(box["name"] in self.settled for box in (*mine, *others))
        if not is_counted:
            for tender in TENDERS:
                in_boxes = sum(box[tender] for box in mine) + sum(box["late"][number][tender] for box in others)
                drop[f"{tender}_minor"] += bought[tender] - in_boxes
        return drop, is_counted

    def _content(self, box: Json) -> Json:
        count = self.settled.get(box["name"])
        if count is None:
            return {f"{tender}_minor": box[tender] for tender in TENDERS}
        return {name: amount - late_in(box, name.removesuffix("_minor")) for name, amount in content(count).items()}

    def _undivided(self, number: int, bought: dict[str, int]) -> tuple[Json, bool]:
        """Return the drop of a day with one box.

        Earlier shifts get recorded buy-ins, and the last shift gets the difference.
        """
        recorded = {f"{tender}_minor": bought[tender] for tender in TENDERS} | {"chips_minor": 0}
        content = self._one_count()
        if content is None:
            return recorded, False
        if number == len(self.shifts) - 1:
            before = {tender: sum(self.bought(shift, tender) for shift in self.shifts[:-1]) for tender in TENDERS}
            recorded = {name: content[name] - before.get(name.removesuffix("_minor"), 0) for name in content}
        return recorded, self.ends[number] is not None

    def _one_count(self) -> Json | None:
        counts = [event["data"] for shift in self.shifts for event in shift if event["type"] == "drop.counted.v1"]
        if self.settled:
            return content([*self.settled.values()][-1])
        if not counts:
            return None
        net = counts[-1]["amount_minor"] - counts[-1].get("promotional_minor", 0)
        marker = min(net, sum(self.bought(shift, "marker") for shift in self.shifts))
        promotional = counts[-1].get("promotional_minor", 0)
        return {"cash_minor": net - marker, "marker_minor": marker, "promotional_minor": promotional, "chips_minor": 0}


def late_in(box: Json, tender: str) -> int:
    """Return the total that later shifts put into the box of an earlier one."""
    return sum(late.get(tender, 0) for late in box["late"].values())


def content(count: Json) -> Json:
    """Return the counted content of a box."""
    return {
        "cash_minor": worth(count.get("cash")),
        "marker_minor": count.get("marker_minor", 0),
        "promotional_minor": count.get("promotional_minor", 0),
        "chips_minor": worth(count.get("chips")),
    }


OF_BETS = ("lost", "due", "paid", "commission", "promotional_stakes", "undecided", "expected", "event_win")


def without_bets(figures: Json) -> Json:
    """Return the figures without those that depend on bets: the table is only counted."""
    gone: Json = {f"{name}_minor": None for name in OF_BETS}
    parts = {**figures["parts"], **dict.fromkeys(("mispay_minor", "inventory_minor", "rest_minor"))}
    return {**figures, **gone, "parts": parts}


def day_of_shifts(shifts: list[Json]) -> Json:
    """A table's day: its beginning, its end, and the sums of its shifts; null is in no sum."""

    def total(amounts: list[Any]) -> Any:
        return None if None in amounts else sum(amounts)

    day: Json = {}
    for name in shifts[0]:
        values = [shift[name] for shift in shifts]
        if isinstance(values[0], dict):
            day[name] = {name_: total([value[name_] for value in values]) for name_ in values[0]}
        elif name != "shift":
            day[name] = total(values)
    day["drop"]["counted"] = all(shift["drop"]["counted"] for shift in shifts)
    moves = [None if s["expected_minor"] is None else s["expected_minor"] - s["begin_minor"] for s in shifts]
    begin, move = shifts[0]["begin_minor"], total(moves)
    last = {"end_minor": shifts[-1]["end_minor"], "undecided_minor": shifts[-1]["undecided_minor"]}
    return {**day, "begin_minor": begin, **last, "expected_minor": None if move is None else begin + move}
