"""Roulette on the table screen: every place of the cloth, the steps of a spin, the pad of the numbers.

A field of the cloth is cut into quarters about its corners and edges: a place on a line reaches half-way to the next.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from events.games.roulette import table_picture
from events.games.roulette.colour_chips_decider import colours_of
from events.games.roulette.displayed_names import WORDS
from events.games.roulette.layout import EVEN_CHANCES, GROUP_BETS, NUMBER_BETS, NUMBERS, TYPES, places, touches_zero
from events.games.roulette.rules import rules
from events.games.roulette.table_picture import HIGH, WIDE
from events.games.roulette.wheel_state_and_personal_limits import wheel_of
from events.rules.picture_shapes import Field
from events.rules.screen_declarations import (
    ALL_AT_NEXT_ROUND,
    BetsOff,
    GameScreen,
    OfflineBlock,
    OfflineRound,
    OfflineStep,
    Option,
    Pad,
    Place,
    ScreenStep,
    place_name,
)
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.table_session_state_structs import Session
from events.text.translation_marker import translatable as _


def cloth_places(plays: Numbers) -> Iterator[Place]:
    """Yield every place of a ruleset, whole fields first, then the lines and corners between them."""
    game = rules(plays)
    fields = table_picture.cloth_fields(is_french=game.name.endswith("french"))
    for chance in EVEN_CHANCES:
        yield _on_field(table_picture.field_of(fields, chance, (), None), chance)
    for wager in GROUP_BETS:
        for which in (1, 2, 3):
            yield _on_field(table_picture.field_of(fields, wager, (), which), wager, which=which)
    for wager in NUMBER_BETS:
        for numbers in places(wager):
            if touches_zero(wager, frozenset(numbers)) and not game.zero_places:
                continue
            if wager == "straight":
                yield _on_field(fields[numbers[0]], wager, numbers)
            else:
                yield _on_line(fields, wager, numbers)


def _on_field(field: Field, wager: str, numbers: tuple[int, ...] = (), which: int | None = None) -> Place:
    data = {"wager": wager} | ({"numbers": numbers} if numbers else {}) | ({"which": which} if which else {})
    return Place(
        place=place_name(wager, numbers, which),
        data=data,
        x=field.x,
        y=field.y,
        width=field.width,
        height=field.height,
        label=_label(wager, numbers, which),
    )


def _on_line(fields: Sequence[Field], wager: str, numbers: tuple[int, ...]) -> Place:
    x, y = table_picture.spot(fields, wager, numbers, None)
    return Place(
        place=place_name(wager, numbers),
        data={"wager": wager, "numbers": numbers},
        x=x - WIDE / 4,
        y=y - HIGH / 4,
        width=WIDE / 2,
        height=HIGH / 2,
        label=_label(wager, numbers, None),
    )


def _label(wager: str, numbers: Sequence[int], which: int | None) -> str:
    word = WORDS[wager][:1].upper() + WORDS[wager][1:]
    return f"{word} {', '.join(map(str, numbers)) if numbers else which or ''}".strip()


def steps(session: Session) -> Sequence[ScreenStep]:
    """Return the steps of a spin from the first bet to the last payment, of the choices at zero, and of mistakes."""
    return [*_SPIN, *_OTHERS, *_choices(session)]


def offline_round(session: Session) -> OfflineRound:
    """Return the present spin, or the next one, and the spin after it: the wheel turns the other way each time."""
    turned = wheel_of(session).turned
    is_launched = session.phase not in ("idle", "open")
    other = {"cw": "ccw", "ccw": "cw"}
    way = (turned if is_launched else other.get(turned or "")) or "cw"
    return OfflineRound(blocks=tuple(OfflineBlock(steps=_spin(wheel)) for wheel in (way, other[way])), block=0)


def _spin(wheel: str) -> tuple[OfflineStep, ...]:
    """Return the steps of a spin whose wheel turns this way."""
    return tuple(OfflineStep(step=step) for step in _SPIN if step.data.get("wheel", wheel) == wheel)


def offline_bets(plays: Numbers) -> Sequence[BetsOff]:
    """Return the bets that a number takes off the layout: all bets, except stakes en prison after a zero."""
    zero = rules(plays).even_chances_on_zero
    if zero.rule == "lose":
        return (BetsOff(do="ball.land", bets=({},)), *ALL_AT_NEXT_ROUND)
    others: list[Mapping[str, Any]] = [{"wager": wager} for wager in TYPES if wager not in EVEN_CHANCES]
    choices = ("half", None) if zero.unasked == "half" else ("half",)
    off = (*others, *({"on_zero": choice} for choice in choices), {"zeros": zero.zeros})
    return (
        BetsOff(do="ball.land", field="number", values=tuple(number for number in NUMBERS if number), bets=({},)),
        BetsOff(do="ball.land", field="number", values=(0,), bets=off),
        BetsOff(do="round.open", bets=off),
    )


def _choices(session: Session) -> Iterator[ScreenStep]:
    """Yield the step "half or prison" for each even chance that lost to the zero of this spin."""
    if session.phase != "settled":
        return
    met = {settlement.bet.id: settlement.bet for settlement in session.settled
           if settlement.event.outcome in ("half", "prison")}  # fmt: skip
    for bet in met.values():
        label = _("Half or prison: {0}").format(f"{_label(bet.wager, (), None)} ({bet.player})")
        yield ScreenStep(do="bet.instruct", label=label, data={"bet": bet.id}, asks=("on_zero",), may_be_next=False)


_SPIN = (
    ScreenStep(do="round.open", label=_("Open round")),
    ScreenStep(do="ball.launch", label=_("Launch ball, wheel clockwise"), data={"wheel": "cw", "ball": "ccw"}),
    ScreenStep(do="ball.launch", label=_("Launch ball, wheel counter-clockwise"), data={"wheel": "ccw", "ball": "cw"}),
    ScreenStep(do="bets.close", label=_("No more bets")),
    ScreenStep(do="ball.land", label=_("Enter number"), asks=("number",)),
    ScreenStep(do="round.end", label=_("End round")),
)
_OTHERS = (
    ScreenStep(
        do="ball.land",
        label=_("Enter number of the last spin"),
        data={"last_coup": True},
        asks=("number",),
        group="business",
    ),
    ScreenStep(
        do="colour.set",
        label=_("Give colour chips"),
        asks=("colour", "value_minor", "seat", "player"),
        group="business",
    ),
    ScreenStep(do="colour.return", label=_("Take colour chips back"), group="business"),
    ScreenStep(do="bet.instruct", label=_("Half or prison"), asks=("bet", "on_zero"), group="business"),
    ScreenStep(do="spin.call_off", label=_("No spin"), asks=("reason",), group="mistakes"),
)
# In the order of the colours of a table screen.
COLOUR_NAMES = (_("White"), _("Yellow"), _("Orange"), _("Red"), _("Purple"), _("Blue"), _("Green"), _("Brown"))
PADS = {
    "number": Pad(
        name="number",
        kind="number",
        field="number",
        label=_("Number"),
        options=tuple(Option(number, str(number), table_picture.colour_of(number)) for number in NUMBERS),
    ),
    "colour.set colour": Pad(
        name="colour",
        kind="choice",
        field="colour",
        label=_("Colour"),
        options=tuple(Option(number, name) for number, name in enumerate(COLOUR_NAMES, 1)),
    ),
    "result.note result": Pad(
        name="result",
        kind="number",
        field="result",
        label=_("Number"),
        options=tuple(Option(str(number), str(number), table_picture.colour_of(number)) for number in NUMBERS),
    ),
    "spin.call_off reason": Pad(
        name="no spin",
        kind="text",
        field="reason",
        label=_("Reason"),
        options=(
            Option("Fewer than four turns", _("Fewer than four turns")),
            Option("Ball left the wheel", _("Ball left the wheel")),
            Option("Object in the wheel", _("Object in the wheel")),
        ),
    ),
}
SCREEN = GameScreen(
    steps=steps,
    places=lambda plays: tuple(cloth_places(plays)),
    pads=PADS,
    same_place=TYPES,
    colours=colours_of,
    offline_round=offline_round,
    offline_bets=offline_bets,
)
