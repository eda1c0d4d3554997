"""The demo's blackjack tables: seeded shoes of six packs, sensible players, and hits that are put into the shoe."""

from collections.abc import Iterator, Sequence
from typing import Any

from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import BlackjackHand
from events.games.blazing7s import rules as blazing7s
from events.rules.cards import packs
from events.tables.event_types.progressive import HitDeclared
from tools.demo.demo_house_setup import GAMING_DAY, TablePlan
from tools.demo.http_terminal import DemoTerminal
from tools.demo.invented_players import Player
from tools.demo.table_base_class import DemoTable, settled_in

PACKS = 6
CUT_AT = 70  # cards left in the shoe when the cut card comes
Forced = dict[int, tuple[str, str]]  # which of the round's boxes (0: the first) gets which two cards


class BlackjackTable(DemoTable):
    """Table that plays one shoe after another. `force` sets the next round: `(the dealer's card, cards by box)`."""

    game = "blackjack"
    round_seconds = 75
    arrivals = 0.05

    def __init__(
        self, plan: TablePlan, terminal: DemoTerminal, seed: int | str, hours: float, gaming_day: str = GAMING_DAY
    ) -> None:
        super().__init__(plan, terminal, seed, hours, gaming_day)
        self.shoe: list[str] = []
        self.shoes = 0
        self.force: tuple[str, Forced] | None = None
        self.hits: list[HitDeclared] = []
        self.rules = blackjack.rules()

    def play_round(self) -> Iterator[None]:
        """Play one round: bets, arming, the deal with its hits, play, payments."""
        self.rounds_played += 1
        self.change_shoe()
        buyins = [*self.seat_players(), *self._enough_for_all()]
        boxes = self._boxes()
        self._put_forced_cards(boxes)
        bets, sevens = self._bets(boxes)
        arm = [self.act("progressive.arm")] if sevens else []
        self.send([*buyins, self.act("round.open"), *bets, self.act("bets.close"), *arm])
        self.pass_time(20)
        yield
        cards, dealer = self._deal(boxes)
        events = self.send(self._deal_actions(boxes, cards, dealer, sevens))
        self.hits += [event.data for event in events if isinstance(event.data, HitDeclared)]
        self.pass_time(15)
        yield
        settled = settled_in(self.send([self.act("deal.complete")]))
        play = self._play(boxes, cards, dealer)
        settled += settled_in(self.send(play)) if play else []
        self.pass_time(self.round_seconds - 35)
        yield
        self.send([*self._cut_card(), *self.payments(settled), self.act("round.end")])

    # --- cards ---------------------------------------------------------------------------------------------------

    def change_shoe(self) -> None:
        """A shoe shuffled ahead and sealed, where the cut card came."""
        if len(self.shoe) >= CUT_AT:
            return
        self.shoes += 1
        self.shoe = packs(PACKS)
        self.random.shuffle(self.shoe)
        name = f"{self.plan.name}-{self.shoes}"
        self.send([self.act("shoe.load", {"shoe": name, "packs": PACKS, "seal": f"seal-{name}"})], self.plan.inspector)
        self.pass_time(180)

    def _cut_card(self) -> list[dict[str, Any]]:
        return [self.act("cut_card.reach")] if len(self.shoe) < CUT_AT else []

    def _draw(self) -> str:
        return self.shoe.pop(0)

    def _boxes(self) -> list[Player]:
        able = [player for player in self.players.values() if player.chips >= player.unit]
        return sorted(able, key=lambda player: player.seat)

    def _enough_for_all(self) -> list[dict[str, Any]]:
        """Buy in players who are short of chips for both bets of a forced round."""
        if self.force is None:
            return []
        return [self.buy_in(player) for player in self.players.values() if player.chips < player.unit + 1_000]

    def _put_forced_cards(self, boxes: Sequence[Player]) -> None:
        """Swap the wanted cards to the places in the shoe from which they will be dealt."""
        if self.force is None:
            return
        up, wanted_cards = self.force
        count = len(boxes)
        places = {count: up}
        for box, (first, second) in wanted_cards.items():
            places[box] = first
            places[count + 1 + box] = second
        for place, card in places.items():
            at = next(i for i, shoe_card in enumerate(self.shoe) if shoe_card == card and (i > 2 * count or i == place))
            self.shoe[place], self.shoe[at] = self.shoe[at], self.shoe[place]

    def can_force(self, boxes: int, cards: Sequence[str]) -> bool:
        """Return whether the shoe still holds the cards beyond those that the next deal takes."""
        behind = self.shoe[2 * self.seats + 2 :] if len(self.shoe) >= CUT_AT else packs(PACKS)
        return all(behind.count(card) >= cards.count(card) for card in cards)

    def _deal(self, boxes: Sequence[Player]) -> tuple[dict[int, list[str]], list[str]]:
        first = [self._draw() for _ in boxes]
        dealer = [self._draw()]
        second = [self._draw() for _ in boxes]
        return {player.seat: list(two) for player, *two in zip(boxes, first, second, strict=True)}, dealer

    # --- bets ---------------------------------------------------------------------------------------------------

    def _bets(self, boxes: Sequence[Player]) -> tuple[list[dict[str, Any]], set[int]]:
        """Main bets, and who plays Trilux and the sevens (in a forced round the boxes that are to hit do)."""
        actions: list[dict[str, Any]] = []
        sevens: set[int] = set()
        forced = set(self.force[1]) if self.force else set()
        for index, player in enumerate(boxes):
            actions.append(self._bet(player, "main", player.unit))
            if self.random.random() < 0.3 and player.chips >= player.unit:
                actions.append(self._bet(player, "trilux", max(self.plan.minimum, player.unit // 2)))
            stake = self.random.choice((500, 1_000))
            if (index in forced or self.random.random() < 0.6) and player.chips >= stake:
                actions.append(self._bet(player, "blazing7s", stake))
                sevens.add(player.seat)
        self.force = None
        return actions, sevens

    def _bet(self, player: Player, wager: str, stake: int) -> dict[str, Any]:
        player.chips -= stake
        name = f"{self.rounds_played}-{player.seat}-{wager}"
        data = {"bet": name, "wager": wager, "amount_minor": stake, "player": player.name, "box": player.seat}
        return self.act("bet.place", data)

    # --- the deal and the play ---------------------------------------------------------------------------------

    def _card(self, card: str, box: int | None = None, hand: int = 0) -> dict[str, Any]:
        if box is None:
            return self.act("card.deal", {"to": "dealer", "card": card})
        return self.act("card.deal", {"to": "box", "box": box, "card": card, "hand": hand})

    def _deal_actions(
        self, boxes: Sequence[Player], cards: dict[int, list[str]], dealer: list[str], sevens: set[int]
    ) -> list[dict[str, Any]]:
        """Return the deal's cards, and each hit after its deciding card."""
        actions = [self._card(cards[player.seat][0], player.seat) for player in boxes]
        actions.append(self._card(dealer[0]))
        for player in boxes:
            actions.append(self._card(cards[player.seat][1], player.seat))
            level = blazing7s.classify(cards[player.seat], dealer[0])
            if player.seat in sevens and blazing7s.is_progressive(level):
                actions.append(self.act("hit.declare", {"box": player.seat, "level": level}))
        return actions

    def _play(self, boxes: Sequence[Player], cards: dict[int, list[str]], dealer: list[str]) -> list[dict[str, Any]]:
        """Return the actions on the hands, box by box, then the dealer's cards."""
        actions: list[dict[str, Any]] = []
        hands: list[BlackjackHand] = []
        for player in boxes:
            hands += self._play_box(player, cards[player.seat], dealer[0], actions)
        while blackjack.dealer_needed(self.rules, hands, dealer):
            dealer.append(self._draw())
            actions.append(self._card(dealer[-1]))
        return actions

    def _play_box(self, player: Player, two: list[str], up: str, actions: list[dict[str, Any]]) -> list[BlackjackHand]:
        hands: tuple[BlackjackHand, ...] = (BlackjackHand(tuple(two), player.unit),)
        index = 0
        while index < len(hands):
            hand = hands[index]
            legal = blackjack.legal_actions(self.rules, hand, len(hands) - 1)
            if not legal:
                index += 1
                continue
            do = choose(hand, up, legal, rich=player.chips >= hand.stake)
            where = {"box": player.seat, "hand": index}
            if do in ("double", "split"):
                player.chips -= hand.stake
            if do != "hit":
                actions.append(self.act(f"hand.{do}", where))
            drawn = [self._draw() for _ in range({"stand": 0, "split": 2}.get(do, 1))]
            actions += [self._card(card, player.seat, index + offset) for offset, card in enumerate(drawn)]
            hands = blackjack.act(self.rules, hands, index, do, drawn)
        return list(hands)


def choose(hand: BlackjackHand, up: str, legal: Sequence[str], *, rich: bool) -> str:
    """Return a sensible player's choice: double ten and eleven, split aces and eights, stand by the book."""
    total, soft = blackjack.total(hand.cards)
    weak = blackjack.value(up) in (2, 3, 4, 5, 6)
    if "split" in legal and rich and hand.cards[0][0] in "A8":
        return "split"
    if "double" in legal and rich and not soft and total in (10, 11) and blackjack.value(up) not in (1, 10):
        return "double"
    if total >= (18 if soft else 17) or (not soft and weak and total >= 13):
        return "stand"
    return "hit" if "hit" in legal else "stand"
