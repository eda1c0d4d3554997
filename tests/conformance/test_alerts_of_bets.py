"""Alerts about payments, late stakes and limits, as docs/reference/alerts.md specifies them.

Each case is played through the desk, with the near misses on both sides. Each planted fault raises one alert, and
nothing else raises one.
"""

from decimal import Decimal
from typing import Any

import pytest

from events.accounting.report.day_reports import make
from events.envelope import Action
from tests.support.houses.alert_scenario_house import FULL, RED, AlertSummary, At, AtWork, boxes, line, sides, wheel
from tests.support.houses.small_house import DAY, PROPERTY

SEVEN: dict[str, Any] = {"wager": "straight", "numbers": [7], "player": "g-1", "seat": 1}


def reported_payment(house: AtWork, **payment: Any) -> Action:
    """A payment that has happened."""
    return house.action("payment.make", _intent="fact", **payment)


def placed(at: At, *names: str, **other: Any) -> None:
    for name in names:
        at("bet.place", bet=name, **{**RED, **other})


# --- payments ---------------------------------------------------------------------------------------------------------


def test_mispay_is_judged_when_the_round_ends_and_topped_up_later_it_is_still_one(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    placed(at, "right", "short", "put right")
    at.spin(1)
    at("payment.make", bet="right", amount_minor=1_000)
    at.fact("payment.make", bet="short", amount_minor=600)
    at.fact("payment.make", bet="put right", amount_minor=1_500)
    at.fact("payment.make", bet="put right", amount_minor=-500)
    assert house.new() == []
    at("round.end")
    assert house.new() == [AlertSummary("mispay", "g-1", -400, "round.ended")]
    at("round.open")
    at.fact("payment.make", bet="short", amount_minor=400, won_in=1)
    at.spin(2)
    at("round.end")
    at.fact("payment.report", "paul", bet="short", amount_minor=100, won_in=1, reason="and once more")
    at.close()
    assert house.new() == []


def test_mispay_is_put_right_in_a_later_round(house: AtWork) -> None:
    """A fact pays the shortfall or takes back the excess. A pit boss must report any other amount."""
    at = wheel(house)
    at("round.open")
    placed(at, "short", "over")
    at.spin(1)
    at.fact("payment.make", bet="short", amount_minor=600)
    at.fact("payment.make", bet="over", amount_minor=1_500)
    at("round.end")
    assert sorted(alert.sum or 0 for alert in house.new()) == [-400, 500]
    at("round.open")
    placed(at, "over")
    for bet, amount in (("short", -100), ("over", -500)):  # the one was not paid too much, the other is another's now
        underpaid = house.action("payment.make", bet=bet, amount_minor=amount)
        refused = house.no("tables", "FR1", "dora", underpaid)
        assert "payment.report" in refused.detail
    assert house.no("tables", "FR1", "dora", house.action("payment.make", bet="short", amount_minor=400)).status == 422
    for bet, amounts, won_in in (("short", (300, 100), None), ("over", (-500,), 1)):
        for amount in amounts:
            [payment, _] = house.ok(
                "tables", "FR1", "dora", reported_payment(house, bet=bet, amount_minor=amount, won_in=won_in)
            )
            assert (payment.data.won_in, payment.data.player) == (1, "g-1")
    at.spin(2)
    at("round.end")
    at("session.close", "ines", closer=FULL | {"100": 1_000 - 20 + 10})
    assert house.new() == []


def test_mispay_is_none_where_the_dice_are_offered_before_a_winner_is_paid(house: AtWork) -> None:
    at = line(house)
    at("bet.place", bet="field", wager="field", amount_minor=1_000, player="Bob", seat=2)
    at("dice.offer")
    at("dice.roll", dice=[4, 6])
    at.fact("dice.offer")
    assert house.new() == [AlertSummary("irregularity", "Bob", 1_000, "irregularity.recorded")]
    at("payment.make", bet="field", amount_minor=1_000)
    at("dice.roll", dice=[3, 4])
    at("round.end")
    assert house.new() == []


def test_mispay_is_what_was_paid_in_a_round_that_is_void_afterwards(house: AtWork) -> None:
    """Bets paid in full, in part and paid back: a void round owes nothing."""
    at = wheel(house)
    at("round.open")
    placed(at, "paid", "short", "unpaid")
    placed(at, "lost", wager="black", player="g-2")
    at.spin(1)
    at("payment.make", bet="paid", amount_minor=1_000)
    at.fact("payment.make", bet="short", amount_minor=400)
    house.new()
    house.void("FR1", 1)
    alerts = [alert for alert in house.new() if alert.name == "mispay"]
    assert sorted(alerts) == [
        AlertSummary("mispay", "g-1", 400, "round.voided"),
        AlertSummary("mispay", "g-1", 1_000, "round.voided"),
    ]
    proved = ["bet.settled", "payment.made", "settlement.voided", "round.voided"]
    assert [types for name, types in house.proofs() if name == "mispay"] == [proved, proved]
    report_has(house, due=0, paid=1_400, mispay=-1_400, over="14.00")
    at("round.open")
    placed(at, "paid")
    at.spin(1)
    at("payment.make", bet="paid", amount_minor=1_000)
    at("round.end")
    assert house.new() == []


def report_has(house: AtWork, *, due: int, paid: int, mispay: int, over: str) -> None:
    """The report of the table's day, its journal with it."""
    figures = make(house.store, PROPERTY, DAY, house.store.position()).figures
    [table] = figures["tables"]
    day = table["day"]
    assert (day["due_minor"], day["paid_minor"], day["parts"]["mispay_minor"]) == (due, paid, mispay)
    assert day["event_win_minor"] == 0
    balances = {account: Decimal(balance) for account, balance in figures["journal"].items()}
    assert balances.get("Liabilities:Winnings:FR1", 0) == 0
    assert balances.get("Expenses:OverShort:Payments", 0) == Decimal(over)


def test_a_payment_of_a_void_round_is_taken_back_in_a_later_one(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    placed(at, "paid")
    at.spin(1)
    at("payment.make", bet="paid", amount_minor=1_000)
    house.void("FR1", 1)
    assert [(alert.name, alert.sum) for alert in house.new() if alert.name == "mispay"] == [("mispay", 1_000)]
    at("round.open")
    [payment, _] = at.fact("payment.make", bet="paid", amount_minor=-1_000)
    assert (payment.data.won_in, payment.data.player) == (1, "g-1")
    report_has(house, due=0, paid=0, mispay=0, over="0.00")
    at.spin(2)
    at("round.end")
    assert "mispay" not in [alert.name for alert in house.new()]


def test_mispay_names_the_lost_stake_that_was_taken_back_and_each_of_its_proofs(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    at("bet.place", bet="b", wager="black", amount_minor=500, player="g-1", seat=1)
    at.spin(1)
    at.fact("bet.withdraw", bet="b")
    at("round.end")
    assert AlertSummary("mispay", "g-1", 500, "round.ended") in house.new()
    assert ("mispay", ["payment.made", "round.ended"]) in house.proofs()


def test_proofs_name_the_fact(house: AtWork) -> None:
    """The evidence is the stake. For a late stake, it is also the event that closed the bets."""
    at = wheel(house)
    at("round.open")
    at.fact("bet.place", bet="much", **{**SEVEN, "amount_minor": 50_000})
    at("ball.launch", wheel="cw", ball="ccw")
    at("bets.close")
    at.fact("bet.place", bet="late", **RED)
    at("ball.land", number=2)
    at.fact("bet.place", bet="later", **RED)
    assert house.proofs() == [
        ("over maximum", ["bet.placed", "irregularity.recorded"]),
        ("late bet", ["bets.closed", "bet.placed"]),
        ("late bet", ["bets.closed", "bet.placed"]),
    ]
    house.check()


def test_mispay_of_a_lost_bet_and_of_one_that_is_left_unpaid(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    placed(at, "won")
    placed(at, "lost", wager="black", player="g-2")
    at.spin(1)
    at.fact("payment.make", bet="lost", amount_minor=1_000)
    at.fact("round.end")
    assert sorted(house.new()) == [
        AlertSummary("mispay", "g-1", -1_000, "round.ended"),
        AlertSummary("mispay", "g-2", 1_000, "round.ended"),
    ]
    at("payment.make", bet="won", amount_minor=1_000)
    assert house.new() == []


def test_mispay_that_is_reported_once_the_table_has_closed_is_judged_at_once(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    placed(at, "paid", "unpaid")
    at.spin(1)
    at("payment.make", bet="paid", amount_minor=1_000)
    at.fact("round.end")
    at.close()
    assert house.new() == [AlertSummary("mispay", "g-1", -1_000, "round.ended")]
    at.fact("payment.report", "paul", bet="unpaid", amount_minor=1_000, won_in=1, reason="it was paid in the bar")
    assert house.new() == []
    at.fact("payment.report", "paul", bet="paid", amount_minor=300, won_in=1, reason="seen on video")
    assert house.new() == [AlertSummary("mispay", "g-1", 300, "payment.made")]
    at.fact("payment.report", "paul", bet="paid", amount_minor=300, won_in=1, reason="and once more")
    assert house.new() == []


# --- late -------------------------------------------------------------------------------------------------------------


def test_late_bet_and_late_change_from_no_more_bets_on(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    placed(at, "a", "b", "c")
    at("bet.withdraw", bet="c")
    at("ball.launch", wheel="cw", ball="ccw")
    placed(at, "while the ball runs")
    at("bets.close")
    assert house.new() == []
    at.fact("bet.place", bet="late", **{**SEVEN, "amount_minor": 50_000})
    assert house.new() == [AlertSummary("late bet", "g-1", 50_000, "bet.placed")], "over the maximum it is not as well"
    at.fact("bet.withdraw", bet="a")
    assert house.new() == [AlertSummary("late change", "g-1", 1_000, "bet.withdrawn")]
    at("ball.land", number=2)
    at.fact("bet.place", bet="later", **RED)
    at.fact("bet.withdraw", bet="b")
    assert house.new() == [
        AlertSummary("late bet", "g-1", 1_000, "bet.placed"),
        AlertSummary("late change", "g-1", 1_000, "irregularity.recorded"),
    ]
    at("round.end")
    assert house.new() == [AlertSummary("mispay", "g-1", 1_000, "round.ended")], "a stake handed back with nothing due"


@pytest.mark.parametrize(
    ("now", "late"),
    [
        ({"amount_minor": 1_500}, [AlertSummary("late bet", "g-1", 500, "bet.corrected")]),
        ({"amount_minor": 800}, [AlertSummary("late bet", "g-1", -200, "bet.corrected")]),
        ({"wager": "black"}, [AlertSummary("late bet", "g-1", 0, "bet.corrected")]),
        ({"wager": "straight", "numbers": [7]}, [AlertSummary("late bet", "g-1", 0, "bet.corrected")]),
        ({"player": "g-2"}, []),
        ({"seat": 2}, []),
    ],
)
def test_late_bet_is_a_correction_of_stake_number_or_wager(house: AtWork, now: dict[str, Any], late: Any) -> None:
    at = wheel(house)
    at("round.open")
    [early] = at("bet.place", bet="early", **RED)
    [bet] = at("bet.place", bet="bet", **RED)
    at.correct(early, amount_minor=1_500)
    at("ball.launch", wheel="cw", ball="ccw")
    at("bets.close")
    assert house.new() == []
    at.correct(bet, **now)
    assert house.new() == late


def test_late_after_the_outcome_a_correction_of_the_player_is_an_irregularity(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    [bet] = at("bet.place", bet="bet", **RED)
    at.spin(2)
    at.correct(bet, player="g-2")
    at.correct(bet, amount_minor=3_000)
    assert house.new() == [
        AlertSummary("irregularity", "g-1", None, "irregularity.recorded"),
        AlertSummary("late bet", "g-1", 2_000, "irregularity.recorded"),
    ]


def test_late_in_greek_craps_is_what_comes_after_the_dice_are_offered_once_an_action(house: AtWork) -> None:
    at = line(house)
    field: dict[str, Any] = {"wager": "field", "amount_minor": 1_000, "player": "Bob", "seat": 2}
    at("bet.place", bet="early", **field)
    at("dice.offer")
    at.fact("bet.place", bet="late", **field)
    at.fact("bet.restake", bet="pass", amount_minor=60_000)
    at.fact("bet.restake", bet="pass", amount_minor=1_000)
    assert house.new() == [
        AlertSummary("late bet", "Bob", 1_000, "bet.placed"),
        AlertSummary("late bet", "Ann", 59_000, "bet.restaked"),
        AlertSummary("late change", "Ann", -59_000, "bet.restaked"),
    ], "over the maximum it is not as well"
    at("dice.roll", dice=[2, 4])
    at("bet.place", bet="odds", wager="pass_odds", base="pass", amount_minor=1_000, player="Ann", seat=1)
    at("dice.offer")
    at("roll.call_off", detail="fell short")
    at("bet.place", bet="again", **field)
    at("dice.offer")
    assert house.new() == []
    at.fact("bet.withdraw", bet="pass")
    assert house.new() == [AlertSummary("late change", "Ann", 1_000, "bet.withdrawn")], "its odds come down with it"


def test_late_at_baccarat_is_a_stake_raised_lowered_or_taken_back(house: AtWork) -> None:
    at = sides(house)
    banker: dict[str, Any] = {"wager": "banker", "amount_minor": 2_000, "player": "Bob", "seat": 2}
    at("round.open")
    at("bet.place", bet="b", **banker)
    at("bet.restake", bet="b", amount_minor=1_500)
    at("bets.close")
    assert house.new() == []
    for amount in (200_000, 1_000):
        at.fact("bet.restake", bet="b", amount_minor=amount)
    at.fact("bet.withdraw", bet="b")
    at.fact("bet.place", bet="late", **banker)
    assert house.new() == [
        AlertSummary("late bet", "Bob", 198_500, "bet.restaked"),
        AlertSummary("late change", "Bob", -199_000, "bet.restaked"),
        AlertSummary("late change", "Bob", 1_000, "bet.withdrawn"),
        AlertSummary("late bet", "Bob", 2_000, "bet.placed"),
    ]


def test_late_is_nothing_in_belarusian_craps_before_the_throw(house: AtWork) -> None:
    at = line(house, "craps-by")
    at("dice.offer")
    at("bet.place", bet="field", wager="field", amount_minor=1_000, player="Bob", seat=2)
    at("bet.withdraw", bet="field")
    at("dice.roll", dice=[2, 4])
    at("bet.place", bet="place", wager="place", number=8, amount_minor=1_200, player="Ann", seat=1, after_win="stay")
    at("dice.offer")
    at("dice.roll", dice=[4, 4])
    at("bet.press", bet="place")
    at("payment.make", bet="place", amount_minor=200)
    assert house.new() == []


def test_late_are_no_doubles_splits_and_insurance(house: AtWork) -> None:
    at = boxes(house)
    at("round.open")
    for box in (1, 2, 3):
        at("bet.place", bet=f"m{box}", wager="main", amount_minor=1_000, player=f"g-{box}", box=box)
    at("bets.close")
    at.deal(("8D", 1), ("5C", 2), ("TH", 3), ("AS", "dealer"), ("8C", 1), ("6D", 2), ("9H", 3))
    at("deal.complete")
    at("insurance.take", box=3, amount_minor=500)
    at("hand.split", box=1)
    at.deal(("3C", 1))
    at("hand.double", box=1)
    at.deal(("TC", 1))
    at("card.deal", to="box", box=1, hand=1, card="9C")
    at("hand.stand", box=1, hand=1)
    at("hand.double", box=2)
    at.deal(("TD", 2))
    at("hand.stand", box=3)
    at.deal(("7C", "dealer"))
    for bet, won in (("m1", 2_000), ("m2", 2_000), ("m3", 1_000)):
        at("payment.make", bet=bet, amount_minor=won)
    at("round.end")
    assert house.new() == []


# --- limits -----------------------------------------------------------------------------------------------------------


def test_over_maximum_is_of_all_that_a_player_has_on_a_place(house: AtWork) -> None:
    at = wheel(house)
    at("limit.mark", "ines", player="vip", seat=5, minimum_minor=500, maximum_minor=15_000, wager="straight")
    at("round.open")
    at("bet.place", bet="a", **SEVEN, amount_minor=6_000)
    at("bet.place", bet="b", **SEVEN, amount_minor=4_000)
    at("bet.place", bet="c", **{**SEVEN, "player": "g-2"}, amount_minor=10_000)
    at("bet.place", bet="d", **{**SEVEN, "numbers": [8]}, amount_minor=10_000)
    at("bet.place", bet="v", **{**SEVEN, "player": "vip"}, amount_minor=15_000)
    assert house.new() == []
    at.fact("bet.place", bet="e", **SEVEN, amount_minor=500)
    at.fact("bet.place", bet="w", **{**SEVEN, "player": "vip"}, amount_minor=500)
    at.fact("bet.place", bet="f", **{**SEVEN, "player": "g-3"}, amount_minor=100)
    assert house.new() == [
        AlertSummary("over maximum", "g-1", 500, "irregularity.recorded"),
        AlertSummary("over maximum", "vip", 500, "irregularity.recorded"),
        AlertSummary("irregularity", "g-3", 100, "irregularity.recorded"),
    ]


def test_over_maximum_leaves_prisoners_out(house: AtWork) -> None:
    at = wheel(house)
    at("limits.post", "ines", minimum_minor=500, maxima_minor={"red": 180_000})
    red: dict[str, Any] = {**RED, "amount_minor": 180_000, "on_zero": "prison"}
    at("round.open")
    at("bet.place", bet="prisoner", **red)
    at.spin(0)
    at("round.end")
    at("round.open")
    at("bet.place", bet="new", **red)
    assert house.new() == []
    at.fact("bet.place", bet="more", **{**red, "amount_minor": 500})
    assert house.new() == [AlertSummary("over maximum", "g-1", 500, "irregularity.recorded")]


def test_over_maximum_of_tie_and_pairs_is_the_tables(house: AtWork) -> None:
    at = sides(house)
    at("limit.mark", "ines", player="vip", seat=5, minimum_minor=500, maximum_minor=200_000)
    at("round.open")

    def bet(wager: str, amount: int, player: str, seat: int) -> None:
        at.fact("bet.place", bet=house.action("x").key, wager=wager, amount_minor=amount, player=player, seat=seat)

    for details in (
        *(("player", 60_000, "Ann", 1), ("player", 40_000, "Ann", 2), ("player", 200_000, "vip", 5)),
        *(("tie", 15_000, "Ann", 1), ("tie", 5_000, "Bob", 3), ("player_pair", 10_000, "Ann", 1)),
    ):
        bet(*details)
    assert house.new() == []
    for details in (("player", 500, "Ann", 1), ("player", 500, "vip", 5), ("tie", 500, "Cid", 4)):
        bet(*details)
        assert house.new() == [AlertSummary("over maximum", details[2], 500, "irregularity.recorded")]


def test_over_maximum_by_the_rulesets_own_maxima(house: AtWork) -> None:
    at, craps = boxes(house), line(house)
    at("round.open")
    for bet, player, box, main, trilux in (("a", "g-1", 1, 50_000, 5_000), ("b", "g-2", 2, 50_500, 5_500)):
        at.fact("bet.place", bet=f"{bet}m", wager="main", amount_minor=main, player=player, box=box)
        at.fact("bet.place", bet=f"{bet}t", wager="trilux", amount_minor=trilux, player=player, box=box)
    assert [(alert.name, alert.person, alert.sum) for alert in house.new()] == [
        ("over maximum", "g-2", 50_500),
        ("over maximum", "g-2", 5_500),
    ]
    craps("dice.offer")
    craps("dice.roll", dice=[2, 4])
    for bet, amount in (("at", 1_000), ("over", 1_000)):
        craps.fact("bet.place", bet=bet, wager="pass_odds", base="pass", amount_minor=amount, player="Ann", seat=1)
    assert house.new() == [AlertSummary("over maximum", "Ann", 1_000, "irregularity.recorded")]
