"""Craps, declared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from events.envelope import EventData
from events.games.craps import bet_and_throw_decider, clauses_behind_results, json_case_settlement, par
from events.games.craps.bet_results_per_outcome import CHANCES
from events.games.craps.displayed_names import WORDS
from events.games.craps.event_types import DiceOffered, DiceRolled, RollCalledOff
from events.games.craps.point_shooter_and_dice_state import MAXIMUM, CrapsLayout
from events.games.craps.ruleset import rules
from events.games.craps.screen import SCREEN
from events.games.craps.state_for_restarted_terminal import Dice, terminal_state
from events.games.craps.table_picture import draw
from events.roles import DEALING, SUPERVISORS, rules_for_actions
from events.rules.game_declaration_and_registry import Game, Names, ShownResult, TableGame
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.valid_wager_and_limit_names import united


def _rolled(_before: ShownResult, event: DiceRolled) -> ShownResult:
    return ShownResult("-".join(map(str, event.dice)))


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {DiceRolled: _rolled}


RULES = {
    **rules_for_actions(
        DEALING, "shooter.appoint", "shooter.decline", "dice.offer", "dice.choose", "dice.roll", "roll.call_off"
    ),
    **rules_for_actions(DEALING, "bet.press", "combination.place"),
    **rules_for_actions(SUPERVISORS, "dice.put", "dice.take_away"),
}


def names(ruleset: Numbers) -> Names:
    """Bets and combinations as the ruleset has them; a limit may be of a group of bets."""
    data = rules(ruleset).data
    bets, groups = tuple(data.bets), tuple(data.limits.groups) if data.limits else ()
    return Names(bets, (MAXIMUM, *united([bets, groups])), bets, tuple(data.press.combinations) if data.press else ())


GAME = Game(
    name="craps",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=clauses_behind_results.EXPLAIN,
    edges=par.edges,
    chances=CHANCES,
    table=TableGame(
        handlers=bet_and_throw_decider.HANDLERS,
        evolvers=bet_and_throw_decider.EVOLVERS,
        play=CrapsLayout,
        stands=Dice,
        standing=terminal_state,
        names=names,
        rules=RULES,
        types=("events.games.craps.action_structs", "events.games.craps.event_types"),
        acting=(DiceRolled,),
        results=RESULTS,
        words=WORDS,
        draws=draw,
        screen=SCREEN,
        closing={DiceOffered: "craps-gr"},
        freeing=(DiceRolled, RollCalledOff),
    ),
)
