"""Roulette, declared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from events.envelope import EventData
from events.games.roulette import bet_and_spin_decider, json_case_settlement, par, result_explanations
from events.games.roulette.bet_results_per_outcome import CHANCES
from events.games.roulette.displayed_names import WORDS
from events.games.roulette.event_types import BallLanded, BallLaunched, SpinCalledOff
from events.games.roulette.layout import TYPES
from events.games.roulette.rules import rules
from events.games.roulette.screen import SCREEN
from events.games.roulette.state_for_restarted_terminal import Wheel as Stands
from events.games.roulette.state_for_restarted_terminal import terminal_state
from events.games.roulette.table_picture import draw
from events.games.roulette.wheel_state_and_personal_limits import WheelPlay
from events.roles import DEALING, rules_for_actions
from events.rules.game_declaration_and_registry import Game, Names, ShownResult, TableGame
from events.rules.taken_ruleset_version_struct import Numbers

DOUBLE_ZERO = 37


def _landed(_before: ShownResult, event: BallLanded) -> ShownResult:
    return ShownResult("00" if event.number == DOUBLE_ZERO else str(event.number), event.colour)


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {BallLanded: _landed}


def names(_ruleset: Numbers) -> Names:
    """Every kind of place on the layout is a bet with limits of its own."""
    return Names(TYPES, TYPES, TYPES)


GAME = Game(
    name="roulette",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=result_explanations.EXPLAIN,
    edges=par.edges,
    chances=CHANCES,
    table=TableGame(
        handlers=bet_and_spin_decider.HANDLERS,
        evolvers=bet_and_spin_decider.EVOLVERS,
        play=WheelPlay,
        stands=Stands,
        standing=terminal_state,
        names=names,
        rules=rules_for_actions(DEALING, "ball.launch", "ball.land", "spin.call_off", "colour.set", "colour.return"),
        types=("events.games.roulette.action_structs", "events.games.roulette.event_types"),
        acting=(BallLaunched, BallLanded),
        results=RESULTS,
        words=WORDS,
        draws=draw,
        screen=SCREEN,
        freeing=(BallLanded, SpinCalledOff),
    ),
)
