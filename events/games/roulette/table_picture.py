"""The wheel and the cloth, drawn: the single-zero wheel in its order, the American and the French layout to scale.

Units are those of the cloth: a number's field is 60 by 70, lying on its side with the zero on the left.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from events.envelope import EventData
from events.games.roulette.event_types import BallLanded, BallLaunched, SpinCalledOff
from events.games.roulette.layout import EVEN_CHANCES, colour
from events.rules.picture_shapes import (
    Chip,
    Disc,
    Drawn,
    Field,
    Look,
    Note,
    Pane,
    Spot,
    Stroke,
    on_circle,
    ring,
    side_by_side,
)
from events.tables.table_session_state_structs import Bet, Session

# The single-zero wheel, clockwise.
ORDER: tuple[int, ...] = (
    *(0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10),
    *(5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26),
)
WIDE, HIGH, EDGE = 60.0, 70.0, 50.0
MIDDLE, RIM, POCKETS, HUB = 150.0, 146.0, 120.0, 84.0
FRENCH = ("high", "even", "black"), ("low", "odd", "red")  # passe, pair, noir; manque, impair, rouge
AMERICAN = ("low", "even", "red", "black", "odd", "high")


def draw(session: Session, events: Sequence[EventData]) -> Drawn:
    """Return the wheel with its ball, and the cloth with its bets."""
    number = landed(events)
    return Drawn((_wheel(number, running(events)), _cloth(session, number)))


def running(events: Sequence[EventData]) -> BallLaunched | None:
    """Return the launch of the running ball, or None."""
    last = next(
        (event for event in reversed(events) if isinstance(event, BallLaunched | BallLanded | SpinCalledOff)), None
    )
    return last if isinstance(last, BallLaunched) else None


def landed(events: Sequence[EventData]) -> int | None:
    """Return the number of the ball; None while it runs, and after a spin that does not count."""
    last = next((event for event in reversed(events) if isinstance(event, BallLanded | SpinCalledOff)), None)
    return last.number if isinstance(last, BallLanded) else None


# --- the wheel ------------------------------------------------------------------------------------------------


def _wheel(number: int | None, thrown: BallLaunched | None) -> Pane:
    strokes, notes = _ring()
    return Pane(
        code="wheel",
        width=2 * MIDDLE,
        height=2 * MIDDLE,
        strokes=(Stroke(ring(MIDDLE, MIDDLE, RIM), "rim"), *strokes, Stroke(ring(MIDDLE, MIDDLE, HUB), "rim")),
        notes=notes,
        marks=() if thrown is None else (_arrow(62, thrown.wheel), _arrow(133, thrown.ball)),
        discs=() if number is None else (_ball(number), Disc(MIDDLE, MIDDLE, 40, colour_of(number), str(number))),
    )


@cache
def _ring() -> tuple[tuple[Stroke, ...], tuple[Note, ...]]:
    """Return the pockets and their numbers, which never change."""
    pockets = tuple(_pocket(place, number) for place, number in enumerate(ORDER))
    return pockets, tuple(_number(place, number) for place, number in enumerate(ORDER))


def colour_of(number: int) -> Look:
    """The look of a number's field."""
    return _look(colour(number))


def _angle(place: int) -> float:
    return 360 * place / len(ORDER)


def _pocket(place: int, number: int) -> Stroke:
    half = 180 / len(ORDER)
    corners = [
        on_circle(MIDDLE, MIDDLE, radius, _angle(place) + side)
        for radius, side in ((POCKETS, -half), (POCKETS, half), (HUB, half), (HUB, -half))
    ]
    return Stroke(f"M{'L'.join(f'{x:g} {y:g}' for x, y in corners)}Z", colour_of(number))


def _number(place: int, number: int) -> Note:
    x, y = on_circle(MIDDLE, MIDDLE, POCKETS - 10, _angle(place))
    return Note(x, y, str(number), turned=round(_angle(place), 1), look="plain")


def _ball(number: int) -> Disc:
    return Disc(*on_circle(MIDDLE, MIDDLE, HUB + 10, _angle(ORDER.index(number))), 6, "ball")


def _arrow(radius: float, way: str) -> Stroke:
    """Return the arrow of a direction: a third of a turn, with its head."""
    sign = 1 if way == "cw" else -1
    (x0, y0), (x1, y1) = (on_circle(MIDDLE, MIDDLE, radius, sign * turn) for turn in (-60, 60))
    (ax, ay), (bx, by) = (on_circle(MIDDLE, MIDDLE, radius + out, sign * 48) for out in (8, -8))
    arc = f"M{x0:g} {y0:g}A{radius:g} {radius:g} 0 0 {1 if sign > 0 else 0} {x1:g} {y1:g}"
    return Stroke(f"{arc}M{ax:g} {ay:g}L{x1:g} {y1:g}L{bx:g} {by:g}", "arrow")


# --- the cloth ------------------------------------------------------------------------------------------------


def _cloth(session: Session, number: int | None) -> Pane:
    fields = cloth_fields(is_french=session.ruleset.endswith("french"))
    chips = [_chip(fields, bet, bet.stake) for bet in session.bets.values()]
    chips += [_chip(fields, due.bet, due.amount, is_due=True) for due in session.due.values()]
    return Pane(
        code="layout",
        width=max(field.x + field.width for field in fields) + 10,
        height=max(field.y + field.height for field in fields) + 10,
        fields=fields,
        discs=() if number is None else (Disc(*spot(fields, "straight", (number,), None), 25, "dolly"),),
        chips=side_by_side(chips),
    )


def cloth_fields(*, is_french: bool) -> tuple[Field, ...]:
    """Return the fields of the cloth: zero, the numbers, the columns, and the outer fields."""
    top = 10 + (EDGE if is_french else 0)
    zero = Field(10, top, WIDE, 3 * HIGH, "green", "0")
    numbers = [Field(10 + WIDE * (1 + (n - 1) // 3), top + HIGH * (2 - (n - 1) % 3), WIDE, HIGH, colour_of(n), str(n))
               for n in range(1, 37)]  # fmt: skip
    columns = [Field(10 + 13 * WIDE, top + HIGH * (3 - group), WIDE, HIGH, "plain", "2:1") for group in (1, 2, 3)]
    outer = _french(top) if is_french else _american(top)
    return (zero, *numbers, *columns, *outer)


def _american(top: float) -> list[Field]:
    """Dozens below the numbers, the even chances below them."""
    low = top + 3 * HIGH
    dozens = [
        Field(10 + WIDE * (4 * group - 3), low, 4 * WIDE, EDGE, "plain", _DOZENS[group - 1]) for group in (1, 2, 3)
    ]
    even = [
        Field(10 + WIDE * (1 + 2 * place), low + EDGE, 2 * WIDE, EDGE, _look(code), code=code)
        for place, code in enumerate(AMERICAN)
    ]
    return dozens + even


def _french(top: float) -> list[Field]:
    """The even chances on both sides of the numbers, the dozens at their foot."""
    foot = 10 + 14 * WIDE
    dozens = [Field(foot, top + HIGH * place, 80, HIGH, text=words) for place, words in enumerate(_DOUZAINES)]
    even = [
        Field(10 + WIDE * (1 + 4 * place), y, 4 * WIDE, EDGE, _look(code), code=code)
        for y, codes in ((top - EDGE, FRENCH[0]), (top + 3 * HIGH, FRENCH[1]))
        for place, code in enumerate(codes)
    ]
    return dozens + even


_DOZENS = ("1–12", "13–24", "25–36")
_DOUZAINES = ("12P", "12M", "12D")


def _look(code: str) -> Look:
    """Return the look of a field with this code: its own colour, where it has one."""
    return _COLOURS.get(code, "plain")


_COLOURS: Mapping[str, Look] = {"red": "red", "black": "black", "green": "green"}


def _chip(fields: Sequence[Field], bet: Bet, amount: int, *, is_due: bool = False) -> Chip:
    x, y = spot(fields, bet.wager, bet.numbers, bet.which)
    return Chip(x, y, amount, bet.id, bet.wager, bet.player, bet.seat or 0, is_due=is_due, is_held=bet.zeros > 0)


def spot(fields: Sequence[Field], wager: str, numbers: Sequence[int], which: int | None) -> Spot:
    """Return the place of a chip of this bet: in a field, or on the lines between those that it covers."""
    if wager in EVEN_CHANCES or which is not None:
        return field_of(fields, wager, numbers, which).middle
    spots = [fields[number].middle for number in numbers]
    if len(numbers) == 1:
        return spots[0]
    others = [fields[number].middle for number in numbers if number]
    x, y = (sum(spot[axis] for spot in others) / len(others) for axis in (0, 1))
    is_at_edge = len(numbers) == 4 if 0 in numbers else wager in ("street", "line")
    return (fields[1].x if 0 in numbers else x), (fields[1].y + HIGH if is_at_edge else y)


def field_of(fields: Sequence[Field], wager: str, numbers: Sequence[int], which: int | None) -> Field:
    """Return the field that a bet covers whole: an even chance, a column, a dozen or one number."""
    if wager in EVEN_CHANCES:
        return next(field for field in fields if field.code == wager)
    if which is not None:
        return fields[(37 if wager == "column" else 40) + which - 1]
    return fields[numbers[0]]
