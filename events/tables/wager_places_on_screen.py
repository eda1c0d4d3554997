"""Places of a ruleset's wagers on the screen's layout, and the cloth of a game without a drawing."""

from collections.abc import Sequence

from events.house.code_to_words_lookup import word
from events.rules.game_declaration_and_registry import at_tables, game_of
from events.rules.picture_shapes import Chip, Drawn, Field, Pane, side_by_side
from events.rules.screen_declarations import Place
from events.rules.taken_ruleset_version_struct import Numbers
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.table_session_state_structs import Bet, Session

_WIDE, _HIGH, _MARGIN, _ACROSS = 120.0, 80.0, 10.0, 6  # of the fields of a game without a drawing


@cached_until_forgotten
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
            x=_MARGIN + _WIDE * (number % _ACROSS),
            y=_MARGIN + _HIGH * (number // _ACROSS),
            width=_WIDE,
            height=_HIGH,
            label=word(wager, "wager", name).capitalize(),
        )
        for number, wager in enumerate(game.names(plays).wagers)
    )


def plain_cloth(session: Session) -> Drawn:
    """Return the cloth of a game without a drawing: its places as fields, with the chips on them and due chips."""
    places = {place.place: place for place in places_of(session.plays)}
    chips = [_chip(places, bet, bet.stake) for bet in session.bets.values() if bet.wager in places]
    chips += [
        _chip(places, due.bet, due.amount, is_due=True) for due in session.due.values() if due.bet.wager in places
    ]
    rows = -(-len(places) // _ACROSS)
    pane = Pane(
        code="layout",
        width=2 * _MARGIN + _WIDE * min(_ACROSS, max(1, len(places))),
        height=2 * _MARGIN + _HIGH * max(1, rows),
        fields=tuple(Field(place.x, place.y, place.width, place.height, text=place.label) for place in places.values()),
        chips=side_by_side(chips),
    )
    return Drawn((pane,))


def _chip(places: dict[str, Place], bet: Bet, amount: int, *, is_due: bool = False) -> Chip:
    place = places[bet.wager]
    x, y = place.x + place.width / 2, place.y + place.height * 0.7
    return Chip(x, y, amount, bet.id, bet.wager, bet.player, bet.seat or bet.box or 0, is_due=is_due)


def representatives(places: Sequence[Place], alike: Sequence[str]) -> dict[str, list[Place]]:
    """Return the places by the one that is judged for them: places of wagers that are alike share their first."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        wager = str(place.data.get("wager", place.place))
        groups.setdefault(wager if wager in alike else place.place, []).append(place)
    return groups
