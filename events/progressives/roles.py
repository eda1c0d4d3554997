"""Roles of a progressive: the rule of each action."""

from msgspec.structs import replace

from events.roles import ACCOUNTING, MONEY_KEYS, SECOND_KEYS, SUPERVISORS, WATCH, AuthorityRule, Roles, lead_and_watch

NJ = "NJ 13:69D-1.52"


def _two_departments(first: Roles, second: Roles, ask: Roles = ()) -> AuthorityRule:
    return AuthorityRule(
        ask=ask or second,
        keys=(first, second),
        by_departments=True,
        excluded=("asked",),
        clause="house progressive",
        source=NJ,
    )


def _house_payment(second: Roles, source: str) -> AuthorityRule:
    return AuthorityRule(
        ask=("cage",),
        keys=(("cage",), second),
        by_departments=True,
        excluded=("asked", "acted"),
        clause="house payment",
        source=source,
    )


_PROGRESSIVE = _two_departments(SECOND_KEYS, SECOND_KEYS)
_HOUSE = _house_payment(MONEY_KEYS, NJ)
_HOUSE_ABOVE = _house_payment(WATCH, "OH 3772-10-21")
_VARIANCE_PAID = replace(_two_departments(("cage",), MONEY_KEYS, ask=("cage",)), excluded=("asked", "read"))

RULES: dict[str, AuthorityRule] = {
    "progressive.open": _PROGRESSIVE,
    "parameters.change": _PROGRESSIVE,
    "meter.adjust": _PROGRESSIVE,
    "hit.authorise": AuthorityRule(
        ask=("pit boss", "inspector", *WATCH),
        keys=(SUPERVISORS,),
        excluded=("asked", "acted"),
        clause="blazing7s P.4",
        source="004 L51",
    ),
    "hit.authorise, above the limit": AuthorityRule(
        ask=("pit boss", "inspector", *WATCH),
        keys=(SUPERVISORS, WATCH),
        excluded=("asked", "acted"),
        clause="house progressive.hit",
        source="OH 3772-10-21",
    ),
    "hit.void": lead_and_watch(("pit boss", "inspector", *WATCH), "house progressive.hit"),
    "jackpot.pay": AuthorityRule(
        ask=("cage",),
        keys=(("cage",),),
        excluded=("acted", "prepared"),
        clause="house progressive.pay",
    ),
    "fund.withdraw": _two_departments(("cage", *ACCOUNTING), MONEY_KEYS, ask=("cage", *ACCOUNTING)),
    "fund.deposit": _two_departments(("cage", *ACCOUNTING), MONEY_KEYS, ask=("cage", *ACCOUNTING)),
    "variance.close": _two_departments(MONEY_KEYS, MONEY_KEYS),
    "variance.close, paid": _VARIANCE_PAID,
    "variance.close, paid above the limit": replace(_VARIANCE_PAID, keys=(("cage",), WATCH), source="OH 3772-10-21"),
    "variance.close, misread": _two_departments(ACCOUNTING, MONEY_KEYS, ask=ACCOUNTING),
    "house.pay": _HOUSE,
    "house.pay, above the limit": _HOUSE_ABOVE,
    "house.void": _HOUSE,
    "house.void, above the limit": _HOUSE_ABOVE,
    "meter.read": AuthorityRule(ask=ACCOUNTING),
    "increment.test": AuthorityRule(ask=ACCOUNTING),
    "notice.acknowledge": AuthorityRule(ask=ACCOUNTING),
}
