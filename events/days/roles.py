"""Roles of a gaming day: no person of the pit or of surveillance counts (WA 610); accounting closes it."""

from events.roles import AuthorityRule, Roles, Why

CLAUSE = "house count (WA 620)"
CLOSE = "house close"
COUNTERS: Roles = ("count", "accountant")
DISCREPANCY = "house discrepancy"
OVERRIDE, OVERRIDE_A_REST = "day.override", "day.override, a rest"
OVERRIDE_DISCREPANCIES = "day.override, of discrepancies"
EXPLAIN_LATE = "discrepancy.explain, of a closed day"
_ACCOUNTING: Roles = ("accountant",)
_OTHERS: Roles = ("cage", "progressive manager", "security", "surveillance")  # a department that is not the pit


def _two_departments(clause: str, *excluded: Why) -> AuthorityRule:
    """An accountant, and another department that is not the pit."""
    without: tuple[Why, ...] = ("asked", *excluded)
    return AuthorityRule(
        ask=_ACCOUNTING, keys=(_ACCOUNTING, _OTHERS), by_departments=True, excluded=without, clause=clause
    )


RULES: dict[str, AuthorityRule] = {
    "count.enter": AuthorityRule(ask=COUNTERS, clause=CLAUSE),
    "count.verify": AuthorityRule(ask=COUNTERS, clause=CLAUSE),
    "count.settle": AuthorityRule(ask=COUNTERS, keys=(COUNTERS, COUNTERS), excluded=("asked",), clause=CLAUSE),
    "discrepancy.explain": AuthorityRule(ask=_ACCOUNTING, signed=True, excluded=("handled",), clause=DISCREPANCY),
    EXPLAIN_LATE: _two_departments(DISCREPANCY, "handled"),
    "day.close": AuthorityRule(ask=_ACCOUNTING, signed=True, clause=CLOSE),
    OVERRIDE: _two_departments(CLOSE),
    OVERRIDE_DISCREPANCIES: _two_departments(CLOSE, "handled"),
    OVERRIDE_A_REST: AuthorityRule(
        ask=_ACCOUNTING, keys=(_ACCOUNTING, ("auditor",)), excluded=("asked",), clause=CLOSE
    ),
    "day.amend": _two_departments(CLOSE),
}
