"""The big six, declared. `register(GAME)` installs it."""

from pathlib import Path

from events.roles import DEALING, rules_for_actions
from events.rules.game_declaration_and_registry import Game, Names, ShownResult, TableGame
from events.rules.taken_ruleset_version_struct import Numbers
from events.text.translation_marker import translatable as _
from tests.toys.bigsix import bet_and_spin_decider, json_case_settlement, par
from tests.toys.bigsix.event_types import WheelStopped
from tests.toys.bigsix.rules import rules

WORDS = {"wheel.stop": _("stop the wheel"), "wheel.stopped": _("wheel at rest")}


def names(ruleset: Numbers) -> Names:
    """Every symbol is a bet with limits of its own."""
    symbols = tuple(rules(ruleset).pays)
    return Names(symbols, symbols, symbols)


GAME = Game(
    name="bigsix",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=json_case_settlement.EXPLAIN,
    edges=par.edges,
    table=TableGame(
        handlers=bet_and_spin_decider.HANDLERS,
        evolvers=bet_and_spin_decider.EVOLVERS,
        play=bet_and_spin_decider.Fortune,
        stands=bet_and_spin_decider.FortuneShown,
        standing=bet_and_spin_decider.terminal_state,
        names=names,
        rules=rules_for_actions(DEALING, "wheel.stop"),
        types=("tests.toys.bigsix.action_structs", "tests.toys.bigsix.event_types"),
        acting=(WheelStopped,),
        words=WORDS,
        results={WheelStopped: lambda _before, stopped: ShownResult(stopped.symbol)},
    ),
)
