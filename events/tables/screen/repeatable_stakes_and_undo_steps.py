"""The last rounds' events at a screen: people at the seats, stakes of the last round, things that can be undone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from events.envelope import AnyEnvelope
from events.house.code_to_words_lookup import word
from events.people import authority
from events.rules.screen_declarations import ColourChips, place_name
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetWithdrawn,
    PaymentMade,
    RoundOpened,
)
from events.tables.event_types.session import Seated
from events.tables.screen.input_pads import capital
from events.tables.screen.procedure_steps_and_pads import second_people
from events.tables.screen.step_refusals_by_decider import Judge
from events.tables.table_session_state_structs import Session
from events.text.translation_marker import translatable as _

UNDO_MAX = 10  # things that a screen offers to take back

COLOURS = 8  # of players' chips on a screen, numbered from 1


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """A seat or box, which `field` of an action names.

    It has its player, or for a free seat the name of a new player there. It also has the number of the colour of the
    player's chips on the screen, and their value where they are colour chips.
    """

    seat: int
    field: Literal["seat", "box"]
    player: str
    label: str
    colour: int
    is_taken: bool
    chip_minor: int | None = None


class Undo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A way to take back something that was recorded. `event` is the recorded event; an action that `corrects` names it
    in its own field. `roles` may do it; `second` are the roles of the further people it needs. `is_fact`: it is
    reported."""

    event: str
    label: str
    do: str
    data: Mapping[str, Any]
    asks: tuple[str, ...] = ()
    second: tuple[tuple[str, ...], ...] = msgspec.field(default=(), name="with")
    roles: tuple[str, ...] = ()
    corrects: bool = False
    is_fact: bool = False


def rounds_apart(events: Sequence[AnyEnvelope]) -> tuple[list[AnyEnvelope], list[AnyEnvelope]]:
    """Return the events before the latest opening of a round, and those from it on."""
    opened = [place for place, event in enumerate(events) if isinstance(event.data, RoundOpened)]
    start = opened[-1] if opened else len(events)
    return list(events[:start]), list(events[start:])


def seats_of(
    session: Session,
    events: Sequence[AnyEnvelope],
    seats: int,
    *,
    has_boxes: bool,
    colours: Mapping[str, ColourChips],
) -> tuple[SeatView, ...]:
    """Return the seats of a table, or its boxes, with the players who were last seen there and their `colours`."""
    players: dict[int, str] = {}
    for event in events:
        if isinstance(event.data, Seated) and event.data.player:
            seat = event.data.box if has_boxes else event.data.seat
            if seat is not None:
                players[seat] = event.data.player
    players.update({chips.seat: player for player, chips in colours.items()})
    for bet in session.bets.values():
        if (place := bet.box if has_boxes else bet.seat) is not None:
            players[place] = bet.player
    free = [colour for colour in range(1, COLOURS + 1) if colour not in {chips.colour for chips in colours.values()}]
    return tuple(
        SeatView(
            seat=seat,
            field="box" if has_boxes else "seat",
            player=players.get(seat) or f"{session.table}-{seat}-{session.gaming_day}-{session.round or 1}",
            label=f"Box {seat}" if has_boxes else f"Seat {seat}",
            colour=_colour(seat, colours.get(players.get(seat, "")), free),
            is_taken=seat in players,
            chip_minor=colours[players[seat]].value_minor if players.get(seat) in colours else None,
        )
        for seat in range(1, max([seats, *players]) + 1)
    )


def _colour(seat: int, own: ColourChips | None, free: Sequence[int]) -> int:
    """Return a player's own colour; else that of the seat, or another that no one has."""
    usual = (seat - 1) % COLOURS + 1
    if own is not None:
        return own.colour
    return usual if usual in free or not free else free[usual % len(free)]


def same_again(session: Session, events: Sequence[AnyEnvelope], judge: Judge) -> dict[str, list[dict[str, Any]]]:
    """Return for each player, and under "" for all, the stakes of the last round that are lawful now, without names of
    bets."""
    before, _now = rounds_apart(events)
    opened = [place for place, event in enumerate(before) if isinstance(event.data, RoundOpened)]
    last = before[opened[-1] :] if opened else []
    stakes = list(_final_stakes(event.data for event in last).values())
    if session.status != "open" or not stakes:
        return {}
    actions: list[tuple[str, Mapping[str, Any]]] = [
        ("bet.place", {**stake, "bet": f"again-{number}"}) for number, stake in enumerate(stakes)
    ]
    lawful = [stake for stake, is_lawful in zip(stakes, judge.lawful(actions), strict=True) if is_lawful]
    players = dict.fromkeys(str(stake["player"]) for stake in lawful)
    by_player = {player: [stake for stake in lawful if stake["player"] == player] for player in players}
    return {"": lawful, **by_player} if lawful else {}


def _final_stakes(events: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Return the stakes of a round by bet as they lay in the end: raised, lowered, taken back, corrected."""
    stakes: dict[str, dict[str, Any]] = {}
    for event in events:
        if isinstance(event, BetPlaced) and not event.late:
            stakes[event.bet] = _stake(event)
        elif isinstance(event, BetWithdrawn):
            stakes.pop(event.bet, None)
        elif isinstance(event, BetRestaked) and event.bet in stakes and event.reason != "pressed":
            stakes[event.bet]["amount_minor"] = event.stake_minor
        elif isinstance(event, BetCorrected) and event.bet in stakes:
            stakes[event.bet] = {**_stake(event), "amount_minor": event.stake_minor}
    return stakes


_STAKE_FIELDS = ("wager", "amount_minor", "player", "seat", "box", "numbers", "which", "on_zero", "after_win", "number")


def _stake(placed: BetPlaced | BetCorrected) -> dict[str, Any]:
    values = {field: getattr(placed, field) for field in _STAKE_FIELDS}
    return {field: value for field, value in values.items() if value not in (None, ())}


def undo_of(session: Session, events: Sequence[AnyEnvelope], judge: Judge) -> tuple[Undo, ...]:
    """Return the steps that the rules allow to undo now, the latest first, and last the void of the round."""
    _before, now = rounds_apart(events)
    ways: list[Undo] = []
    for event in reversed(now):
        if len(ways) >= UNDO_MAX:
            break
        ways.extend(_with_roles(way) for way in _undo_steps(session, event) if _is_allowed(judge, way, session))
    if now and session.phase != "idle":
        void = Undo(
            event=now[0].id,
            label=_("Void round"),
            do="round.void",
            data={"round": session.round},
            asks=("reason",),
        )
        if _is_allowed(judge, void, session):
            ways.append(_with_roles(void))
    return tuple(ways)


def _with_roles(way: Undo) -> Undo:
    roles = authority.may("tables", way.do)
    return msgspec.structs.replace(way, roles=roles, second=second_people(way.do))


def _is_allowed(judge: Judge, way: Undo, session: Session) -> bool:
    """Return whether the way is open, judged with a reason, and a correction with one chip more."""
    data = {**way.data, **({"reason": "-"} if "reason" in way.asks else {})}
    if "amount_minor" in way.asks:
        data["amount_minor"] = session.bets[str(way.data["bet"])].stake + max(session.chip, 1)
    refusal = judge.refusal(way.do, data, is_fact=way.is_fact, corrects=way.event if way.corrects else "")
    return refusal is None


def _undo_steps(session: Session, event: AnyEnvelope) -> Iterator[Undo]:
    """Yield the ways to undo an event of this round, where it is still valid."""
    data = event.data
    if isinstance(data, BetPlaced) and data.bet in session.bets:
        place = _bet_label(data, session.ruleset)
        yield Undo(event=event.id, label=place, do="bet.withdraw", data={"bet": data.bet})
        yield Undo(
            event=event.id,
            label=place,
            do="bet.correct",
            data={"bet": data.bet},
            asks=("amount_minor", "reason"),
            corrects=True,
        )
    if isinstance(data, PaymentMade) and data.amount_minor > 0 and data.bet in session.paid:
        back = {"bet": data.bet, "amount_minor": -data.amount_minor}
        yield Undo(event=event.id, label=_bet_label(data, session.ruleset), do="payment.make", data=back, is_fact=True)


def _bet_label(data: Any, ruleset: str) -> str:
    wager = capital(word(data.wager, "wager", ruleset))
    numbers = getattr(data, "numbers", ())
    which = getattr(data, "which", None)
    return place_name(wager, numbers, which, getattr(data, "number", None))
