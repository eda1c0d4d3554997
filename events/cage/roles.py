"""Roles of the cage: the rule of each action."""

from events.roles import SUPERVISORS, AuthorityRule, rules_for_actions

VOID = "slip.void"
RULES: dict[str, AuthorityRule] = {
    **rules_for_actions(
        ("cage",),
        *("cage.open", "cage.count", "cage.close", "cage.cash_out", "cage.cash_in", "marker.redeem", "marker.carry"),
        *("slip.issue", "credit.receive"),
    ),
    VOID: AuthorityRule(
        ask=("cage", *SUPERVISORS),
        keys=(("cage",), (*SUPERVISORS, "security", "accountant")),
        by_departments=True,
        excluded=("asked",),
        clause="house slip (NJ 1.22)",
    ),
}
