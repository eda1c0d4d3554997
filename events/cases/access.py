"""Access to a case: by role and by case, never for its subjects."""

from collections.abc import Collection
from typing import Literal

from events.cases.decrypted_case import CaseFile
from events.roles import Roles

OPENERS: Roles = ("surveillance", "pit boss", "auditor")
WORKERS: Roles = (*OPENERS, "security")
READERS: Roles = (*WORKERS, "inspector", "accountant", "progressive manager", "cage")
Access = Literal["none", "read", "work"]


def is_subject(file: CaseFile, person: str, roles: Collection[str]) -> bool:
    """Return whether the case is about this person, by id or by a role that the person is in."""
    return person in file.subjects or not set(file.subject_roles).isdisjoint(roles)


def access_of(file: CaseFile, person: str, roles: Collection[str]) -> Access:
    """Return the access to the case of a person in these roles. The auditor may work on each case of others."""
    if not person or is_subject(file, person, roles) or set(READERS).isdisjoint(roles):
        return "none"
    granted = file.grants.get(person)
    by_case = person == file.opener or "auditor" in roles or not set(file.roles).isdisjoint(roles)
    level = granted or ("work" if by_case else "none")
    if level == "none":
        return "none"
    return "work" if level == "work" and not set(WORKERS).isdisjoint(roles) else "read"


def may_read(file: CaseFile, person: str, roles: Collection[str]) -> bool:
    """Return whether a person in these roles sees the case at all."""
    return access_of(file, person, roles) != "none"


def may_work(file: CaseFile, person: str, roles: Collection[str]) -> bool:
    """Return whether a person in these roles may act on the case."""
    return access_of(file, person, roles) == "work"
