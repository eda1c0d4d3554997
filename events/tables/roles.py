"""Roles for the actions of a table, and second people. Each game declares those of its own actions
(`events/rules/game_declaration_and_registry.py`)."""

from msgspec.structs import replace

from events.roles import DEALING, SUPERVISORS, WATCH, AuthorityRule, lead_and_watch, rules_for_actions

REPORT_LATE = "payment.report, of a closed day"
# Actions at a table reported after its close: once accounting has closed the day, by two departments.
REPORTED_LATE = (
    *("buyin.make", "payment.make", "fill.receive", "credit.send", "chips.exchange"),
    *("drop.remove", "drop.count", "round.end"),
)
REPORTED = AuthorityRule(ask=("pit boss",), signed=True, only_as_fact=True)

_ALONE: dict[str, AuthorityRule] = {
    **rules_for_actions(
        DEALING,
        *("round.open", "round.end", "bets.close", "payment.make", "buyin.make", "chips.exchange"),
        *("bet.place", "bet.withdraw", "bet.restake", "bet.instruct"),
        *("shoe.load", "card.deal", "cut_card.reach", "progressive.arm", "hit.declare", "deal.complete"),
        *("heads.count", "result.note"),
    ),
    **rules_for_actions(
        SUPERVISORS,
        *("session.open", "session.roll", "session.close", "limits.post", "bet.correct", "limit.mark"),
        *("staff.assign", "staff.leave"),
        *("fill.request", "fill.receive", "credit.request", "credit.send", "shift.count", "table.count"),
    ),
    **rules_for_actions((*SUPERVISORS, "count", "security"), "drop.remove", "drop.put"),
    **rules_for_actions(("count",), "drop.count"),
    **rules_for_actions((*SUPERVISORS, *WATCH), "shoe.count"),
}


def of_closed_day(action: str) -> str:
    """The name of the rule for a fact of a gaming day that accounting has closed."""
    return f"{action}, of a closed day"


def _late_rule(action: str) -> AuthorityRule:
    return replace(
        _ALONE[action],
        keys=(SUPERVISORS, (*WATCH, "accountant")),
        by_departments=True,
        late=True,
        excluded=("asked",),
        clause="house late fact",
    )


RULES: dict[str, AuthorityRule] = {
    **_ALONE,
    **{of_closed_day(action): _late_rule(action) for action in REPORTED_LATE},
    "payment.report": REPORTED,
    REPORT_LATE: replace(
        REPORTED,
        keys=(("pit boss",), (*WATCH, "accountant")),
        by_departments=True,
        excluded=("asked",),
        clause="house payment",
    ),
    "round.void": lead_and_watch(SUPERVISORS, "house void"),
    "session.void": lead_and_watch(SUPERVISORS, "house void"),
    "settlement.correct": lead_and_watch(SUPERVISORS, "house correction"),
    "hit.declare_late": lead_and_watch((*SUPERVISORS, *WATCH), "house late hit"),
}
