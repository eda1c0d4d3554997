"""Who may do what at a table, and with whom."""

from events.roles import DEALING, SUPERVISORS, WATCH, Rule, each, lead_and_watch

RULES: dict[str, Rule] = {
    **each(
        DEALING,
        *("round.open", "round.end", "bets.close", "payment.make", "buyin.make"),
        *("bet.place", "bet.withdraw", "bet.restake", "bet.instruct", "bet.press", "combination.place"),
        *("ball.launch", "ball.land", "spin.call_off"),
        *("card.deal", "shoe.load", "shoe.burn", "cut_card.reach", "hand.give", "bets.reduce"),
        *("deal.complete", "hand.stand", "hand.double", "hand.split", "insurance.take", "right.decline"),
        *("progressive.arm", "hit.declare"),
        *("shooter.appoint", "shooter.decline", "dice.offer", "dice.choose", "dice.roll", "roll.call_off"),
    ),
    **each(
        SUPERVISORS,
        *("session.open", "session.close", "limits.post", "staff.assign", "bet.correct", "limit.mark"),
        *("dice.put", "dice.take_away", "shoe.rule", "fill.receive", "credit.send"),
    ),
    **each((*SUPERVISORS, "count"), "drop.remove"),
    **each(("count",), "drop.count"),
    "round.void": lead_and_watch(SUPERVISORS, "house void"),
    "session.void": lead_and_watch(SUPERVISORS, "house void"),
    "hit.declare_late": lead_and_watch((*SUPERVISORS, *WATCH), "house late hit"),
}
