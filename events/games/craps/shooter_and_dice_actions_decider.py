"""The stickman's and the boxman's part of craps: dice on the table, the shooter, throws that do not count."""

from collections import Counter
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.craps import shooter_turn_and_throw_refusals as craps_dice
from events.games.craps.action_structs import (
    AppointShooter,
    CallOffRoll,
    ChooseDice,
    DeclineDice,
    OfferDice,
    PutDice,
    Seen,
    TakeDiceAway,
)
from events.games.craps.event_types import (
    DiceChosen,
    DiceOffered,
    DicePut,
    DiceTakenAway,
    RecordedDie,
    RollCalledOff,
    ShooterAppointed,
    ShooterDeclined,
)
from events.games.craps.point_shooter_and_dice_state import (
    CrapsLayout,
    TableDie,
    as_bet,
    layout_of,
    rules_of,
    with_layout,
)
from events.games.craps.throw_validity_and_next_shooter import Throw, ThrownDie, check_dice, check_shooter, throw_check
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase


def seen_as(seen: Seen) -> Throw:
    """Return the observation of a throw in the form that the rules read."""
    return Throw(**msgspec.structs.asdict(seen))


# --- the dice -------------------------------------------------------------------------------------------------


def put_dice(case: TableCase, data: PutDice) -> Events:
    """A set of five; on a change all of them are replaced (craps-gr P.7; craps-by P.2, P.8)."""
    case.phase("idle", "open", "settled")
    dice = tuple(ThrownDie(die.serial, die.colour) for die in data.dice)
    try:
        check_dice(rules_of(case.session), dice, (0, 1))
    except Refused as refused:
        case.forbid("dice", refused)
    put = tuple(RecordedDie(serial=die.serial, colour=die.colour) for die in data.dice)
    return [DicePut(**case.session.where(), dice=put, reason=data.reason)]


def dice_put(session: Session, event: DicePut) -> Session:
    dice = tuple(TableDie(die.serial, die.colour) for die in event.dice)
    return with_layout(session, dice=dice, chosen=())


def choose_dice(case: TableCase, data: ChooseDice) -> Events:
    """The shooter takes two of the five (craps-gr P.7; craps-by P.7, P.12)."""
    session, rules, layout = case.session, rules_of(case.session), layout_of(case.session)
    case.phase("open")
    _has_shooter(session, layout)
    if max(data.places) >= len(layout.dice):
        raise Invalid("data.places", coded("dice-places", dice=len(layout.dice)))
    try:
        check_dice(rules, [ThrownDie(die.serial, die.colour) for die in layout.dice], data.places)
        craps_dice.check_choice(rules, chosen_before=bool(layout.chosen))
    except Refused as refused:
        case.forbid("dice", refused, player=layout.shooter, seat=layout.seat)
    first, two = data.places
    return [
        DiceChosen(
            **session.where(),
            places=data.places,
            serials=(layout.dice[first].serial, layout.dice[two].serial),
            player=layout.shooter,
            seat=layout.seat,
        )
    ]


# --- the shooter ----------------------------------------------------------------------------------------------


def appoint(case: TableCase, data: AppointShooter) -> Events:
    """Appoint the next shooter clockwise; a player who declined is passed over (craps-gr P.5; craps-by P.11)."""
    session, layout = case.session, layout_of(case.session)
    case.phase("idle", "open", "settled")
    seats = {bet.seat: bet.player for bet in session.bets.values() if bet.seat is not None}
    if layout.seat is not None and layout.shooter is not None:
        seats[layout.seat] = layout.shooter
    seats[data.seat] = data.player
    clockwise = [_place(seat, player) for seat, player in sorted(seats.items())]
    declines = {_place(seat, player) for seat, player in sorted(seats.items()) if player in layout.declined}
    current = _place(layout.seat, layout.shooter) if layout.shooter is not None else None
    try:
        craps_dice.check_turn(
            rules_of(session),
            clockwise,
            current if current in clockwise else None,
            declines,
            _place(data.seat, data.player),
            dice_pass=layout.dice_pass,
        )
    except Refused as refused:
        case.forbid("dice out of turn", refused, player=data.player, seat=data.seat)
    return [ShooterAppointed(**session.where(), player=data.player, seat=data.seat)]


def _place(seat: int | None, player: str | None) -> str:
    return f"{player} at seat {seat}"


def appointed(session: Session, event: ShooterAppointed) -> Session:
    layout = layout_of(session)
    same = (event.player, event.seat) == (layout.shooter, layout.seat) and not layout.dice_pass
    return with_layout(
        session,
        shooter=event.player,
        seat=event.seat,
        dice_pass=False,
        declined=frozenset(),
        chosen=layout.chosen if same else (),
    )


def decline(case: TableCase, data: DeclineDice) -> Events:
    """Pass the dice on from a player who does not want them, or returns them (craps-gr P.5; craps-by P.11)."""
    case.phase("idle", "open", "settled")
    return [ShooterDeclined(**case.session.where(), player=data.player, seat=data.seat)]


def declined(session: Session, event: ShooterDeclined) -> Session:
    return with_layout(session, declined=layout_of(session).declined | {event.player or ""})


def take_away(case: TableCase, data: TakeDiceAway) -> Events:
    """Take the dice from a shooter who repeatedly throws badly; the boxman does this (craps-gr P.10)."""
    session, layout = case.session, layout_of(case.session)
    case.phase("open", "settled")
    _has_shooter(session, layout)
    try:
        craps_dice.check_taking_away(rules_of(session))
    except Refused as refused:
        case.forbid("dice taken away", refused, player=layout.shooter, seat=layout.seat)
    return [DiceTakenAway(**session.where(), player=layout.shooter, seat=layout.seat, reason=data.reason)]


def _has_shooter(session: Session, layout: CrapsLayout) -> None:
    if layout.shooter is None or layout.dice_pass:
        rules = rules_of(session)
        raise rules.refused(rules.where("order_of_dice"), coded("shooter-missing"))


# --- the throw ------------------------------------------------------------------------------------------------


def offer(case: TableCase, data: OfferDice) -> Events:
    """The dice go to the shooter: he has a bet on the line, two of five dice, and all winners are paid."""
    session, rules, layout = case.session, rules_of(case.session), layout_of(case.session)
    case.phase("open")
    _has_shooter(session, layout)
    own_bets = [as_bet(bet) for bet in session.bets.values() if bet.player == layout.shooter]
    try:
        if layout.point is None:
            check_shooter(rules, own_bets)
        check_dice(rules, [ThrownDie(die.serial, die.colour) for die in layout.dice], layout.chosen)
    except Refused as refused:
        case.forbid("shooter", refused, player=layout.shooter, seat=layout.seat)
    for due in session.due.values():
        owed = Refused("house payment", coded("payment-still-due", due=due.amount, wager=due.bet.wager, bet=due.bet.id))
        case.forbid("unpaid", owed, bet=due.bet.id, player=due.bet.player, amount_minor=due.amount)
    return [DiceOffered(**session.where(), player=layout.shooter, seat=layout.seat)]


def thrown_dice(case: TableCase, serials_read: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return the serials of the thrown dice: as `serials_read` by a person, otherwise the ones that the shooter took.

    Dice of no table, and dice that the shooter did not take, are forbidden (craps-gr P.7; craps-by P.7, P.12).
    """
    layout, rules = layout_of(case.session), rules_of(case.session)
    chosen_serials = [layout.dice[place].serial for place in layout.chosen]
    if serials_read is None:
        return (chosen_serials[0], chosen_serials[1]) if chosen_serials else None
    about = {"player": layout.shooter, "seat": layout.seat}
    if foreign := Counter(serials_read) - Counter(die.serial for die in layout.dice):
        refusal = rules.refused(rules.where("dice"), coded("dice-foreign", dice=sorted(foreign)))
        case.forbid("foreign die", refusal, **about)
    elif chosen_serials and sorted(serials_read) != sorted(chosen_serials):
        refusal = rules.refused(rules.where("dice"), coded("dice-not-chosen", dice=chosen_serials))
        case.forbid("dice not taken", refusal, **about)
    return serials_read


def call_off(case: TableCase, data: CallOffRoll) -> Events:
    """No roll, with its reasons: the throw counts for nothing and bets may be made again (P.9 / I.1)."""
    session, rules, layout = case.session, rules_of(case.session), layout_of(case.session)
    case.phase("dice_offered")
    thrown = seen_as(data.seen)
    reasons = tuple(throw_check(rules, thrown))
    if not reasons and not data.detail.strip():
        raise Invalid("data", coded("throw-fault-needed"))
    return [
        RollCalledOff(
            **session.where(),
            reasons=reasons,
            detail=data.detail,
            mixed=craps_dice.is_mixed(rules, thrown),
            serials=thrown_dice(case, data.serials),
            player=layout.shooter,
            seat=layout.seat,
        )
    ]


def called_off(session: Session, event: RollCalledOff) -> Session:
    layout = layout_of(session)
    return replace(session, phase="open", play=replace(layout, chosen=() if event.mixed else layout.chosen))


HANDLERS: Mapping[type[ActionData], Handler] = {
    PutDice: put_dice,
    ChooseDice: choose_dice,
    AppointShooter: appoint,
    DeclineDice: decline,
    TakeDiceAway: take_away,
    OfferDice: offer,
    CallOffRoll: call_off,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    DicePut: dice_put,
    DiceChosen: lambda session, event: with_layout(session, chosen=event.places),
    ShooterAppointed: appointed,
    ShooterDeclined: declined,
    DiceTakenAway: lambda session, event: with_layout(session, dice_pass=True, chosen=()),
    DiceOffered: lambda session, event: replace(session, phase="dice_offered"),
    RollCalledOff: called_off,
}
