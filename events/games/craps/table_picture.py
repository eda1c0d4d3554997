"""Drawing of the craps layout: number boxes, then come, field and lines, the middle bets at the side, and the dice.

The ruleset gives the places. One half of a long table is drawn, since both halves are the same cloth.
"""

from collections.abc import Iterator, Mapping, Sequence

from events.envelope import EventData
from events.games.craps.event_types import DiceOffered, DiceRolled, RollCalledOff
from events.games.craps.point_shooter_and_dice_state import layout_of, rules_of
from events.games.craps.ruleset import POINTS
from events.rules.picture_shapes import Chip, Die, Disc, Drawn, Field, Pane, Spot, side_by_side
from events.tables.table_session_state_structs import Bet, Session

BOX, HIGH = 100.0, 120.0
LEFT, TOP = 20.0, 20.0
ASIDE = 104.0
LINES = LEFT, 6 * BOX + ASIDE  # distance from the left, and width of the places below the boxes
# Below the number boxes: code, from the top, how high.
BELOW = (("come", 140.0, 66.0), ("field", 206.0, 56.0), ("dont_pass", 262.0, 46.0), ("pass", 308.0, 56.0))
# In the middle of the table, in rows of its own.
MIDDLE = (
    ("hardway4", "hardway6", "hardway8", "hardway10"),
    ("craps2", "craps3", "eleven", "craps12"),
    ("any7", "any_craps", "horn"),
    ("big6", "big8", "under7", "over7"),
)
_HALVES = {"hardway4": 2, "hardway6": 3, "hardway8": 4, "hardway10": 5}
# Places in a number's box: distance from its middle.
IN_BOX: Mapping[str, Spot] = {
    "come": (-18, 10),
    "come_odds": (20, 10),
    "place": (-18, 44),
    "buy": (20, 44),
    "dont_come": (-30, -44),
    "dont_come_odds": (-2, -44),
    "lay": (28, -44),
    "place_wrong": (28, -44),
}
BEHIND: Mapping[str, str] = {"pass_odds": "pass", "dont_pass_odds": "dont_pass"}


def draw(session: Session, events: Sequence[EventData]) -> Drawn:
    """Return the layout with its bets, the puck, and the dice as they fell."""
    return Drawn((_dice(events), _cloth(session)))


# --- the dice -------------------------------------------------------------------------------------------------


def _dice(events: Sequence[EventData]) -> Pane:
    throws = (DiceRolled, RollCalledOff, DiceOffered)
    last = next((event for event in reversed(events) if isinstance(event, throws)), None)
    faces = last.dice if isinstance(last, DiceRolled) else ()
    return Pane(
        code="dice",
        width=150,
        height=76,
        fields=(Field(4, 4, 142, 68),),
        dice=tuple(Die(24 + place * 58, 16, face) for place, face in enumerate(faces)),
    )


# --- the cloth ------------------------------------------------------------------------------------------------


def _cloth(session: Session) -> Pane:
    bets = frozenset(rules_of(session).data.bets)
    fields = dict(cloth_fields(bets))
    chips = [_chip(fields, bet, bet.stake, is_due=False) for bet in session.bets.values()]
    chips += [_chip(fields, due.bet, due.amount, is_due=True) for due in session.due.values()]
    return Pane(
        code="layout",
        width=max(field.x + field.width for field in fields.values()) + 20,
        height=TOP + 380,
        fields=tuple(fields.values()),
        discs=(_puck(fields, layout_of(session).point),),
        chips=side_by_side(chips),
    )


def cloth_fields(bets: frozenset[str]) -> Iterator[tuple[str, Field]]:
    """Every place of this ruleset by its name; a number's box by its number."""
    if "dont_come" in bets:
        yield "dont_come", Field(LEFT, TOP, ASIDE, HIGH, code="dont_come", down=-40)
    for place, number in enumerate(POINTS):
        yield str(number), Field(LEFT + ASIDE + place * BOX, TOP, BOX, HIGH, text=str(number), down=-17)
    left, wide = LINES
    for code, top, high in BELOW:
        if code in bets:
            yield code, Field(left, TOP + top - 20, wide, high, code=code)
    yield from _middle(bets)


def _middle(bets: frozenset[str]) -> Iterator[tuple[str, Field]]:
    left, row = LEFT + LINES[1] + 20, 0
    for codes in MIDDLE:
        here = [code for code in codes if ("hardway" if code in _HALVES else code) in bets]
        for place, code in enumerate(here):
            half = _HALVES.get(code)
            words = f"{half}+{half}" if half else ""
            yield (
                code,
                Field(left + place * 104, TOP + row * 88, 104, 88, text=words, code="" if half else code, down=-20),
            )
        row += bool(here)


def _puck(fields: Mapping[str, Field], point: int | None) -> Disc:
    """Return the puck on the point, or off beside the boxes."""
    if point is None:
        return Disc(LEFT + ASIDE / 2, TOP + 98, 17, "off", "OFF")
    x, y = fields[str(point)].middle
    return Disc(x + 30, y - 14, 17, "on", "ON")


def _chip(fields: Mapping[str, Field], bet: Bet, amount: int, *, is_due: bool) -> Chip:
    x, y = _spot(fields, bet)
    held = bet.working is False
    return Chip(x, y, amount, bet.id, bet.wager, bet.player, bet.seat or 0, is_due=is_due, is_held=held)


def _spot(fields: Mapping[str, Field], bet: Bet) -> Spot:
    """Return the place of a chip of this bet."""
    if bet.wager == "hardway":
        x, y = fields[f"hardway{bet.number}"].middle
        return x, y + 16
    if bet.wager in IN_BOX and bet.number is not None:
        (x, y), (across, down) = fields[str(bet.number)].middle, IN_BOX[bet.wager]
        return x + across, y + down
    field = fields[BEHIND.get(bet.wager, bet.wager)]
    x, y = field.middle
    if bet.wager == "dont_come":
        return x, y
    return (x + 200, y) if bet.wager in BEHIND else (x - 150, y) if field.width > 200 else (x, y + 16)
