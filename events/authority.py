"""Who may do what, and with whom: one rule for every action of every stream. The deciders ask here and nowhere else.

A rule names who may ask, and the *keys* that must turn before it is done: each key by another person, in one of its
roles. No keys: who may ask does it alone. `docs/reference/roles.md` is generated from this table.

What is judged here is what people may do at the desk, now. Whether a stored event counts is judged by the fold of
its progressive, by departments only, as it was when it was accepted.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

import msgspec

from events.errors import Forbidden, NotApproved, Refused
from events.roles import DEPARTMENT, Role

Stream = Literal["tables", "progressives", "floor", "people"]
Roles = tuple[Role, ...]
People = Sequence[tuple[str, str]]  # (person, role), one for each role in force
Why = Literal["acted", "asked", "prepared", "read", "self"]

# Why somebody may not, whatever his roles.
EXCLUDED: dict[Why, str] = {
    "asked": "who has spoken: every key is another person's",
    "acted": "the round's dealer, or armed, dealt or declared in it",
    "prepared": "among those who authorised it",
    "read": "who read the sign",
    "self": "the person it is about",
}
ANSWERS = ("approval.give", "approval.decline", "approval.withdraw")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Who may ask for an action, in the order in which roles are stamped; the keys; who may turn none of them.

    `by_departments`: the keys are of different departments. `clause` and `source` are said with a refusal.
    """

    stream: Stream
    ask: Roles
    keys: tuple[Roles, ...] = ()
    by_departments: bool = False
    excluded: tuple[Why, ...] = ()
    clause: str = "house authority"
    source: str = ""

    @property
    def turns(self) -> Roles:
        """The roles that can turn one of the keys."""
        return tuple(dict.fromkeys(role for key in self.keys for role in key))

    @property
    def agree(self) -> Roles:
        """The roles that can agree to what somebody else has asked: none, where who may ask is enough."""
        return self.turns if self.keys not in ((), (self.ask,)) else ()


SUPERVISORS: Roles = ("inspector", "pit boss")
DEALING: Roles = ("dealer", *SUPERVISORS)
WATCH: Roles = ("surveillance",)
ACCOUNTING: Roles = ("count", "accountant")
FLOOR_LEADS: Roles = ("administrator", "pit boss")
NJ = "NJ 13:69D-1.52"
# NJ 1.52: security or surveillance, table management, accounting; a dealer is no second key.
SECOND_KEYS: Roles = ("pit boss", "inspector", "progressive manager", "security", "surveillance", "accountant", "count")
MONEY_KEYS: Roles = (*SECOND_KEYS, "cage")


def _table(ask: Roles, *actions: str) -> dict[str, Rule]:
    return {action: Rule(stream="tables", ask=ask) for action in actions}


def _two_departments(first: Roles, second: Roles, ask: Roles = ()) -> Rule:
    return Rule(
        stream="progressives",
        ask=ask or second,
        keys=(first, second),
        by_departments=True,
        excluded=("asked",),
        clause="house progressive",
        source=NJ,
    )


def _lead_and_watch(stream: Stream, ask: Roles, clause: str) -> Rule:
    return Rule(stream=stream, ask=ask, keys=(SUPERVISORS, WATCH), excluded=("asked", "acted"), clause=clause)


def _house_payment(second: Roles, source: str) -> Rule:
    return Rule(
        stream="progressives",
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
VARIANCE_WAYS = (", paid", ", misread")  # that have a rule of their own
_VARIANCE_PAID = msgspec.structs.replace(
    _two_departments(("cage",), MONEY_KEYS, ask=("cage",)), excluded=("asked", "read")
)

MATRIX: dict[str, Rule] = {
    # --- at a table -------------------------------------------------------------------------------------------------
    **_table(
        DEALING,
        *("round.open", "round.end", "bets.close", "payment.make", "buyin.make"),
        *("bet.place", "bet.withdraw", "bet.restake", "bet.instruct", "bet.press", "combination.place"),
        *("ball.launch", "ball.land", "spin.call_off"),
        *("card.deal", "shoe.load", "shoe.burn", "cut_card.reach", "hand.give", "bets.reduce"),
        *("deal.complete", "hand.stand", "hand.double", "hand.split", "insurance.take", "right.decline"),
        *("progressive.arm", "hit.declare"),
        *("shooter.appoint", "shooter.decline", "dice.offer", "dice.choose", "dice.roll", "roll.call_off"),
    ),
    **_table(
        SUPERVISORS,
        *("session.open", "session.close", "limits.post", "staff.assign", "bet.correct", "limit.mark"),
        *("dice.put", "dice.take_away", "shoe.rule", "fill.receive", "credit.send"),
    ),
    **_table((*SUPERVISORS, "count"), "drop.remove"),
    **_table(("count",), "drop.count"),
    "round.void": _lead_and_watch("tables", SUPERVISORS, "house void"),
    "session.void": _lead_and_watch("tables", SUPERVISORS, "house void"),
    "hit.declare_late": _lead_and_watch("tables", (*SUPERVISORS, *WATCH), "house late hit"),
    # --- of a progressive ---------------------------------------------------------------------------------------------
    "progressive.open": _PROGRESSIVE,
    "parameters.change": _PROGRESSIVE,
    "meter.adjust": _PROGRESSIVE,
    "hit.authorise": Rule(
        stream="progressives",
        ask=("pit boss", "inspector", *WATCH),
        keys=(SUPERVISORS,),
        excluded=("asked", "acted"),
        clause="blazing7s P.4",
        source="004 L51",
    ),
    "hit.authorise, above the limit": Rule(
        stream="progressives",
        ask=("pit boss", "inspector", *WATCH),
        keys=(SUPERVISORS, WATCH),
        excluded=("asked", "acted"),
        clause="house progressive.hit",
        source="OH 3772-10-21",
    ),
    "hit.void": _lead_and_watch("progressives", ("pit boss", "inspector", *WATCH), "house progressive.hit"),
    "jackpot.pay": Rule(
        stream="progressives",
        ask=("cage",),
        keys=(("cage",),),
        excluded=("acted", "prepared"),
        clause="house progressive.pay",
    ),
    "fund.deposit": _two_departments(("cage", *ACCOUNTING), MONEY_KEYS, ask=("cage", *ACCOUNTING)),
    "variance.close": _two_departments(MONEY_KEYS, MONEY_KEYS),
    "variance.close, paid": _VARIANCE_PAID,
    "variance.close, paid above the limit": msgspec.structs.replace(
        _VARIANCE_PAID, keys=(("cage",), WATCH), source="OH 3772-10-21"
    ),
    "variance.close, misread": _two_departments(ACCOUNTING, MONEY_KEYS, ask=ACCOUNTING),
    "house.pay": _HOUSE,
    "house.pay, above the limit": _HOUSE_ABOVE,
    "house.void": _HOUSE,
    "house.void, above the limit": _HOUSE_ABOVE,
    "meter.read": Rule(stream="progressives", ask=ACCOUNTING),
    "increment.test": Rule(stream="progressives", ask=ACCOUNTING),
    "notice.acknowledge": Rule(stream="progressives", ask=ACCOUNTING),
    # --- of the house -------------------------------------------------------------------------------------------------
    "table.install": Rule(
        stream="floor",
        ask=FLOOR_LEADS,
        keys=(FLOOR_LEADS, (*FLOOR_LEADS, *(role for role in SECOND_KEYS if role != "pit boss"))),
        excluded=("asked",),
        clause="house floor",
    ),
    "role.grant": Rule(stream="people", ask=("administrator",), excluded=("self",), clause="house people"),
    "role.revoke": Rule(stream="people", ask=("administrator",), clause="house people"),
}


def rules_of(action: str) -> list[Rule]:
    """The rules of an action: one, or one a case ("hit.authorise", "hit.authorise, above the limit")."""
    return [rule for name, rule in MATRIX.items() if name.partition(",")[0] == action]


def asking(action: str) -> Roles:
    """The roles that may ask for it."""
    return tuple(dict.fromkeys(role for rule in rules_of(action) for role in rule.ask))


def agreeing(action: str) -> Roles:
    """The roles that may agree to it, whatever the case."""
    return tuple(dict.fromkeys(role for rule in rules_of(action) for role in rule.agree))


def answering(stream: str, answer: str) -> Roles:
    """Who may agree to or decline anything that is asked of such a stream; who may withdraw anything."""
    asked = [action for action, rule in MATRIX.items() if rule.stream == stream and rule.agree]
    by = asking if answer == "approval.withdraw" else agreeing
    return tuple(dict.fromkeys(role for action in asked for role in by(action.partition(",")[0])))


def may(stream: str, action: str) -> Roles:
    """The roles that may send this action to such a stream: the first one held is stamped on what comes of it."""
    if action in ANSWERS:
        return answering(stream, action)
    return asking(action) if any(rule.stream == stream for rule in rules_of(action)) else ()


def role_for(stream: str, action: str, roles: Collection[str]) -> str:
    """The role under which somebody may send it. Raises Forbidden."""
    allowed = may(stream, action)
    for role in allowed:
        if role in roles:
            return role
    if not allowed:
        raise Refused(f"house {stream}", f"{action} is nothing that is done there")
    raise Forbidden(f"{action} is for: {', '.join(allowed)}")


def require_answer(action: str, roles: Collection[str], *, of: str = "is agreed to by") -> None:
    """Raises Forbidden for somebody who can turn no key of what was asked for."""
    if not set(agreeing(action)) & set(roles):
        raise Forbidden(f"{action} {of}: {', '.join(agreeing(action))}")


def suffices(rule: Rule, people: People, excluded: Collection[str] = ()) -> bool:
    """Whether these people turn all its keys, each another one, none of them excluded."""
    return _turn(rule, rule.keys, [one for one in people if one[0] not in excluded])


def _turn(rule: Rule, keys: tuple[Roles, ...], people: People) -> bool:
    if not keys:
        return True
    return any(_turn(rule, keys[1:], list(_others(rule, people, one))) for one in people if one[1] in keys[0])


def _others(rule: Rule, people: People, gone: tuple[str, str]) -> Iterator[tuple[str, str]]:
    for name, role in people:
        is_same = rule.by_departments and DEPARTMENT.get(role) == DEPARTMENT.get(gone[1])
        if name != gone[0] and not is_same:
            yield name, role


def require(rule: Rule, people: People, excluded: Collection[str] = ()) -> None:
    """Raises NotApproved while a key is not turned."""
    if not suffices(rule, people, excluded):
        raise NotApproved(rule.clause, said(rule), source=rule.source)


def said(rule: Rule) -> str:
    """Its keys in words."""
    keys = " and ".join(f"one of {', '.join(key)}" if len(key) > 1 else key[0] for key in rule.keys)
    apart = ", people of two departments" if rule.by_departments else ""
    but = f"; not {', not '.join(EXCLUDED[why] for why in rule.excluded if why != 'asked')}"
    return f"must agree: {keys}{apart}{but if set(rule.excluded) - {'asked'} else ''}"


def require_apart(action: str, person: str, excluded: Collection[str]) -> None:
    """Raises Refused for somebody who would judge his own work, whatever his roles."""
    if person in excluded:
        rules = rules_of(action)
        whys = dict.fromkeys(one for rule in rules for one in rule.excluded if one in ("acted", "prepared", "read"))
        why = "; or ".join(EXCLUDED[one] for one in whys)
        raise Refused(rules[0].clause, f"somebody else must decide: {person} is {why}", source=rules[0].source)
