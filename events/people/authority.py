"""Authority: one rule for every action of every stream. The deciders ask here only.

A rule names the roles that may request, and the *keys* that must turn before the action is done. Each key is turned by
another person, in one of its roles. Without keys, the requester does it alone. A key turns with a fresh second factor
only: a person with a bare badge can request, and turns none. Each kind of stream declares its own rules;
`docs/reference/roles.md` is generated from them.

The module judges the rights of people at the desk, now. The fold of a progressive judges whether a stored event is
valid: by departments only, as when it was accepted.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from events.envelope import Who
from events.error_codes import ErrorText, coded
from events.errors import Forbidden, NotApproved, OwnMatter, Refused, SecondFactor
from events.roles import DEPARTMENT, AuthorityRule, Roles
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.streams import stream_kind_declaration

People = Sequence[tuple[str, str]]  # (person, role), one for each role in force
ANSWERS = ("approval.give", "approval.decline", "approval.withdraw")
FRESH_S = 600  # for which a second factor is fresh, unless the house sets another time (PITLEDGER_FRESH_S)


@cached_until_forgotten
def matrix() -> Mapping[str, AuthorityRule]:
    """Every rule: one an action, or one a case ("hit.authorise", "hit.authorise, above the limit")."""
    return {name: rule for kind in stream_kind_declaration.declared().values() for name, rule in kind.rules.items()}


@cached_until_forgotten
def rules_of(action: str) -> list[AuthorityRule]:
    """The rules of an action, one a case."""
    return [rule for name, rule in matrix().items() if name.partition(",")[0] == action]


@cached_until_forgotten
def roles_that_ask(action: str) -> Roles:
    """The roles that may ask for it."""
    return tuple(dict.fromkeys(role for rule in rules_of(action) for role in rule.ask))


@cached_until_forgotten
def agreeing(action: str) -> Roles:
    """Return the roles that may agree to it, in all cases."""
    return tuple(dict.fromkeys(role for rule in rules_of(action) for role in rule.approver_roles))


def answering(kind: str, answer: str) -> Roles:
    """Return who may approve or decline any request of such a stream, and who may withdraw one."""
    actions = [
        action for action, rule in stream_kind_declaration.kind_by_name(kind).rules.items() if rule.approver_roles
    ]
    by = roles_that_ask if answer == "approval.withdraw" else agreeing
    return tuple(dict.fromkeys(role for action in actions for role in by(action.partition(",")[0])))


@cached_until_forgotten
def may(kind: str, action: str) -> Roles:
    """Return the roles that may send this action to such a stream: the first one held is stamped on its events."""
    if action in ANSWERS:
        return answering(kind, action)
    is_here = any(name.partition(",")[0] == action for name in stream_kind_declaration.kind_by_name(kind).rules)
    return roles_that_ask(action) if is_here else ()


@cached_until_forgotten
def key_roles() -> frozenset[str]:
    """The roles that turn keys: any of them may be the second person that a decision wants."""
    return frozenset(role for rule in matrix().values() for role in rule.key_roles)


@cached_until_forgotten
def _first_role(kind: str, action: str, roles: frozenset[str]) -> str | None:
    return next((role for role in may(kind, action) if role in roles), None)


def role_for(kind: str, action: str, roles: Collection[str]) -> str:
    """Return the role in which a person may send the action. Raises Forbidden."""
    if (role := _first_role(kind, action, frozenset(roles))) is not None:
        return role
    if not (allowed := may(kind, action)):
        raise Refused(f"house {kind}", coded("action-not-here", action=action))
    raise Forbidden(coded("role-needed", action=action, roles=allowed))


def works(roles: Collection[str]) -> str | None:
    """Return the first role in a department of the house; None for people who only read or administer."""
    return next((role for role in DEPARTMENT if role in roles), None)


def require_answer(action: str, roles: Collection[str]) -> None:
    """Raise Forbidden for a person who can turn no key of the requested action."""
    if not set(agreeing(action)) & set(roles):
        raise Forbidden(coded("answer-role-needed", action=action, roles=agreeing(action)))


@cached_until_forgotten
def needs_factor(action: str) -> bool:
    """Return whether the action needs a fresh second factor: it has keys, or needs a signature."""
    if action in ANSWERS:
        return action != "approval.withdraw"
    return any(rule.needs_factor for rule in rules_of(action) if not rule.late)


@cached_until_forgotten
def may_wait(action: str) -> bool:
    """Return whether a fact waits as a request until others confirm it."""
    return any(rule.only_as_fact or rule.late for rule in rules_of(action))


@cached_until_forgotten
def has_keys(action: str) -> bool:
    """Return whether asking for it can turn a key, at least of a day that is closed."""
    return needs_factor(action) or any(rule.keys for rule in rules_of(action))


def turns_by_asking(action: str, actor: Who, fresh_s: int) -> bool:
    """Return whether the request itself turns a key: with a fresh second factor, where there are keys."""
    return not has_keys(action) or _is_fresh(actor, fresh_s)


def _is_fresh(actor: Who, fresh_s: int) -> bool:
    return actor.factor_s is not None and actor.factor_s <= fresh_s


@cached_until_forgotten
def is_told(action: str) -> bool:
    """Return whether it is only ever reported as a fact, also where others must confirm it."""
    return any(rule.only_as_fact for rule in rules_of(action))


def is_signed(action: str, actor: Who, fresh_s: int) -> bool:
    """Return whether this person has shown the factors that the action needs."""
    return not needs_factor(action) or _is_fresh(actor, fresh_s)


def require_factor(action: str, actor: Who, fresh_s: int) -> None:
    """Raise SecondFactor for a bare badge, and for a second factor that was shown too long ago."""
    if not is_signed(action, actor, fresh_s):
        raise unsigned(action, actor, fresh_s)


def unsigned(action: str, actor: Who, fresh_s: int) -> SecondFactor:
    """Return the refusal: the missing factor, and the way to show it."""
    if actor.factor_s is None:
        return SecondFactor(coded("second-factor-needed", action=action))
    return SecondFactor(coded("second-factor-too-old", action=action, fresh=fresh_s, age=actor.factor_s))


def suffices(rule: AuthorityRule, people: People, excluded: Collection[str] = ()) -> bool:
    """Return whether these people turn all its keys, each a different one, without an excluded person."""
    return _turn(rule, rule.keys, [person for person in people if person[0] not in excluded])


def _turn(rule: AuthorityRule, keys: tuple[Roles, ...], people: People) -> bool:
    if not keys:
        return True
    return any(
        _turn(rule, keys[1:], list(_people_to_approve(rule, people, person)))
        for person in people
        if person[1] in keys[0]
    )


def _people_to_approve(
    rule: AuthorityRule, people: People, absent_person: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    for name, role in people:
        is_same = rule.by_departments and DEPARTMENT.get(role) == DEPARTMENT.get(absent_person[1])
        if name != absent_person[0] and not is_same:
            yield name, role


def require(rule: AuthorityRule, people: People, excluded: Collection[str] = ()) -> None:
    """Raise NotApproved while a key is not turned."""
    if not suffices(rule, people, excluded):
        raise NotApproved(rule.clause, needed_approval(rule), source=rule.source)


def needed_approval(rule: AuthorityRule) -> ErrorText:
    """Return the roles that must approve: one of each key."""
    keys = [" / ".join(key) for key in rule.keys]
    return coded("approval-needed-of-departments" if rule.by_departments else "approval-needed", keys=keys)


def require_known(action: str, people: Collection[str]) -> None:
    """Raise Refused where the people of the matter are unknown, since none could be kept from deciding it."""
    if not people:
        rule = rules_of(action)[0]
        message = coded("people-of-matter-unknown")
        raise Refused(rule.clause, message, source=rule.source)


# Reasons that exclude a person, in the order in which rules name them.
_OWN: Mapping[tuple[str, ...], str] = {
    ("acted",): "own-matter-acted",
    ("acted", "prepared"): "own-matter-acted-or-prepared",
    ("prepared",): "own-matter-prepared",
    ("handled",): "own-matter-handled",
    ("named",): "own-matter-named",
    ("read",): "own-matter-read",
}


def require_apart(action: str, person: str, excluded: Collection[str]) -> None:
    """Raise OwnMatter for a person whom the matter concerns, or who would judge the own work, in any role."""
    if person in excluded:
        rules = rules_of(action)
        whys = dict.fromkeys(name for rule in rules for name in rule.excluded if name not in ("asked", "self"))
        code = _OWN.get(tuple(whys), "own-matter")
        raise OwnMatter(rules[0].clause, coded(code, person=person), source=rules[0].source)
