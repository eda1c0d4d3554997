"""Baccarat, declared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from events.envelope import EventData
from events.games.baccarat import bet_and_coup_decider, json_case_settlement, par, result_explanations
from events.games.baccarat.action_refusal_checks import DIFFERENCE
from events.games.baccarat.bet_results_per_outcome import CHANCES
from events.games.baccarat.displayed_names import WORDS
from events.games.baccarat.event_types import CardKept, CardsBurnt, CoupEnded
from events.games.baccarat.rules import BETS, rules
from events.games.baccarat.screen import SCREEN
from events.games.baccarat.shoe_actions_decider import CoupPlay
from events.games.baccarat.state_for_restarted_terminal import Sides, terminal_state
from events.games.baccarat.table_picture import draw
from events.roles import DEALING, SUPERVISORS, rules_for_actions
from events.rules.game_declaration_and_registry import CardOut, Game, Names, ShownResult, TableGame
from events.rules.taken_ruleset_version_struct import Numbers


def _ended(_before: ShownResult, event: CoupEnded) -> ShownResult:
    return ShownResult(f"P {event.player_total} B {event.banker_total}")


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {CoupEnded: _ended}


def names(_ruleset: Numbers) -> Names:
    """The difference of the sides has a maximum of its own, which may be 0: both are then kept equal."""
    return Names(BETS, (*BETS, DIFFERENCE), BETS, of_no_bet=(DIFFERENCE,))


GAME = Game(
    name="baccarat",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=result_explanations.EXPLAIN,
    edges=par.edges,
    chances=CHANCES,
    for_packs=par.for_packs,
    table=TableGame(
        handlers=bet_and_coup_decider.HANDLERS,
        evolvers=bet_and_coup_decider.EVOLVERS,
        play=CoupPlay,
        stands=Sides,
        standing=terminal_state,
        names=names,
        rules={
            **rules_for_actions(DEALING, "shoe.burn", "hand.give", "bets.reduce"),
            **rules_for_actions(SUPERVISORS, "shoe.rule"),
        },
        types=("events.games.baccarat.action_structs", "events.games.baccarat.event_types"),
        results=RESULTS,
        words=WORDS,
        draws=draw,
        screen=SCREEN,
        freeing=(CoupEnded,),
        cards={
            CardKept: lambda event: CardOut(event.card, is_kept=True),
            CardsBurnt: lambda event: CardOut(event.card, event.face_down),
        },
    ),
)
