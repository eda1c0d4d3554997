"""Slips in transit, and the expected content of the cage by tender (NJ 1.22, 1.23)."""

from tests.accountant.event_effects_on_tray import Json, Seen, worth
from tests.accountant.expected_table_days import content


def slips(events: list[Seen]) -> dict[tuple[str, str, int], Json]:
    """Every slip that the cage has issued, by kind, year and number."""
    slips_: dict[tuple[str, str, int], Json] = {}
    for at, event in events:
        kind, data = event["type"], event["data"]
        if kind == "slip.issued.v1":
            slip = {"day": data["gaming_day"], "table": data["table"], "chips": data["chips"], "status": "open"}
            slips_[data["kind"], data["year"], data["slip"]] = {**slip, "got": None, "sent": None, "over_at": None}
            continue
        if kind == "credit.returned.v1":
            slips_.get(("credit", data["year"], data["slip"]), {}).update(returning=False)
            continue
        way = {"fill.received.v1": "fill", "credit.sent.v1": "credit", "credit.received.v1": "credit"}.get(kind)
        name = (way or data.get("kind", ""), data.get("year", ""), data.get("slip", 0))
        if name not in slips_ or (way is None and kind != "slip.voided.v1"):
            continue
        if kind == "credit.sent.v1":
            slips_[name]["sent"] = data["chips"]
        elif kind == "slip.voided.v1":
            slips_[name].update(status="void", over_at=at, returning=data.get("was_sent", False))
        else:
            slips_[name].update(status="received", got=data["chips"], over_at=at)
    return slips_


def slip_in_report(kind: str, number: int, slip: Json) -> Json:
    """Return a slip as the report lists it."""
    return {
        "kind": kind,
        "number": number,
        "status": slip["status"],
        "table": slip["table"],
        "issued_minor": worth(slip["chips"]),
        "received_minor": worth(slip["got"]) if slip["status"] == "received" else None,
    }


def on_the_way(kind: str, slip: Json) -> int:
    """Between issue and receipt of a fill, between sending and receipt of a credit, or its return."""
    if slip["status"] != "open" and not slip.get("returning"):
        return 0
    return worth(slip["chips"] if kind == "fill" else slip["sent"])


class ExpectedCage:
    """The expected content of the cage.

    `now` counts from its last count, and `by_moves` from the day's opening count by movements alone. `moved` tells
    whether chips moved since its last close.
    """

    def __init__(self, events: list[Seen]) -> None:
        self.known, self.open_for = False, ""
        self.pieces: dict[str, int] = {}
        self.now = dict.fromkeys(("chips", "cash", "marker"), 0)
        self.by_moves = dict(self.now)
        self.days: dict[str, tuple[Json, Json]] = {}
        self.floats: dict[str, tuple[str, dict[str, int]]] = {}
        self.paid: dict[tuple[str, str, int], str] = {}
        self.moved = False
        self.events = events
        for number, (_, event) in enumerate(events):
            self._take(event, number)

    def day_content(self, day: str) -> Json:
        expected, counted = self.days.get(day, (None, None))
        if self.open_for == day:
            expected, counted = self.by_moves, None
        return {
            f"{name}_minor": {
                "expected_minor": expected[name] if expected else None,
                "counted_minor": counted[name] if counted else None,
            }
            for name in ("chips", "cash", "marker")
        }

    def _take(self, event: Json, number: int) -> None:
        kind, data = event["type"], event["data"]
        if kind in ("cage.opened.v1", "cage.counted.v1", "cage.closed.v1"):
            self._counted(kind, data)
            return
        for name, amount in self._moves(kind, data, event, number).items():
            if self.known:
                self.now[name] += amount
                self.by_moves[name] += amount
                self.moved = self.moved or (name == "chips" and amount != 0)

    def _counted(self, kind: str, data: Json) -> None:
        content_ = {"chips": worth(data["chips"]), "cash": data["cash_minor"], "marker": data["marker_minor"]}
        if not self.known or kind == "cage.opened.v1":
            self.by_moves = dict(content_)
        self.known, self.now, self.pieces = True, dict(content_), dict(data["chips"])
        self.moved = self.moved and kind != "cage.closed.v1"
        if kind == "cage.opened.v1":
            self.open_for = data["gaming_day"]
        if kind == "cage.closed.v1":
            self.days[data["gaming_day"]] = (dict(self.by_moves), dict(content_))
            self.by_moves, self.open_for = dict(content_), ""

    def _chips(self, pieces: dict[str, int], sign: int) -> int:
        if self.known:
            for value, count in pieces.items():
                self.pieces[value] = self.pieces.get(value, 0) + sign * count
        return sign * worth(pieces)

    def _moves(self, kind: str, data: Json, event: Json, number: int) -> dict[str, int]:
        """Return the change that an event makes in the cage, by tender."""
        if kind == "chips.issued.v1":
            return {"chips": self._chips(data["chips"], 1 if data["way"] == "brought in" else -1)}
        if kind == "cage.cashed_out.v1":
            return {"chips": self._chips(data["chips"], 1), "cash": -worth(data["chips"])}
        if kind == "cage.cashed_in.v1":
            return {"chips": self._chips(data["chips"], -1), "cash": worth(data["chips"])}
        if kind == "marker.redeemed.v1":
            into = {"chips": self._chips(data["chips"], 1)} if data.get("chips") else {"cash": data["amount_minor"]}
            return {**into, "marker": -data["amount_minor"]}
        if kind == "slip.issued.v1" and data["kind"] == "fill":
            return {"chips": self._chips(data["chips"], -1)}
        if kind == "credit.received.v1":
            return {"chips": self._chips(data["chips"], 1)}
        if kind == "slip.voided.v1" and data["kind"] == "fill":
            return {"chips": self._chips(self._issued(data), 1)}
        if kind == "count.settled.v1":
            return self._box(data)
        if kind in ("session.opened.v1", "session.voided.v1"):
            return self._first_float(kind, data, event["subject"])
        return self._of_progressives(kind, data)

    def _issued(self, data: Json) -> dict[str, int]:
        name = (data["kind"], data["year"], data["slip"])
        chips: dict[str, int] = slips(self.events)[name]["chips"]
        return chips

    def _box(self, data: Json) -> dict[str, int]:
        before = data.get("before") or {}
        self._chips(before.get("chips", {}), -1)
        self._chips(data["found"].get("chips", {}), 1)
        now, then = content(data["found"]), content(before)
        return {name: now[f"{name}_minor"] - then[f"{name}_minor"] for name in ("cash", "marker", "chips")}

    def _first_float(self, kind: str, data: Json, stream: str) -> dict[str, int]:
        """Return the first tray of a new table, which comes from the cage. A void of that day returns it."""
        table = data["table"]
        if kind == "session.opened.v1" and table not in self.floats:
            self.floats[table] = (stream, data["opener"])
            return {"chips": self._chips(data["opener"], -1)}
        if kind == "session.voided.v1" and self.floats.get(table, ("", {}))[0] == stream:
            _, opener = self.floats.pop(table)
            return {"chips": self._chips(opener, 1)}
        return {}

    def _of_progressives(self, kind: str, data: Json) -> dict[str, int]:
        if kind in ("jackpot.paid.v1", "envy.paid.v1", "house.paid.v1"):
            self.paid[data["progressive"], data["slip_year"], data["slip"]] = data["tender"]
            return self._paid(data["tender"], data.get("withheld_minor", 0) - data["amount_minor"])
        if kind == "house.voided.v1":
            tender = self.paid.get((data["progressive"], data["slip_year"], data["slip"]), "cash")
            return self._paid(tender, data["amount_minor"])
        if kind == "fund.deposited.v1" or (kind == "variance.closed.v1" and data["way"] == "paid"):
            return {"cash": -data["amount_minor"]}
        return {}

    def _paid(self, tender: str, amount: int) -> dict[str, int]:
        return {} if tender == "transfer" else {tender: amount}
