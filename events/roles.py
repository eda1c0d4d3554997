"""The roles of a house, their departments, and the form of the rules about authority."""

from typing import Literal

import msgspec

from events.text.translation_marker import translatable as _

Role = Literal[
    "dealer",
    "inspector",
    "pit boss",
    "cage",
    "count",
    "accountant",
    "progressive manager",
    "surveillance",
    "security",
    "auditor",
    "administrator",
    "system",
]

DEPARTMENT: dict[str, str] = {
    "dealer": "pit",
    "inspector": "pit",
    "pit boss": "pit",
    "cage": "cage",
    "count": "accounting",
    "accountant": "accounting",
    "progressive manager": "progressives",
    "surveillance": "surveillance",
    "security": "security",
}

# Names of the roles, and of the departments.
WORDS = {
    "dealer": _("dealer"),
    "inspector": _("inspector"),
    "pit boss": _("pit boss"),
    "cage": _("cage"),
    "count": _("count room"),
    "accountant": _("accountant"),
    "progressive manager": _("progressive manager"),
    "surveillance": _("surveillance"),
    "security": _("security"),
    "auditor": _("auditor"),
    "administrator": _("administrator"),
    "system": _("system"),
    "pit": _("pit"),
    "accounting": _("accounting"),
    "progressives": _("progressives"),
}
Roles = tuple[Role, ...]
Why = Literal["acted", "asked", "handled", "named", "prepared", "read", "self"]

# The people who may not do an action in any role.
EXCLUDED: dict[Why, str] = {
    "asked": "the requester and earlier approvers: each approval is another person's",
    "acted": "the round's dealer, and people who armed, dealt or declared in it",
    "prepared": "people who authorised it",
    "handled": "people named in it, and people who handled its slip or its box",
    "named": "people named in it or in an event that proves it",
    "read": "the person who read the sign",
    "self": "the person it is about",
}


class AuthorityRule(msgspec.Struct, frozen=True, kw_only=True):
    """The rule for an action: the roles that may ask for it, in the order in which roles are stamped.

    It has the keys, and excludes the people who may turn none of them. `by_departments`: the keys are of different
    departments. `clause` and `source` are part of a refusal. A key turns with a fresh second factor only; `signed`
    demands one where there is no key. `only_as_fact`: the action is only reported as a fact, and waits as a request
    where others must confirm it. `late`: the rule for a fact of a gaming day that accounting has closed, which waits in
    the same way.
    """

    ask: Roles
    keys: tuple[Roles, ...] = ()
    by_departments: bool = False
    signed: bool = False
    only_as_fact: bool = False
    late: bool = False
    excluded: tuple[Why, ...] = ()
    clause: str = "house authority"
    source: str = ""

    @property
    def needs_factor(self) -> bool:
        """Return whether it needs a fresh second factor: a badge can be found or copied, and is not enough."""
        return self.signed or bool(self.keys)

    @property
    def key_roles(self) -> Roles:
        """Return the roles that can turn one of the keys."""
        return tuple(dict.fromkeys(role for key in self.keys for role in key))

    @property
    def approver_roles(self) -> Roles:
        """Return the roles that can approve a request of another person: none, where one person is enough."""
        return self.key_roles if self.keys not in ((), (self.ask,)) else ()


SUPERVISORS: Roles = ("inspector", "pit boss")
DEALING: Roles = ("dealer", *SUPERVISORS)
WATCH: Roles = ("surveillance",)
ACCOUNTING: Roles = ("count", "accountant")
FLOOR_LEADS: Roles = ("administrator", "pit boss")
# NJ 1.52: security or surveillance, table management, accounting; a dealer is no second key.
SECOND_KEYS: Roles = ("pit boss", "inspector", "progressive manager", "security", "surveillance", "accountant", "count")
MONEY_KEYS: Roles = (*SECOND_KEYS, "cage")


def rules_for_actions(ask: Roles, *actions: str) -> dict[str, AuthorityRule]:
    """Return the rules of actions that people with these roles may do alone."""
    return {action: AuthorityRule(ask=ask) for action in actions}


def lead_and_watch(ask: Roles, clause: str) -> AuthorityRule:
    """Return the rule: an inspector or pit boss and surveillance, neither of whom acted in the round."""
    return AuthorityRule(ask=ask, keys=(SUPERVISORS, WATCH), excluded=("asked", "acted"), clause=clause)
