"""Properties of every table, for any actions and facts: chips, replay, snapshots, shoes and clauses.

The live settlement equals the answer of `settle` for the same round.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.errors import PitledgerError, Refused
from events.games.baccarat import rules as baccarat
from events.games.craps.ruleset import POINTS
from events.rules import cards
from events.tables.event_types.rounds import BetSettled, SettlementVoided
from tests.support.tables.in_memory_tables import (
    INSPECTOR,
    WATCH,
    TableInMemory,
    baccarat_table,
    blackjack_table,
    craps_table,
    roulette_table,
)

SEEDS = st.integers(0, 2**32).map(Random)
PLAYERS = ("Ann", "Bob", "Cid")
Step = tuple[str, dict[str, Any]]
STAFF = (("dealer", "dora"), ("inspector", "ines"), ("inspector", "dora"))
Chooser = Callable[[Random, TableInMemory, int], Step]


def wager(random: Random, name: int, wagers: list[str], **fields: Any) -> Step:
    player = random.randrange(3)
    stake = random.choice((400, 500, 501, 600, 1_000, 1_500, 2_000, 90_000))
    who = {"player": PLAYERS[player], "seat": player + 1, "box": player + 1}
    return "bet.place", {"bet": f"b{name}", "wager": random.choice(wagers), "amount_minor": stake, **who, **fields}


def some_bet(random: Random, table: TableInMemory) -> str:
    return random.choice([*table.state.bets, "none"])


def any_bet(random: Random, table: TableInMemory) -> str:
    """Return a bet that is on the layout, settled or returned."""
    over = [*(late.bet.id for late in table.state.settled), *table.state.returned]
    return random.choice([some_bet(random, table), *over])


def common(random: Random, table: TableInMemory, name: int) -> Step:
    """Return a step that may come at any table at any moment, permitted or not."""
    due = random.choice([*table.state.due, *table.state.paid, *(late.bet.id for late in table.state.unpaid), "none"])
    amount = table.state.due[due].amount if due in table.state.due else 500
    choices: list[Step] = [
        ("payment.make", {"bet": due, "amount_minor": amount + random.choice((0, 0, 0, 100))}),
        ("round.open", {}),
        ("round.end", {}),
        ("payment.make", {"bet": any_bet(random, table), "amount_minor": random.choice((-500, 500))}),
        ("staff.leave", {"post": random.choice(("dealer", "inspector"))}),
        *(("staff.assign", {"post": post, "person": person}) for post, person in STAFF),
        ("bet.withdraw", {"bet": any_bet(random, table)}),
        ("bet.restake", {"bet": any_bet(random, table), "amount_minor": random.choice((500, 1_000, 2_000))}),
        ("buyin.make", {"seat": 1, "player": "Ann", "amount_minor": 1_000}),
        ("bets.close", {}),
        ("void", {}),
        ("correct", {"bet": any_bet(random, table), "amount_minor": random.choice((500, 1_000))}),
    ]
    return random.choice(choices)


def at_roulette(random: Random, table: TableInMemory, name: int) -> Step:
    number = random.randrange(37)
    bet = random.choice([*table.state.bets, *(settled.bet.id for settled in table.state.settled), "none"])
    own = {"player": random.choice(PLAYERS), "seat": 1, "minimum_minor": 100, "maximum_minor": 10_500}
    choices: list[Step] = [
        ("bet.instruct", {"bet": bet, "on_zero": random.choice(("half", "prison"))}),
        ("limit.mark", {**own, "wager": "straight"}),
        wager(random, name, ["straight"], numbers=[number]),
        wager(random, name, ["red", "black", "odd"], on_zero=random.choice(("half", "prison"))),
        ("ball.launch", {"wheel": random.choice(("cw", "ccw")), "ball": random.choice(("cw", "ccw"))}),
        ("spin.call_off", {"reason": "a chip"}),
        ("ball.land", {"number": random.choice((0, number)), "last_coup": random.random() < 0.1}),
    ]
    return random.choice(choices)


def at_craps(random: Random, table: TableInMemory, name: int) -> Step:
    kinds = ["pass", "dont_pass", "come", "dont_come", "place", "buy", "lay", "hardway", "field", "big6", "any7"]
    on, after = random.choice((None, None, *POINTS)), random.choice(("stay", "down"))
    flat = some_bet(random, table)
    choices: list[Step] = [
        wager(random, name, kinds, number=on, after_win=after),
        wager(random, name, ["pass"]),
        wager(random, name, ["come", "dont_come"]),
        wager(random, name, ["pass_odds", "come_odds", "dont_pass_odds"], base=flat),
        ("dice.offer", {}),
        ("dice.roll", {"dice": [random.randint(1, 6), random.randint(1, 6)]}),
        ("roll.call_off", {"seen": {"off_table": random.random() < 0.5}, "detail": "cocked"}),
        ("shooter.appoint", {"seat": 1, "player": "Ann"}),
        ("shooter.decline", {"seat": 2, "player": "Bob"}),
        ("dice.choose", {"places": [0, random.randrange(5)]}),
        ("bet.press", {"bet": flat}),
        ("bet.instruct", {"bet": flat, "working": random.random() < 0.5}),
        ("combination.place", {"bet": f"k{name}", "name": "across", "unit_minor": 100, "player": "Ann", "seat": 1}),
    ]
    return random.choice(choices)


def at_baccarat(random: Random, table: TableInMemory, name: int) -> Step:
    play = table.state.play
    due = baccarat.next_to(play.player, play.banker) or "player"
    to = due if random.random() < 0.9 else random.choice(("player", "banker"))
    choices: list[Step] = [
        wager(random, name, [*baccarat.BETS]),
        ("card.deal", {"to": to, "card": random.choice(cards.PACK)}),
        ("card.deal", {"to": to, "card": random.choice(cards.PACK[:3])}),
        ("bets.reduce", {}),
        ("hand.give", {"side": "player", "player": "Ann"}),
        ("round.open", {"free": True}),
        ("cut_card.reach", {}) if random.random() < 0.1 else ("shoe.burn", {"card": "2C"}),
        ("shoe.load", {"shoe": f"s{name}", "packs": 8}),
    ]
    return random.choice(choices)


def at_blackjack(random: Random, table: TableInMemory, name: int) -> Step:
    box, card = random.randint(1, 3), random.choice(("7D", "7H", "8C", "AS", "TC", "5H", "6D", "KC"))
    at = random.randrange(2)
    choices: list[Step] = [
        wager(random, name, ["main"]),
        wager(random, name, ["trilux", "blazing7s"]),
        ("progressive.arm", {}),
        ("card.deal", {"to": "box", "box": box, "card": card, "hand": at}),
        ("card.deal", {"to": "box", "box": box, "card": card}),
        ("card.deal", {"to": "dealer", "card": card}),
        ("hit.declare", {"box": box, "level": random.choice(("mega", "minor"))}),
        ("deal.complete", {}),
        ("hand.stand", {"box": box, "hand": at}),
        ("hand.double", {"box": box}),
        ("hand.split", {"box": box}),
        ("insurance.take", {"box": box, "amount_minor": 500}),
        ("right.decline", {"box": box, "player": random.choice(PLAYERS)}),
        ("cut_card.reach", {}) if random.random() < 0.1 else ("shoe.load", {"shoe": f"s{name}", "packs": 4}),
    ]
    return random.choice(choices)


def onward(random: Random, table: TableInMemory) -> Step:
    """Return the step that advances the round, in any game."""
    state = table.state
    if state.due:
        name, due = next(iter(state.due.items()))
        return "payment.make", {"bet": name, "amount_minor": due.amount}
    if state.phase in ("idle", "settled"):
        return ("round.open" if state.phase == "idle" else "round.end"), {}
    return ONWARD[state.game](random, table)


def _roulette_onward(random: Random, table: TableInMemory) -> Step:
    wheel = "cw" if table.state.play.turned == "ccw" else "ccw"
    steps: dict[str, Step] = {
        "open": ("ball.launch", {"wheel": wheel, "ball": "ccw" if wheel == "cw" else "cw"}),
        "spinning": ("bets.close", {}),
        "no_more_bets": ("ball.land", {"number": random.choice((0, random.randrange(37)))}),
    }
    return steps[table.state.phase]


def _craps_onward(random: Random, table: TableInMemory) -> Step:
    play = table.state.play
    if table.state.phase == "dice_offered":
        return "dice.roll", {"dice": [random.randint(1, 6), random.randint(1, 6)]}
    if play.dice_pass:
        return "shooter.appoint", {"seat": 1, "player": "Ann"}
    return ("dice.offer", {}) if play.chosen else ("dice.choose", {"places": [0, 1]})


def _baccarat_onward(random: Random, table: TableInMemory) -> Step:
    play = table.state.play
    if table.state.phase == "open" and not play.free:
        return "bets.close", {}
    card = play.next_cards[0] if play.next_cards else random.choice(cards.PACK)
    return "card.deal", {"to": baccarat.next_to(play.player, play.banker), "card": card}


def _blackjack_onward(random: Random, table: TableInMemory) -> Step:
    play, card = table.state.play, random.choice(cards.PACK)
    if table.state.phase == "open":
        return "bets.close", {}
    if table.state.phase == "no_more_bets" and not play.armed and random.random() < 0.5:
        return "progressive.arm", {}
    boxes = sorted({bet.box or 0 for bet in table.state.bets.values() if bet.wager == "main"})
    order = [*boxes, 0, *boxes]
    if table.state.phase != "playing" and play.dealt < len(order):
        box = order[play.dealt]
        to = {"to": "box", "box": box} if box else {"to": "dealer"}
        return "card.deal", {**to, "card": card}
    if table.state.phase == "dealing":
        return "deal.complete", {}
    if missing := [box for box in boxes if box not in play.boxes]:  # the deal was completed without its cards
        return "card.deal", {"to": "box", "box": missing[0], "card": card}
    waiting = [(box, at) for box, lies in play.boxes.items() for at, hand in enumerate(lies.hands) if not hand.stood]
    if waiting and random.random() < 0.6:
        box, at = random.choice(waiting)
        where = {"box": box, "hand": at}
        deal: Step = ("card.deal", {"to": "box", "card": card, **where})
        return random.choice([deal, ("hand.stand", where)])
    return "card.deal", {"to": "dealer", "card": card}


ONWARD = {
    "roulette": _roulette_onward,
    "craps": _craps_onward,
    "baccarat": _baccarat_onward,
    "blackjack": _blackjack_onward,
}
TABLES: dict[str, tuple[Callable[[], TableInMemory], Chooser]] = {
    "roulette": (lambda: roulette_table(maxima_minor={"straight": 10_000}), at_roulette),
    "craps-gr": (lambda: craps_table("craps-gr", maxima_minor={"maximum": 50_000}), at_craps),
    "craps-by": (lambda: craps_table("craps-by"), at_craps),
    "baccarat": (lambda: baccarat_table(maxima_minor={"difference": 2_000, "tie": 2_000}), at_baccarat),
    "blackjack": (blackjack_table, at_blackjack),
}


def act(random: Random, table: TableInMemory, step: Step) -> None:
    """Ask for a step or report it, permitted or not. A refusal names its clause and changes nothing."""
    kind, data = step
    before, refused = table.state, None
    try:
        if kind == "void":
            if random.random() < 0.5:
                table.approved("round.void", round=table.state.round or 1, reason="a misdeal", by=WATCH)
        elif kind == "correct":
            table.act("bet.correct", who=INSPECTOR, reason="x", corrects=f"{table.state.stream}@1", **data)
        else:
            table.act(kind, intent="fact" if random.random() < 0.3 else "ask", who=INSPECTOR, **data)
    except PitledgerError as error:
        refused = error
    if refused is not None:
        assert table.state is before or kind == "void"
    if isinstance(refused, Refused):
        ruleset, _, number = refused.clause.partition(" ")
        assert ruleset in (table.state.ruleset, "house", table.state.game, "blazing7s")
        assert number


def a_bet(random: Random, table: TableInMemory, choose: Chooser, number: int) -> Step:
    """Any bet of the game."""
    while (step := choose(random, table, number))[0] != "bet.place":
        pass
    return step


def some_step(random: Random, table: TableInMemory, choose: Chooser, number: int) -> Step:
    """Return a step. Half of the steps advance the round to its end, and the others are random."""
    kind = random.random()
    if table.state.phase == "open" and kind < 0.3:
        return a_bet(random, table, choose, number)
    if kind < 0.5:
        return onward(random, table)
    return choose(random, table, number) if kind < 0.9 else common(random, table, number)


def no_bet_twice(table: TableInMemory, since: int) -> None:
    """Assert that a decided bet leaves the layout, or stays with the remaining stake."""
    for event in table.events[since:]:
        if isinstance(event, BetSettled) and not any(
            isinstance(later, SettlementVoided) and later.bet == event.bet for later in table.events[since:]
        ):
            lying = table.state.bets.get(event.bet)
            assert (lying.stake if lying else 0) == event.remaining_minor


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=40, deadline=None)
@given(random=SEEDS)
def test_chips_are_conserved_and_everything_replays(name: str, random: Random) -> None:
    new, choose = TABLES[name]
    table = new()
    for number in range(80):
        since = len(table.events)
        act(random, table, some_step(random, table, choose, number))
        table.chips_are_conserved()
        no_bet_twice(table, since)
    table.replays()


@settings(max_examples=40, deadline=None)
@given(random=SEEDS)
def test_a_shoe_that_is_asked_deals_no_card_that_it_does_not_hold(random: Random) -> None:
    table = baccarat_table(burnt="AC")
    few = cards.PACK[:6]
    while sum(table.state.play.seen.values()) < 8 * len(few) - 6:
        table.ask("round.open").ask("bets.close")
        while (to := baccarat.next_to(table.state.play.player, table.state.play.banker)) is not None:
            card, seen = random.choice(few), Counter(table.state.play.seen)
            if seen[card] == 8:
                table.refused("card.deal", to=to, card=card, clause="house shoe")
            else:
                table.ask("card.deal", to=to, card=card)
        table.end()
    assert max(table.state.play.seen.values()) <= 8
