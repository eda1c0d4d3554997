"""Blackjack cases at a table."""

from fractions import Fraction
from typing import Any

from events.games.cases import answer
from tests.live.answer_comparison import UNSAID
from tests.live.blackjack_round_at_table import FILL, STAKE, LiveBlackjackRound, card, lay, settled, start
from tests.live.live_table import Event, Given, LiveTable, Player, TableRefusal, Unreachable

ACTIONS = ("double", "hit", "split", "stand")


def round_(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The whole round."""
    if len({box["id"] for box in inputs["boxes"]}) < len(inputs["boxes"]):
        return {"error": "a box has one place at the table, and no name besides its number"}
    played = LiveBlackjackRound(table, inputs)
    played.play()
    if "error" in expected:
        return played.answer_of_events()
    played.count(expected)
    return played.answer_of_events()


def a_round(table: LiveTable, cards: list[str], up: str, stake_minor: int = STAKE, **bets: Any) -> Given:
    """Play one box that stands on its two cards against the dealer's first card; return the box's answer."""
    drawn = answer({"ruleset": table.setting.ruleset, "given": {"kind": "dealer", "first": up, "next": FILL}})
    box = {"id": "b", "cards": cards, "stake": 1, "actions": [], **bets}
    inputs = {"kind": "round", "minimum": 1, "dealer": drawn.get("hand", [up]), "boxes": [box]}
    expected = answer({"ruleset": table.setting.ruleset, "given": inputs})
    played = LiveBlackjackRound(table, inputs, stake_minor)
    played.play()
    played.count(expected)
    box_answer: Given = played.answer_of_events()["boxes"][0]
    return box_answer


def trilux(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A round with the bonus bet."""
    trilux_: Given = a_round(table, inputs["player"], inputs["dealer"], trilux=inputs["stake"])["trilux"]
    return trilux_


def dealer(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The dealer draws against a standing hand."""
    start(table)
    name = lay(table, "main", 1, table.setting.unit)
    table.do("bets.close")
    mine = next(card_ for card_ in ("TC", "TD", "TH", "TS", "JC") if inputs["next"].count(card_) < 5), "9D"
    events: list[Event] = []
    for to, card_ in ((1, mine[0]), (None, inputs["first"]), (1, mine[1])):
        events += card(table, to, card_)
    table.do("deal.complete")
    table.do("hand.stand", box=1)
    for card_ in inputs["next"]:
        if table.lying:
            events += card(table, None, card_)
    table.pay()
    table.do("round.end")
    hand = [
        event["data"]["card"]
        for event in events
        if event["type"] == "card.dealt.v1" and event["data"]["to"] == "dealer"
    ]
    outcome = settled(events)[name]
    table.gain -= outcome["profit_minor"]
    return {"hand": hand, "total": UNSAID, "soft": UNSAID, "blackjack": UNSAID, "bust": UNSAID}


def insurance(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Boxes beside one another try the bet, and both ends of the band."""
    unit = table.setting.unit
    stake, minimum = table.minor(inputs["stake"]), table.minor(inputs["minimum"])
    start(table, minimum)
    ends = [(Fraction(expected[end]) * unit) for end in ("from", "to")] if expected.get("offered") else []
    tries = [Fraction(inputs["bet"]) * unit]
    if ends:
        tries += [
            Fraction(end)
            for end in (ends[0].__ceil__(), ends[0].__ceil__() - 1, ends[1].__floor__(), ends[1].__floor__() + 1)
        ]
    for box in range(1, len(tries) + 1):
        lay(table, "main", box, stake, intent="ask" if stake >= minimum else "fact")
    table.do("bets.close")
    for turn in (0, 1):
        for box in range(1, len(tries) + 1):
            card(table, box, FILL[box] if turn else FILL[-box])
        if turn == 0:
            card(table, None, inputs["dealer_up"])
    table.do("deal.complete")
    taken = [
        amount.denominator == 1 and amount > 0 and table.may("insurance.take", box=box, amount_minor=int(amount))
        for box, amount in enumerate(tries, 1)
    ]
    if not ends:
        return {"offered": taken[0]}
    none_at_all = ends[0] > ends[1] and not any(taken)
    low, high = none_at_all or taken[1] > taken[2], none_at_all or taken[3] > taken[4]
    return {
        "offered": True,
        "accepted": taken[0],
        "from": expected["from"] if low else -1,
        "to": expected["to"] if high else -1,
    }


def legal_actions(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Try a different action on the same hand at each of four boxes.

    To stand when no card can come changes nothing: it is neither offered nor refused.
    """
    start(table)
    boxes = dict(zip(ACTIONS, range(1, 5), strict=True))
    for box in boxes.values():
        lay(table, "main", box, table.setting.unit)
    table.do("bets.close")
    first, second = _first_two(inputs)
    for turn, card_ in enumerate((first, second)):
        for box in boxes.values():
            card(table, box, _in_suit(card_, box + turn))
        if turn == 0:
            card(table, None, "5C")
    table.do("deal.complete")
    for box in boxes.values():
        _bring(table, box, inputs)
    offered = [do for do, box in boxes.items() if _may(table, do, box, inputs)]
    return {"actions": [] if offered == ["stand"] and not expected["actions"] else offered}


def _first_two(inputs: Given) -> tuple[str, str]:
    """The first two cards of the box: the hand's own, or a pair to be split."""
    cards, splits = inputs["cards"], inputs["splits"]
    if splits not in (0, 1, 2) or bool(splits) != bool(inputs.get("from_split")):
        raise Unreachable("hands are from a split once their box was split, at most twice")
    if len(cards) < 2 - bool(splits):
        raise Unreachable("A box is dealt two cards")
    return (cards[0], cards[1]) if not splits else (cards[0], cards[0])


def _in_suit(card_: str, number: int) -> str:
    """The card in another suit, which decides nothing here: a shoe has six of each."""
    return card_[0] + "CDHS"[number % 4]


def _bring(table: LiveTable, box: int, inputs: Given) -> None:
    """Split, hit and double until the first hand has its cards."""
    cards = [_in_suit(card_, box + at) for at, card_ in enumerate(inputs["cards"])]
    try:
        for split in range(inputs["splits"]):
            table.do("hand.split", box=box)
            if split + 1 < inputs["splits"]:
                card(table, box, _in_suit(cards[0], box + 2))
        for card_ in cards[1:2] if inputs["splits"] else []:
            card(table, box, card_)
        rest = cards[2:]
        if inputs.get("doubled"):
            table.do("hand.double", box=box)
        for card_ in rest:
            card(table, box, card_)
    except TableRefusal as refusal:
        raise Unreachable(f"no hand comes to this: {refusal}") from refusal


def _may(table: LiveTable, do: str, box: int, inputs: Given) -> bool:
    if do == "hit":  # the card that a double waits for is none that its player hits for
        waits = inputs.get("doubled") and len(inputs["cards"]) == 2
        return not waits and _dealt(table, box, "2D")
    return table.may(f"hand.{do}", box=box)


def trilux_limits(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The limits are posted."""
    limits = {
        "minima_minor": {"trilux": table.minor(inputs["minimum"])},
        "maxima_minor": {"trilux": table.minor(inputs["maximum"])},
    }
    return {"valid": table.may("limits.post", minimum_minor=1, **limits)}


def deal_order(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Every card is offered to every place: one may have it. Then the bonus bets, as they are settled."""
    start(table, minima_minor={"trilux": 1})
    boxes = range(1, inputs["boxes"] + 1)
    for box in boxes:
        lay(table, "main", box, 1)
        lay(table, "trilux", box, 1)
    table.do("bets.close")
    order: list[str] = []
    places: dict[str, int | None] = {**{f"box{box}": box for box in boxes}, "dealer": None}
    while True:
        taken = [place for place, to in places.items() if _dealt(table, to, FILL[len(order) % len(FILL)])]
        if not taken:
            break
        order += taken
    events = table.do("deal.complete")
    bonus = [f"box{bet['box']}" for bet in settled(events).values() if bet["wager"] == "trilux"]
    return {"deal": order, "bonus_settlement": bonus}


def _dealt(table: LiveTable, to: int | None, card_: str) -> bool:
    try:
        card(table, to, card_)
    except TableRefusal:
        return False
    return True


PLAYERS: dict[str, Player] = {
    "round": round_,
    "trilux": trilux,
    "dealer": dealer,
    "insurance": insurance,
    "legal_actions": legal_actions,
    "trilux_limits": trilux_limits,
    "deal_order": deal_order,
}
