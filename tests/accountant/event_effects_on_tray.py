"""The effect of each event: on the tray, by six causes and no other (MD .02), and on the layout."""

from typing import Any

Json = dict[str, Any]
Seen = tuple[int, Json]  # position, event
STAKES = (
    *("bet.placed.v1", "bet.restaked.v1", "bet.corrected.v1", "layout.carried.v1"),
    *("hand.doubled.v1", "hand.split.v1", "insurance.taken.v1"),
)
COUNTS = ("session.opened.v1", "shift.counted.v1", "table.counted.v1", "session.closed.v1", "session.rolled.v1")
CLOSES = ("session.closed.v1", "session.rolled.v1")
PUT_RIGHT = "settlement.corrected.v1"


def worth(pieces: dict[str, int] | None) -> int:
    """Return the value of chips or notes by denomination."""
    return sum(int(value) * count for value, count in (pieces or {}).items())


def differ(left: dict[str, int], right: dict[str, int]) -> bool:
    """Tell whether two piles of chips differ."""
    return any(left.get(value, 0) != right.get(value, 0) for value in {*left, *right})


def counted(event: Json) -> int:
    """Return the counted value of the tray. Colour chips held by players do not belong to the house."""
    data = event["data"]
    pieces = data.get("opener", data.get("closer", data.get("chips")))
    return worth(pieces) - int(data.get("colours_minor", 0))


def tray_change(event: Json) -> int:
    """Return the change that an event makes in the tray (MD .02): six causes, and no other."""
    kind, data = event["type"], event["data"]
    if kind == "buyin.made.v1":
        return -int(data["amount_minor"])
    if kind == "fill.received.v1":
        return worth(data["chips"])
    if kind == "credit.sent.v1":
        return -worth(data["chips"])
    if kind == "credit.returned.v1":
        return worth(data["chips"])
    if kind == "payment.made.v1":
        return -int(data["amount_minor"])
    return lost(event) + commission(event)


def lost(event: Json) -> int:
    """Return the chips of a lost stake, without its vouchers."""
    if event["type"] == PUT_RIGHT:
        return _now_and_before(event["data"])
    sign = {"bet.settled.v1": 1, "settlement.voided.v1": -1}.get(event["type"], 0)
    data = event["data"]
    return sign * (max(0, -data["profit_minor"]) - data.get("promotional_minor", 0)) if sign else 0


def _now_and_before(data: Json) -> int:
    """Return the change in lost chips when a settlement is corrected."""
    vouchers = data.get("vouchers_minor", 0)
    before = max(0, -data["profit_before_minor"]) - (vouchers - data.get("promotional_minor", 0))
    return int(max(0, -data["profit_minor"]) - vouchers - before)


def due(event: Json) -> int:
    """Winnings by the rules."""
    if event["type"] == PUT_RIGHT:
        return int(max(0, event["data"]["profit_minor"]) - max(0, event["data"]["profit_before_minor"]))
    sign = {"bet.settled.v1": 1, "settlement.voided.v1": -1}.get(event["type"], 0)
    return sign * max(0, event["data"]["profit_minor"]) if sign else 0


def commission(event: Json) -> int:
    """Return the commission that was taken beside a bet, or given back."""
    signs = {"bet.withdrawn.v1": -1, "settlement.voided.v1": -1}
    signs |= dict.fromkeys((PUT_RIGHT, "bet.placed.v1", "bet.restaked.v1", "bet.corrected.v1", "bet.settled.v1"), 1)
    return signs.get(event["type"], 0) * int(event["data"].get("commission_minor", 0))


def lies(event: Json) -> int:
    """Return the change of the stakes on the layout."""
    kind, data = event["type"], event["data"]
    if kind in STAKES:
        return int(data.get("amount_minor", 0))
    if kind == "bet.withdrawn.v1":
        return -int(data["amount_minor"])
    decided = int(data.get("amount_minor", 0)) - int(data.get("remaining_minor", 0))
    return {"bet.settled.v1": -decided, "settlement.voided.v1": decided}.get(kind, 0)


def tray(events: list[Seen]) -> int:
    """Return the value of the tray: the last count and all later moves. A count at the close is final."""
    amount = 0
    for _, event in events:
        if event["type"] in COUNTS:
            amount = counted(event)
            if event["type"] in CLOSES:
                return amount
        else:
            amount += tray_change(event)
    return amount
