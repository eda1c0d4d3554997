"""Invented players: their cash, their favourite bets, and the time at which they leave.

They are calibrated to figures of the Indiana Gaming Commission for 2022 (casino-months over 200,000 USD of drop). The
5th, 50th and 95th percentile per table and day are: roulette drop 3,459 / 10,275 / 17,515, hold 15.2 / 24.6 / 34.1 %.
Blackjack drop is 1,899 / 5,629 / 13,459, hold 11.9 / 20.5 / 36.3 %. Baccarat and craps are below. One casino-month is
thousands of table days: a single day of a single table strays much further.

The published figures do not name their wheels. In the United States a wheel usually has two zeros and earns 5.26 % of
the stakes. The demo's wheel has one zero and earns 2.70 %, half of that on even chances. So the demo's roulette cannot
hold as much of its drop. Players are calibrated by the number of times that they stake their cash: 2.9 / 4.7 / 6.5
(`at_edge`).
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from events.games.roulette.layout import places

PUBLISHED = {
    "roulette": {"drop": (3_459, 10_275, 17_515), "hold": (15.2, 24.6, 34.1)},
    "blackjack": {"drop": (1_899, 5_629, 13_459), "hold": (11.9, 20.5, 36.3)},
    "baccarat": {"drop": (5_388, 14_658, 38_576), "hold": (8.5, 20.8, 33.0)},
    "craps": {"drop": (7_679, 14_803, 31_068), "hold": (9.5, 23.6, 32.2)},
}

OF_TWO_ZEROS = 200 / 38  # percent of a stake


def at_edge(hold: tuple[float, float, float], edge: float) -> tuple[float, float, float]:
    """The published holds of roulette as they were if its wheels earned `edge` percent of the stakes."""
    low, middle, high = (round(percent * edge / OF_TWO_ZEROS, 1) for percent in hold)
    return low, middle, high


@dataclass
class Player:
    """Player at a table. `chips` in minor units; `left` is the number of rounds still to play."""

    name: str
    seat: int
    unit: int
    chips: int = 0
    left: int = 0
    buyins: int = 0
    favourites: list[tuple[str, tuple[int, ...], int | None]] = field(default_factory=list)


@dataclass(frozen=True)
class Habits:
    """Habits of a game's players: stakes in minimums, patience in rounds, buy-ins in stakes."""

    units: tuple[int, ...]
    patience: tuple[int, int]
    buyins: tuple[int, ...]


HABITS = {
    "roulette": Habits((1, 1, 1, 2, 2, 3), (30, 120), (20, 30, 40, 50)),
    "blackjack": Habits((1, 1, 1, 1, 1, 2, 3), (20, 90), (5, 8, 10, 15)),
    "baccarat": Habits((1, 2, 2, 3, 3, 5), (30, 120), (6, 8, 10, 12)),
    "craps": Habits((3, 4, 5, 6, 8, 12), (15, 50), (8, 10, 12, 15)),
}


def arrive(random: Random, number: int, seat: int, game: str, minimum: int) -> Player:
    """A new player with his own stake and patience."""
    habits = HABITS[game]
    unit = minimum * random.choice(habits.units)
    player = Player(f"g-{number:04d}", seat, unit, left=random.randint(*habits.patience))
    if game == "roulette":
        player.favourites = [_roulette_bet(random) for _ in range(random.randint(2, 6))]
    return player


def buyin(random: Random, player: Player, game: str, purse: float = 1.0) -> int:
    """Return the player's buy-in, in whole tens: enough for a while."""
    return max(2_000, int(purse * player.unit * random.choice(HABITS[game].buyins)) // 1_000 * 1_000)


def _roulette_bet(random: Random) -> tuple[str, tuple[int, ...], int | None]:
    kind = random.choices(
        ("straight", "split", "street", "corner", "line", "dozen", "column", "red", "black", "odd", "even", "low"),
        (30, 12, 5, 12, 5, 8, 6, 8, 8, 3, 3, 3),
    )[0]
    if kind in ("dozen", "column"):
        return kind, (), random.randint(1, 3)
    if kind in ("straight", "split", "street", "corner", "line"):
        return kind, random.choice(places(kind)), None
    return kind, (), None


def roulette_bets(random: Random, player: Player, prison: bool) -> list[dict[str, Any]]:
    """His bets for one spin, as far as his chips reach."""
    bets: list[dict[str, Any]] = []
    for wager, numbers, number in player.favourites:
        stake = player.unit * (random.choice((1, 1, 2)) if wager in ("red", "black", "dozen", "column") else 1)
        if stake > player.chips:
            break
        player.chips -= stake
        bet: dict[str, Any] = {"wager": wager, "amount_minor": stake}
        if numbers:
            bet["numbers"] = list(numbers)
        if number is not None:
            bet["which"] = number
        if prison and wager in ("red", "black", "odd", "even", "low", "high"):
            bet["on_zero"] = "prison" if player.seat % 2 else "half"
        bets.append(bet)
    return bets
