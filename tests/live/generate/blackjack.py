"""Cases of blackjack and of Blazing 7's."""

from collections.abc import Callable
from random import Random
from typing import Any

from events.games.blackjack import rules as blackjack
from events.rules import cards

Given = dict[str, Any]
RULES = blackjack.rules()
SEVENS = ("7D", "7D", "7H", "7S", "7C", "8D")


def shoe(random: Random) -> list[str]:
    """Six packs, to be dealt from the end; sometimes with many sevens, eights, aces or tens there."""
    packs = cards.packs(6)
    random.shuffle(packs)
    likely = random.choice(("", "", "7", "8", "A", "TJQK"))
    top = sorted(packs[-40:], key=lambda card: card[0] in likely)
    return [*packs[:-40], *top] if likely else packs


def round_(random: Random) -> Given:
    """Boxes played as the rules offer it; seldom something is done that they do not."""
    drawn, minimum = shoe(random), random.choice((1, 5, 10))
    count = random.choice((1, 1, 2, 3, 4, 7))
    boxes = [_box(random, f"b{at}", drawn, minimum) for at in range(1, count + 1)]
    up = drawn.pop()
    for box in boxes:
        _play(random, drawn, box)
        if box["stake"] > minimum and random.random() < (0.5 if up[0] == "A" else 0.005):
            box["insurance"] = random.randint(-(-minimum // 2), max(1, box["stake"] // 2))
    dealer = [up]
    while blackjack.dealer_draws(RULES, dealer):
        dealer.append(drawn.pop())
    if random.random() < 0.02:
        dealer = random.choice((dealer[:-1], [*dealer, drawn.pop()]))
    return {"minimum": minimum, "dealer": dealer, "boxes": boxes}


def _box(random: Random, id_: str, drawn: list[str], minimum: int) -> Given:
    stake = random.choice((minimum, minimum + 1, random.randint(minimum, 500)))
    box: Given = {"id": id_, "cards": [drawn.pop(), drawn.pop()], "stake": stake}
    if random.random() < 0.01:
        box["stake"] = minimum - 1
    if random.random() < 0.4:
        box["trilux"] = random.randint(1, 40)
    if random.random() < 0.3:
        box["blazing"] = True
    return {**box, "actions": []}


def _play(random: Random, drawn: list[str], box: Given) -> None:
    """Play the box until the player stops."""
    hands: tuple[blackjack.BlackjackHand, ...] = (blackjack.BlackjackHand(cards=tuple(box["cards"]), stake=1),)
    for _ in range(random.randint(0, 8)):
        offers = [blackjack.legal_actions(RULES, hand, len(hands) - 1) for hand in hands]
        at = next((at for at, offered in enumerate(offers) if offered), None)
        if at is None:
            break
        do: str = random.choice([*offers[at], *[do for do in offers[at] if do in ("split", "double")] * 2])
        if random.random() < 0.01:
            do = random.choice(("split", "double"))
        taken = [drawn.pop() for _ in range({"split": 2, "stand": 0}.get(do, 1))]
        box["actions"].append({"hand": at, "do": do, "cards": taken} if taken else {"hand": at, "do": do})
        if do not in offers[at]:
            return
        hands = blackjack.act(RULES, hands, at, do, taken)


def trilux(random: Random) -> Given:
    ranks, suits = random.choice(("QKA", "A23", "789", "7", cards.RANKS)), random.choice(("D", "DH", cards.SUITS))
    three = [random.choice(ranks) + random.choice(suits) for _ in range(3)]
    return {"player": three[:2], "dealer": three[2], "stake": random.randint(1, 60)}


def dealer(random: Random) -> Given:
    drawn = shoe(random)[-9:]
    return {"first": drawn[0], "next": drawn[1:] if random.random() < 0.95 else drawn[1:2]}


def insurance(random: Random) -> Given:
    up = random.choice(("AC", "AH", "AS", "TC", "7D"))
    stake, minimum = random.randint(5, 200), random.randint(1, 60)
    bet = random.choice((stake // 2, f"{stake}/2" if stake % 2 else stake // 2, minimum, 1, random.randint(1, 120)))
    return {"dealer_up": up, "stake": stake, "minimum": minimum, "bet": bet or 1}


def legal_actions(random: Random) -> Given:
    """Two cards, or more; of a box that was split or not; doubled or not."""
    splits = random.choice((0, 0, 0, 1, 1, 2))
    first = random.choice(("8", "A", "T", "5", "2", random.choice(cards.RANKS)))
    hand = [
        first + random.choice(cards.SUITS),
        random.choice((first, random.choice(cards.RANKS))) + random.choice(cards.SUITS),
    ]
    hand += [random.choice("A23456") + random.choice(cards.SUITS) for _ in range(random.choice((0, 0, 0, 1, 2)))]
    return {"cards": hand, "splits": splits, "from_split": splits > 0, "doubled": random.random() < 0.15}


def trilux_limits(random: Random) -> Given:
    minimum = random.randint(1, 30)
    times = (minimum - 1, minimum, 50 * minimum - 1, 50 * minimum, 50 * minimum + 1, random.randint(1, 2_000))
    return {"minimum": minimum, "maximum": max(1, random.choice(times))}


def deal_order(random: Random) -> Given:
    return {"boxes": random.randint(1, 7) if random.random() < 0.9 else random.choice((0, 8))}


def classify(random: Random) -> Given:
    hand = [random.choice((*SEVENS, random.choice(cards.PACK))) for _ in range(3)]
    basis = random.choice(("to", "for"))
    return {"player": hand[:2], "dealer": hand[2], "stake": random.choice((500, 1_000, 250, 1)), "basis": basis}


def withhold(random: Random) -> Given:
    rate = random.choice(("15/100", "20/100", "149999/1000000", "200001/1000000", f"{random.randint(100, 250)}/1000"))
    return {"rate": rate, "stake": random.randint(1, 1_000)}


def right(random: Random) -> Given:
    box = [{"id": name, "wants": random.random() < 0.5} for name in "ABC"[: random.randint(0, 3)]]
    return {"box": box, "dealing_started": random.random() < 0.2}


MAKERS: dict[tuple[str, str], Callable[[Random], Given]] = {
    **{
        ("blackjack-trilux", maker.__name__.rstrip("_")): maker
        for maker in (round_, trilux, dealer, insurance, legal_actions, trilux_limits, deal_order)
    },
    **{("blazing7s", maker.__name__): maker for maker in (classify, withhold, right)},
}
