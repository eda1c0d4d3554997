"""Who may do what at a table, and with whom. Of actions of its own each game says it (`events/game.py`)."""

from msgspec.structs import replace

from events.roles import DEALING, SUPERVISORS, WATCH, Rule, each, lead_and_watch

REPORT_LATE = "payment.report, of a closed day"
REPORTED = Rule(ask=("pit boss",), signed=True, told=True)

RULES: dict[str, Rule] = {
    **each(
        DEALING,
        *("round.open", "round.end", "bets.close", "payment.make", "buyin.make", "chips.exchange"),
        *("bet.place", "bet.withdraw", "bet.restake", "bet.instruct"),
        *("shoe.load", "card.deal", "cut_card.reach", "progressive.arm", "hit.declare", "deal.complete"),
    ),
    **each(
        SUPERVISORS,
        *("session.open", "session.roll", "session.close", "limits.post", "bet.correct", "limit.mark"),
        *("staff.assign", "staff.leave"),
        *("fill.request", "fill.receive", "credit.request", "credit.send", "shift.count", "table.count"),
    ),
    "payment.report": REPORTED,
    REPORT_LATE: replace(
        REPORTED,
        keys=(("pit boss",), (*WATCH, "accountant")),
        by_departments=True,
        excluded=("asked",),
        clause="house payment",
    ),
    **each((*SUPERVISORS, "count", "security"), "drop.remove", "drop.put"),
    **each(("count",), "drop.count"),
    "round.void": lead_and_watch(SUPERVISORS, "house void"),
    "session.void": lead_and_watch(SUPERVISORS, "house void"),
    "settlement.correct": lead_and_watch(SUPERVISORS, "house correction"),
    "hit.declare_late": lead_and_watch((*SUPERVISORS, *WATCH), "house late hit"),
}
