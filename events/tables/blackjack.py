"""Blackjack with Trilux and Blazing 7s as a procedure. What a hand is and wins, `events/games/blackjack` knows.

Phases: open, no more bets, dealing (the initial deal), playing, settled. Boxes are 1 to 7 from the dealer's left.
A box is played by its first player; the stakes of a second and third follow its first hand (BJ-19).
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.errors import Invalid, Refused
from events.games import blackjack, blazing7s, trilux
from events.games.blackjack_procedure import (
    bonus_settlement,
    check_bet_open,
    check_packs,
    check_side_bet,
    check_stake,
    deal_order,
)
from events.tables import actions as do
from events.tables import rounds
from events.tables import types as was
from events.tables.state import Bet, Case, Events, Evolver, Handler, Play, Session

RULESETS = ("blackjack-trilux",)
MAIN, TRILUX, BLAZING, INSURANCE = "main", "trilux", "blazing7s", "insurance"
PLAYERS_ON_A_BOX = 3


class Box(msgspec.Struct, frozen=True):
    """A box with cards: its hands from left to right, and the main bet of its first player on each of them."""

    hands: tuple[blackjack.Hand, ...]
    bets: tuple[str, ...]


class Cards(Play, frozen=True, kw_only=True, tag="blackjack"):
    """The shoe (how often each card came) and the cards of the round."""

    shoe: str | None = None
    packs: int = 0
    seen: Mapping[str, int] = {}
    cut: bool = False
    dealt: int = 0
    dealer: tuple[str, ...] = ()
    boxes: Mapping[int, Box] = {}
    armed: bool = False
    hits: Mapping[int, str] = {}


def new_play() -> Cards:
    """No shoe yet."""
    return Cards()


def cards_of(session: Session) -> Cards:
    """The table's cards."""
    return session.play if isinstance(session.play, Cards) else new_play()


def bets_on(session: Session, wager: str, box: int | None = None) -> list[Bet]:
    """The bets of a kind that lie on a box (or on all), in the order in which they were laid."""
    return [bet for bet in session.bets.values() if bet.wager == wager and box in (None, bet.box)]


# --- before the cards -----------------------------------------------------------------------------------------


def load_shoe(case: Case, data: do.LoadShoe) -> Events:
    """A new shoe, between rounds: four to six packs (P.1)."""
    case.phase("idle")
    check_packs(blackjack.rules(case.session.ruleset), data.packs)
    return [was.ShoeLoaded(**case.session.where(), shoe=data.shoe, packs=data.packs, seal=data.seal)]


def shoe_loaded(session: Session, event: was.ShoeLoaded) -> Session:
    return replace(session, play=Cards(shoe=event.shoe, packs=event.packs))


def open_round(case: Case, data: do.OpenRound) -> Events:
    """A round needs a shoe whose cut card has not come."""
    cards = cards_of(case.session)
    if cards.shoe is None or cards.cut:
        raise Refused("house shoe", "load a shuffled shoe first")
    return rounds.open_round(case, data)


def round_opened(session: Session, event: was.RoundOpened) -> Session:
    old = cards_of(session)
    return replace(session, play=Cards(shoe=old.shoe, packs=old.packs, seen=old.seen, cut=old.cut))


def reach_cut_card(case: Case, data: do.ReachCutCard) -> Events:
    """The cut card shows: after this round the shoe is changed."""
    case.phase("dealing", "playing", "settled")
    return [was.CutCardReached(**case.session.where())]


def cut_card_reached(session: Session, event: was.CutCardReached) -> Session:
    return replace(session, play=replace(cards_of(session), cut=True))


def place_bet(case: Case, data: do.PlaceBet) -> Events:
    """The main bet first, then Trilux and Blazing 7s on their spaces (P.2); none once dealing has begun (P.3)."""
    session, rules = case.session, blackjack.rules(case.session.ruleset)
    if data.box is None or data.box > rules.boxes:
        raise Invalid("data.box", f"a bet lies on one of the boxes 1 to {rules.boxes}")
    check = {MAIN: _check_main, TRILUX: _check_trilux, BLAZING: _check_blazing}.get(data.wager)
    if check is None:
        raise Refused(f"{session.ruleset} B", f"the layout has no bet {data.wager}", source="004 L11")
    if session.phase != "open":
        check_bet_open(dealing_started=True)
    check(case, data, data.box)
    return [rounds.new_bet(case, data)]


def _check_main(case: Case, data: do.PlaceBet, box: int) -> None:
    session = case.session
    players = [bet.player for bet in bets_on(session, MAIN, box)]
    if data.player in players or len(players) >= PLAYERS_ON_A_BOX:
        raise Refused("house box (BJ-19)", f"box {box} has one bet of each of at most {PLAYERS_ON_A_BOX} players")
    try:
        check_stake(data.amount_minor, session.minimum, session.maxima.get(MAIN))
    except Refused as refused:
        case.forbid("limits", refused, box=box, player=data.player, bet=data.bet, amount_minor=data.amount_minor)


def _check_trilux(case: Case, data: do.PlaceBet, box: int) -> None:
    session, rules = case.session, blackjack.rules(case.session.ruleset)
    own = [bet for bet in bets_on(session, MAIN, box) if bet.player == data.player]
    check_side_bet(main_stake=own[0].stake if own else 0)
    if any(bet.player == data.player for bet in bets_on(session, TRILUX, box)):
        raise Refused(f"{session.ruleset} P.2", "the player has a Trilux bet on this box", source="004 L11")
    least = session.minima.get(TRILUX, session.minimum)
    try:
        trilux.check_stake(rules, data.amount_minor, least, session.maxima.get(TRILUX, rules.trilux_multiple * least))
    except Refused as refused:
        case.forbid("limits", refused, box=box, player=data.player, bet=data.bet, amount_minor=data.amount_minor)


def _check_blazing(case: Case, data: do.PlaceBet, box: int) -> None:
    """The right is the first player's; a bet of the second says that the first declined for this round (P.2)."""
    session = case.session
    if session.progressive is None:
        raise Refused("blazing7s P.1", "this table is linked to no progressive", source="004 L11")
    players = [(bet.player, bet.player == data.player) for bet in bets_on(session, MAIN, box)]
    check_side_bet(main_stake=len(players))
    blazing7s.check_bet(
        blazing7s.rules(),
        players,
        data.player,
        data.amount_minor,
        armed=cards_of(session).armed,
        bets_on_box=len(bets_on(session, BLAZING, box)),
    )


def take_back(case: Case, data: do.WithdrawBet) -> Events:
    """Until "no more bets"; the side bets of a player go back with his main bet."""
    case.phase("open")
    bet = rounds.find_bet(case.session, data.bet)
    side = [
        other
        for other in case.session.bets.values()
        if bet.wager == MAIN and other.wager != MAIN and (other.box, other.player) == (bet.box, bet.player)
    ]
    return [*rounds.withdraw_bet(case, data), *(rounds.withdrawn(case.session, other) for other in side)]


def close_bets(case: Case, data: do.CloseBets) -> Events:
    """No more bets: the dealer arms the round, then deals (P.3)."""
    case.phase("open")
    if not bets_on(case.session, MAIN):
        raise Refused(f"{case.session.ruleset} P.2", "no box has a bet", source="004 L11")
    return [was.BetsClosed(**case.session.where())]


def bets_closed(session: Session, event: was.BetsClosed) -> Session:
    return replace(session, phase="no_more_bets")


def arm(case: Case, data: do.ArmProgressive) -> Events:
    """Register the progressive stakes before a card is dealt (P.3). It needs an answer, so it cannot be queued."""
    session = case.session
    case.phase("no_more_bets")
    if case.action.intent == "fact":
        raise Refused("blazing7s P.1", "arming is asked and answered before the deal, never reported", source="004 L15")
    stakes = bets_on(session, BLAZING)
    if cards_of(session).armed or not stakes or session.progressive is None:
        raise Refused("blazing7s P.1", "there is no progressive stake to arm, or it is armed", source="004 L15")
    bets = tuple(
        was.ProgressiveStake(box=bet.box or 0, player=bet.player, stake_minor=bet.stake, bet=bet.id) for bet in stakes
    )
    return [
        was.ProgressiveArmed(
            **session.where(),
            progressive=session.progressive,
            bets=bets,
            amount_minor=sum(bet.stake for bet in stakes),
        )
    ]


def armed(session: Session, event: was.ProgressiveArmed) -> Session:
    return replace(session, play=replace(cards_of(session), armed=True))


# --- the cards ------------------------------------------------------------------------------------------------


def deal_card(case: Case, data: do.DealCard) -> Events:
    """Each card to its place. One that has none is put aside and recorded with an irregularity, or refused."""
    session = case.session
    case.phase("no_more_bets", "dealing", "playing")
    cards = cards_of(session)
    if cards.seen.get(data.card, 0) >= cards.packs:
        refused = Refused(
            "house shoe", f"{data.card} came {cards.packs} times already, the shoe holds no more", source="004 L9"
        )
        case.forbid("card not in the shoe", refused, box=data.box)
    try:
        _check_place(session, cards, data)
    except Refused as refused:
        case.forbid("wrong card", refused, box=data.box)
        return [was.CardMisdealt(**session.where(), card=data.card, to=data.to, box=data.box)]
    dealt = was.CardDealt(
        **session.where(), to=data.to, card=data.card, index=cards.dealt + 1, box=data.box, hand=data.hand
    )
    return [dealt, *_decided(card_dealt(session, dealt))]


def _check_place(session: Session, cards: Cards, data: do.DealCard) -> None:
    """Raises Refused unless the next card belongs there."""
    rules = blackjack.rules(session.ruleset)
    if session.phase == "playing":
        _check_play(rules, session, cards, data)
        return
    if bets_on(session, BLAZING) and not cards.armed:
        raise Refused("blazing7s P.1", "arm the round before the first card", source="004 L15")
    order = deal_order(rules, _taken(session))
    place = data.box if data.to == "box" else data.to
    if cards.dealt >= len(order):
        raise Refused(f"{session.ruleset} P.4", "the initial deal is complete", source="004 L19")
    if place != order[cards.dealt] or data.hand:
        raise Refused(f"{session.ruleset} P.4", f"the next card is for {_name(order[cards.dealt])}", source="004 L19")


def _check_play(rules: blackjack.Rules, session: Session, cards: Cards, data: do.DealCard) -> None:
    if data.to == "dealer":
        waiting = [box for box, at in cards.boxes.items() if not _box_done(rules, at)]
        if waiting:
            raise Refused(f"{session.ruleset} P.7", f"box {min(waiting)} is not finished", source="004 L71")
        if not _dealer_needed(rules, session, cards):
            raise Refused(f"{session.ruleset} P.7", "the dealer takes no more cards", source="004 L71")
        return
    box = cards.boxes.get(data.box or 0)
    if data.to != "box" or box is None or data.hand >= len(box.hands):
        raise Refused(f"{session.ruleset} P.4", f"there is no hand {data.hand} on {_name(data.box)}", source="004 L19")
    hand = box.hands[data.hand]
    if not blackjack.cards_due(hand):
        blackjack.check_action(rules, hand, len(box.hands) - 1, "hit")


def _name(place: object) -> str:
    return f"box {place}" if isinstance(place, int) else str(place)


def _taken(session: Session) -> list[int]:
    return sorted({bet.box or 0 for bet in session.bets.values() if bet.wager == MAIN})


def card_dealt(session: Session, event: was.CardDealt) -> Session:
    cards = cards_of(session)
    seen = {**cards.seen, event.card: cards.seen.get(event.card, 0) + 1}
    phase = "playing" if session.phase == "playing" else "dealing"
    if event.to == "dealer":
        play = replace(cards, seen=seen, dealt=event.index, dealer=(*cards.dealer, event.card))
        return replace(session, phase=phase, play=play)
    number = event.box or 0
    box = cards.boxes.get(number) or _new_box(session, number)
    hand = box.hands[event.hand]
    hands = _put(box.hands, event.hand, replace(hand, cards=(*hand.cards, event.card)))
    boxes = {**cards.boxes, number: replace(box, hands=hands)}
    return replace(session, phase=phase, play=replace(cards, seen=seen, dealt=event.index, boxes=boxes))


def _new_box(session: Session, number: int) -> Box:
    first = bets_on(session, MAIN, number)[0]
    return Box(hands=(blackjack.Hand(cards=(), stake=first.stake),), bets=(first.id,))


def _put(hands: tuple[blackjack.Hand, ...], index: int, hand: blackjack.Hand) -> tuple[blackjack.Hand, ...]:
    return (*hands[:index], hand, *hands[index + 1 :])


def card_misdealt(session: Session, event: was.CardMisdealt) -> Session:
    cards = cards_of(session)
    seen = {**cards.seen, event.card: cards.seen.get(event.card, 0) + 1}
    return replace(session, play=replace(cards, seen=seen))


# --- the initial deal is complete -----------------------------------------------------------------------------


def declare_hit(case: Case, data: do.DeclareHit) -> Events:
    """The deciding card lies there; what was declared is held against the cards (a difference is an irregularity)."""
    session = case.session
    case.phase("dealing")
    cards = cards_of(session)
    stakes = bets_on(session, BLAZING, data.box)
    box = cards.boxes.get(data.box)
    if not cards.armed or not stakes or session.progressive is None:
        raise Refused("blazing7s P.1", f"box {data.box} has no armed progressive bet", source="004 L15")
    if box is None or len(box.hands[0].cards) != 2 or not cards.dealer:
        raise Refused("blazing7s P.3", f"the cards of box {data.box} do not lie there yet", source="004 L23")
    if data.box in cards.hits:
        raise Refused("blazing7s B", f"the hit of box {data.box} is declared already", reading="BLZ-16")
    lies = blazing7s.classify(box.hands[0].cards, cards.dealer[0])
    if lies != data.level:
        refused = Refused("blazing7s B", f"the cards of box {data.box} make {lies}, not {data.level}", source="004 L39")
        case.forbid("hit against the cards", refused, box=data.box, player=stakes[0].player)
    hit = was.HitDeclared(
        **session.where(),
        progressive=session.progressive,
        hit=f"{session.table}-{session.gaming_day}-{session.round}-{data.box}",
        level=data.level,
        box=data.box,
        player=stakes[0].player,
        amount_minor=stakes[0].stake,
    )
    return [hit]


def hit_declared(session: Session, event: was.HitDeclared) -> Session:
    cards = cards_of(session)
    return replace(session, play=replace(cards, hits={**cards.hits, event.box or 0: event.level}))


def complete_deal(case: Case, data: do.CompleteDeal) -> Events:
    """Two cards on every box, one before the dealer: Trilux, then the fixed pays, right to left (P.5)."""
    session, rules = case.session, blackjack.rules(case.session.ruleset)
    case.phase("dealing")
    cards = cards_of(session)
    wanted = deal_order(rules, _taken(session))
    if cards.dealt < len(wanted):
        message = f"the initial deal lacks {len(wanted) - cards.dealt} cards"
        raise Refused(f"{session.ruleset} P.4", message, source="004 L19")
    completed = was.DealCompleted(**session.where(), progressive=session.progressive)
    after = deal_completed(session, completed)
    order = bonus_settlement(rules, _taken(session))
    bonus = [_settle_trilux(session, bet) for box in order for bet in bets_on(session, TRILUX, box)]
    fixed = [_settle_blazing(session, bet) for box in order for bet in bets_on(session, BLAZING, box)]
    _alert_undeclared(case, cards)
    return [completed, *bonus, *fixed, *_decided(after)]


def deal_completed(session: Session, event: was.DealCompleted) -> Session:
    return replace(session, phase="playing")


def _first_three(session: Session, bet: Bet) -> tuple[tuple[str, ...], str]:
    cards = cards_of(session)
    return cards.boxes[bet.box or 0].hands[0].cards, cards.dealer[0]


def _settle_trilux(session: Session, bet: Bet) -> was.BetSettled:
    rules = blackjack.rules(session.ruleset)
    profit = trilux.settle_trilux(rules, trilux.trilux_class(*_first_three(session, bet)), bet.stake)
    won = profit > 0
    return rounds.settled(session, bet, "win" if won else "lose", profit, bet.stake if won else 0)


def _settle_blazing(session: Session, bet: Bet) -> was.BetSettled:
    """The fixed pays; of a hit the stake stays with the house and the device pays the share (P.4)."""
    lies = blazing7s.classify(*_first_three(session, bet))
    if blazing7s.is_progressive(lies):
        return rounds.settled(session, bet, "hit", -bet.stake, progressive=session.progressive)
    profit, _ = blazing7s.settle_fixed(blazing7s.rules(), lies, bet.stake)
    returned = bet.stake if profit >= 0 else 0
    outcome: was.Outcome = "win" if profit > 0 else "lose" if profit < 0 else "push"
    return rounds.settled(session, bet, outcome, profit, returned, progressive=session.progressive)


def _alert_undeclared(case: Case, cards: Cards) -> None:
    """Cards that make a hit which nobody declared: recorded, whatever the intent."""
    for bet in bets_on(case.session, BLAZING):
        lies = blazing7s.classify(*_first_three(case.session, bet))
        if blazing7s.is_progressive(lies) and (bet.box or 0) not in cards.hits:
            case.found.append(
                was.IrregularityRecorded(
                    **case.session.where(),
                    kind="undeclared hit",
                    clause="blazing7s B",
                    source="004 L39",
                    detail=f"the cards of box {bet.box} make {lies}, and nobody declared it",
                    box=bet.box,
                    player=bet.player,
                    bet=bet.id,
                )
            )


# --- play -----------------------------------------------------------------------------------------------------


def _hand(session: Session, box: int, index: int) -> tuple[Box, blackjack.Hand]:
    at = cards_of(session).boxes.get(box)
    if at is None or index >= len(at.hands):
        raise Refused(f"{session.ruleset} P.8", f"box {box} has no hand {index}", source="004 L75")
    return at, at.hands[index]


def stand(case: Case, data: do.StandHand) -> Events:
    """The player has enough."""
    case.phase("playing")
    at, hand = _hand(case.session, data.box, data.hand)
    blackjack.check_action(blackjack.rules(case.session.ruleset), hand, len(at.hands) - 1, "stand")
    stood = was.HandStood(**case.session.where(), box=data.box, hand=data.hand, player=_player(case.session, at))
    return [stood, *_decided(hand_stood(case.session, stood))]


def _player(session: Session, at: Box) -> str | None:
    bet = session.bets.get(at.bets[0])
    return bet.player if bet else None


def hand_stood(session: Session, event: was.HandStood) -> Session:
    return _with_hand(session, event.box or 0, event.hand, stood=True)


def _with_hand(session: Session, box: int, index: int, **changes: Any) -> Session:
    cards = cards_of(session)
    at = cards.boxes[box]
    hands = _put(at.hands, index, replace(at.hands[index], **changes))
    return replace(session, play=replace(cards, boxes={**cards.boxes, box: replace(at, hands=hands)}))


def double(case: Case, data: do.DoubleHand) -> Events:
    """A second stake on a total of 2 to 11 (B.2)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, data.hand)
    blackjack.check_action(blackjack.rules(session.ruleset), hand, len(at.hands) - 1, "double")
    bet = session.bets[at.bets[data.hand]]
    return [
        was.HandDoubled(
            **session.where(), box=data.box, hand=data.hand, bet=bet.id, player=bet.player, amount_minor=bet.stake
        )
    ]


def hand_doubled(session: Session, event: was.HandDoubled) -> Session:
    bet = session.bets[event.bet]
    more = replace(bet, stake=bet.stake + event.amount_minor)
    session = replace(session, bets={**session.bets, bet.id: more})
    return _with_hand(session, event.box or 0, event.hand, doubled=True, stake=more.stake)


def split(case: Case, data: do.SplitHand) -> Events:
    """A second stake, and two hands of one (B.3)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, data.hand)
    blackjack.check_action(blackjack.rules(session.ruleset), hand, len(at.hands) - 1, "split")
    bet = session.bets[at.bets[data.hand]]
    new = f"{at.bets[0]}.{len(at.hands) + 1}"
    if new in session.used:
        raise Refused("house bet", f"there was a bet {new} in this round already")
    return [
        was.HandSplit(
            **session.where(),
            box=data.box,
            hand=data.hand,
            bet=bet.id,
            new_bet=new,
            player=bet.player,
            amount_minor=bet.stake,
        )
    ]


def hand_split(session: Session, event: was.HandSplit) -> Session:
    cards, number = cards_of(session), event.box or 0
    at = cards.boxes[number]
    hands = blackjack.begin(blackjack.rules(session.ruleset), at.hands, event.hand, "split")
    bets = (*at.bets[: event.hand + 1], event.new_bet, *at.bets[event.hand + 1 :])
    new = replace(session.bets[event.bet], id=event.new_bet, stake=event.amount_minor)
    play = replace(cards, boxes={**cards.boxes, number: Box(hands, bets)})
    return replace(session, play=play, bets={**session.bets, new.id: new}, used=session.used | {new.id})


def insure(case: Case, data: do.TakeInsurance) -> Events:
    """Against the dealer's ace, from half the minimum to half the first stake (B.4)."""
    case.phase("playing")
    session = case.session
    at, hand = _hand(session, data.box, 0)
    bet = session.bets.get(at.bets[0])
    if bet is None or len(at.hands) > 1 or hand.doubled:
        raise Refused(f"{session.ruleset} B.4", "insurance comes before the play of the box", source="004 L87")
    if bets_on(session, INSURANCE, data.box):
        raise Refused(f"{session.ruleset} B.4", f"box {data.box} is insured", source="004 L87")
    rules, dealer = blackjack.rules(session.ruleset), cards_of(session).dealer
    blackjack.check_insurance(rules, dealer, bet.stake, session.minimum, data.amount_minor)
    return [
        was.InsuranceTaken(
            **session.where(),
            box=data.box,
            bet=f"{bet.id}.insurance",
            player=bet.player,
            amount_minor=data.amount_minor,
        )
    ]


def insurance_taken(session: Session, event: was.InsuranceTaken) -> Session:
    bet = Bet(
        id=event.bet,
        wager=INSURANCE,
        stake=event.amount_minor,
        player=event.player or "",
        box=event.box,
        placed_in=session.round,
    )
    return replace(session, bets={**session.bets, bet.id: bet}, used=session.used | {bet.id})


# --- what the cards decide ------------------------------------------------------------------------------------


def _box_done(rules: blackjack.Rules, box: Box) -> bool:
    return all(blackjack.is_complete(rules, hand, len(box.hands) - 1) for hand in box.hands)


def _dealer_needed(rules: blackjack.Rules, session: Session, cards: Cards) -> bool:
    hands = [hand for box in cards.boxes.values() for hand in box.hands]
    insured = bool(bets_on(session, INSURANCE))
    return blackjack.dealer_needed(rules, hands, cards.dealer, insured=insured)


def _decided(session: Session) -> Events:
    """What is due on the hands that this card or decision settled: busts at once, the rest with the dealer's last."""
    if session.phase != "playing":
        return []
    rules, cards = blackjack.rules(session.ruleset), cards_of(session)
    done = all(_box_done(rules, box) for box in cards.boxes.values()) and not _dealer_needed(rules, session, cards)
    events: Events = []
    for number, box in sorted(cards.boxes.items(), reverse=True):
        for index, hand in enumerate(box.hands):
            if done or blackjack.is_bust(hand.cards):
                events += _settle_hand(session, number, box, index, hand)
    if done:
        events += [_settle_insurance(session, bet) for bet in bets_on(session, INSURANCE)]
    return events


def _settle_hand(session: Session, number: int, box: Box, index: int, hand: blackjack.Hand) -> Events:
    """The main bets on one hand: its own, and on the first hand those of the other players of the box."""
    rules, dealer = blackjack.rules(session.ruleset), cards_of(session).dealer
    outcome = blackjack.outcome(rules, hand, dealer)
    names = {box.bets[index]}
    if index == 0:
        names |= {bet.id for bet in bets_on(session, MAIN, number) if bet.id not in box.bets}
    events: Events = []
    for bet in session.bets.values():
        if bet.id in names:
            profit = blackjack.profit(rules, outcome, bet.stake)
            events.append(rounds.settled(session, bet, outcome, profit, bet.stake if profit >= 0 else 0))
    return events


def _settle_insurance(session: Session, bet: Bet) -> was.BetSettled:
    rules, dealer = blackjack.rules(session.ruleset), cards_of(session).dealer
    outcome, profit = blackjack.settle_insurance(rules, bet.stake, dealer)
    return rounds.settled(session, bet, outcome, profit, bet.stake if profit > 0 else 0)


def maybe_over(session: Session, event: was.BetSettled) -> Session:
    """When the last stake is settled, the round waits only for its payments."""
    if session.phase == "playing" and not session.bets:
        return replace(session, phase="settled")
    return session


HANDLERS: Mapping[type[ActionData], Handler] = {
    do.LoadShoe: load_shoe,
    do.OpenRound: open_round,
    do.ReachCutCard: reach_cut_card,
    do.PlaceBet: place_bet,
    do.WithdrawBet: take_back,
    do.CloseBets: close_bets,
    do.ArmProgressive: arm,
    do.DealCard: deal_card,
    do.DeclareHit: declare_hit,
    do.CompleteDeal: complete_deal,
    do.StandHand: stand,
    do.DoubleHand: double,
    do.SplitHand: split,
    do.TakeInsurance: insure,
}
EVOLVERS: Mapping[type[EventData], Evolver] = {
    was.ShoeLoaded: shoe_loaded,
    was.RoundOpened: round_opened,
    was.CutCardReached: cut_card_reached,
    was.BetsClosed: bets_closed,
    was.ProgressiveArmed: armed,
    was.CardDealt: card_dealt,
    was.CardMisdealt: card_misdealt,
    was.HitDeclared: hit_declared,
    was.DealCompleted: deal_completed,
    was.HandStood: hand_stood,
    was.HandDoubled: hand_doubled,
    was.HandSplit: hand_split,
    was.InsuranceTaken: insurance_taken,
    was.BetSettled: maybe_over,
}
