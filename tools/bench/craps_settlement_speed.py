"""Settling craps throws, against crapssim on the same bets and dice; both must come to the same money."""

import itertools
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from time import perf_counter
from typing import Any

from events.games.craps.craps_bet_struct_and_validity import CrapsBet
from events.games.craps.lawful_bet_changes import BettingTable as CrapsTable
from events.games.craps.lawful_bet_changes import place as craps_place
from events.games.craps.lawful_bet_changes import throw
from events.games.craps.roll_results import Dice
from events.games.craps.ruleset import rules as craps_rules
from events.rules.exact_amount_parsing import Amount
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers, MissingPart
from tools.bench.turns_medians_and_percentiles import Options, in_turn, turns_until

# Bets that both houses pay alike, kept up all the time: (type, number, stake). The line only on a come-out.
SETTLED_BETS: tuple[tuple[str, int | None, int], ...] = (
    ("pass", None, 10),
    ("field", None, 10),
    ("any_craps", None, 5),
    *(("hardway", number, 5) for number in (4, 6, 8, 10)),
    *(("place", number, stake) for number, stake in ((4, 10), (5, 10), (6, 12), (8, 12), (9, 10), (10, 10))),
)
THROWS = 2_000  # between two looks at the clock

Settled = tuple[float, float, Amount]  # seconds settling, seconds in all, money won


def dice() -> Iterator[Dice]:
    """The same throws for everybody."""
    choose = random.Random(7).randint
    while True:
        yield choose(1, 6), choose(1, 6)


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Throws a second: settling alone, and with the decided bets made again."""
    try:
        agree()
    except ImportError as missing:
        raise MissingPart("crapssim is missing: make develop") from missing
    lines = []
    for work, place, goal in (
        (f"settlement, craps throws on {len(SETTLED_BETS)} bets", 0, 10),
        ("the same with the decided bets made again", 1, None),
    ):
        sides = {"ours": _side(_own_table(), place), "crapssim": _side(_crapssim(), place)}
        rates = in_turn(options, sides)
        lines.append(
            Line(work=work, ours=rates["ours"], unit="throws/s", peer=rates["crapssim"], against="crapssim", goal=goal)
        )
    return lines


def _side(play: Callable[[int], Settled], place: int) -> Callable[[float], float]:
    def side(seconds: float) -> float:
        spent, throws, until = 0.0, 0, perf_counter() + seconds
        for _ in turns_until(until):
            spent += play(THROWS)[place]
            throws += THROWS
        return throws / spent

    return side


def agree() -> None:
    """Raise AssertionError where the two win different money on the same dice."""
    won, expected = _own_table()(THROWS)[2], _crapssim()(THROWS)[2]
    assert abs(Fraction(won) - Fraction(expected)) < Fraction(1, 1000), f"we win {won}, crapssim {expected}"


def _own_table() -> Callable[[int], Settled]:
    """Return a function that plays throws on the project's table.

    The table continues from call to call. The function returns its times and the total win.
    """
    rules = craps_rules("craps-gr")
    bets = [CrapsBet(f"{name}{number or ''}", name, stake, number) for name, number, stake in SETTLED_BETS]
    table, won, thrown = CrapsTable(), Fraction(0), dice()

    def play(throws: int) -> Settled:
        nonlocal table, won
        settling, began = 0.0, perf_counter()
        for two in itertools.islice(thrown, throws):
            lying = {bet.id for bet in table.bets}
            for bet in bets:
                if bet.id not in lying and (bet.type != "pass" or table.point is None):
                    table = craps_place(rules, table, bet)
            started = perf_counter()
            table, outcome = throw(rules, table, two)
            settling += perf_counter() - started
            won += sum(resolution.profit for resolution in outcome.resolutions)
        return settling, perf_counter() - began, won

    return play


def _crapssim() -> Callable[[int], Settled]:
    """crapssim's table with one player. A throw is its own `TableUpdate.run` without the player's strategy."""
    from crapssim import bet as kinds
    from crapssim.strategy.tools import NullStrategy
    from crapssim.table import Table, TableUpdate

    of_type: dict[str, Callable[..., Any]] = {
        "pass": kinds.PassLine,
        "field": kinds.Field,
        "any_craps": kinds.AnyCraps,
        "hardway": kinds.HardWay,
        "place": kinds.Place,
    }
    bets = [
        (of_type[name], (stake,) if number is None else (number, stake), name == "pass")
        for name, number, stake in SETTLED_BETS
    ]
    table, update, thrown, brought = Table(), TableUpdate(), dice(), 10.0**9
    player = table.add_player(bankroll=brought, strategy=NullStrategy())

    def play(throws: int) -> Settled:
        settling, began = 0.0, perf_counter()
        for two in itertools.islice(thrown, throws):
            for kind, arguments, is_line in bets:
                if not is_line or table.point.number is None:
                    new_bet = kind(*arguments)
                    if not player.already_placed(new_bet):
                        player.add_bet(new_bet)
            started = perf_counter()
            update.before_roll(table)
            update.update_table_stats(table)
            update.roll(table, two)
            update.after_roll(table)
            update.update_bets(table)
            update.set_new_shooter(table)
            update.update_numbers(table, verbose=False)
            settling += perf_counter() - started
        lying = sum(bet.amount for bet in player.bets)
        return settling, perf_counter() - began, Fraction(player.bankroll + lying - brought)

    return play
