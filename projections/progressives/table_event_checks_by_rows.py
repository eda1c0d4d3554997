"""Check by the rows whether a table's events fit their progressive.

Each check is one function in `events/progressives/table_fact_checks.py`. The progressive's fold calls it on its
memory, this module on the read model. A refused event moves no amount and is shown to people. Two refusals belong to
the fold alone. They are a misdeal that would leave a corrected meter below 0, and an event about a round that the fold
has forgotten.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from events.error_codes import coded
from events.errors import Refused
from events.progressives.approver_department_checks import has_lead_and_watch
from events.progressives.event_types import Approvals
from events.progressives.fact_structs import ApprovingPerson
from events.progressives.table_fact_checks import (
    HIT,
    ROUND,
    check_arming,
    check_bets,
    check_hit,
    check_misdeal,
    check_time,
)
from projections.engine.decoded_events import Event
from projections.progressives.models import ArmedRound, ArmedTable, Hit, Progressive

Bets: TypeAlias = Sequence[tuple[int, str, int]]  # box, player, stake in minor units

LINK = "house link"
STANDING = ("pending", "locked", "authorised", "paid")


def of_link(event: Event) -> Refused:
    """Return the refusal for a progressive that was not open: stakes did not contribute, and a hit has no meter."""
    return Refused(LINK, coded("progressive-not-open", name=event.data.progressive))


def fit_arming(progressive: Progressive, table: ArmedTable, number: int, bets: Bets) -> None:
    """Raise Refused for a round that may not be armed."""
    check_arming(number, table.open_round, was_armed=number <= table.last_round)
    stakes = (progressive.stake_low_minor, progressive.stake_high_minor)
    check_bets(stakes, [(box, stake) for box, _, stake in bets])


def fit_misdeal(armed: ArmedRound, reason: str, approvals: Approvals) -> None:
    """Raise Refused for a round that may not be declared void."""
    check_misdeal(armed.round, armed, reason)
    _check_lead_and_watch(approvals, armed.dealer, ROUND)


def fit_hit(
    armed: ArmedRound | None,
    hit: Hit,
    other_hits: Collection[Hit],
    levels: Collection[str],
    approvals: Approvals | None,
) -> None:
    """Raise Refused for a hit that may not be (`approvals`: approvals of one found after the deal).

    `hit` has level and box as declared; `other_hits` are the hits of its round, and the valid one of its name.
    """
    if armed is None or armed.status == "refused":
        raise Refused(ROUND, coded("round-not-armed-here", round=hit.round))
    check_time(armed.round, armed, late=approvals is not None)
    here = [
        other for other in other_hits if (other.session, other.round, other.box) == (hit.session, hit.round, hit.box)
    ]
    declared_hit = hit.hit if any(other.hit == hit.hit for other in other_hits) else None
    taken = any(other.status in STANDING for other in here)
    check_hit(hit.level, levels, hit.box, has_bet=bool(hit.player), is_taken=taken, known_hit=declared_hit)
    if approvals is not None:
        _check_lead_and_watch(approvals, armed.dealer, HIT)


def _check_lead_and_watch(approvals: Approvals, dealer: str, clause: str) -> None:
    if not has_lead_and_watch(tuple(ApprovingPerson(name, role) for name, role in approvals), dealer):
        raise Refused(clause, coded("lead-and-surveillance-needed"))
