"""Blackjack on the table screen: the bets of the boxes, the next card's place, the hand in play, declared hits."""

from collections.abc import Iterator, Mapping, Sequence

from events.games.blackjack import rules as blackjack
from events.games.blackjack.blackjack_table_state import (
    BLAZING,
    INSURANCE,
    MAIN,
    TRILUX,
    BlackjackCards,
    bets_on,
    cards_of,
    taken,
)
from events.games.blackjack.deal_order_and_stake_checks import deal_order
from events.games.blackjack.displayed_names import WORDS
from events.games.blackjack.hand_play_decider import box_done
from events.games.blackjack.table_picture import OFFSETS, place_of_box
from events.rules.screen_declarations import (
    Earlier,
    GameScreen,
    Group,
    OfflineBlock,
    OfflineRound,
    OfflineStep,
    Option,
    Pad,
    Place,
    RecordedAction,
    ScreenStep,
    Spot,
)
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.table_session_state_structs import Session
from events.text.translation_marker import translatable as _

LEVELS = {
    "mega": _("Declare mega hit, box {0}"),
    "major": _("Declare major hit, box {0}"),
    "minor": _("Declare minor hit, box {0}"),
}
SIZES: Mapping[str, float] = {MAIN: 52, TRILUX: 38, BLAZING: 38}  # of the rectangles to tap


def box_places(plays: Numbers) -> Iterator[Place]:
    """Yield the places of a box, each with its rectangle at every box."""
    boxes = blackjack.rules(plays).boxes
    for wager, size in SIZES.items():
        across, down = OFFSETS[wager]
        middles = {box: place_of_box(box, boxes) for box in range(1, boxes + 1)}
        spots = {box: Spot(x + across - size / 2, y + down - size / 2, size, size) for box, (x, y) in middles.items()}
        yield Place(
            place=wager,
            data={"wager": wager},
            x=spots[1].x,
            y=spots[1].y,
            width=size,
            height=size,
            label=WORDS[wager][:1].upper() + WORDS[wager][1:],
            seated=True,
            spots=spots,
            again=None if wager == BLAZING else "bet.restake",
        )


def amounts(session: Session) -> Mapping[str, tuple[int, ...]]:
    """The progressive takes its low and its high stake."""
    return {BLAZING: session.stakes} if session.progressive is not None and session.stakes is not None else {}


# --- steps ----------------------------------------------------------------------------------------------------


def steps(session: Session) -> Sequence[ScreenStep]:
    """Yield the steps of a round in order; the cards give the place of the next card and the hand in play."""
    cards = cards_of(session)
    play: list[ScreenStep] = [
        *([] if cards.shoe is not None and not cards.cut else _shoes(session)),
        ScreenStep(do="round.open", label=_("Open round")),
        ScreenStep(do="bets.close", label=_("No more bets")),
    ]
    if session.progressive is not None:
        play.append(ScreenStep(do="progressive.arm", label=_("Arm progressive"), group="progressive"))
        play += _hits(session, cards)
    play += _deal(session, cards)
    play += _hands(session, cards)
    play.append(END_ROUND)
    return [*play, *_others(session, cards)]


END_ROUND = ScreenStep(do="round.end", label=_("End round"))


def _shoes(session: Session, group: Group = "play") -> Iterator[ScreenStep]:
    """A shoe of every size that the ruleset plays, the largest first."""
    least, most = blackjack.rules(session.plays).packs
    for packs in range(most, least - 1, -1):
        yield ScreenStep(
            do="shoe.load",
            label=_("Load shoe of {0} packs").format(packs),
            data={"packs": packs},
            asks=("shoe", "seal"),
            by_state=True,
            group=group,
        )


def _deal(session: Session, cards: BlackjackCards) -> Iterator[ScreenStep]:
    """The next card of the initial deal, then its end."""
    is_deal = session.phase in ("no_more_bets", "dealing")
    boxes = taken(session) if is_deal else []
    order = deal_order(blackjack.rules(session.plays), boxes) if boxes else []
    if cards.dealt < len(order):
        yield _card(order[cards.dealt])
    yield COMPLETE_DEAL


COMPLETE_DEAL = ScreenStep(do="deal.complete", label=_("Complete deal"))


def _card(place: int | str, hand: int = 0) -> ScreenStep:
    if not isinstance(place, int):
        return ScreenStep(do="card.deal", label=_("Card to dealer"), data={"to": "dealer"}, asks=("card",))
    data = {"to": "box", "box": place, **({"hand": hand} if hand else {})}
    text = _("Card to box {0}, hand {1}") if hand else _("Card to box {0}")
    label = text.format(place, hand + 1)
    return ScreenStep(do="card.deal", label=label, data=data, asks=("card",))


def _hands(session: Session, cards: BlackjackCards) -> Iterator[ScreenStep]:
    """The decisions of every hand that is not complete, from the first box on; then the dealer's cards.

    A hand that the dealer owes a card comes first: both hands of a split get theirs at once (BJ-6).
    """
    if session.phase != "playing":
        return
    rules = blackjack.rules(session.plays)
    open_hands = [
        (not blackjack.cards_due(hand), box, index)
        for box, lies in cards.boxes.items()
        for index, hand in enumerate(lies.hands)
        if not blackjack.is_complete(rules, hand, len(lies.hands) - 1)
    ]
    for _owed_none, box, index in sorted(open_hands):
        yield from _decisions(box, index)
    if all(box_done(rules, box) for box in cards.boxes.values()):
        yield _card("dealer")


_DECISIONS = (
    ("hand.stand", _("Stand box {0}"), _("Stand box {0}, hand {1}")),
    ("hand.double", _("Double box {0}"), _("Double box {0}, hand {1}")),
    ("hand.split", _("Split box {0}"), _("Split box {0}, hand {1}")),
)


def _decisions(box: int, index: int) -> Iterator[ScreenStep]:
    yield _card(box, index)
    for do, first, other in _DECISIONS:
        label = (other if index else first).format(box, index + 1)
        yield ScreenStep(do=do, label=label, data=_hand(box, index), asks=(), may_be_next=do == "hand.stand")


def _hand(box: int, index: int) -> dict[str, int]:
    return {"box": box, **({"hand": index} if index else {})}


# --- a round without signal -----------------------------------------------------------------------------------

ANY_BOX = 0  # stands for the number of each box
STAKED = Earlier(do="bet.place", data={"wager": MAIN, "box": ANY_BOX})


def offline_round(session: Session) -> OfflineRound:
    """Return a whole round: the cards of staked boxes in the order of the deal, then the hands of each box."""
    splits = blackjack.rules(session.plays).splits
    dealer = OfflineBlock(steps=(OfflineStep(step=_card("dealer")),))
    cards = OfflineBlock(each="box", steps=(OfflineStep(step=_card(ANY_BOX), after=STAKED),))
    complete = OfflineBlock(steps=(OfflineStep(step=COMPLETE_DEAL),))
    hands = OfflineBlock(each="box", steps=tuple(_offline_hands(splits)))
    blocks = (
        OfflineBlock(steps=_BEFORE_CARDS),
        cards,
        dealer,
        cards,
        complete,
        hands,
        dealer,
        OfflineBlock(steps=_END),
    )
    return OfflineRound(blocks=blocks, block=_block(session), recorded=tuple(_recorded(session)))


_BEFORE_CARDS = (
    OfflineStep(step=ScreenStep(do="round.open", label=_("Open round"))),
    OfflineStep(step=ScreenStep(do="bets.close", label=_("No more bets"))),
)
_END = (OfflineStep(step=END_ROUND),)


def _offline_hands(splits: int) -> Iterator[OfflineStep]:
    """The decisions of a box; after each split the cards of its hands, and the decisions of one more hand."""
    yield from _offline_hand(0, STAKED)
    for times in range(1, splits + 1):
        after = Earlier(do="hand.split", data={"box": ANY_BOX}, times=times)
        for hand in range(times + 1):
            yield OfflineStep(step=_card(ANY_BOX, hand), after=after)
        for hand in range(0 if times == 1 else times, times + 1):
            yield from _offline_hand(hand, after)


def _offline_hand(hand: int, after: Earlier) -> Iterator[OfflineStep]:
    for step in _decisions(ANY_BOX, hand):
        yield OfflineStep(step=step, after=after)
        if step.do == "hand.double":
            yield OfflineStep(step=_card(ANY_BOX, hand), after=Earlier(do=step.do, data=step.data))


def _block(session: Session) -> int:
    """The number of the block of the next step."""
    cards, boxes = cards_of(session), len(taken(session))
    if session.phase in ("no_more_bets", "dealing"):
        return 1 + sum(cards.dealt >= dealt for dealt in (boxes, boxes + 1, 2 * boxes + 1))
    if session.phase == "playing":
        rules = blackjack.rules(session.plays)
        return 6 if all(box_done(rules, box) for box in cards.boxes.values()) else 5
    return 7 if session.phase == "settled" else 0


def _recorded(session: Session) -> Iterator[RecordedAction]:
    """The stakes, the arming and the splits of this round."""
    cards = cards_of(session)
    for bet in bets_on(session, MAIN):
        yield RecordedAction("bet.place", {"wager": MAIN, "box": bet.box, "bet": bet.id})
    if cards.armed:
        yield RecordedAction("progressive.arm", {})
    for number, box in cards.boxes.items():
        yield from [RecordedAction("hand.split", {"box": number})] * (len(box.hands) - 1)


# --- the progressive, and steps that are not next -------------------------------------------------------------


def _hits(session: Session, cards: BlackjackCards) -> Iterator[ScreenStep]:
    """Yield a declaration for every box with an armed bet and its three cards, one for each level."""
    if not cards.armed or not cards.dealer or session.phase != "dealing":
        return
    for bet in bets_on(session, BLAZING):
        box = cards.boxes.get(bet.box or 0)
        if box is None or len(box.hands[0].cards) < 2 or bet.box in cards.hits:
            continue
        for level, label in LEVELS.items():
            data = {"box": bet.box, "level": level}
            text = label.format(bet.box)
            yield ScreenStep(do="hit.declare", label=text, data=data, asks=(), group="progressive")


def _others(session: Session, cards: BlackjackCards) -> Iterator[ScreenStep]:
    """Steps that are not next: insurance, passed rights, the cut card, late hits, shoes."""
    if session.phase == "playing" and cards.dealer[:1] and cards.dealer[0].startswith("A"):
        for box in sorted(cards.boxes):
            first = bets_on(session, MAIN, box)[:1]
            insured = bets_on(session, INSURANCE, box)
            if first and not insured:
                data = {"box": box, "amount_minor": first[0].stake // 2}
                yield ScreenStep(do="insurance.take", label=_("Insure box {0}").format(box), data=data, asks=())
    yield ScreenStep(do="insurance.take", label=_("Insure for another amount"), by_state=True, group="business")
    yield ScreenStep(do="cut_card.reach", label=_("Cut card reached"), group="business")
    yield from _progressive(session)
    if cards.shoe is not None and not cards.cut:
        yield from _shoes(session, "business")
    yield ScreenStep(
        do="shoe.count",
        label=_("Count shoe"),
        asks=("shoe", "packs", "missing", "surplus", "unshuffled_packs", "detail", "witness"),
        group="business",
    )
    yield ScreenStep(
        do="card.deal",
        label=_("Wrong card"),
        asks=("to", "card", "box", "hand"),
        group="mistakes",
        is_fact=True,
    )


def _progressive(session: Session) -> Iterator[ScreenStep]:
    if session.progressive is None:
        return
    for box in taken(session) if session.phase == "open" else ():
        players = [bet.player for bet in bets_on(session, MAIN, box)]
        declined = cards_of(session).declined.get(box, ())
        holder = next((player for player in players if player not in declined), None)
        if holder is not None and not bets_on(session, BLAZING, box):
            data = {"box": box, "player": holder}
            label = _("Pass right of box {0}").format(box)
            yield ScreenStep(
                do="right.decline", label=label, data=data, asks=(), group="progressive", may_be_next=False
            )
    yield ScreenStep(do="hit.declare", label=_("Declare hit"), group="mistakes", is_fact=True)
    yield ScreenStep(do="hit.declare_late", label=_("Declare late hit"), group="business")


PADS = {
    "level": Pad(
        name="level",
        kind="choice",
        field="level",
        label=_("Level"),
        options=tuple(Option(level, level.capitalize()) for level in LEVELS),
    ),
    "box": Pad(name="box", kind="seat", field="box", label=_("Box")),
    "card.deal box": Pad(name="box", kind="seat", field="box", label=_("Box"), optional=True),
    "card.deal to": Pad(
        name="to",
        kind="choice",
        field="to",
        label=_("Goes to"),
        options=(Option("box", _("Box")), Option("dealer", _("Dealer"))),
    ),
}
SCREEN = GameScreen(
    steps=steps,
    places=lambda plays: tuple(box_places(plays)),
    pads=PADS,
    seats=7,
    has_boxes=True,
    amounts=amounts,
    offline_round=offline_round,
)
