"""Cases of roulette."""

from collections.abc import Callable
from random import Random
from typing import Any

from events.games.roulette import layout

Given = dict[str, Any]
RULESETS = ("roulette-american", "roulette-french")
EVEN = ("red", "black", "odd", "even", "low", "high")
MULTIPLES = {"straight": 1, "split": 2, "street": 3, "corner": 4, "line": 6, "column": 12, "dozen": 12} | dict.fromkeys(
    EVEN, 18
)
ON_36 = ("column", "corner", "dozen", "even", "high", "red", "split", "straight")


def place(random: Random) -> Given:
    """Return any place of the layout, its numbers in any order; rarely an invalid place."""
    name = random.choice(layout.TYPES)
    if random.random() < 0.01:
        return {"type": random.choice(("two_dozens", "split")), "numbers": [1, 5]}
    if name in EVEN:
        return {"type": name}
    if name in ("column", "dozen"):
        return {"type": name, "which": random.randint(1, 3)}
    numbers = [*random.choice(layout.places(name))]
    random.shuffle(numbers)
    return {"type": name, "numbers": numbers}


def spin(random: Random, ruleset: str) -> Given:
    """A number, and bets that do or do not keep a maximum."""
    bets = [_bet(random, ruleset, f"b{at:02}") for at in range(random.randint(1, 8))]
    number = random.choice((0, 0, random.randrange(37), random.randrange(37))) if random.random() < 0.99 else 37
    return {"number": number, "bets": bets}


def _bet(random: Random, ruleset: str, id_: str) -> Given:
    made = {"id": id_ if random.random() < 0.995 else "b00", **place(random)}
    made["stake"] = random.randint(1, 300) if random.random() < 0.995 else 0
    if random.random() < 0.3:
        made["max"] = random.choice((20, 25, 100, 200, made["stake"] or 1, made["stake"] + 1))
    french = ruleset == "roulette-french"
    if made["type"] in EVEN and (french or random.random() < 0.01) and random.random() < 0.8:
        made["on_zero"] = random.choice(("half", "prison"))
    return made


def en_prison(random: Random) -> Given:
    """A stake through its spins, with a choice for each zero that may want one."""
    numbers = [0]
    while len(numbers) < 6 and numbers[-1] == 0 and random.random() < 0.8:
        numbers.append(random.choice((0, 0, 0, random.randint(1, 36))))
    if random.random() < 0.1:
        numbers = [random.randint(1, 36)]
    if random.random() < 0.04:
        numbers.append(random.randint(0, 36))
    last_coup = random.random() < 0.25
    zeros = numbers.count(0)
    open_end = numbers[-1] == 0 or random.random() < 0.1
    choices = [*["prison"] * (zeros - 1), random.choice(("half", "prison")) if open_end else "prison"][:zeros]
    if last_coup and numbers[-1] == 0 and random.random() < 0.5:
        choices = choices[:-1]
    even = random.choice(EVEN) if random.random() < 0.98 else "straight"
    fields = {"last_coup": True} if last_coup else {}
    return {"type": even, "stake": random.randint(1, 200), "numbers": numbers, "choices": choices, **fields}


def _minimum(random: Random) -> int | str:
    return random.choice((random.randint(1, 50), random.randint(1, 50), "5/2", "1/2"))


def limits(random: Random) -> Given:
    return {"minimum": _minimum(random)}


def table_check(random: Random) -> Given:
    """Posted maxima, most of them inside their bands or at the ends."""
    minimum = random.randint(1, 20)
    times = {
        name: random.choice((20, 25, 30, 25, 25, 19, 31) if random.random() < 0.2 else (20, 25, 30))
        for name in MULTIPLES
    }
    return {"minimum": minimum, "maxima": {name: minimum * times[name] * by for name, by in MULTIPLES.items()}}


def accept(random: Random) -> Given:
    """Return a stake offered in time or too late, on a valid or an invalid place of the layout."""
    bet = random.choice(
        ({"type": "straight", "numbers": [5]}, {"type": "split", "numbers": [5, 8]}, {"type": "red"}, place(random))
    )
    how, by = random.choice(
        (("layout", "player"), ("layout", "player"), ("racetrack", "croupier"), ("racetrack", "player"))
    )
    stakes = (4, 5, 50, 99, 100, 101, 150, random.randint(1, 300))
    phase = random.choice(("open", "spinning", "no_more_bets"))
    return {"phase": phase, "how": how, "by": by, "minimum": 5, "max": 100, "bet": bet, "stake": random.choice(stakes)}


def spin_check(random: Random) -> Given:
    way = {"wheel": random.choice(("cw", "ccw")), "ball": random.choice(("cw", "ccw"))}
    return {**way, "revolutions": random.choice((0, 3, 4, 5, 12)), "object_in_wheel": random.random() < 0.25}


def pay_order(random: Random) -> Given:
    bets = [
        {"id": f"b{at:02}", "player": random.choice("ABC"), "type": random.choice(ON_36)}
        for at in range(random.randint(1, 9))
    ]
    return {"bets": bets}


def _spin(ruleset: str) -> Callable[[Random], Given]:
    return lambda random: spin(random, ruleset)


MAKERS: dict[tuple[str, str], Callable[[Random], Given]] = {
    **{(name, "spin"): _spin(name) for name in RULESETS},
    **{
        (name, maker.__name__): maker
        for name in RULESETS
        for maker in (limits, table_check, accept, spin_check, pay_order)
    },
    ("roulette-french", "en_prison"): en_prison,
}
