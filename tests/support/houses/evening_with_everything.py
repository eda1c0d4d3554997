"""An evening with an example of everything on the pages: played at a house's desk, projected into read models.

FR1 is closed and counted; a mispay explains its difference. FR2 is open, in its third round. BJ1 plays with a paid
Mega, and with a Minor that awaits the end of its round's deal. R9 is on the floor, closed all day.
"""

from collections.abc import Sequence
from typing import Any

from events.envelope import Action
from events.progressives import due_lock_and_lapse_appending
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.people.people_results_row_posting import PeopleResultsPosting
from projections.registry import projectors
from tests.support.houses.small_house import DAY, PROPERTY, House

MISPAID_MINOR = 500
MISPAY_ALERT = "13a938627ffd2926aed0f5e7ba1c3214d3ce56100991e3b8a1c0509ca724a9d1"  # the alert of it
SPINS = (7, 0, 12, 31, 9, 22)


def play(house: House) -> None:
    """The whole evening."""
    house.install("FR2", "roulette", "roulette-french")
    house.install("R9", "roulette", "roulette-american")
    _french(house)
    _second_french(house)
    _blackjack(house)


def project(house: House, using: str = "default") -> None:
    """Everything in the house's store, into the read models."""
    applier = Applier(projectors(target=WriteTarget(using)), PROPERTY)
    applier.load()
    applier.apply(house.store.after(applier.position, 1_000_000))


def post_results(house: House, using: str = "default") -> None:
    """The results of people, as the projector's process posts them while it is idle."""
    PeopleResultsPosting(house.store, PROPERTY, using).catch_up()


def finish_blackjack(house: House) -> None:
    """The deal of BJ1's second round completes and the round ends; the Minor is locked: 1,200.75 for g-7."""
    act = house.action
    rest = [act("card.deal", to="box", box=2, card="2C"), act("deal.complete")]
    rest += [act("hand.stand", box=1), act("hand.stand", box=2)]
    rest += [act("card.deal", to="dealer", card="9H"), act("card.deal", to="dealer", card="4H"), act("round.end")]
    _say(house, "BJ1", "dora", *rest)
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")


def two_winners(house: House) -> None:
    """BJ2's first round: 7-7-7 in red on both boxes; the two share the Minor."""
    act = house.action
    house.open_table("BJ2")
    bets = [
        act("bet.place", bet=f"two-{wager}-{box}", wager=wager, amount_minor=amount, player=player, box=box)
        for box, player, stake in ((1, "g-21", 500), (2, "g-22", 1_000))
        for wager, amount in (("main", 1_000), ("blazing7s", stake))
    ]
    deal: list[tuple[str, int]] = [("7D", 1), ("7H", 2), ("7H", 0), ("7H", 1), ("7D", 2)]
    cards = [
        act("card.deal", card=card, **({"to": "box", "box": box} if box else {"to": "dealer"})) for card, box in deal
    ]
    hits = [act("hit.declare", box=box, level="minor") for box in (1, 2)]
    stand = [act("hand.stand", box=box) for box in (1, 2)]
    last = [act("card.deal", to="dealer", card="TC"), act("round.end")]
    start = [act("round.open"), *bets, act("bets.close"), act("progressive.arm"), *cards]
    _say(house, "BJ2", "dora", *start, *hits, act("deal.complete"), *stand, *last)
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")


def feed(house: House) -> None:
    """The first round of BJ2: 10.00 on the Blazing 7s."""
    act = house.action
    house.open_table("BJ2")
    bets = [
        act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="g-9", box=1)
        for wager in ("main", "blazing7s")
    ]
    _say(house, "BJ2", "dora", act("round.open"), *bets, act("bets.close"), act("progressive.arm"))


def _say(house: House, table: str, person: str, *actions: Action) -> Sequence[Any]:
    return house.ok("tables", table, person, *actions)


def play_spin(house: House, table: str, number: int, spin: int, *, mispaid: int = 0) -> None:
    """A round with three bets, paid as due (plus `mispaid` on the first winner)."""
    act, name = house.action, f"{table}-{spin}"
    events = _say(
        house,
        table,
        "dora",
        act("round.open"),
        act("bet.place", bet=f"{name}-r", wager="red", amount_minor=2_000, player="g-1", seat=1, on_zero="half"),
        act("bet.place", bet=f"{name}-d", wager="dozen", which=1, amount_minor=1_000, player="g-2", seat=2),
        act("bet.place", bet=f"{name}-s", wager="straight", numbers=[number], amount_minor=500, player="g-3", seat=3),
        act("ball.launch", wheel="cw" if spin % 2 else "ccw", ball="ccw" if spin % 2 else "cw"),
        act("bets.close"),
        act("ball.land", number=SPINS[spin % len(SPINS)]),
    )
    wins = [event.data for event in events if event.type == "bet.settled.v1" and event.data.profit_minor > 0]
    for win in wins:
        amount = win.profit_minor + mispaid
        intent = {"_intent": "fact"} if mispaid else {}
        _say(house, table, "dora", act("payment.make", bet=win.bet, amount_minor=amount, **intent))
        mispaid = 0
    _say(house, table, "dora", act("round.end"))


def _french(house: House) -> None:
    act = house.action
    house.open_table("FR1")
    buyins = [act("buyin.make", seat=seat, player=f"g-{seat}", amount_minor=50_000) for seat in (1, 2, 3)]
    voucher = act("buyin.make", seat=3, player="g-3", amount_minor=5_000, tender="promotional")
    fill = act("fill.receive", slip=1, chips={"2500": 40})
    credit = act("credit.send", slip=2, chips={"500": 100})
    _say(house, "FR1", "ines", *buyins, voucher, fill, credit)
    for spin in range(6):
        play_spin(house, "FR1", spin, spin, mispaid=MISPAID_MINOR if spin == 2 else 0)
    expected = house.desk.streams.cache._current_states[f"{PROPERTY}/tables/FR1/{DAY}"].state.float_minor
    closer = {"500": expected // 500, "100": expected % 500 // 100}
    _say(house, "FR1", "ines", act("session.close", closer=closer), act("drop.remove", drop_box="b-1"))
    count = act("drop.count", drop_box="b-1", amount_minor=155_000, promotional_minor=5_000)
    _say(house, "FR1", "cora", count)


def _second_french(house: House) -> None:
    house.open_table("FR2")
    _say(house, "FR2", "ines", house.action("buyin.make", seat=1, player="g-1", amount_minor=30_000))
    for spin in range(2):
        play_spin(house, "FR2", 17, spin)
    _say(house, "FR2", "dora", house.action("round.open"))


def _blackjack(house: House) -> None:
    house.open_progressive()
    house.open_table("BJ1")
    _cards(house, [("7D", 1), ("8C", 2), ("7D", 0), ("7D", 1)], "mega", ends=True)
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    _pay(house, f"BJ1-{DAY}-1-1", 5_000_150)
    _cards(house, [("7H", 1), ("9C", 2), ("7D", 0), ("7D", 1)], "minor", ends=False)


def _cards(house: House, deal: list[tuple[str, int]], level: str, *, ends: bool) -> None:
    """A round of two players up to the hit on box 1, or to its end."""
    act, name = house.action, level

    def bet(wager: str, amount: int, player: str, box: int) -> Action:
        return act("bet.place", bet=f"{name}-{wager}-{box}", wager=wager, amount_minor=amount, player=player, box=box)

    def card(code: str, box: int = 0) -> Action:
        where = {"to": "box", "box": box} if box else {"to": "dealer"}
        return act("card.deal", card=code, **where)

    start = [act("round.open"), bet("main", 1_000, "g-7", 1), bet("blazing7s", 500, "g-7", 1)]
    start += [bet("main", 1_000, "g-8", 2), bet("blazing7s", 1_000, "g-8", 2), act("bets.close")]
    start += [act("progressive.arm"), *(card(*dealt) for dealt in deal), act("hit.declare", box=1, level=level)]
    _say(house, "BJ1", "dora", *start)
    if not ends:
        return
    stand = [act("hand.stand", box=box) for box in (1, 2)]
    rest = [card("TH", 2), act("deal.complete"), *stand, card("9C"), card("4C"), act("round.end")]
    _say(house, "BJ1", "dora", *rest)


def _pay(house: House, hit: str, share_minor: int) -> None:
    """Two people authorise the share, the cage pays it and the envy bonus."""
    ask = house.action("hit.authorise", hit=hit, amount_minor=share_minor)
    request = house.ok("progressives", "blazing", "ines", ask)[0].data
    give = house.action("approval.give", request=request.request, content=request.content)
    house.ok("progressives", "blazing", "sven", give)
    house.ok("progressives", "blazing", "cage", house.action("jackpot.pay", hit=hit, gaming_day=DAY))
