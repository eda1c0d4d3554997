"""The table screen of blackjack with Trilux and a progressive: a round by its steps, from the first chip to the last
payment."""

from collections.abc import Iterator
from typing import Any

import pytest

from events.envelope import Who
from events.tables.screen.screen import Screen, StepView
from tests.support.houses.small_house import House

DORA = Who(person="dora", roles=frozenset(), factor_s=0)


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    house.open_table("BJ1")
    house.ok("tables", "BJ1", "dora", house.action("round.open"))
    yield house
    house.close()


def screen(house: House) -> Screen:
    return house.desk.questions.screen("BJ1", None, [DORA])


def large(house: House) -> list[str]:
    return [step.label for step in screen(house).steps if step.size == "large"]


def lay(house: House, wager: str, box: int, amount: int) -> None:
    data = {"bet": f"{wager}{box}", "wager": wager, "amount_minor": amount, "box": box, "player": f"p{box}"}
    house.ok("tables", "BJ1", "dora", house.action("bet.place", **data))


def take(house: House, step: StepView, **fields: Any) -> None:
    house.ok("tables", "BJ1", "dora", house.action(step.do, **step.data, **fields))


def deal(house: House, card: str) -> str:
    """Deal the next card on the open pad, and return the label of its place."""
    step = next(step for step in screen(house).steps if step.do == "card.deal" and step.size == "large")
    assert step.asks == ("card",)
    take(house, step, card=card)
    return step.label


def test_a_round_goes_by_its_large_steps(house: House) -> None:
    for box in (1, 3):
        lay(house, "main", box, 1_000)
        lay(house, "trilux", box, 500)
    lay(house, "blazing7s", 3, screen(house).place_amounts["blazing7s"][0])
    assert large(house) == ["No more bets"]
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    assert large(house) == ["Arm progressive"]
    arm = next(step for step in screen(house).steps if step.do == "progressive.arm")
    assert arm.needs_house, "without the house's answer the progressive is closed for the round"
    take(house, arm)
    places = [deal(house, card) for card in ("2C", "7D", "7D", "3H")]
    assert places == ["Card to box 1", "Card to box 3", "Card to dealer", "Card to box 1"]
    assert deal(house, "7D") == "Card to box 3"
    assert large(house) == ["Declare mega hit, box 3", "Complete deal"]
    wrong = next(step for step in screen(house).steps if step.label == "Declare minor hit, box 3")
    assert wrong.refusal is not None
    assert wrong.refusal.clause == "blazing7s B"
    take(house, next(step for step in screen(house).steps if step.do == "hit.declare" and step.size == "large"))
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    while (shown := screen(house)).phase == "playing":
        stand = [step for step in shown.steps if step.do == "hand.stand" and step.refusal is None]
        take(house, stand[0]) if stand else deal(house, "KC")
    house.ok("tables", "BJ1", "dora", *(house.action(pay.type, **pay.data) for pay in shown.all_paid))
    assert (screen(house).due, large(house)) == ((), ["End round"])


def test_side_bets_wait_for_the_main_bet_of_their_box(house: House) -> None:
    lay(house, "main", 2, 1_000)
    refused = {(place.place, place.seat) for place in screen(house).refused_places}
    assert {("trilux", 1), ("trilux", 7), ("blazing7s", 1)} <= refused
    assert not {("trilux", 2), ("blazing7s", 2), ("main", 2)} & refused


def test_another_chip_raises_the_bet_that_lies(house: House) -> None:
    lay(house, "main", 2, 1_000)
    main = next(place for place in screen(house).places if place.place == "main")
    assert (main.again, main.seated, sorted(main.spots)) == ("bet.restake", True, [1, 2, 3, 4, 5, 6, 7])
    house.ok("tables", "BJ1", "dora", house.action("bet.restake", bet="main2", amount_minor=1_500))
    assert [bet.amount_minor for bet in screen(house).bets] == [1_500]
    low = house.no("tables", "BJ1", "dora", house.action("bet.restake", bet="main2", amount_minor=100))
    assert low.clause == "blackjack-trilux L.1"
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    late = house.action("bet.restake", bet="main2", amount_minor=2_000)
    assert house.no("tables", "BJ1", "dora", late).clause == "blackjack-trilux P.3"
    fact = house.action("bet.restake", bet="main2", amount_minor=2_000, _intent="fact")
    [irregularity] = house.ok("tables", "BJ1", "dora", fact)
    assert (irregularity.data.kind, irregularity.data.amount_minor) == ("late change", 500)
    assert [bet.amount_minor for bet in screen(house).bets] == [1_500], "what lies there plays"


def test_both_hands_of_a_split_get_their_cards_before_the_first_is_played(house: House) -> None:
    """BJ-6: the dealer owes each of the two new hands a card."""
    for box in (2, 3):
        lay(house, "main", box, 1_000)
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    for card in ("3S", "9C", "KC", "3H", "AH"):
        deal(house, card)
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"), house.action("hand.split", box=2))
    assert [deal(house, card) for card in ("AC", "6C")] == ["Card to box 2", "Card to box 2, hand 2"]
    assert large(house)[0] == "Card to box 2", "the first hand is played first"


def test_the_right_to_a_progressive_bet_is_passed_on(house: House) -> None:
    lay(house, "main", 2, 1_000)
    step = next(step for step in screen(house).steps if step.do == "right.decline")
    assert (dict(step.data), step.size, step.refusal) == ({"box": 2, "player": "p2"}, "small", None)
    take(house, step)
    assert not [step for step in screen(house).steps if step.do == "right.decline"]


def test_raised_stakes_are_repeated_and_those_taken_back_are_not(house: House) -> None:
    for box in (1, 2):
        lay(house, "main", box, 1_000)
    house.ok("tables", "BJ1", "dora", house.action("bet.restake", bet="main1", amount_minor=1_500))
    house.ok("tables", "BJ1", "dora", house.action("bet.withdraw", bet="main2"))
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    for card in ("TC", "TD", "TH"):
        deal(house, card)
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"), house.action("hand.stand", box=1))
    deal(house, "TS")
    house.ok("tables", "BJ1", "dora", house.action("round.end"), house.action("round.open"))
    assert [(stake["box"], stake["amount_minor"]) for stake in screen(house).same_again[""]] == [(1, 1_500)]


def test_a_first_card_without_arming_closes_the_progressive_for_the_round(house: House) -> None:
    """Without signal the round could not be armed. The cards count; the progressive's stake goes back."""
    lay(house, "main", 1, 1_000)
    lay(house, "blazing7s", 1, 500)
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    first = {"to": "box", "box": 1, "card": "9C"}
    assert house.no("tables", "BJ1", "dora", house.action("card.deal", **first)).code == "round-not-armed"
    dealt, mark = house.ok("tables", "BJ1", "dora", house.action("card.deal", _intent="fact", **first))
    assert (dealt.type, mark.data.code) == ("card.dealt.v1", "round-not-armed")
    assert [deal(house, card) for card in ("8C", "7C")] == ["Card to dealer", "Card to box 1"]
    back = house.ok("tables", "BJ1", "dora", house.action("deal.complete"))[1].data
    assert (back.wager, back.outcome, back.returned_minor) == ("blazing7s", "void", 500)


def test_a_round_without_signal_has_every_card_and_decision(house: House) -> None:
    for box in (1, 2):
        lay(house, "main", box, 1_000)
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    offline = screen(house).offline_round
    assert offline is not None
    labels = [[step.label for step in block.steps] for block in offline.blocks]
    assert labels[:5] == [
        ["Open round", "No more bets"], ["Card to box {0}"], ["Card to dealer"], ["Card to box {0}"], ["Complete deal"]
    ]  # fmt: skip
    assert labels[6:] == [["Card to dealer"], ["End round"]]
    assert [block.each for block in offline.blocks] == ["", "box", "", "box", "", "box", "", ""]
    hands = offline.blocks[5].steps
    assert {step.do for step in hands} == {"card.deal", "hand.stand", "hand.double", "hand.split"}
    assert {step.data.get("hand", 0) for step in hands} == {0, 1, 2}, "two splits"
    assert all(step.after and step.after.data["box"] == step.data["box"] == 0 for step in hands)
    assert offline.block == 1
    assert [(action.do, action.data["box"]) for action in offline.recorded] == [("bet.place", 1), ("bet.place", 2)]


def test_a_round_without_signal_goes_on_where_it_is(house: House) -> None:
    def block() -> int:
        offline = screen(house).offline_round
        assert offline is not None
        return offline.block

    lay(house, "main", 2, 1_000)
    assert block() == 0
    house.ok("tables", "BJ1", "dora", house.action("bets.close"))
    blocks = [block()]
    for card in ("3S", "KC", "3H"):
        deal(house, card)
        blocks.append(block())
    assert blocks == [1, 2, 3, 4]
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"), house.action("hand.split", box=2))
    assert block() == 5
    offline = screen(house).offline_round
    assert offline is not None
    assert [action.do for action in offline.recorded] == ["bet.place", "bet.place", "hand.split"]
    for hand in (0, 1):
        fields = {"hand": hand} if hand else {}
        house.ok("tables", "BJ1", "dora", house.action("card.deal", to="box", box=2, card="TC", **fields))
    for hand in (0, 1):
        house.ok("tables", "BJ1", "dora", house.action("hand.stand", box=2, **({"hand": hand} if hand else {})))
    assert block() == 6
