"""A table played from its screen alone: lawful steps, places and payments, chosen by a seed."""

from random import Random
from typing import Any

from events.envelope import Action, Who
from events.rules.screen_declarations import Pad
from events.tables.screen.screen import Screen, StepView
from tests.support.houses.small_house import House

PEOPLE = [Who(person=person, roles=frozenset(), factor_s=0) for person in ("dora", "ines")]
CARDS = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "CDHS"]
DICE_SET = [{"serial": "series 1", "colour": "red"}] * 5
SHARE_OF_BETS = 0.6  # of the taps while bets are taken


class Walk:
    """Random taps at one table. `screen` is the current screen; the table must accept every tap."""

    def __init__(self, house: House, table: str, seed: int) -> None:
        self.house = house
        self.table = table
        self.chance = Random(seed)
        self._bets = 0

    def screen(self) -> Screen:
        return self.house.desk.questions.screen(self.table, None, PEOPLE)

    def send(self, do: str, data: dict[str, Any], person: str = "") -> None:
        self.house.ok("tables", self.table, person or _person(do), self.house.action(do, **data))

    def name(self) -> str:
        """A new name of a bet."""
        self._bets += 1
        return f"w{self._bets}"

    def tap(self) -> None:
        """One lawful thing: a bet, all payments, or a step that is next."""
        shown = self.screen()
        if shown.all_paid:
            for payment in shown.all_paid:
                self.send(payment.type, dict(payment.data))
            return
        large = [step for step in shown.steps if step.size == "large"]
        wants_bet = not large or self.chance.random() < SHARE_OF_BETS
        bet = self.bet(shown) if wants_bet else None
        if bet is not None:
            self.send(*bet)
        else:
            self.take(self.chance.choice(large), shown)

    def bet(self, shown: Screen) -> tuple[str, dict[str, Any]] | None:
        """A chip on a place that is not grey at a seat; None where all are."""
        refused = {(place.place, place.seat) for place in shown.refused_places}
        seats = [(place, seat) for place in shown.places for seat in shown.seats[:2]
                 if not {(place.place, None), (place.place, seat.seat)} & refused]  # fmt: skip
        if not seats:
            return None
        wagers = {place.data["wager"]: None for place, _seat in seats}
        wager = self.chance.choice(list(wagers))
        place, seat = self.chance.choice([choice for choice in seats if choice[0].data["wager"] == wager])
        fields = {data.place: dict(data.data) for data in shown.place_data if data.seat == seat.seat}
        lies = next((bet for bet in shown.bets if bet.wager == place.data.get("wager") and bet.player == seat.player
                     and seat.seat in (bet.seat, bet.box)), None)  # fmt: skip
        if place.again and lies is not None:
            return place.again, {"bet": lies.bet, "amount_minor": lies.amount_minor + shown.chips[-1]}
        amount = shown.place_amounts.get(str(wager), (max(shown.minimum_minor, shown.chips[-1]),))[0]
        who = {"player": seat.player, seat.field: seat.seat}
        data = {**place.data, **fields.get(place.place, {}), **who, "bet": self.name(), "amount_minor": amount}
        return place.do, data

    def take(self, step: StepView, shown: Screen) -> None:
        pads = {pad.name: pad for pad in shown.pads}
        data = dict(step.data)
        for name in step.asks:
            if not pads[name].optional:
                data |= self._value(pads[name], shown)
        self.send(step.do, data)

    def _value(self, pad: Pad, shown: Screen) -> dict[str, Any]:
        value: Any
        if pad.kind == "card":
            value = self.chance.choice([card for card in CARDS if _is_in_shoe(shown, card)])
        elif pad.kind == "dice":
            value = [self.chance.randint(1, 6), self.chance.randint(1, 6)]
        elif pad.kind == "seat":
            value = next((bet.seat for bet in shown.bets if bet.seat), 1)
        elif pad.kind == "player":
            value = next((bet.player for bet in shown.bets), shown.seats[0].player)
        elif pad.kind == "dice set":
            value = DICE_SET
        else:
            value = self.chance.choice(pad.options).value if pad.options else f"text-{self.name()}"
        return {pad.field: value} if pad.field else dict(value)


def _is_in_shoe(shown: Screen, card: str) -> bool:
    return bool(shown.play.came.get(card, 0) < shown.play.packs)


def _person(do: str) -> str:
    return "ines" if do in ("dice.put", "session.open", "limits.post") else "dora"


def action_of(house: House, do: str, data: dict[str, Any], corrects: str = "") -> Action:
    """An action with a new key."""
    action = house.action(do, **data)
    return Action(type=action.type, key=action.key, data=action.data, corrects=corrects or None)
