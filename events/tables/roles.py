"""Who may do what at a table, and with whom. Of actions of its own each game says it (`events/game.py`)."""

from events.roles import DEALING, SUPERVISORS, WATCH, Rule, each, lead_and_watch

RULES: dict[str, Rule] = {
    **each(
        DEALING,
        *("round.open", "round.end", "bets.close", "payment.make", "buyin.make"),
        *("bet.place", "bet.withdraw", "bet.restake", "bet.instruct"),
        *("shoe.load", "card.deal", "cut_card.reach", "progressive.arm", "hit.declare", "deal.complete"),
    ),
    **each(
        SUPERVISORS,
        *("session.open", "session.close", "limits.post", "staff.assign", "bet.correct", "limit.mark"),
        *("fill.receive", "credit.send"),
    ),
    **each((*SUPERVISORS, "count"), "drop.remove"),
    **each(("count",), "drop.count"),
    "round.void": lead_and_watch(SUPERVISORS, "house void"),
    "session.void": lead_and_watch(SUPERVISORS, "house void"),
    "hit.declare_late": lead_and_watch((*SUPERVISORS, *WATCH), "house late hit"),
}
