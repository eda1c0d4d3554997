"""A table as its screen shows it: the layout, the possible next steps, due amounts, and actions that can be undone."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal, TypeVar

import msgspec

from events.envelope import AnyEnvelope
from events.house.code_to_words_lookup import word
from events.money.single_currency_rule import minor_digits
from events.people import authority
from events.rules.game_declaration_and_registry import at_tables
from events.rules.picture_shapes import Disc, Drawn, Field, Note, Pane
from events.rules.screen_declarations import (
    ALL_AT_NEXT_ROUND,
    BetsOff,
    GameScreen,
    Group,
    Option,
    Pad,
    Place,
    ScreenStep,
    Size,
)
from events.tables.screen.due_payments import DuePayment, ScreenAction, due_payments, place_of
from events.tables.screen.input_pads import sample
from events.tables.screen.procedure_steps_and_pads import (
    OfflineRoundView,
    label_of,
    offline_view,
    pads_of,
    second_people,
    steps_of,
)
from events.tables.screen.progressive_view_types import ProgressiveView
from events.tables.screen.repeatable_stakes_and_undo_steps import (
    SeatView,
    Undo,
    rounds_apart,
    same_again,
    seats_of,
    undo_of,
)
from events.tables.screen.step_refusals_by_decider import (
    NEW_NAME,
    Judge,
    Refusal,
    SampleValues,
    judged_step,
    refusal_of,
)
from events.tables.table_session_state_structs import Bet, Session
from events.tables.terminal_snapshot import Layout
from events.tables.wager_places_on_screen import places_of, plain_cloth, representatives

SEATS = 7  # of a game without a screen
LARGE_MAX = 2  # next steps that are shown large

ANYBODY = ""  # asks a game whether any player has a bet that a place goes with

Say = Callable[[str], str]
T = TypeVar("T", Field, Disc, Note)


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """A step that may come: its action, its fixed fields, the pads that ask for the others, and the refusal that it
    would meet now. The terminal makes a new name for the field that `names` says. `roles` may take it; `second` are the
    roles of the further people that it needs; `needs_house`: it cannot be queued. `may_be_next` is false for a step
    that is never shown large."""

    do: str
    data: Mapping[str, Any]
    asks: tuple[str, ...]
    label: str
    size: Size
    group: Group
    refusal: Refusal | None
    needs_house: bool
    roles: tuple[str, ...]
    is_fact: bool = False
    names: str = ""
    may_be_next: bool | msgspec.UnsetType = msgspec.UNSET
    second: tuple[tuple[str, ...], ...] = msgspec.field(default=(), name="with")


class Money(msgspec.Struct, frozen=True):
    """The currency of all amounts, and the digits of its minor unit."""

    currency: str
    digits: int


class HouseView(msgspec.Struct, frozen=True):
    """Values of the house for a screen: the chips in minor units, the gaming day by the clock, the names of shifts."""

    denominations: tuple[int, ...]
    gaming_day: str
    shifts: tuple[str, ...]


SlipState = Literal["requested", "to receive", "to send", "sent"]


class SlipView(msgspec.Struct, frozen=True, kw_only=True):
    """A fill or credit of the table that is under way: its slip (None: only requested), its chips by denomination."""

    way: Literal["fill", "credit"]
    slip: int | None
    year: str
    chips: Mapping[int, int]
    amount_minor: int
    state: SlipState


class PlaceData(msgspec.Struct, frozen=True, kw_only=True):
    """Further data that a bet on a place needs at this seat: the base bet of odds."""

    place: str
    seat: int
    data: Mapping[str, Any]


class PlaceUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A place that is staked in multiples of `unit_minor`, and the refusal of any other stake."""

    place: str
    unit_minor: int
    refusal: Refusal


class PlaceRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """A place where no chip may be put now, at this seat or box (None: at every one)."""

    place: str
    seat: int | None
    refusal: Refusal


class Screen(Layout, frozen=True, kw_only=True):
    """A table for its screen: the layout, with the present content and choices of its screen.

    `steps` in the order of the procedure, the next ones `large`; `pads` by the names that steps ask for; `chips` are
    the denominations of the table, ascending. `due` is in the order of payment, and `all_paid` pays all of it. `undo`
    are the steps that can be undone, the latest first. `same_again` are the stakes of the last round that are lawful
    now, by player, and under "" those of all. `refused_places` are the places that take no chip now. `place_data`
    completes the data of places at a seat; `place_amounts` are the only stakes that a wager takes, where they are
    restricted. `place_units` are the units of places that are staked in multiples. `progressive_view` is the linked
    progressive, with the hits of this gaming day at this table; `slips` are the open fills and credits.
    `offline_round` is the round without signal, where `steps` do not have all of it; `offline_bets` are the bets that
    actions take off the layout without signal.
    """

    money: Money
    panes: tuple[Pane, ...]
    steps: tuple[StepView, ...]
    pads: tuple[Pad, ...]
    chips: tuple[int, ...]
    seats: tuple[SeatView, ...]
    due: tuple[DuePayment, ...]
    all_paid: tuple[ScreenAction, ...]
    undo: tuple[Undo, ...]
    same_again: Mapping[str, Sequence[Mapping[str, Any]]]
    refused_places: tuple[PlaceRefusal, ...]
    place_data: tuple[PlaceData, ...]
    place_amounts: Mapping[str, tuple[int, ...]]
    place_units: tuple[PlaceUnit, ...] = ()
    progressive_view: ProgressiveView | None = None
    slips: tuple[SlipView, ...] = ()
    offline_round: OfflineRoundView | None = None
    offline_bets: tuple[BetsOff, ...] = ()


def screen_of(
    session: Session,
    layout: Layout,
    events: Sequence[AnyEnvelope],
    house: HouseView,
    judge: Judge,
    say: Say = str,
) -> Screen:
    """Return the screen of a table by its session, the events of its last two rounds, and the judge of steps. `say`
    translates a text; pads keep their own."""
    screen = at_tables()[session.game].screen
    seats = _seats(session, events, screen)
    due = due_payments(session, house.denominations)
    pads: dict[str, Pad] = {}
    steps = _views(session, house, judge, _known_values(session, seats, house).samples(), pads, say)
    offline_round = _offline_round(session, screen, house, pads, say)
    return Screen(
        **{field: getattr(layout, field) for field in Layout.__struct_fields__},
        money=Money(session.currency, minor_digits(session.currency)),
        panes=_panes(session, events, say),
        steps=steps,
        pads=tuple(pads.values()),
        chips=house.denominations,
        seats=tuple(msgspec.structs.replace(seat, label=say(seat.label)) for seat in seats),
        due=due,
        all_paid=tuple(ScreenAction(type="payment.make", data=payment.data) for payment in due),
        undo=tuple(msgspec.structs.replace(way, label=say(way.label)) for way in undo_of(session, events, judge)),
        refused_places=_refused_places(session, judge, seats),
        place_data=_place_data(session, seats),
        place_amounts=screen.amounts(session) if screen is not None else {},
        place_units=_place_units(session, screen),
        same_again=same_again(session, events, judge),
        offline_round=offline_round,
        offline_bets=tuple(screen.offline_bets(session.plays)) if screen is not None else ALL_AT_NEXT_ROUND,
    )


def _known_values(session: Session, seats: Sequence[SeatView], house: HouseView) -> SampleValues:
    player = next((seat.player for seat in seats if seat.player), "-")
    return SampleValues(session, player, session.inspector or "-", _next_day(session, house))


def _panes(session: Session, events: Sequence[AnyEnvelope], say: Say) -> tuple[Pane, ...]:
    """Return the drawing of the table, with texts in place of codes."""
    draws = at_tables()[session.game].draws
    drawn = draws(session, [event.data for event in rounds_apart(events)[1]]) if draws else None
    drawn_cloth: Drawn = drawn if drawn is not None else plain_cloth(session)
    return tuple(_in_words(pane, session.plays.stamp, say) for pane in drawn_cloth.panes)


def _offline_round(
    session: Session, screen: GameScreen | None, house: HouseView, pads: dict[str, Pad], say: Say
) -> OfflineRoundView | None:
    """Return the whole round for a time without signal; its pads are added to `pads`."""
    offline = screen.offline_round(session) if screen is not None and session.recorded else None
    if offline is None:
        return None

    def asks(step: ScreenStep) -> tuple[str, ...]:
        own_pads = (_of_house(pad, session, house) for pad in pads_of(step, session.plays))
        return tuple(_shared(pads, step, pad) for pad in own_pads)

    return offline_view(offline, asks, session.ruleset, say)


def _seats(session: Session, events: Sequence[AnyEnvelope], screen: GameScreen | None) -> tuple[SeatView, ...]:
    if screen is None:
        return seats_of(session, events, SEATS, has_boxes=False, colours={})
    return seats_of(session, events, screen.seats, has_boxes=screen.has_boxes, colours=screen.colours(session))


def _views(
    session: Session, house: HouseView, judge: Judge, samples: Mapping[str, Any], pads: dict[str, Pad], say: Say
) -> tuple[StepView, ...]:
    views: list[StepView] = []
    large = 0
    for step, own_pads, refusal in judged_steps(session, judge, samples):
        may_be_next = step.group in ("play", "progressive") or step.do == "session.open"
        is_next = may_be_next and step.may_be_next and refusal is None and large < LARGE_MAX
        large += is_next
        views.append(
            StepView(
                do=step.do,
                data=step.data,
                asks=tuple(_shared(pads, step, _of_house(pad, session, house)) for pad in own_pads),
                label=say(label_of(step, session.ruleset)),
                size="large" if is_next else "menu" if step.group == "business" else "small",
                group=step.group,
                refusal=refusal,
                needs_house=step.do in NEEDS_HOUSE,
                roles=authority.may("tables", step.do),
                is_fact=step.is_fact,
                names=step.names,
                may_be_next=msgspec.UNSET if step.may_be_next else False,
                second=second_people(step.do),
            )
        )
    return tuple(views)


# Actions that cannot be queued: each needs the house's answer before the game continues.
NEEDS_HOUSE = frozenset({"progressive.arm", "round.void", "session.void", "settlement.correct", "hit.declare_late"})


def judged_steps(
    session: Session, judge: Judge, samples: Mapping[str, Any]
) -> list[tuple[ScreenStep, list[Pad], Refusal | None]]:
    """Return the steps of a table, each with its pads and with the refusal that it would meet now."""
    judged = []
    for step in steps_of(session):
        pads = [_with_wagers(session, step, pad) for pad in pads_of(step, session.plays)]
        values = {pad.name: sample(pad, samples) for pad in pads}
        judged.append((step, pads, judged_step(judge, step, pads, values)))
    return judged


def _with_wagers(session: Session, step: ScreenStep, pad: Pad) -> Pad:
    """A pad for a name of the table: it proposes the wagers where a game's own action asks for a text."""
    is_own = at_tables()[session.game].screen is None and step.group == "play"
    if pad.kind == "limits" or (pad.kind == "text" and is_own and not pad.options):
        names = at_tables()[session.game].names(session.plays)
        wagers = names.maxima if pad.kind == "limits" else names.wagers
        return msgspec.structs.replace(pad, options=tuple(Option(wager, wager) for wager in wagers))
    return pad


def _of_house(pad: Pad, session: Session, house: HouseView) -> Pad:
    """The pad with the chips of the table, the day that would be opened, and the shifts of the house."""
    change = msgspec.structs.replace
    if pad.kind == "tray":
        return change(pad, denominations=house.denominations)
    if pad.kind == "day":
        return change(pad, default=_next_day(session, house))
    if pad.field in ("next_shift", "shift"):
        return change(pad, options=tuple(Option(shift, shift) for shift in house.shifts if shift != session.shift))
    return pad


def _next_day(session: Session, house: HouseView) -> str:
    """The gaming day that the table opens next: the house's by its clock, or the one after the table's last."""
    if session.status == "new":
        return house.gaming_day
    following = (date.fromisoformat(session.gaming_day) + timedelta(1)).isoformat()
    return max(following, house.gaming_day)


def _in_words(pane: Pane, ruleset: str, say: Say) -> Pane:
    """The pane with texts in place of codes."""

    def with_text(shape: T) -> T:
        if shape.text or not shape.code:
            return shape
        text = word(shape.code, ruleset=ruleset)
        return msgspec.structs.replace(shape, text=say(text[:1].upper() + text[1:]))

    return msgspec.structs.replace(
        pane,
        fields=tuple(with_text(field) for field in pane.fields),
        discs=tuple(with_text(disc) for disc in pane.discs),
        notes=tuple(with_text(note) for note in pane.notes),
    )


def _shared(pads: dict[str, Pad], step: ScreenStep, pad: Pad) -> str:
    """Declare a pad once; another pad of the same name gets that of its action before it."""
    name = pad.name
    if name in pads and pads[name] != pad:
        name = f"{step.do} {pad.name}"
    pads.setdefault(name, msgspec.structs.replace(pad, name=name))
    return name


def _refused_places(session: Session, judge: Judge, seats: Sequence[SeatView]) -> tuple[PlaceRefusal, ...]:
    """Return the places that take no chip now, judged with the least stake of the player at each seat."""
    if not session.recorded:
        return ()
    screen = at_tables()[session.game].screen
    refusals: list[PlaceRefusal] = []
    for group in representatives(places_of(session.plays), screen.same_place if screen else ()).values():
        by_seat = group[0].seated or bool(screen and screen.completes(session, group[0], ANYBODY))
        judged_seats = seats if by_seat else seats[:1]
        answers: dict[int | None, Refusal | None] = {
            seat.seat: judge.refusal(*probe(session, group[0], seat)) for seat in judged_seats
        }
        refusals += _without_repeats(group, answers if by_seat else {None: next(iter(answers.values()))})
    return tuple(refusals)


def _place_data(session: Session, seats: Sequence[SeatView]) -> tuple[PlaceData, ...]:
    screen = at_tables()[session.game].screen
    if screen is None or not session.bets:
        return ()
    return tuple(
        PlaceData(place=place.place, seat=seat.seat, data=data)
        for place in places_of(session.plays)
        if screen.completes(session, place, ANYBODY)
        for seat in seats
        if (data := screen.completes(session, place, seat.player))
    )


def _place_units(session: Session, screen: GameScreen | None) -> tuple[PlaceUnit, ...]:
    if screen is None or not session.recorded:
        return ()
    units = ((place, screen.unit(session, place)) for place in places_of(session.plays))
    return tuple(
        PlaceUnit(place=place.place, unit_minor=unit.chips * max(session.chip, 1), refusal=refusal_of(unit.refused))
        for place, unit in units
        if unit.refused is not None
    )


def _without_repeats(group: Sequence[Place], answers: Mapping[int | None, Refusal | None]) -> list[PlaceRefusal]:
    values = list(answers.values())
    if all(values) and all(value == values[0] for value in values):
        answers = {None: values[0]}
    return [
        PlaceRefusal(place=place.place, seat=seat, refusal=refusal)
        for place in group
        for seat, refusal in answers.items()
        if refusal is not None
    ]


def probe(session: Session, place: Place, seat: SeatView) -> tuple[str, dict[str, Any]]:
    """Return the action of the least stake on a place at a seat, with its data, for its judgement.

    It is a bet with an unused name, or one more chip on the player's present bet.
    """
    data = dict(place.data)
    if place.do != "bet.place":
        return place.do, data
    screen = at_tables()[session.game].screen
    wager = str(data.get("wager"))
    least = session.minima.get(wager, session.minimum)
    chip = max(session.chip, 1) * (screen.unit(session, place).chips if screen is not None else 1)
    lies = place.again and next((bet for bet in session.bets.values() if _is_own(bet, place, seat)), None)
    if lies:
        return str(place.again), {"bet": lies.id, "amount_minor": lies.stake + chip}
    own = screen.amounts(session).get(wager, ()) if screen is not None else ()
    amount = own[0] if own else max(-(-least // chip) * chip, chip)
    completion = screen.completes(session, place, seat.player) if screen is not None else {}
    named = {"amount_minor": amount, "bet": NEW_NAME, "player": seat.player, seat.field: seat.seat}
    return place.do, {**data, **named, **completion}


def _is_own(bet: Bet, place: Place, seat: SeatView) -> bool:
    is_there = place_of(bet) == place.place and bet.player == seat.player
    return is_there and seat.seat in (bet.seat, bet.box)
