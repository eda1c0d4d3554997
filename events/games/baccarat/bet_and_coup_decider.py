"""Baccarat as a procedure: idle, open, no more bets, dealing, settled. The table of play is in `rules.py`.

A shoe is loaded, then opened: by burning, or by rounds without bets. Each card counts for the side that the table of
play gives it, whatever side the dealer laid it on. The last card decides every bet. `limits.post` takes maxima by bet
and the maximum "difference" between the sides.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.baccarat import action_refusal_checks, table_procedure_and_limit_rules
from events.games.baccarat import rules as baccarat
from events.games.baccarat.action_structs import BurnCards, GiveHand, ReduceBets, RuleShoe
from events.games.baccarat.event_types import (
    CardKept,
    CardsBurnt,
    CoupEnded,
    HandGiven,
    NewStake,
    ReductionAsked,
    ShoeRuled,
)
from events.games.baccarat.shoe_actions_decider import (
    CoupPlay,
    Ruling,
    burn,
    cards_burnt,
    check_in_shoe,
    coup_of,
    load_shoe,
    reach_cut_card,
    rule_shoe,
    rules_of,
    seen,
    shoe_loaded,
    shoe_ruled,
    with_shoe,
)
from events.rules.exact_amount_parsing import render
from events.tables import (
    late_bet_change_decider,
    physical_shoe_count_decider,
    round_and_bet_decider,
    session_opening_and_closing_decider,
)
from events.tables.actions.card_action_structs import DealCard, LoadShoe, ReachCutCard
from events.tables.actions.round_action_structs import (
    CloseBets,
    CorrectBet,
    EndRound,
    OpenRound,
    PlaceBet,
    RestakeBet,
    WithdrawBet,
)
from events.tables.actions.session_action_structs import MarkLimit, PostLimits
from events.tables.bet_corrections import correcting
from events.tables.event_types.rounds import BetsClosed, BetSettled, RoundEnded, RoundOpened
from events.tables.event_types.session import PersonalLimitSet
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CutCardReached, ShoeLoaded
from events.tables.table_session_state_structs import Bet, Events, Evolver, Handler, Session, TableCase

NO_MAXIMUM = 10**12


def _bets(session: Session) -> list[baccarat.BaccaratBet]:
    return [baccarat.BaccaratBet(bet.id, bet.wager, bet.stake, bet.player) for bet in session.bets.values()]


# --- the round ------------------------------------------------------------------------------------------------


def open_round(case: TableCase, data: OpenRound) -> Events:
    """Open a round: with bets once the shoe is open for them, without bets at any time (P.5, P.8)."""
    session = case.session
    coup, game = with_shoe(session), rules_of(session)
    try:
        action_refusal_checks.check_change_due(game, cut_card_out=coup.cut)
    except Refused as refused:
        case.forbid("shoe not changed", refused)
    if not data.free:
        try:
            action_refusal_checks.check_open_for_bets(
                game,
                burnt=coup.burnt,
                free_rounds=coup.free_rounds,
                has_wish=coup.wanted or data.wanted_by is not None,
                ruled=coup.ruling,
            )
        except Refused as refused:
            case.forbid("shoe not opened", refused)
    return round_and_bet_decider.open_round(case, data, without_bets=True)


def round_opened(session: Session, event: RoundOpened) -> Session:
    coup = coup_of(session)
    wanted = coup.wanted or event.wanted_by is not None
    return replace(session, play=replace(coup, free=event.free, wanted=wanted, player=(), banker=()))


def round_ended(session: Session, event: RoundEnded) -> Session:
    coup = coup_of(session)
    if not coup.free:
        return session
    ruling: Ruling | None = "go_on" if coup.ruling == "free_round" else coup.ruling
    return replace(session, play=replace(coup, free=False, free_rounds=coup.free_rounds + 1, ruling=ruling))


def end_round(case: TableCase, data: EndRound) -> Events:
    """End the round after the last card. Without that card, no bet is decided (P.7)."""
    session = case.session
    if session.phase == "dealing":
        refused = Refused(f"{session.ruleset} P.7", coded("card-due"), source="001 3.5")
        return round_and_bet_decider.end_undecided_round(case, refused)
    return round_and_bet_decider.end_round(case, data)


def post_limits(case: TableCase, data: PostLimits) -> Events:
    """Post the maxima by bet, and the maximum difference (L.1, L.2)."""
    action_refusal_checks.check_posted(data.maxima_minor)
    return session_opening_and_closing_decider.post_limits(case, data)


def mark_limit(case: TableCase, data: MarkLimit) -> Events:
    """Set the limit marker of a player with an approved personal limit (L.3)."""
    if data.wager is not None:
        raise Invalid("data.wager", coded("personal-limit-for-both-sides"))
    if data.minimum_minor > data.maximum_minor:
        raise Invalid("data.maximum_minor", coded("maximum-below-minimum"))
    table_procedure_and_limit_rules.check_seat(rules_of(case.session), data.seat)
    return [
        PersonalLimitSet(
            **case.session.where(),
            player=data.player,
            seat=data.seat,
            minimum_minor=data.minimum_minor,
            maximum_minor=data.maximum_minor,
        )
    ]


def limit_marked(session: Session, event: PersonalLimitSet) -> Session:
    coup = coup_of(session)
    limits = {**coup.personal, event.player or "": (event.minimum_minor, event.maximum_minor)}
    return replace(session, play=replace(coup, personal=limits))


def place_bet(case: TableCase, data: PlaceBet) -> Events:
    """Place a bet on one of the seat's boxes, until "bets closed" (B.4); refused in a round without bets."""
    session, game = case.session, rules_of(case.session)
    case.phase("open", "no_more_bets", "dealing", "settled")
    new = baccarat.BaccaratBet(data.bet, data.wager, data.amount_minor, data.player)
    baccarat.check_bets(game, [new])
    if data.seat is None:
        raise Invalid("data.seat", coded("seat-needed"))
    table_procedure_and_limit_rules.check_seat(game, data.seat)
    closed = table_procedure_and_limit_rules.accept(game, _phase(session), "make")
    too_late = action_refusal_checks.no_bets_now(game) if coup_of(session).free else closed
    if too_late is not None:
        return round_and_bet_decider.late_bet(case, data, too_late)
    _check_limits(case, new, _bets(session))
    return [round_and_bet_decider.new_bet(case, data)]


def _phase(session: Session) -> table_procedure_and_limit_rules.Phase:
    return "open" if session.phase == "open" else "bets_closed"


def _check_limits(case: TableCase, new: baccarat.BaccaratBet, lying: list[baccarat.BaccaratBet]) -> None:
    session = case.session
    whole = new.type in table_procedure_and_limit_rules.WHOLE_TABLE
    least = session.minima.get(new.type, session.minimum)
    table = table_procedure_and_limit_rules.StakeLimits(
        least, NO_MAXIMUM if whole else session.maxima.get(new.type, NO_MAXIMUM)
    )
    own = coup_of(session).personal.get(new.player)
    personal = table_procedure_and_limit_rules.StakeLimits(*own) if own and not whole else None
    try:
        action_refusal_checks.check_limits(rules_of(session), lying, new, table, session.maxima, personal)
    except Refused as refused:
        case.forbid("limits", refused, bet=new.id, player=new.player, amount_minor=new.stake)


def take_back(case: TableCase, data: WithdrawBet) -> Events:
    """Take a bet back until "bets closed". A later withdrawal is a fact with an irregularity (B.4)."""
    if (late := late_bet_change_decider.taken_back(case, data.bet)) is not None:
        return late
    case.phase("open", "no_more_bets", "dealing")
    bet = round_and_bet_decider.find_bet(case.session, data.bet)
    _check_change(case, bet, "take_back")
    return round_and_bet_decider.withdraw_bet(case, data)


def _check_change(case: TableCase, bet: Bet, operation: table_procedure_and_limit_rules.Operation) -> None:
    refused = table_procedure_and_limit_rules.accept(rules_of(case.session), _phase(case.session), operation)
    if refused is not None:
        case.forbid("late change", refused, bet=bet.id, player=bet.player, amount_minor=bet.stake)


def restake(case: TableCase, data: RestakeBet) -> Events:
    """Change a bet until "bets closed" (B.4)."""
    if (late := late_bet_change_decider.restaked(case, data.bet, data.amount_minor)) is not None:
        return late
    case.phase("open", "no_more_bets", "dealing")
    bet = round_and_bet_decider.find_bet(case.session, data.bet)
    _check_change(case, bet, "change")
    new = baccarat.BaccaratBet(bet.id, bet.wager, data.amount_minor, bet.player)
    _check_limits(case, new, [other for other in _bets(case.session) if other.id != bet.id])
    return [round_and_bet_decider.restake(case.session, bet, data.amount_minor)]


# --- the maximum difference -----------------------------------------------------------------------------------


def reduce_bets(case: TableCase, data: ReduceBets) -> Events:
    """Lower the bets of the heavier side in proportion until the difference is within the limit (L.1, BAC-7)."""
    session = case.session
    case.phase("open")
    limit = session.maxima.get(action_refusal_checks.DIFFERENCE)
    difference = table_procedure_and_limit_rules.max_difference(limit, _bets(session)) if limit is not None else None
    if limit is None or difference is None or difference.heavier is None or not difference.exceeded:
        raise Refused(f"{session.ruleset} L.1", coded("difference-within-maximum"), source="001 6.1")
    whole = table_procedure_and_limit_rules.whole_stakes(difference)
    stakes = {name: stake for name, stake in whole.items() if stake != session.bets[name].stake}
    reduction = ReductionAsked(
        **session.where(),
        difference_minor=difference.difference,
        limit_minor=limit,
        heavier=difference.heavier,
        factor=str(render(difference.factor)),
        stakes=tuple(NewStake(bet=name, stake_minor=stake) for name, stake in stakes.items()),
    )
    if not data.apply:
        return [reduction]
    return [reduction, *(_lowered(session, session.bets[name], stake) for name, stake in stakes.items())]


def _lowered(session: Session, bet: Bet, stake: int) -> EventData:
    return (
        round_and_bet_decider.restake(session, bet, stake, "reduced")
        if stake
        else round_and_bet_decider.withdrawn(session, bet)
    )


def close_bets(case: TableCase, data: CloseBets) -> Events:
    """Record "bets closed"; the difference between the sides must be within the limit (L.1)."""
    session = case.session
    case.phase("open")
    try:
        action_refusal_checks.check_difference(
            rules_of(session), session.maxima.get(action_refusal_checks.DIFFERENCE), _bets(session)
        )
    except Refused as refused:
        case.forbid("maximum difference", refused)
    return [BetsClosed(**session.where())]


# --- the cards ------------------------------------------------------------------------------------------------


def give_hand(case: TableCase, data: GiveHand) -> Events:
    """Give the cards of a side to their turner: its highest bettor, or the dealer for a side without bet (P.8, I.4)."""
    session = case.session
    case.phase("no_more_bets", "dealing")
    player, bets = data.player or table_procedure_and_limit_rules.DEALER, _bets(session)
    try:
        action_refusal_checks.check_turn(rules_of(session), bets, data.side, player)
    except Refused as refused:
        case.forbid("wrong customer", refused, player=player)
    due = table_procedure_and_limit_rules.reveal(bets)[data.side]
    return [HandGiven(**session.where(), side=data.side, player=player, due_to=due)]


def deal_card(case: TableCase, data: DealCard) -> Events:
    """Deal the next card. A misplaced card is refused; as a fact it counts in its right place (P.7, I.2)."""
    session, game, coup = case.session, rules_of(case.session), coup_of(case.session)
    case.phase(*(("open",) if coup.free else ()), "no_more_bets", "dealing", "settled")
    if data.to not in ("player", "banker"):
        raise Invalid("data.to", coded("card-needs-side"))
    try:
        action_refusal_checks.check_kept(game, coup.next_cards, data.card)
    except Refused as refused:
        case.forbid("card out of order", refused)
    if data.card not in coup.next_cards[:1]:
        check_in_shoe(case, coup, data.card)
    try:
        action_refusal_checks.check_card(game, coup.player, coup.banker, data.to)
    except Refused as refused:
        case.forbid("card out of order", refused)
    due = baccarat.next_to(coup.player, coup.banker)
    if due is None:
        return [CardKept(**session.where(), card=data.card)]
    dealt = CardDealt(
        **session.where(),
        to=due,
        card=data.card,
        index=len(coup.player) + len(coup.banker) + 1,
        laid=data.to if data.to != due else None,
    )
    return [dealt, *_decided(card_dealt(session, dealt))]


def card_dealt(session: Session, event: CardDealt) -> Session:
    coup = _without_card(coup_of(session), event.card)
    hand = (*(coup.player if event.to == "player" else coup.banker), event.card)
    after = replace(coup, player=hand) if event.to == "player" else replace(coup, banker=hand)
    return replace(session, phase="dealing", play=after)


def _without_card(coup: CoupPlay, card: str) -> CoupPlay:
    """Count the card out of the shoe; a kept card left it in an earlier round."""
    if card in coup.next_cards[:1]:
        return replace(coup, next_cards=coup.next_cards[1:])
    return replace(coup, seen=seen(coup, card))


def card_kept(session: Session, event: CardKept) -> Session:
    coup = coup_of(session)
    return replace(session, play=replace(coup, seen=seen(coup, event.card), next_cards=(*coup.next_cards, event.card)))


def _decided(session: Session) -> Events:
    """Decide every bet with the last card (B., P.9)."""
    coup, game = coup_of(session), rules_of(session)
    if baccarat.next_to(coup.player, coup.banker) is not None:
        return []
    end = baccarat.coup(coup.player, coup.banker)
    coup_ended = CoupEnded(
        **session.where(),
        player_total=end.player_total,
        banker_total=end.banker_total,
        winner=end.winner,
        natural=end.natural,
        player_pair=end.player_pair,
        banker_pair=end.banker_pair,
    )
    results = baccarat.settle_coup(game, end, _bets(session))
    return [coup_ended, *(_settled(session, result) for result in results)]


def _settled(session: Session, result: baccarat.BaccaratResult) -> BetSettled:
    bet = session.bets[result.bet]
    return round_and_bet_decider.settled(
        session, bet, result.outcome, result.profit, result.returned, deducted=result.commission
    )


HANDLERS: Mapping[type[ActionData], Handler] = {
    LoadShoe: load_shoe,
    BurnCards: burn,
    RuleShoe: rule_shoe,
    **physical_shoe_count_decider.HANDLERS,
    ReachCutCard: reach_cut_card,
    PostLimits: post_limits,
    MarkLimit: mark_limit,
    OpenRound: open_round,
    EndRound: end_round,
    PlaceBet: place_bet,
    CorrectBet: correcting(place_bet),
    WithdrawBet: take_back,
    RestakeBet: restake,
    ReduceBets: reduce_bets,
    CloseBets: close_bets,
    GiveHand: give_hand,
    DealCard: deal_card,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    ShoeLoaded: shoe_loaded,
    CardsBurnt: cards_burnt,
    ShoeRuled: shoe_ruled,
    CutCardReached: lambda session, event: replace(session, play=replace(coup_of(session), cut=True)),
    RoundOpened: round_opened,
    RoundEnded: round_ended,
    PersonalLimitSet: limit_marked,
    BetsClosed: lambda session, event: replace(session, phase="no_more_bets"),
    CardDealt: card_dealt,
    CardKept: card_kept,
    CoupEnded: lambda session, event: replace(session, phase="settled"),
}
