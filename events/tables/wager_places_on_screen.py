"""Places of a ruleset's wagers on the layout, as a screen draws and taps them."""

from events.house.code_to_words_lookup import word
from events.rules.game_declaration_and_registry import at_tables, game_of
from events.rules.screen_declarations import Place
from events.rules.taken_ruleset_version_struct import Numbers
from events.runtime.declaration_cache import remembered

WIDE, HIGH, MARGIN, ACROSS = 120.0, 80.0, 10.0, 6  # of the fields of a game without a drawing


@remembered
def places_of(plays: Numbers) -> tuple[Place, ...]:
    """Return every place of a ruleset's wagers, the lower ones first."""
    name = str(plays)
    game = at_tables()[game_of(name)]
    if game.screen is not None and game.screen.places is not None:
        return tuple(game.screen.places(plays))
    return tuple(
        Place(
            place=wager,
            data={"wager": wager},
            x=MARGIN + WIDE * (number % ACROSS),
            y=MARGIN + HIGH * (number // ACROSS),
            width=WIDE,
            height=HIGH,
            label=word(wager, "wager", name).capitalize(),
        )
        for number, wager in enumerate(game.names(plays).wagers)
    )
