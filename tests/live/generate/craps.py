"""Cases of craps."""

from collections.abc import Callable
from random import Random
from typing import Any

from events.games.craps.ruleset import rules as craps_rules

Given = dict[str, Any]
POINTS = (4, 5, 6, 8, 9, 10)
STAKES = (1, 2, 5, 6, 10, 12, 15, 18, 25, 30, 60, 100)
FOREIGN = {"craps-gr": ("buy", "lay", "nonsense"), "craps-by": ("horn", "place_wrong", "under7", "dont_pass_odds")}
WHYS = ("cocked", "off table", "slid")
FAULTS = ("slid", "off_table", "in_dice_bowl", "off_dice_bowl", "in_chip_bank", "in_chip_rack", "knocked_back")


def dice(random: Random) -> list[int]:
    return [random.randint(1, 6), random.randint(1, 6)]


def stake(random: Random) -> int:
    return random.choice((*STAKES, random.randint(1, 500)))


def bet(random: Random, ruleset: str, id_: str, lying: list[Given]) -> Given:
    """Return a bet of any kind. Most odds belong to a bet on the layout, and most numbers are valid."""
    rules = craps_rules(ruleset)
    name = random.choice(rules.bets())
    if random.random() < 0.015:
        return {"id": id_, "type": random.choice(FOREIGN[ruleset]), "stake": stake(random), "number": 6}
    rule = rules.bet(name).rule
    new: Given = {"id": id_, "type": name, "stake": stake(random) if random.random() < 0.99 else 0}
    if rule.form in ("number", "hardway") and rule.number is None:
        known = [int(number) for number in rule.pays]
        new["number"] = random.choice(known) if random.random() < 0.98 else random.choice((5, 7, None))
    if rule.form == "odds":
        flats = [other["id"] for other in lying if other["type"] == rule.base]
        new["base"] = random.choice(flats) if flats and random.random() < 0.97 else "zz"
    return new


def wishes(random: Random) -> Given:
    working = random.choice((None, None, True, False))
    return {"after_win": random.choice(("stay", "down")), **({} if working is None else {"working": working})}


def rolls(random: Random, ruleset: str) -> Given:
    """Bets that lie, and throws upon them."""
    point = random.choice((None, *POINTS, *POINTS))
    bets: list[Given] = []
    for at in range(random.randint(1, 8)):
        made = {**bet(random, ruleset, f"b{at:02}", bets), **wishes(random)}
        if "base" in made and made["base"] == "zz" and random.random() < 0.97:
            continue
        if made["type"] in ("come", "dont_come") and (point is None or random.random() < 0.7):
            away = [number for number in POINTS if number != point]
            made["number"] = random.choice(away) if random.random() < 0.99 else random.choice((point, 7, None))
        if made["type"] in ("pass_odds", "dont_pass_odds") and point is None and random.random() < 0.97:
            continue
        bets.append(made)
    return {"point": point, "bets": bets, "rolls": _rolls(random), **_options(random, ruleset)}


def _rolls(random: Random) -> list[list[int]]:
    rolls = [dice(random) for _ in range(random.randint(1, 6))]
    if random.random() < 0.01:
        rolls[-1] = [0, 7]
    return rolls


def _options(random: Random, ruleset: str) -> Given:
    return {"options": {"bar": random.choice((2, 12))}} if ruleset == "craps-by" else {}


def session(random: Random, ruleset: str) -> Given:
    """Return a case of players' actions between throws."""
    laid: list[Given] = []
    events = [_event(random, ruleset, laid) for _ in range(random.randint(4, 16))]
    return {"point": None, "bets": [], "events": events, **_options(random, ruleset)}


def _event(random: Random, ruleset: str, laid: list[Given]) -> Given:
    do = random.choices(("place", "roll", "remove", "working", "no_roll", "offer_dice"), (50, 35, 10, 8, 3, 3))[0]
    known = [bet["id"] for bet in laid] or ["x"]
    if do == "place":
        again = random.random() < 0.05
        likely = {"id": f"s{len(laid)}", "type": random.choice(("pass", "dont_pass", "come")), "stake": stake(random)}
        made = likely if random.random() < 0.3 else bet(random, ruleset, f"s{len(laid)}", laid)
        made["id"] = random.choice(known) if again else made["id"]
        laid.append(made)
        return {"place": made}
    if do == "working":
        return {"working": {"bet": random.choice(known), "on": random.random() < 0.5}}
    what = {"roll": dice(random), "remove": random.choice(known), "no_roll": random.choice(WHYS), "offer_dice": True}
    return {do: what[do]}


def limits(random: Random) -> Given:
    return {
        "minimum": random.randint(1, 50),
        "multiple": random.choice((99, 100, 1_000, 1_001, random.randint(1, 1_100))),
    }


def odds_max(random: Random) -> Given:
    number = random.choice(POINTS) if random.random() < 0.97 else 7
    side = random.choice(("right", "right", "wrong"))
    return {"flat": random.randint(1, 300) if random.random() < 0.97 else 0, "number": number, "side": side}


def press(random: Random) -> Given:
    number, chips = random.choice(POINTS), random.randint(1, 30)
    whole = chips * (6 if number in (6, 8) else 5)
    amount = whole if random.random() < 0.7 else random.randint(1, 100)
    return {"number": number, "stake": amount, "choice": random.choice(("same", "press", "down"))}


def combo(random: Random) -> Given:
    name = random.choice(("across", "inside", "outside", "outside", "inside", "across", "behind"))
    return {"name": name, "unit": random.randint(1, 40) if random.random() < 0.95 else 0}


def throw(random: Random, ruleset: str) -> Given:
    """Return the observed faults of a throw; most throws have few or no faults."""
    faults = {fault: random.random() < 0.12 for fault in FAULTS} if ruleset == "craps-gr" else {}
    belarus = {"cocked": random.random() < 0.2, "off_table": random.random() < 0.2} if ruleset == "craps-by" else {}
    middle = {"past_middle": random.choice((0, 1, 2, 2, 2))} if ruleset == "craps-gr" else {}
    return {"hit_end": random.choice((0, 1, 2, 2, 2, 3)), **middle, **faults, **belarus}


def shooter(random: Random) -> Given:
    """Seats, whose dice they are, and who declines."""
    seats = [f"p{number}" for number in range(1, random.randint(2, 7))]
    current = random.choice((None, *seats))
    declines = [seat for seat in seats if random.random() < 0.3]
    return {
        "seats": seats,
        "current": current,
        "dice_pass": current is not None and random.random() < 0.5,
        "declines": declines,
    }


def _of_ruleset(make: Callable[[Random, str], Given], ruleset: str) -> Callable[[Random], Given]:
    return lambda random: make(random, ruleset)


MAKERS: dict[tuple[str, str], Callable[[Random], Given]] = {
    **{(name, "rolls"): _of_ruleset(rolls, name) for name in FOREIGN},
    **{(name, "session"): _of_ruleset(session, name) for name in FOREIGN},
    **{(name, "throw"): _of_ruleset(throw, name) for name in FOREIGN},
    **{(name, "odds_max"): odds_max for name in FOREIGN},
    **{(name, "shooter"): shooter for name in FOREIGN},
    ("craps-gr", "limits"): limits,
    ("craps-by", "press"): press,
    ("craps-by", "combo"): combo,
}
