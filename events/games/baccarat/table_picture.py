"""A baccarat table, drawn: the cards of player and banker, and before each seat the places of its bets.

Seats are side by side along the cloth. Each has tie and pairs above, then banker, then player, nearest to the seat.
"""

from collections.abc import Iterator, Sequence

from events.envelope import EventData
from events.games.baccarat.shoe_actions_decider import CoupPlay, coup_of, rules_of
from events.rules.picture_shapes import Chip, Drawn, Field, Hand, Note, Pane, in_a_row, side_by_side
from events.tables.table_session_state_structs import Bet, Session

WIDE, LEFT, TOP = 114.0, 20.0, 130.0
# Each kind of bet before a seat: from the left, from the top, its width and height.
PLACES = {
    "player_pair": (0.0, 0.0, 38.0, 60.0),
    "tie": (38.0, 0.0, 38.0, 60.0),
    "banker_pair": (76.0, 0.0, 38.0, 60.0),
    "banker": (0.0, 60.0, 114.0, 80.0),
    "player": (0.0, 140.0, 114.0, 80.0),
}
SHORT = {"player_pair": "P P", "banker_pair": "B P", "tie": "T"}


def draw(session: Session, events: Sequence[EventData]) -> Drawn:
    """Draw the cards and the bets on the layout."""
    coup = coup_of(session)
    return Drawn((_cards(coup), _cloth(session, rules_of(session).seats)), tuple(hands(coup)))


def hands(coup: CoupPlay) -> Iterator[Hand]:
    """Yield player, banker, and the cards kept for the next round."""
    for of, cards in (("player", coup.player), ("banker", coup.banker), ("card.kept", coup.next_cards)):
        if cards:
            yield Hand(of, cards)


def _cards(coup: CoupPlay) -> Pane:
    sides = ((coup.player, "player", 30.0), (coup.banker, "banker", 280.0))
    return Pane(
        code="cards",
        width=520,
        height=150,
        fields=tuple(Field(x - 15, 10, 225, 130) for _cards, _code, x in sides),
        notes=tuple(Note(x + 98, 30, code=code) for _cards, code, x in sides),
        cards=tuple(card for cards, _code, x in sides for card in in_a_row(x + 18, 56, cards, 54)),
    )


def _cloth(session: Session, seats: int) -> Pane:
    chips = [_chip(bet, bet.stake, is_due=False) for bet in session.bets.values()]
    chips += [_chip(due.bet, due.amount, is_due=True) for due in session.due.values()]
    return Pane(
        code="layout",
        width=2 * LEFT + seats * WIDE,
        height=TOP + 150,
        fields=tuple(field for seat in range(1, seats + 1) for field in _before(seat)),
        notes=tuple(Note(LEFT + (seat - 0.5) * WIDE, TOP + 130, str(seat)) for seat in range(1, seats + 1)),
        chips=side_by_side(chips),
    )


def _before(seat: int) -> Iterator[Field]:
    """The places of a seat, the first on the left."""
    for code, (across, down, width, height) in PLACES.items():
        x = LEFT + (seat - 1) * WIDE + across
        if code in SHORT:
            yield Field(x, down + 10, width, height, text=SHORT[code])
        else:
            yield Field(x, down + 10, width, height, code=code)


def _chip(bet: Bet, amount: int, *, is_due: bool) -> Chip:
    seat = bet.seat or 1
    across, down, width, height = PLACES[bet.wager]
    x, y = LEFT + (seat - 1) * WIDE + across + width / 2, 10 + down + height / 2
    return Chip(x, y, amount, bet.id, bet.wager, bet.player, bet.seat or 0, is_due=is_due)
