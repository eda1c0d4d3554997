"""Craps cases at a table."""

from fractions import Fraction
from typing import Any

from tests.live.craps_table_for_cases import DICE_OF, FLAT, Layout, layout_of
from tests.live.live_table import Given, LiveTable, Player, TableRefusal


def rolls(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Throw after throw on bets that were brought there."""
    layout = layout_of(table)
    layout.lay_out(inputs.get("point"), inputs["bets"])
    thrown = [layout.throw(dice) for dice in inputs["rolls"]]
    on_table = [id_ for id_ in layout.names if layout.lies(id_)]
    layout.clear()
    return {"rolls": thrown, "on_table": on_table}


def session(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Bets made, taken down and switched between throws."""
    layout = layout_of(table)
    layout.lay_out(inputs.get("point"), inputs.get("bets", []))
    events = [_step(layout, *next(iter(event.items()))) for event in inputs["events"]]
    on_table = [id_ for id_ in layout.names if layout.lies(id_)]
    layout.clear()
    return {"events": events, "on_table": on_table}


def _step(layout: Layout, kind: str, what: Any) -> Given:
    if kind == "place":
        commission = layout.place(what)
        if commission is None:
            return {"accepted": False}
        return {"accepted": True, **({"commission": commission} if what["type"] in ("buy", "lay") else {})}
    if kind == "remove":
        returned = layout.remove(what)
        return {"accepted": False} if returned is None else {"accepted": True, "returned": returned}
    if kind == "working":
        return {"accepted": _switched(layout, what)}
    if kind == "offer_dice":
        layout.offer()
        return {}
    if kind == "no_roll":
        return _no_roll(layout, what)
    return layout.throw(what)


def _switched(layout: Layout, wish: Given) -> bool:
    name = layout.names.get(wish["bet"], "none")
    try:
        layout.see(layout.table.do("bet.instruct", bet=name, working=wish["on"]))
    except TableRefusal:
        return False
    return True


def _no_roll(layout: Layout, why: str) -> Given:
    layout.offer()
    seen = {"off table": {"off_table": True}, "cocked": {"cocked": True}, "slid": {"slid": True}}.get(why)
    layout.see(layout.table.do("roll.call_off", detail=why, seen=seen))
    layout.begin()
    lying = [id_ for id_ in layout.names if layout.lies(id_)]
    return {"void": True, "point_after": layout.point, "on_table": lying}


def limits(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The maximum is posted; then both ends of every band, and one minor unit beyond; then bets at their maxima."""
    layout = layout_of(table)
    layout.rest()
    minimum = table.minor(inputs["minimum"])
    maximum = minimum * inputs["multiple"]
    if minimum <= 0:
        return {"error": "no minimum"} if not _posted(table, minimum, {"maximum": max(maximum, 1)}) else {}
    if not _posted(table, minimum, {"maximum": maximum}):
        return {"valid": False}
    layout.line = minimum
    multi = {name: _band(table, minimum, maximum, name, band) for name, band in expected["multi"].items()}
    places = {
        wager: {number: _most(layout, wager, int(number), most, minimum) for number, most in expected[wager].items()}
        for wager in ("place", "place_wrong")
    }
    layout.line = table.setting.unit
    layout.rest()
    _posted(table, 1, {})
    return {"valid": True, "table_max": maximum // table.setting.unit, "multi": multi, **places}


def _posted(table: LiveTable, minimum: int, maxima: dict[str, int]) -> bool:
    return table.may("limits.post", minimum_minor=minimum, maxima_minor=maxima)


def _band(table: LiveTable, minimum: int, maximum: int, name: str, band: list[Any]) -> list[Any]:
    """Return the band if the table accepts its two ends and refuses the next amounts outside."""
    low, high = (Fraction(end) * table.setting.unit for end in band)
    inside, outside = (low.__ceil__(), high.__floor__()), (low.__ceil__() - 1, high.__floor__() + 1)
    taken = [_posted(table, minimum, {"maximum": maximum, name: most}) for most in inside]
    beyond = [most >= minimum and _posted(table, minimum, {"maximum": maximum, name: most}) for most in outside]
    lowest = [low.__ceil__() >= minimum, True]  # an end below the table's minimum is none that can be posted
    _posted(table, minimum, {"maximum": maximum})
    return band if taken == lowest and not any(beyond) else [taken, beyond]


def _most(layout: Layout, wager: str, number: int, most: Any, minimum: int) -> Any:
    """The greatest stake of a place bet, if the table takes it and nothing more."""
    table = layout.table
    layout.begin()
    exact = (Fraction(most) * table.setting.unit).__floor__()
    about: Given = {"wager": wager, "number": number, "player": "p"}
    is_more_taken = table.may("bet.place", bet=table.new_name("more"), amount_minor=exact + 1, **about)
    at = table.do("bet.place", bet=table.new_name("most"), amount_minor=exact, **about)
    layout.see(at)
    for event in at:
        layout.see(table.do("bet.withdraw", bet=event["data"]["bet"]))
    return most if not is_more_taken else f"more than {most}"


def odds_max(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Odds as large as they may be behind a flat bet, after one chip more was refused."""
    layout = layout_of(table)
    flat, number = inputs["flat"], inputs["number"]
    odds = {"right": "pass_odds", "wrong": "dont_pass_odds"}[inputs["side"]]
    layout.lay_out(number, [{"id": "flat", "type": FLAT[odds], "stake": flat}])
    about = {"wager": odds, "base": layout.names["flat"], "player": layout.bets[layout.names["flat"]]["player"]}
    if "error" in expected:
        layout.see(table.do("bet.place", bet=table.new_name("odds"), amount_minor=table.minor(1), **about))
        return {}
    field = next(iter(expected))
    exact = (Fraction(expected[field]) * table.setting.unit).__floor__()
    is_more_taken = table.may("bet.place", bet=table.new_name("more"), amount_minor=exact + 1, **about)
    layout.see(table.do("bet.place", bet=table.new_name("odds"), amount_minor=exact, **about))
    layout.clear()
    return {field: f"more than {expected[field]}" if is_more_taken else expected[field]}


def press(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A place bet wins; the player leaves it, has it pressed or takes it down."""
    layout = layout_of(table)
    number = inputs["number"]
    bet = {"id": "place", "type": "place", "number": number, "stake": inputs["stake"], "after_win": "stay"}
    layout.lay_out(next(point for point in (4, 5) if point != number), [bet])
    layout.begin()
    layout.offer()
    # thrown here and not by the layout: a press comes before the payment
    events = table.do("dice.roll", dice=DICE_OF[number])
    [won] = [event["data"] for event in events if event["type"] == "bet.settled.v1"]
    layout.see(events)
    name, stake, to_player = layout.names["place"], table.minor(inputs["stake"]), 0
    if inputs["choice"] == "press":
        stake += _pressed(layout, name, lawful=layout.size_is_lawful(bet))
    to_player = table.due.get(name, 0)
    table.pay()
    if inputs["choice"] == "down":
        to_player += layout.remove("place") or 0
        stake = 0
    table.gain -= won["profit_minor"]
    layout.clear()
    unit = table.setting.unit
    return {"profit": won["profit_minor"], "stake_after": stake // unit, "to_player": to_player}


def _pressed(layout: Layout, name: str, *, lawful: bool) -> int:
    """Press a bet, and return the increase of its stake."""
    events = layout.table.do("bet.press", intent="ask" if lawful else "fact", bet=name)
    added: int = sum(event["data"]["amount_minor"] for event in events if event["type"] == "bet.restaked.v1")
    layout.bets[name]["stake"] += added // layout.table.setting.unit
    return added


def combo(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A combination is called, and its bets lie."""
    layout = layout_of(table)
    unit = table.minor(inputs["unit"])
    name = table.new_name("combo")
    events = table.do("combination.place", bet=name, name=inputs["name"], unit_minor=unit, player="p", seat=2)
    layout.see(events)
    bets = {str(event["data"]["number"]): event["data"]["amount_minor"] // table.setting.unit for event in events}
    layout.clear()
    return {"bets": bets}


def throw(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A throw counts or is called off, by the observed faults. The table refuses an invalid roll as a throw."""
    layout = layout_of(table)
    seen = {name: value for name, value in inputs.items() if name != "kind"}
    layout.offer()
    counts = table.may("dice.roll", dice=[1, 3], seen=seen)
    if counts:
        layout.point = 4
        layout.clear()
        return {"valid": True, "reasons": []}
    events = table.do("roll.call_off", seen=seen)
    layout.see(events)
    layout.clear()
    return {"valid": False, "reasons": events[0]["data"]["reasons"]}


PLAYERS: dict[str, Player] = {
    "rolls": rolls,
    "session": session,
    "limits": limits,
    "odds_max": odds_max,
    "press": press,
    "combo": combo,
    "throw": throw,
}
