"""Blackjack, declared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from events.envelope import EventData
from events.games.blackjack import bet_and_hand_decider, json_case_settlement, par, result_explanations
from events.games.blackjack.bet_results_per_outcome import CHANCES
from events.games.blackjack.blackjack_table_state import BLAZING, MAIN, TRILUX, BlackjackCards
from events.games.blackjack.displayed_names import WORDS
from events.games.blackjack.event_types import HandDoubled, HandSplit, InsuranceTaken
from events.games.blackjack.rules import rules
from events.games.blackjack.screen import SCREEN
from events.games.blackjack.state_for_restarted_terminal import Boxes, terminal_state
from events.games.blackjack.table_picture import draw
from events.roles import DEALING, rules_for_actions
from events.rules.cards import card_text
from events.rules.game_declaration_and_registry import Game, Names, ShownResult, TableGame
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.event_types.shoe_and_dealt_cards import CardDealt


def _dealt(before: ShownResult, event: CardDealt) -> ShownResult:
    return ShownResult(f"{before.text} {card_text(event.card)}".strip()) if event.to == "dealer" else before


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {CardDealt: _dealt}


def names(_ruleset: Numbers) -> Names:
    """The progressive's stakes are its own, and no limit of the table's."""
    return Names((MAIN, TRILUX, BLAZING), (MAIN, TRILUX), (MAIN, TRILUX))


GAME = Game(
    name="blackjack",
    folder=Path(__file__).parent,
    rules=rules,
    cases=json_case_settlement.kinds,
    explain=result_explanations.EXPLAIN,
    edges=par.edges,
    chances=CHANCES,
    lines=par.lines,
    table=TableGame(
        handlers=bet_and_hand_decider.HANDLERS,
        evolvers=bet_and_hand_decider.EVOLVERS,
        play=BlackjackCards,
        stands=Boxes,
        standing=terminal_state,
        names=names,
        rules=rules_for_actions(DEALING, "hand.stand", "hand.double", "hand.split", "insurance.take", "right.decline"),
        types=("events.games.blackjack.action_structs", "events.games.blackjack.event_types"),
        staking=(HandDoubled, HandSplit, InsuranceTaken),
        results=RESULTS,
        words=WORDS,
        draws=draw,
        screen=SCREEN,
    ),
)
