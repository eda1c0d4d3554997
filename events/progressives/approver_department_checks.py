"""Approvals of a progressive's actions: different people, in the right roles, none of them of the round."""

from events.error_codes import coded
from events.errors import NotApproved
from events.progressives.fact_structs import People
from events.roles import DEPARTMENT

LEADS = frozenset({"inspector", "pit boss"})
WATCH = "surveillance"


def has_two_departments(by: People) -> bool:
    """Two people of different names and different departments are among them."""
    placed = {(person.name, DEPARTMENT[person.role]) for person in by if person.role in DEPARTMENT}
    return any(first[0] != two[0] and first[1] != two[1] for first in placed for two in placed)


def has_lead(by: People, dealer: str) -> bool:
    """An inspector or pit boss who is not the round's dealer is among them."""
    return any(person.role in LEADS and person.name != dealer for person in by)


def has_lead_and_watch(by: People, dealer: str) -> bool:
    """An inspector or pit boss and a surveillance person are among them: two names, neither the round's dealer."""
    leads = {person.name for person in by if person.role in LEADS} - {dealer}
    watch = {person.name for person in by if person.role == WATCH} - {dealer}
    return bool(leads and watch and len(leads | watch) > 1)


def require_two_departments(by: People, clause: str) -> None:
    """Raise NotApproved unless two departments agreed (NJ 1.52: two keys)."""
    if not has_two_departments(by):
        raise NotApproved(clause, coded("two-departments-needed"), source="NJ 13:69D-1.52")


def require_lead_and_watch(by: People, dealer: str, clause: str) -> None:
    """Raise NotApproved unless a lead of the pit and surveillance agreed, neither of them the round's dealer."""
    if not has_lead_and_watch(by, dealer):
        raise NotApproved(clause, coded("lead-and-surveillance-needed"))
