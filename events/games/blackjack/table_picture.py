"""A blackjack table, drawn: the dealer's cards above, the boxes in an arc below, each with its hands and its bets.

Box 1 is the dealer's first, on the right as the players sit; the arc is that of a table seen from above.
"""

from collections.abc import Iterator, Sequence

from events.envelope import EventData
from events.games.blackjack import rules as blackjack
from events.games.blackjack.blackjack_table_state import (
    BLAZING,
    INSURANCE,
    MAIN,
    TRILUX,
    BettingBox,
    BlackjackCards,
    cards_of,
)
from events.rules.picture_shapes import (
    Card,
    Chip,
    Disc,
    Drawn,
    Field,
    Hand,
    Note,
    Pane,
    Spot,
    Stroke,
    in_a_row,
    ring,
    side_by_side,
)
from events.tables.table_session_state_structs import Bet, Session

WIDTH, HEIGHT = 1_000.0, 560.0
BOX = 118.0  # from box to box
MIDDLE = WIDTH / 2
DEALER: Spot = (MIDDLE - 60, 24)
CARD_DOWN = 22.0  # between the cards of a hand, one over the other
# Places of a box's bets, from the middle of its circle.
OFFSETS: dict[str, Spot] = {MAIN: (0, 0), TRILUX: (-38, 34), BLAZING: (38, 34), INSURANCE: (0, -178)}


def draw(session: Session, events: Sequence[EventData]) -> Drawn:
    """Draw the cards and the bets on the layout."""
    cards, boxes = cards_of(session), blackjack.rules(session.plays).boxes
    return Drawn((_table(session, cards, boxes),), tuple(hands(cards)))


def hands(cards: BlackjackCards) -> Iterator[Hand]:
    """The dealer's cards, then those of the boxes."""
    if cards.dealer:
        yield Hand("dealer", cards.dealer)
    for number, box in sorted(cards.boxes.items()):
        yield from (Hand("box", hand.cards, number) for hand in box.hands)


def _table(session: Session, cards: BlackjackCards, boxes: int) -> Pane:
    places = {number: place_of_box(number, boxes) for number in range(1, boxes + 1)}
    rows = [_cards_of(places[number], box) for number, box in cards.boxes.items() if number in places]
    return Pane(
        code="layout",
        width=WIDTH,
        height=HEIGHT,
        fields=(Field(MIDDLE - 130, 14, 260, 82, code="dealer", down=58),),
        strokes=(Stroke(f"M20 20V200Q{MIDDLE:g} 640 {WIDTH - 20:g} 200V20"),),
        notes=tuple(Note(x, y + 66, str(number)) for number, (x, y) in places.items()),
        marks=tuple(Stroke(ring(x + across, y + down, size)) for x, y in places.values()
                    for (across, down), size in ((OFFSETS[MAIN], 24), (OFFSETS[TRILUX], 18), (OFFSETS[BLAZING], 18))),
        discs=tuple(_hits(cards, places)),
        cards=(*in_a_row(*DEALER, cards.dealer), *(card for row in rows for card in row)),
        chips=side_by_side([*_chips(session, places)]),
    )  # fmt: skip


def place_of_box(number: int, boxes: int) -> Spot:
    """Return the middle of a box's circle; the first box is on the right."""
    across = (boxes + 1) / 2 - number
    return MIDDLE + across * BOX, 458 - across * across * 9


def _cards_of(place: Spot, box: BettingBox) -> list[Card]:
    """The hands of a box above its circle, those of a split side by side, the last card of each at their foot."""
    x, y = place
    across = min(48.0, 110 / len(box.hands))
    left = x - across * (len(box.hands) - 1) / 2 - 22
    return [
        Card(round(left + number * across, 1), round(y - 100 - CARD_DOWN * (len(hand.cards) - 1 - place), 1), card)
        for number, hand in enumerate(box.hands)
        for place, card in enumerate(hand.cards)
    ]


def _hits(cards: BlackjackCards, places: dict[int, Spot]) -> Iterator[Disc]:
    for number, level in cards.hits.items():
        x, y = places[number]
        yield Disc(x + 38, y + 34, 21, "dolly")
        yield Disc(x, y - 134, 26, "on", code=level)


def _chips(session: Session, places: dict[int, Spot]) -> Iterator[Chip]:
    on_hands = {bet: (number, place, len(box.bets)) for number, box in cards_of(session).boxes.items()
                for place, bet in enumerate(box.bets)}  # fmt: skip
    for bet in session.bets.values():
        yield _chip(places, on_hands, bet, bet.stake, is_due=False)
    for due in session.due.values():
        yield _chip(places, on_hands, due.bet, due.amount, is_due=True)


def _chip(
    places: dict[int, Spot], on_hands: dict[str, tuple[int, int, int]], bet: Bet, amount: int, *, is_due: bool
) -> Chip:
    x, y = places.get(bet.box or 0, (MIDDLE, HEIGHT / 2))
    across, down = OFFSETS.get(bet.wager, (0.0, 0.0))
    _box, hand, of = on_hands.get(bet.id, (0, 0, 1))
    across += (hand - (of - 1) / 2) * 34 if of > 1 else 0
    return Chip(x + across, y + down, amount, bet.id, bet.wager, bet.player, bet.box or 0, is_due=is_due)
