"""A game, declared once with everything that the house needs. To add one: docs/howto/add-a-game.md.

The declaration of a game is the `GAME` of its package. No code outside that package names a game. The session of a
table, the catalogue of types, settlement cases, clauses, par sheets and documents ask here.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Unknown
from events.roles import AuthorityRule
from events.rules.bet_outcome_chance_structs import Chances
from events.rules.picture_shapes import Drawn
from events.rules.screen_declarations import GameScreen
from events.rules.taken_ruleset_version_struct import Numbers
from events.runtime.cache_until_declarations_change import cached_until_forgotten, forget

# The modules of the games of every house, each with its GAME.
OURS = (
    "events.games.baccarat.game_declaration",
    "events.games.blackjack.game_declaration",
    "events.games.craps.game_declaration",
    "events.games.roulette.game_declaration",
    "events.games.blazing7s.game_declaration",
)


class Names(msgspec.Struct, frozen=True):
    """The wagers of `bet.place`; the keys of `limits.post`; the names of `combination.place`.

    `of_no_bet` are maxima of other amounts than a stake: no minimum bounds them.
    """

    wagers: tuple[str, ...]
    maxima: tuple[str, ...]
    minima: tuple[str, ...]
    combinations: tuple[str, ...] = ()
    of_no_bet: tuple[str, ...] = ()


class ShownResult(msgspec.Struct, frozen=True):
    """Short result of a round, as pages show it: a number, cards; and its colour, where it has one."""

    text: str = ""
    colour: str = ""


class CardOut(msgspec.Struct, frozen=True):
    """A card that left the shoe, and how many with it face down. `is_kept`: it begins the next round."""

    card: str
    face_down: int = 0
    is_kept: bool = False


class TableGame(msgspec.Struct, frozen=True, kw_only=True):
    """Declaration of how a game is dealt, in addition to the session of all games (`events/tables`).

    `types` are the modules of its own actions and events, and `rules` the authority for those actions. `handlers` make
    events of actions. `evolvers` give the session after an event, each in its own way or in addition to the common
    part. `play` is the game's own state, empty when made; `stands` is its view for a terminal, by `standing`. `names`
    are the wagers and limits of a ruleset.

    Of its events, `acting` make a person one of those who acted in the round, and `staking` lay a stake. `results` give
    a round's result after an event, from its result before. `words` are the names of its codes: wagers, its own events
    and actions, its kinds of irregularities (`events/house/code_to_words_lookup.py`). `draws` is the layout after the
    events of a round so far (`events/rules/picture_shapes.py`); a game without it is shown in words.

    `screen` are places, steps and pads of the table screen (`events/rules/screen_declarations.py`). A game without it
    gets them from its wagers and its own actions.

    For the alerts (`events/alerts`): `closing` are events, like "no more bets", after which no stake may be laid. Each
    has the prefix of the rulesets' names for which this holds. `freeing` are those after which bets may change again,
    or are decided. `cards` are further events by which cards leave the shoe.
    """

    handlers: Mapping[type[ActionData], Callable[[Any, Any], list[EventData]]]
    evolvers: Mapping[type[EventData], Callable[[Any, Any], Any]]
    play: type[Any]
    stands: type[Any]
    standing: Callable[[Any], Any]
    names: Callable[[Numbers], Names]
    rules: Mapping[str, AuthorityRule] = {}
    types: tuple[str, ...] = ()
    acting: tuple[type[EventData], ...] = ()
    staking: tuple[type[EventData], ...] = ()
    results: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {}
    words: Mapping[str, str] = {}
    draws: Callable[[Any, Sequence[EventData]], Drawn] | None = None
    screen: GameScreen | None = None
    closing: Mapping[type[EventData], str] = {}
    freeing: tuple[type[EventData], ...] = ()
    cards: Mapping[type[EventData], Callable[[Any], CardOut]] = {}


class ProgressiveHands(msgspec.Struct, frozen=True):
    """Hands that a progressive pays: its levels, and the hand of a player's first two cards and the dealer's."""

    levels: tuple[str, ...]
    classify: Callable[[Sequence[str], str], str]


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game. The names of its rulesets begin with its own, which has no dash.

    `folder` is its package's: `rulesets/` has its numbers, `books/` the clauses of its rule books. `rules` reads a
    ruleset, and raises for one that cannot be played. `cases` answer settlement cases by kind
    (`events/games/cases.py`), `explain` gives their clauses by kind (`events/games/clauses.py`).

    Par (`events/games/par`): `edges` and `lines` of a ruleset. `for_packs` gives those of a shoe of this many packs,
    where they depend on it. `supposing` gives those under other settings than the ruleset's. `chances` are those of the
    bets on one layout, for actual against theoretical win (`events/luck`).
    """

    name: str
    folder: Path
    rules: Callable[[Numbers], Any]
    cases: Callable[[str], Mapping[str, Callable[[str, Mapping[str, Any]], dict[str, Any]]]]
    edges: Callable[[Numbers], list[Any]]
    lines: Callable[[Numbers], list[Any]] | None = None
    for_packs: Callable[[Numbers, int], Any] | None = None
    supposing: Callable[[Numbers, int | None, Any], Any] | None = None
    explain: Mapping[str, Callable[[Any, Mapping[str, Any], Mapping[str, Any]], list[str]]] = {}
    hands: ProgressiveHands | None = None
    chances: Chances | None = None
    table: TableGame | None = None


_registered_games: dict[str, Game] = {}


@cached_until_forgotten
def installed() -> Mapping[str, Game]:
    """Every game by its name."""
    own_games: list[Game] = [import_module(module).GAME for module in OURS]
    return {game.name: game for game in (*own_games, *_registered_games.values())}


@cached_until_forgotten
def at_tables() -> Mapping[str, TableGame]:
    """The games that are dealt at tables."""
    return {name: game.table for name, game in installed().items() if game.table is not None}


def type_modules() -> tuple[str, ...]:
    """The modules of the games' own actions and events."""
    return tuple(module for game in at_tables().values() for module in game.types)


def rules_of_games() -> dict[str, AuthorityRule]:
    """Return the rules of the games' own actions."""
    return {action: rule for game in at_tables().values() for action, rule in game.rules.items()}


def staking() -> tuple[type[EventData], ...]:
    """Return the events of games that lay a stake, beside `bet.placed`: the stake is their `amount_minor`."""
    return tuple(event for game in at_tables().values() for event in game.staking)


def result_event_types() -> frozenset[type[EventData]]:
    """Return the events of games with a round's result."""
    return frozenset(event for game in at_tables().values() for event in game.results)


def result_after(before: ShownResult, event: EventData, ruleset: str) -> ShownResult:
    """Return the result of a round of this ruleset after an event; unchanged for an event without it."""
    table = at_tables().get(game_of(ruleset))
    tell = table.results.get(type(event)) if table else None
    return tell(before, event) if tell else before


def game_by_name(name: str) -> Game:
    """The game of this name. Raises Unknown."""
    try:
        return installed()[name]
    except KeyError:
        raise Unknown(coded("game-not-installed", name=name, games=list(installed()))) from None


def of_ruleset(ruleset: str) -> Game:
    """Return the game whose numbers a ruleset holds. Raises Unknown."""
    return game_by_name(game_of(ruleset))


def hands_of(ruleset: str) -> ProgressiveHands:
    """The hands that a progressive of this ruleset pays.

    A progressive could be opened under any name of a ruleset: it pays the hands that there were.
    """
    game = installed().get(game_of(ruleset))
    return game.hands if game and game.hands else next(game.hands for game in installed().values() if game.hands)


def game_of(ruleset: str) -> str:
    """The name of the game that the name of a ruleset (or "name@version") begins with, whether there is one or not."""
    return ruleset.partition("@")[0].partition("-")[0]


def register(game: Game) -> None:
    """Install one more game, before anything is sent or read."""
    assert game.name not in installed(), f"{game.name} is installed already"
    _registered_games[game.name] = game
    forget()


def withdraw(name: str) -> None:
    """Undo a registration."""
    del _registered_games[name]
    forget()
