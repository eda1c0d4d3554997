"""Roulette, declared."""

from pathlib import Path

from events.game import AtTable, Game, Names
from events.games.roulette import cases, clauses, par, table
from events.games.roulette.layout import TYPES
from events.games.roulette.rules import rules
from events.games.roulette.standing import Wheel as Stands
from events.games.roulette.standing import standing
from events.games.roulette.types import BallLanded, BallLaunched
from events.games.roulette.wheel import Wheel
from events.roles import DEALING, each


def names(_ruleset: str) -> Names:
    """Every kind of place on the layout is a bet with limits of its own."""
    return Names(TYPES, TYPES, TYPES)


GAME = Game(
    name="roulette",
    folder=Path(__file__).parent,
    rules=rules,
    cases=cases.kinds,
    explain=clauses.EXPLAIN,
    edges=par.edges,
    table=AtTable(
        handlers=table.HANDLERS,
        evolvers=table.EVOLVERS,
        play=Wheel,
        stands=Stands,
        standing=standing,
        names=names,
        rules=each(DEALING, "ball.launch", "ball.land", "spin.call_off"),
        types=("events.games.roulette.actions", "events.games.roulette.types"),
        acting=(BallLaunched, BallLanded),
    ),
)
