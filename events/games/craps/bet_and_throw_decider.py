"""Craps as a procedure: idle, open, dice offered, settled. The results of a throw are in `roll_results.py`.

A round lasts from a come-out throw to the decision of its point: a natural, craps, the point made or a seven-out. The
throws in between and their payments belong to it. Come bets, place bets and other standing bets stay for the next
round. `limits.post` takes "maximum" for the even chances, and the house's maxima by bet or by group of bets.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.craps import shooter_and_dice_actions_decider, shooter_turn_and_throw_refusals
from events.games.craps.action_structs import PlaceCombination, PressBet, RollDice, Seen
from events.games.craps.craps_bet_struct_and_validity import CrapsBet as CrapsBet
from events.games.craps.craps_bet_struct_and_validity import commission as craps_commission
from events.games.craps.event_types import BetMoved, DiceRolled, PointMade, PointSet, SevenOut
from events.games.craps.lawful_bet_changes import BettingTable, after_win, may_place, may_remove, may_switch
from events.games.craps.lawful_bet_changes import restake as craps_restake
from events.games.craps.point_shooter_and_dice_state import MAXIMUM, as_bet, layout_of, limits_of, rules_of, table_of
from events.games.craps.roll_results import Resolution, ThrowOutcome
from events.games.craps.roll_results import roll as craps_roll
from events.games.craps.ruleset import CrapsRules
from events.games.craps.table_limits_and_size_checks import TableLimits, check_size, check_table, combo
from events.games.craps.table_limits_and_size_checks import press as craps_press
from events.games.craps.throw_validity_and_next_shooter import pay_order
from events.tables import late_bet_change_decider, round_and_bet_decider, session_opening_and_closing_decider
from events.tables.actions.round_action_structs import (
    CorrectBet,
    EndRound,
    InstructBet,
    OpenRound,
    PlaceBet,
    RestakeBet,
    WithdrawBet,
)
from events.tables.actions.session_action_structs import PostLimits
from events.tables.bet_corrections import correcting
from events.tables.event_types.rounds import BetInstructed, BetSettled, RoundEnded, RoundVoided
from events.tables.round_and_bet_decider import find_bet, settled
from events.tables.table_session_state_structs import Bet, Events, Evolver, Handler, Session, TableCase

# --- limits and rounds ----------------------------------------------------------------------------------------


def post_limits(case: TableCase, data: PostLimits) -> Events:
    """Post limits: the even chances' maximum and its derived maxima keep to the ruleset (L.1, L.2)."""
    rules, maxima = rules_of(case.session), dict(data.maxima_minor)
    try:
        check_table(rules, TableLimits(data.minimum_minor, maxima.pop(MAXIMUM, None), maxima))
    except Refused as refused:
        case.forbid("posted limits", refused)
    return session_opening_and_closing_decider.post_limits(case, data)


def open_round(case: TableCase, data: OpenRound) -> Events:
    """A come-out is announced; the table has its staff (P.2 / P.4)."""
    posts = case.session.posts
    present = {
        "dealer": sum(post in posts for post in ("dealer", "second dealer")),
        "stickman": int("stickman" in posts),
        "boxman": int("inspector" in posts),
        "inspector": int("inspector" in posts),
        "manager": int("manager" in posts),
    }
    try:
        shooter_turn_and_throw_refusals.check_staff(rules_of(case.session), present)
    except Refused as refused:
        case.forbid("staff", refused)
    return round_and_bet_decider.open_round(case, data)


def end_round(case: TableCase, data: EndRound) -> Events:
    """End the round after the decision, or before any throw where no bet is on the layout."""
    session = case.session
    if session.phase == "open" and not session.bets and layout_of(session).point is None:
        return round_and_bet_decider.finish(case)
    return round_and_bet_decider.end_round(case, data)


def _unpaid(case: TableCase) -> None:
    try:
        shooter_turn_and_throw_refusals.check_work_order(rules_of(case.session), unpaid=bool(case.session.due))
    except Refused as refused:
        case.forbid("order of work", refused)


# --- bets -----------------------------------------------------------------------------------------------------


def place_bet(case: TableCase, data: PlaceBet) -> Events:
    """A bet on the layout, where and when the rules take it (B.); a commission is paid with it."""
    session, rules = case.session, rules_of(case.session)
    case.phase("open", "dice_offered", "settled")
    table = table_of(session)
    after = data.after_win or "down"
    new = CrapsBet(data.bet, data.wager, data.amount_minor, data.number, data.base, data.working, after, data.player)
    laid_bet = may_place(rules, replace(table, dice_offered=False), new)
    try:
        may_place(rules, table, new)
        if session.phase == "settled":
            raise Refused("house bet", coded("throw-has-decided"))
    except Refused as refused:
        return round_and_bet_decider.late_bet(case, data, refused)
    _unpaid(case)
    _check_wishes(rules, table, laid_bet)
    _check_limits(case, rules, table, laid_bet, data.seat)
    event = round_and_bet_decider.new_bet(case, data, commission_minor=int(craps_commission(rules, laid_bet)))
    return [replace(event, number=laid_bet.number, after_win=laid_bet.after_win)]


def _check_wishes(rules: CrapsRules, table: BettingTable, bet: CrapsBet) -> None:
    """Raise Refused for a wish that the bet does not know: to stay after a win, to be on or off."""
    lies = replace(table, bets=(*table.bets, bet))
    if bet.after_win == "stay":
        after_win(rules, lies, bet.id, stay=True)
    if bet.working is not None:
        may_switch(rules, lies, bet.id)


def _check_limits(case: TableCase, rules: CrapsRules, table: BettingTable, bet: CrapsBet, seat: int | None) -> None:
    """Check the limits of the player's total on one place: on the same bet, number and base."""
    place = (bet.player, bet.type, bet.number, bet.base)
    lying = sum(
        other.stake
        for other in case.session.bets.values()
        if (other.player, other.wager, other.number, other.base) == place and other.id != bet.id
    )
    try:
        check_size(rules, limits_of(case.session), table, bet, lying)
    except Refused as refused:
        case.forbid("limits", refused, bet=bet.id, player=bet.player, seat=seat, amount_minor=bet.stake)


def place_combination(case: TableCase, data: PlaceCombination) -> Events:
    """Outside, inside or across: a place bet on each of the numbers (craps-by B.6)."""
    events: Events = []
    session = case.session
    for number, stake in combo(rules_of(session), data.name, data.unit_minor).items():
        bet = PlaceBet(
            bet=f"{data.bet}-{number}",
            wager="place",
            amount_minor=stake,
            number=number,
            player=data.player,
            seat=data.seat,
            after_win="stay",
        )
        events += place_bet(case, bet)
    return events


def take_back(case: TableCase, data: WithdrawBet) -> Events:
    """A bet comes down with its odds and its commission, if it is no contract (B.5 / B.1)."""
    session, rules = case.session, rules_of(case.session)
    if (late := late_bet_change_decider.taken_back(case, data.bet)) is not None:
        return late
    case.phase("open", "dice_offered", "settled", "idle")
    bet = find_bet(session, data.bet)
    table = table_of(session)
    try:
        down = may_remove(rules, table, bet.id)
    except Refused as refused:
        case.forbid("contract bet taken down", refused, bet=bet.id, player=bet.player, amount_minor=bet.stake)
        down = tuple(other for other in table.bets if bet.id in (other.id, other.base))
    return [round_and_bet_decider.withdrawn(session, session.bets[other.id]) for other in down]


def restake(case: TableCase, data: RestakeBet) -> Events:
    """Raise a bet like a new one, or lower it as if partly taken down. Its commission changes with it."""
    session, rules = case.session, rules_of(case.session)
    if (late := late_bet_change_decider.restaked(case, data.bet, data.amount_minor)) is not None:
        return late
    case.phase("open", "dice_offered")
    bet, table = find_bet(session, data.bet), table_of(session)
    if data.amount_minor == bet.stake:
        raise Invalid("data.amount_minor", coded("value-is-current"))
    try:
        craps_restake(rules, table, bet.id, data.amount_minor)
    except Refused as refused:
        case.forbid("bet changed", refused, bet=bet.id, player=bet.player, amount_minor=data.amount_minor)
    _unpaid(case)
    new = replace(as_bet(bet), stake=data.amount_minor)
    _check_limits(case, rules, table, new, bet.seat)
    commission = int(craps_commission(rules, new)) - bet.commission
    return [round_and_bet_decider.restake(session, bet, data.amount_minor, commission=commission)]


def instruct(case: TableCase, data: InstructBet) -> Events:
    """Set a bet on or off during come-outs (B.19 / B.6), up or down after a win (GRC-13 / B.6)."""
    session, rules = case.session, rules_of(case.session)
    case.phase("open", "dice_offered", "settled", "idle")
    bet, table = find_bet(session, data.bet), table_of(session)
    if data.on_zero is not None or (data.working is None and data.after_win is None):
        raise Invalid("data", coded("working-or-after-win"))
    if data.working is not None:
        may_switch(rules, table, bet.id)
    if data.after_win is not None:
        after_win(rules, table, bet.id, stay=data.after_win == "stay")
    return [
        BetInstructed(
            **session.where(),
            bet=bet.id,
            wager=bet.wager,
            working=data.working,
            after_win=data.after_win,
            player=bet.player,
            seat=bet.seat,
        )
    ]


def instructed(session: Session, event: BetInstructed) -> Session:
    bet = session.bets[event.bet]
    working = bet.working if event.working is None else event.working
    now = replace(bet, working=working, after_win=event.after_win or bet.after_win)
    return replace(session, bets={**session.bets, bet.id: now})


def press(case: TableCase, data: PressBet) -> Events:
    """Double a bet out of its win: the value of the stake is added to the bet, the rest stays due (B.6)."""
    session, rules = case.session, rules_of(case.session)
    case.phase("open", "settled")
    bet = find_bet(session, data.bet)
    due = session.due.get(bet.id)
    if due is None or bet.number is None:
        message = coded("bet-has-not-won", wager=bet.wager, bet=bet.id)
        raise rules.refused(rules.where("press"), message)
    pressed = craps_press(rules, bet.number, bet.stake, "press")
    after = int(pressed.stake_after)
    new = replace(as_bet(bet), stake=after)
    _check_limits(case, rules, table_of(session), new, bet.seat)
    added = after - bet.stake
    return [
        round_and_bet_decider.paid(session, due, added, of=added),
        round_and_bet_decider.restake(session, bet, after, "pressed"),
    ]


# --- throws ---------------------------------------------------------------------------------------------------


def roll(case: TableCase, data: RollDice) -> Events:
    """Record a throw that counts: its settlements, its moves of bets, and the new point."""
    session, rules = case.session, rules_of(case.session)
    case.phase("open", "dice_offered")
    layout = layout_of(session)
    try:
        shooter_turn_and_throw_refusals.check_offered(rules, offered=session.phase == "dice_offered")
    except Refused as refused:
        case.forbid("dice not offered", refused, player=layout.shooter)
    try:
        shooter_turn_and_throw_refusals.check_throw(
            rules, shooter_and_dice_actions_decider.seen_as(data.seen or Seen())
        )
    except Refused as refused:
        case.forbid("no roll", refused, player=layout.shooter)
    outcome = craps_roll(rules, layout.point, [as_bet(bet) for bet in session.bets.values()], data.dice)
    dice_rolled = DiceRolled(
        **session.where(),
        dice=data.dice,
        total=outcome.total,
        point=layout.point,
        point_after=outcome.point_after,
        seven_out=outcome.seven_out,
        serials=shooter_and_dice_actions_decider.thrown_dice(case, data.serials),
        player=layout.shooter,
        seat=layout.seat,
    )
    return [dice_rolled, *_marker(session, outcome), *_results(session, rules, outcome)]


def _marker(session: Session, outcome: ThrowOutcome) -> Events:
    """Return the dealer's move of the point's marker."""
    point = layout_of(session).point
    if point is None:
        return [PointSet(**session.where(), point=outcome.point_after)] if outcome.point_after else []
    if outcome.seven_out:
        return [SevenOut(**session.where(), point=point)]
    return [PointMade(**session.where(), point=point)] if outcome.point_after is None else []


def _results(session: Session, rules: CrapsRules, outcome: ThrowOutcome) -> Events:
    """Bets that travel, then those decided, in the order of payment (craps-by P.14)."""
    by_bet = {done.bet: done for done in outcome.resolutions}
    left = {bet.id for bet in outcome.bets}
    moved: Events = [
        _bet_moved(session, session.bets[done.bet], done.number)
        for done in outcome.resolutions
        if done.number is not None and done.number != session.bets[done.bet].number
    ]
    order = pay_order(rules, outcome, {bet.id: as_bet(bet) for bet in session.bets.values()})
    return [*moved, *(_settled(session, by_bet[name], stays=name in left) for name in order)]


def _bet_moved(session: Session, bet: Bet, number: int) -> BetMoved:
    return BetMoved(
        **session.where(),
        bet=bet.id,
        wager=bet.wager,
        number=number,
        amount_minor=bet.stake,
        player=bet.player,
        seat=bet.seat,
    )


def _settled(session: Session, done: Resolution, *, stays: bool) -> BetSettled:
    bet = session.bets[done.bet]
    outcome: Any = done.outcome
    back = bet.stake if outcome != "lose" and not stays else 0
    return settled(
        session, bet, outcome, done.profit, back, remaining=bet.stake if stays else 0, commission=int(done.commission)
    )


def rolled(session: Session, event: DiceRolled) -> Session:
    """A decision ends the round's play; after a seven-out the dice pass (GRC-8 / P.11)."""
    layout = replace(layout_of(session), point=event.point_after)
    if event.seven_out:
        layout = replace(layout, dice_pass=True, chosen=(), declined=frozenset())
    return replace(session, phase="settled" if event.point_after is None else "open", play=layout)


def evolve_bet_moved(session: Session, event: BetMoved) -> Session:
    bet = replace(session.bets[event.bet], number=event.number)
    return replace(session, bets={**session.bets, bet.id: bet})


def voided(session: Session, event: RoundVoided | RoundEnded) -> Session:
    """The next throw is a come-out, also after a round that was ended with the point on."""
    return replace(session, play=replace(layout_of(session), point=None))


HANDLERS: Mapping[type[ActionData], Handler] = {
    PostLimits: post_limits,
    OpenRound: open_round,
    EndRound: end_round,
    PlaceBet: place_bet,
    CorrectBet: correcting(place_bet),
    PlaceCombination: place_combination,
    WithdrawBet: take_back,
    RestakeBet: restake,
    InstructBet: instruct,
    PressBet: press,
    RollDice: roll,
    **shooter_and_dice_actions_decider.HANDLERS,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    BetInstructed: instructed,
    DiceRolled: rolled,
    BetMoved: evolve_bet_moved,
    RoundVoided: voided,
    RoundEnded: voided,
    **shooter_and_dice_actions_decider.EVOLVERS,
}
