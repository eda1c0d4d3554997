"""Whether what a table says fits its progressive: by the rows, with the clauses of the progressive's own fold.

The fold in `events/progressives` judges from memory when it decides, this judges from the read model when it is built:
two computations that share only who must have approved, compared by a test. What is refused moves nothing and is shown
to people. One refusal is the fold's alone: a misdeal that would leave a corrected meter below 0.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from events.errors import Refused
from events.progressives import facts as f
from events.progressives.approvals import has_lead_and_watch
from events.progressives.types import Approvals
from projections.engine.facts import Fact
from projections.progressives.models import ArmedRound, ArmedTable, Hit, Progressive

Bets: TypeAlias = Sequence[tuple[int, str, int]]  # box, player, stake in minor units

LINK = "house link"
ROUND = "house progressive.round"
HIT = "house progressive.hit"
STANDING = ("pending", "locked", "authorised", "paid")


def of_link(fact: Fact) -> Refused:
    """What a table says of a progressive that was not open: the stakes fed nothing, and a hit has no meter."""
    return Refused(LINK, f"there was no progressive {fact.data.progressive!r:.60}, or it was not open")


def of_arming(progressive: Progressive, table: ArmedTable, number: int, bets: Bets) -> Refused | None:
    """One round of a table at a time, each once; one bet a box, of one of the two stakes (BLZ-5)."""
    if table.open_round is not None:
        return Refused("blazing7s P.1", f"round {table.open_round} of this table is not over", source="004 L15")
    if number <= table.last_round:
        return Refused(ROUND, f"round {number} of this table was armed before")
    if not bets:
        return Refused("blazing7s P.1", "there is no progressive bet to arm the round with", source="004 L15")
    if len({box for box, _, _ in bets}) != len(bets):
        return Refused("blazing7s P.2", "one progressive bet a box", source="004 L13")
    low, high = progressive.stake_low_minor, progressive.stake_high_minor
    if not {stake for _, _, stake in bets} <= {low, high}:
        return Refused("blazing7s L.1", f"the stakes are {low} and {high}, no others", source="004 L103")
    return None


def of_dealing(armed: ArmedRound) -> Refused | None:
    """The initial deal is complete once."""
    if armed.status != "armed":
        return Refused("blazing7s P.3", f"the initial deal of round {armed.round} was complete before")
    return None


def of_ending(armed: ArmedRound) -> Refused | None:
    """A round ends once, and after its deal."""
    if armed.status == "dealt":
        return None
    why = "is not dealt" if armed.status == "armed" else "is over already"
    return Refused(ROUND, f"round {armed.round} {why}")


def of_misdeal(armed: ArmedRound, reason: str, approvals: Approvals) -> Refused | None:
    """A round that runs is declared void by a lead of the pit and surveillance, with a reason."""
    if armed.status in ("over", "void"):
        return Refused(ROUND, f"round {armed.round} is over already")
    if not reason.strip():
        return Refused(ROUND, "a reason is needed")
    if not _has_lead_and_watch(approvals, armed.dealer):
        return Refused(ROUND, "an inspector or pit boss and a surveillance person must approve this")
    return None


def of_hit(
    armed: ArmedRound | None, hit: Hit, others: Collection[Hit], levels: Collection[str], *, late: Approvals | None
) -> Refused | None:
    """A hit is declared while the initial deal runs, a late one (`late`: who agreed) after it; once a box with a bet.

    `hit` has level and box as declared; `others` are the hits of its round, and the one of its name if that stands.
    """
    if armed is None or armed.status == "refused":
        return Refused(ROUND, f"no round {hit.round} of this table is armed")
    if late is None and armed.status != "armed":
        return Refused("blazing7s P.3", f"the initial deal of round {armed.round} is complete", source="004 L23")
    if late is not None and armed.status not in ("dealt", "over"):
        why = "was declared void" if armed.status == "void" else "is not dealt yet: declare the hit"
        return Refused(HIT, f"round {armed.round} {why}")
    if hit.level not in levels:
        return Refused("blazing7s B", f"there is no level {hit.level!r:.40}", source="004 L39-47")
    if not hit.player:
        return Refused("blazing7s P.1", f"no progressive bet lies on box {hit.box}", source="004 L15")
    standing = [other for other in others if other.status in STANDING]
    if any(other.round == hit.round and other.session == hit.session and other.box == hit.box for other in standing):
        return Refused("blazing7s B", f"box {hit.box} has a hit in this round")
    if any(other.hit == hit.hit for other in others):
        return Refused(HIT, f"the hit {hit.hit} was declared before")
    if late is not None and not _has_lead_and_watch(late, armed.dealer):
        return Refused(HIT, "an inspector or pit boss and a surveillance person must approve this")
    return None


def _has_lead_and_watch(approvals: Approvals, dealer: str) -> bool:
    return has_lead_and_watch(tuple(f.Person(name, role) for name, role in approvals), dealer)
