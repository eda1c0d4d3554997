"""Blackjack before the cards: the shoe, bets and the right to them, arming the progressive."""

from typing import Any

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid, NoSuchBet, Refused
from events.games.blackjack import rules as blackjack
from events.games.blackjack import trilux
from events.games.blackjack.action_structs import DeclineRight
from events.games.blackjack.blackjack_table_state import (
    BLAZING,
    MAIN,
    PLAYERS_ON_A_BOX,
    TRILUX,
    BlackjackCards,
    bets_on,
    cards_of,
    progressive_rules,
)
from events.games.blackjack.deal_order_and_stake_checks import (
    check_bet_open,
    check_change,
    check_packs,
    check_side_bet,
    check_stake,
)
from events.games.blackjack.event_types import RightDeclined
from events.games.blazing7s import rules as blazing7s
from events.tables import (
    buyin_and_drop_decider,
    late_bet_change_decider,
    linked_progressive_terms,
    round_and_bet_decider,
    session_opening_and_closing_decider,
)
from events.tables.actions.buyins_fills_credits_drop import MakeBuyin
from events.tables.actions.card_action_structs import LoadShoe, ReachCutCard
from events.tables.actions.progressive_stake_and_hit_structs import ArmProgressive
from events.tables.actions.round_action_structs import CloseBets, OpenRound, PlaceBet, RestakeBet, WithdrawBet
from events.tables.actions.session_action_structs import PostLimits
from events.tables.event_types.progressive import ProgressiveArmed, ProgressiveStake
from events.tables.event_types.rounds import BetsClosed, RoundOpened
from events.tables.event_types.shoe_and_dealt_cards import CutCardReached, ShoeLoaded
from events.tables.table_session_state_structs import Events, Session, TableCase


def load_shoe(case: TableCase, data: LoadShoe) -> Events:
    """A new shoe, between rounds: four to six packs (P.1)."""
    case.phase("idle")
    check_packs(blackjack.rules(case.session.plays), data.packs)
    return [ShoeLoaded(**case.session.where(), shoe=data.shoe, packs=data.packs, seal=data.seal)]


def shoe_loaded(session: Session, event: ShoeLoaded) -> Session:
    return replace(session, play=_next(session, shoe=event.shoe, packs=event.packs))


def post_limits(case: TableCase, data: PostLimits) -> Events:
    """Post limits. The maximum of Trilux follows its minimum (L.1). Without a posted one, the largest allowed maximum
    holds.
    """
    posted = session_opening_and_closing_decider.post_limits(case, data)
    least = data.minima_minor.get(TRILUX, data.minimum_minor)
    if (most := data.maxima_minor.get(TRILUX)) is not None:
        try:
            trilux.check_posted(blackjack.rules(case.session.plays), least, most)
        except Refused as refused:
            case.forbid("posted limits", refused)
    return posted


def open_round(case: TableCase, data: OpenRound) -> Events:
    """Open a round, from a shoe whose cut card has not come."""
    cards = cards_of(case.session)
    if cards.shoe is None or cards.cut:
        raise Refused("house shoe", coded("shoe-not-loaded"))
    return round_and_bet_decider.open_round(case, data)


def round_opened(session: Session, event: RoundOpened) -> Session:
    old = cards_of(session)
    return replace(session, play=_next(session, shoe=old.shoe, packs=old.packs, seen=old.seen, cut=old.cut))


def _next(session: Session, **shoe: Any) -> BlackjackCards:
    """Return the state without cards; the rounds for late hits stay."""
    old = cards_of(session)
    return BlackjackCards(past=old.past, late_hits=old.late_hits, **shoe)


def reach_cut_card(case: TableCase, data: ReachCutCard) -> Events:
    """The cut card shows: after this round the shoe is changed."""
    case.phase("dealing", "playing", "settled")
    return [CutCardReached(**case.session.where())]


def place_bet(case: TableCase, data: PlaceBet) -> Events:
    """The main bet first, then Trilux and Blazing 7s on their spaces (P.2); none once dealing has begun (P.3)."""
    session, rules = case.session, blackjack.rules(case.session.plays)
    if data.box is None or data.box > rules.boxes:
        raise Invalid("data.box", coded("box-out-of-range", boxes=rules.boxes))
    if session.phase != "open" and session.phase != "idle":
        return _late(case, data)
    case.phase("open")
    check = {MAIN: _check_main, TRILUX: _check_trilux, BLAZING: _check_blazing}.get(data.wager)
    if check is None:
        raise NoSuchBet(f"{session.ruleset} B", coded("bet-not-on-this-layout", wager=data.wager), source="004 L11")
    if (objection := _second_or_orphan(session, data)) is not None:
        return round_and_bet_decider.handed_back(case, data, "second progressive bet", objection)
    check(case, data, data.box)
    declined = _passed_on(session, data) if data.wager == BLAZING else []
    return [*declined, round_and_bet_decider.new_bet(case, data)]


def _second_or_orphan(session: Session, data: PlaceBet) -> Refused | None:
    """Return why a progressive bet is one too many: its box has one, or nothing else (P.2)."""
    if data.wager != BLAZING or session.progressive is None:
        return None
    if bets_on(session, BLAZING, data.box):
        return blazing7s.refused("P.2", coded("progressive-bet-taken"), "L13")
    try:
        check_side_bet(main_stake=len(bets_on(session, MAIN, data.box)))
    except Refused as refused:
        return refused
    return None


def _late(case: TableCase, data: PlaceBet) -> Events:
    """Return a stake after "no more bets" (P.3)."""
    case.phase("no_more_bets", "dealing", "playing", "settled")
    try:
        check_bet_open(dealing_started=True)
    except Refused as refused:
        return round_and_bet_decider.late_bet(case, data, refused)
    raise AssertionError("bets are closed")


def _passed_on(session: Session, data: PlaceBet) -> Events:
    """Record a refusal: a bet of the second or third player means that the earlier ones declined (P.2)."""
    declined = cards_of(session).declined.get(data.box or 0, ())
    players = [bet.player for bet in bets_on(session, MAIN, data.box)]
    before = players[: players.index(data.player)]
    return [_declined(session, data.box, player) for player in before if player not in declined]


def decline_right(case: TableCase, data: DeclineRight) -> Events:
    """The right to the box's progressive bet moves to its second, then to its third player for this round (P.2)."""
    session = case.session
    case.phase("open")
    if data.player not in [bet.player for bet in bets_on(session, MAIN, data.box)]:
        raise Refused(
            "blazing7s P.2", coded("player-without-bet-on-box", player=data.player, box=data.box), source="004 L13"
        )
    if bets_on(session, BLAZING, data.box) or data.player in cards_of(session).declined.get(data.box, ()):
        raise Refused("blazing7s P.2", coded("right-used", box=data.box), source="004 L13")
    return [_declined(session, data.box, data.player)]


def _declined(session: Session, box: int | None, player: str) -> RightDeclined:
    return RightDeclined(**session.where(), box=box, player=player)


def right_declined(session: Session, event: RightDeclined) -> Session:
    cards = cards_of(session)
    box = event.box or 0
    declining_players = (*cards.declined.get(box, ()), event.player or "")
    return replace(session, play=replace(cards, declined={**cards.declined, box: declining_players}))


def _check_main(case: TableCase, data: PlaceBet, box: int) -> None:
    session = case.session
    players = [bet.player for bet in bets_on(session, MAIN, box)]
    if data.player in players or len(players) >= PLAYERS_ON_A_BOX:
        raise Refused("house box (BJ-19)", coded("box-full", box=box, most=PLAYERS_ON_A_BOX))
    try:
        _check_amount(session, MAIN, data.amount_minor)
    except Refused as refused:
        case.forbid("limits", refused, box=box, player=data.player, bet=data.bet, amount_minor=data.amount_minor)


def _check_trilux(case: TableCase, data: PlaceBet, box: int) -> None:
    session = case.session
    own = [bet for bet in bets_on(session, MAIN, box) if bet.player == data.player]
    check_side_bet(main_stake=own[0].stake if own else 0)
    if any(bet.player == data.player for bet in bets_on(session, TRILUX, box)):
        raise Refused(f"{session.ruleset} P.2", coded("trilux-bet-taken"), source="004 L11")
    try:
        _check_amount(session, TRILUX, data.amount_minor)
    except Refused as refused:
        case.forbid("limits", refused, box=box, player=data.player, bet=data.bet, amount_minor=data.amount_minor)


def _check_blazing(case: TableCase, data: PlaceBet, box: int) -> None:
    """Check the right to the bet. It is the first player's; a bet of the second means that the first declined (P.2)."""
    session = case.session
    if session.progressive is None:
        raise Refused("blazing7s P.1", coded("table-not-linked"), source="004 L11")
    declined = cards_of(session).declined.get(box, ())
    players = [
        (bet.player, bet.player == data.player and bet.player not in declined) for bet in bets_on(session, MAIN, box)
    ]
    check_side_bet(main_stake=len(players))
    blazing7s.check_bet(
        progressive_rules(session),
        players,
        data.player,
        data.amount_minor,
        armed=cards_of(session).armed,
        bets_on_box=len(bets_on(session, BLAZING, box)),
    )


def take_back(case: TableCase, data: WithdrawBet) -> Events:
    """Take a bet back until "no more bets". The side bets of a player go back with the main bet. Later withdrawals are
    put back."""
    if (late := late_bet_change_decider.taken_back(case, data.bet)) is not None:
        return late
    if case.session.phase in ("no_more_bets", "dealing", "playing"):
        bet = round_and_bet_decider.find_bet(case.session, data.bet)
        refused = Refused(f"{case.session.ruleset} P.3", coded("no-more-bets"), source="004 L15")
        case.forbid("late change", refused, box=bet.box, bet=bet.id, player=bet.player, amount_minor=bet.stake)
        return []
    case.phase("open")
    bet = round_and_bet_decider.find_bet(case.session, data.bet)
    side = [
        other
        for other in case.session.bets.values()
        if bet.wager == MAIN and other.wager != MAIN and (other.box, other.player) == (bet.box, bet.player)
    ]
    return [
        *round_and_bet_decider.withdraw_bet(case, data),
        *(round_and_bet_decider.withdrawn(case.session, other) for other in side),
    ]


def restake(case: TableCase, data: RestakeBet) -> Events:
    """Raise or lower a bet until "no more bets", by the rules of a new bet (P.3, L.1). Later changes are put back."""
    if (late := late_bet_change_decider.restaked(case, data.bet, data.amount_minor)) is not None:
        return late
    session = case.session
    bet = round_and_bet_decider.find_bet(session, data.bet)
    if data.amount_minor == bet.stake:
        raise Invalid("data.amount_minor", coded("value-is-current"))
    details = {"box": bet.box, "bet": bet.id, "player": bet.player, "amount_minor": data.amount_minor - bet.stake}
    if session.phase in ("no_more_bets", "dealing", "playing"):
        refusal = Refused(f"{session.ruleset} P.3", coded("no-more-bets"), source="004 L15")
        case.forbid("late change", refusal, **details)
        return []
    case.phase("open")
    try:
        _check_amount(session, bet.wager, data.amount_minor)
    except Refused as refusal:
        case.forbid("limits", refusal, **details)
    return [round_and_bet_decider.restake(session, bet, data.amount_minor)]


def _check_amount(session: Session, wager: str, amount: int) -> None:
    """Raise Refused for a stake outside of the limits of its wager (L.)."""
    rules, least = blackjack.rules(session.plays), session.minima.get(wager, session.minimum)
    if wager == BLAZING:
        blazing7s.check_stake(progressive_rules(session), amount)
    elif wager == TRILUX:
        trilux.check_stake(rules, amount, least, session.maxima.get(TRILUX, rules.trilux_multiple * least))
    else:
        check_stake(amount, least, session.maxima.get(MAIN))


def close_bets(case: TableCase, data: CloseBets) -> Events:
    """No more bets: the dealer arms the round, then deals (P.3)."""
    case.phase("open")
    if not bets_on(case.session, MAIN):
        raise Refused(f"{case.session.ruleset} P.2", coded("boxes-without-bet"), source="004 L11")
    return [BetsClosed(**case.session.where())]


def arm(case: TableCase, data: ArmProgressive) -> Events:
    """Register the progressive stakes before a card is dealt (P.3). It needs an answer, so it cannot be queued."""
    session = case.session
    case.phase("no_more_bets")
    if case.action.intent == "fact":
        raise Refused("blazing7s P.1", coded("fact-of-arming", why=None), source="004 L15")
    stakes = bets_on(session, BLAZING)
    if cards_of(session).armed or not stakes or session.progressive is None:
        raise Refused("blazing7s P.1", coded("nothing-to-arm"), source="004 L15")
    link = linked_progressive_terms.require(session.progressive, session.currency, case.context.linked)
    for bet in stakes:  # a session opened before its progressive's stakes were taken from there may hold others
        blazing7s.check_stake(replace(progressive_rules(session), stakes=link.stakes_minor), bet.stake)
    bets = tuple(
        ProgressiveStake(box=bet.box or 0, player=bet.player, stake_minor=bet.stake, bet=bet.id) for bet in stakes
    )
    return [
        ProgressiveArmed(
            **session.where(),
            progressive=session.progressive,
            bets=bets,
            amount_minor=sum(bet.stake for bet in stakes),
        )
    ]


def buy_in(case: TableCase, data: MakeBuyin) -> Events:
    """Cash and chips are changed when the hand is over (P.9)."""
    try:
        check_change(hand_over=case.session.phase not in ("dealing", "playing"))
    except Refused as refused:
        case.forbid("change during a hand", refused, player=data.player, seat=data.seat)
    return buyin_and_drop_decider.make_buyin(case, data)
