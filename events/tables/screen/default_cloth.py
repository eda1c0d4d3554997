"""The drawing of a game without one: a field for each wager."""

from collections.abc import Sequence

from events.rules.picture_shapes import Chip, Drawn, Field, Pane, side_by_side
from events.rules.screen_declarations import Place
from events.tables.table_session_state_structs import Bet, Session
from events.tables.wager_places_on_screen import ACROSS, HIGH, MARGIN, WIDE, places_of


def plain_cloth(session: Session) -> Drawn:
    """Return the cloth of a game without a drawing: its places as fields, with the chips on them and due chips."""
    places = {place.place: place for place in places_of(session.plays)}
    chips = [_chip(places, bet, bet.stake) for bet in session.bets.values() if bet.wager in places]
    chips += [
        _chip(places, due.bet, due.amount, is_due=True) for due in session.due.values() if due.bet.wager in places
    ]
    rows = -(-len(places) // ACROSS)
    pane = Pane(
        code="layout",
        width=2 * MARGIN + WIDE * min(ACROSS, max(1, len(places))),
        height=2 * MARGIN + HIGH * max(1, rows),
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
