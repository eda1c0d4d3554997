"""A session's live settlement equals the answer of `settle` before the house's rounding.

Both use one set of functions.
"""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.errors import Invalid, Refused
from events.games.baccarat import rules as baccarat
from events.games.blackjack import rules as blackjack
from events.games.cases import answer
from events.games.craps.ruleset import POINTS
from events.rules import cards
from events.tables.event_types.rounds import BetSettled
from tests.support.tables.in_memory_tables import (
    TableInMemory,
    baccarat_table,
    blackjack_table,
    craps_table,
    roulette_table,
)

SEEDS = st.integers(0, 2**32).map(Random)


def agrees(result: BetSettled, exact: object) -> None:
    """Assert that the live profit is the exact profit, less the fraction of a minor unit that rounding takes."""
    assert isinstance(exact, int | str)
    taken = Fraction(exact) - result.profit_minor
    assert 0 <= taken < 1
    assert result.rounded_millionths == int(taken * 1_000_000)


@pytest.mark.parametrize("ruleset", ["roulette-american", "roulette-french"])
@settings(max_examples=60, deadline=None)
@given(random=SEEDS)
def test_a_spin_is_settled_as_its_case(ruleset: str, random: Random) -> None:
    table = roulette_table(ruleset).ask("round.open")
    laid: list[dict[str, Any]] = []
    for number in range(8):
        zero = {"on_zero": random.choice(("half", "prison"))} if ruleset == "roulette-french" else {}
        places: list[dict[str, Any]] = [
            {"type": "straight", "numbers": [random.randrange(37)]},
            {"type": "dozen", "which": random.randint(1, 3)},
            {"type": random.choice(("red", "even", "high")), **zero},
        ]
        laid.append({"id": f"b{number}", "stake": random.randint(500, 5_000), **random.choice(places)})
        bet = {name: value for name, value in laid[-1].items() if name not in ("id", "type", "stake")}
        about = {"bet": f"b{number}", "wager": laid[-1]["type"], "amount_minor": laid[-1]["stake"], "player": "Ann"}
        table.ask("bet.place", **about, **bet)
    fallen = random.choice((0, random.randrange(37)))
    table.ask("ball.launch", wheel="cw", ball="ccw").ask("bets.close").ask("ball.land", number=fallen)
    case = answer({"ruleset": ruleset, "given": {"kind": "spin", "number": fallen, "bets": laid}})
    for result in case["results"]:
        agrees(table.settled(result["bet"]), result["profit"])
        assert table.settled(result["bet"]).outcome == result["outcome"]


@settings(max_examples=40, deadline=None)
@given(random=SEEDS)
def test_a_spin_with_a_maximum_for_every_player_is_settled_as_its_case(random: Random) -> None:
    """002 §7b, I.2: two maxima for one kind of bet in one round, and late detection of stakes over them."""
    table = roulette_table("roulette-french").ask("round.open")
    laid: list[dict[str, Any]] = []
    for number in range(6):
        most, stake, on = random.randint(10_000, 15_000), random.randint(500, 25_000), random.randrange(37)
        limit = {"player": f"p{number}", "seat": number + 1, "wager": "straight", "minimum_minor": 500}
        table.lead("limit.mark", **limit, maximum_minor=most)
        bet: dict[str, Any] = {"bet": f"b{number}", "wager": "straight", "amount_minor": stake, "numbers": [on]}
        over = "roulette-french I.1" if stake > most else None
        table.fact("bet.place", irregular=over, player=f"p{number}", seat=number + 1, **bet)
        laid.append({"id": f"b{number}", "type": "straight", "stake": stake, "numbers": [on], "max": most})
    fallen = random.choice([bet["numbers"][0] for bet in laid])
    table.ask("ball.launch", wheel="cw", ball="ccw").ask("bets.close").ask("ball.land", number=fallen)
    case = answer({"ruleset": "roulette-french", "given": {"kind": "spin", "number": fallen, "bets": laid}})
    for result in case["results"]:
        settled = table.settled(result["bet"])
        assert (settled.profit_minor, settled.returned_minor) == (result["profit"], result["returned"])
    table.end().chips_are_conserved()
    table.replays()


def _instruct_on_zero(random: Random, table: TableInMemory, choice: str) -> None:
    """Give the player's answer to the zero in one of the possible ways. Some players change their answer."""
    if random.random() < 0.3:
        table.ask("bet.instruct", bet="a", on_zero=random.choice(("half", "prison")))
    if choice == "half" and "a" in table.state.bets and random.random() < 0.3:
        table.ask("bet.withdraw", bet="a")
    else:
        table.ask("bet.instruct", bet="a", on_zero=choice)


@settings(max_examples=150, deadline=None)
@given(random=SEEDS)
def test_an_even_chance_is_followed_from_zero_to_zero_as_its_case(random: Random) -> None:
    """002 §6b: the same choice at every zero, given before the ball falls or after a zero."""
    table, stake = roulette_table("roulette-french").ask("round.open"), random.randint(500, 5_000)
    wager = random.choice(("red", "odd", "low"))
    wish = {"on_zero": random.choice(("half", "prison"))} if random.random() < 0.5 else {}
    table.ask("bet.place", bet="a", wager=wager, amount_minor=stake, player="Ann", **wish)
    case_: dict[str, Any] = {"kind": "en_prison", "type": wager, "stake": stake, "numbers": [], "choices": []}
    events: list[str] = []
    while "a" in table.state.bets:
        number, last = random.choice((0, 0, 0, random.randrange(1, 37))), random.random() < 0.1
        is_asked = number == 0 and not last and len(case_["choices"]) < 3
        choice, before = random.choice(("half", "prison", "prison", "prison")), random.random() < 0.3
        if before:
            table.ask("bet.instruct", bet="a", on_zero=choice)
        wheel = "cw" if table.state.play.turned == "ccw" else "ccw"
        table.ask("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw").ask("bets.close")
        table.ask("ball.land", number=number, last_coup=last)
        if is_asked and not before:
            _instruct_on_zero(random, table, choice)
        case_["numbers"].append(number)
        case_["choices"] += [choice] if is_asked else []
        events.append(table.settled("a").outcome if "a" not in table.state.bets else "prison")
        table.chips_are_conserved()
        table.end().replays()
        if last:
            case_["last_coup"] = True
            break
        table.ask("round.open")
    case = answer({"ruleset": "roulette-french", "given": case_})
    assert case["events"] == events
    assert case["state"] == "closed"
    agrees(table.settled("a"), case["net"])


@pytest.mark.parametrize("ruleset", ["baccarat", "baccarat-no-commission"])
@settings(max_examples=60, deadline=None)
@given(random=SEEDS)
def test_a_coup_is_settled_as_its_case(ruleset: str, random: Random) -> None:
    table = baccarat_table(ruleset).ask("round.open")
    laid = [{"id": name, "type": name, "stake": random.randint(500, 5_000)} for name in baccarat.BETS]
    for bet in laid:
        table.ask("bet.place", bet=bet["id"], wager=bet["type"], amount_minor=bet["stake"], player="Ann", seat=1)
    table.ask("bets.close")
    shoe = [random.choice(cards.PACK) for _ in range(6)]
    for card in shoe:
        to = baccarat.next_to(table.state.play.player, table.state.play.banker)
        if to is None:
            break
        table.ask("card.deal", to=to, card=card)
    case = answer({"ruleset": ruleset, "given": {"kind": "round", "shoe": shoe, "bets": laid}})
    assert [*table.state.play.player] == case["player"]
    for result in case["results"]:
        agrees(table.settled(result["bet"]), result["profit"])
        assert table.settled(result["bet"]).outcome == result["outcome"]


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
@settings(max_examples=60, deadline=None)
@given(random=SEEDS)
def test_throws_are_settled_as_their_case(ruleset: str, random: Random) -> None:
    """The whole session as a case: bets placed, taken down and switched, and throws."""
    table = craps_table(ruleset)
    case_events: list[dict[str, Any]] = []
    rolls: list[dict[str, BetSettled]] = []
    for number in range(40):
        if table.state.phase == "idle":
            table.ask("round.open")
            if table.state.play.dice_pass:
                table.ask("shooter.appoint", seat=1, player="Ann")
        _play(random, table, number, case_events, rolls)
    case = answer({"ruleset": ruleset, "given": {"kind": "session", "events": case_events}})
    thrown = [step for step in case["events"] if "total" in step]
    assert all(step.get("accepted", True) for step in case["events"])
    assert case["on_table"] == sorted(table.state.bets)
    for step, settled in zip(thrown, rolls, strict=True):
        decided = {done["bet"]: done for done in step["resolutions"] if done["outcome"] != "stands"}
        assert decided.keys() == settled.keys()
        for name, done in decided.items():
            agrees(settled[name], done["profit"])
            assert settled[name].outcome == done["outcome"]


def _some_bet(random: Random, table: TableInMemory, number: int) -> dict[str, Any]:
    flat = random.choice([*table.state.bets, "none"])
    kinds: list[dict[str, Any]] = [
        {"wager": random.choice(("pass", "dont_pass", "come", "dont_come", "field", "horn", "any7"))},
        {"wager": random.choice(("place", "buy", "lay", "hardway", "place_wrong")), "number": random.choice(POINTS)},
        {"wager": random.choice(("pass_odds", "come_odds", "dont_pass_odds")), "base": flat},
    ]
    stake, after = random.choice((500, 501, 600, 1_000, 1_500)), random.choice(("stay", "down"))
    about = {"amount_minor": stake, "player": "Ann", "seat": 1, "after_win": after}
    return {"bet": f"b{number}", **about, **random.choice(kinds)}


def _play(
    random: Random, table: TableInMemory, number: int, steps: list[dict[str, Any]], rolls: list[dict[str, BetSettled]]
) -> None:
    """Play one more step at the table, and add it to the case."""
    if random.random() < 0.6:
        data = _some_bet(random, table, number)
        try:
            table.ask("bet.place", **data)
        except (Refused, Invalid):
            return
        names = {"bet": "id", "wager": "type", "amount_minor": "stake"}
        fields = ("bet", "wager", "amount_minor", "number", "base", "after_win")
        steps.append({"place": {names.get(k, k): data[k] for k in fields if data.get(k) is not None}})
        return
    since = len(table.events)
    try:
        if not table.state.play.chosen:
            table.ask("dice.choose", places=[0, 1])
        table.ask("dice.offer")
    except Refused:
        return
    dice = [random.randint(1, 6), random.randint(1, 6)]
    table.ask("dice.roll", dice=dice)
    steps.append({"roll": dice})
    rolls.append({e.bet: e for e in table.events[since:] if isinstance(e, BetSettled)})
    table.pay()
    if table.state.phase == "settled":
        table.ask("round.end")


@settings(max_examples=60, deadline=None)
@given(random=SEEDS)
def test_a_round_of_blackjack_is_settled_as_its_case(random: Random) -> None:
    """Hit, stand, double and split as the rules offer them, with Trilux on every box."""
    rules = blackjack.rules()
    table = blackjack_table(None).ask("round.open")
    shoe = cards.packs(6)
    random.shuffle(shoe)
    stakes = {box: random.randint(500, 5_000) for box in range(1, random.randint(2, 4))}
    for box, stake in stakes.items():
        for kind in ("main", "trilux"):
            table.ask("bet.place", bet=f"{kind}{box}", wager=kind, amount_minor=stake, player=f"P{box}", box=box)
    table.ask("bets.close")
    boxes = {box: {"id": f"{box}", "stake": stake, "trilux": stake, "actions": []} for box, stake in stakes.items()}
    two: dict[int, list[str]] = {box: [] for box in stakes}
    up = _deal(table, shoe, two)
    table.ask("deal.complete")
    for box in stakes:
        _play_box(random, table, rules, shoe, box, boxes[box])
    dealer = [up]
    while table.state.phase == "playing":
        dealer.append(shoe.pop())
        table.ask("card.deal", to="dealer", card=dealer[-1])
    while blackjack.dealer_draws(rules, dealer):  # nobody was left: his cards decide nothing (BJ-14)
        dealer.append(shoe.pop())
    shown = [{**boxes[box], "cards": two[box]} for box in stakes]
    case = answer(
        {"ruleset": "blackjack-trilux", "given": {"kind": "round", "minimum": 500, "dealer": dealer, "boxes": shown}}
    )
    for box, result in zip(stakes, case["boxes"], strict=True):
        agrees(table.settled(f"trilux{box}"), result["trilux"]["profit"])
        settled = [e for e in table.events if isinstance(e, BetSettled) and (e.box, e.wager) == (box, "main")]
        exact = sorted(Fraction(hand["profit"]) for hand in result["hands"])
        live = sorted(Fraction(e.profit_minor) + Fraction(e.rounded_millionths, 1_000_000) for e in settled)
        assert live == exact
    table.end().chips_are_conserved()


def _deal(table: TableInMemory, shoe: list[str], two: dict[int, list[str]]) -> str:
    """Deal a card to each box, one to the dealer, and a second to each box."""
    for turn in range(2):
        for box, hand in two.items():
            hand.append(shoe.pop())
            table.ask("card.deal", to="box", box=box, card=hand[-1])
        if turn == 0:
            up = shoe.pop()
            table.ask("card.deal", to="dealer", card=up)
    return up


def _play_box(
    random: Random,
    table: TableInMemory,
    rules: blackjack.BlackjackRules,
    shoe: list[str],
    box: int,
    case_: dict[str, Any],
) -> None:
    """Play a box to the end of its decisions."""
    while True:
        hands = table.state.play.boxes[box].hands
        offers = [blackjack.legal_actions(rules, hand, len(hands) - 1) for hand in hands]
        index = next((at for at, offered in enumerate(offers) if offered), None)
        if index is None:
            return
        offered = offers[index]
        do = random.choice(offered)
        if do != "hit":
            table.ask(f"hand.{do}", box=box, hand=index)
        drawn = [shoe.pop() for _ in range({"split": 2, "stand": 0}.get(do, 1))]
        for offset, card in enumerate(drawn):
            table.ask("card.deal", to="box", box=box, hand=index + offset, card=card)
        case_["actions"].append({"hand": index, "do": do, "cards": drawn})
