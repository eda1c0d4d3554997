"""Checks of a table's facts against its progressive: each check once, for the fold's memory and for the read model's
rows.

Every check raises Refused, with the clause, and changes nothing. Required approvals are in
`approver_department_checks.py`.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from events.error_codes import coded
from events.errors import Refused, require_reason
from events.progressives.fact_structs import RoundName

ROUND = "house progressive.round"
HIT = "house progressive.hit"


class RoundProgress(Protocol):
    """The state of a round. A void round counts as dealt and ended."""

    @property
    def dealt(self) -> bool: ...
    @property
    def over(self) -> bool: ...
    @property
    def void(self) -> bool: ...


def check_arming(number: RoundName, not_over: RoundName | None, *, was_armed: bool) -> None:
    """One round of a table at a time (`not_over`: the one that runs), each once."""
    if not_over is not None:
        raise Refused("blazing7s P.1", coded("round-not-over-at-table", round=not_over), source="004 L15")
    if was_armed:
        raise Refused(ROUND, coded("round-armed-before", round=number))


def check_bets(stakes: tuple[int, int], bets: Sequence[tuple[object, int]]) -> None:
    """There are bets (box and stake), one a box, each of one of the two stakes (BLZ-5)."""
    if not bets:
        raise Refused("blazing7s P.1", coded("no-bet-to-arm"), source="004 L15")
    if len({box for box, _ in bets}) != len(bets):
        raise Refused("blazing7s P.2", coded("one-progressive-bet-a-box"), source="004 L13")
    if any(stake not in stakes for _, stake in bets):
        low, high = stakes
        raise Refused(
            "blazing7s L.1", coded("stakes-of-progressive", low=low, high=high), source="004 L103", reading="BLZ-5"
        )


def check_dealing(number: RoundName, round_: RoundProgress) -> None:
    """The initial deal is complete once."""
    if round_.dealt:
        raise Refused("blazing7s P.3", coded("deal-complete-before", round=number), source="004 L23")


def check_ending(number: RoundName, round_: RoundProgress) -> None:
    """A round ends once, and after its deal."""
    if not round_.dealt or round_.over:
        raise Refused(
            ROUND, coded("round-over-already", round=number) if round_.over else coded("round-not-dealt", round=number)
        )


def check_misdeal(number: RoundName, round_: RoundProgress, reason: str) -> None:
    """A round that runs is declared void, with a reason."""
    if round_.over:
        raise Refused(ROUND, coded("round-over-already", round=number))
    require_reason(reason, ROUND)


def check_time(number: RoundName, round_: RoundProgress, *, late: bool) -> None:
    """A hit is declared while the initial deal runs, a late one after it."""
    if not late and round_.dealt:
        raise Refused("blazing7s P.3", coded("deal-complete", round=number), source="004 L23")
    if late and (not round_.dealt or round_.void):
        void = coded("round-was-void", round=number)
        raise Refused(HIT, void if round_.void else coded("round-not-dealt-declare", round=number))


def check_hit(
    level: str, levels: Collection[str], box: object, *, has_bet: bool, is_taken: bool, known_hit: str | None
) -> None:
    """Require a known level, on a box with a bet; once a box, and once by its name (`known_hit`)."""
    if level not in levels:
        raise Refused("blazing7s B", coded("level-unknown", level=level), source="004 L39-47")
    if not has_bet:
        raise Refused("blazing7s P.1", coded("box-without-progressive-bet", box=str(box)), source="004 L15")
    if is_taken:
        raise Refused("blazing7s B", coded("box-has-hit", box=str(box)), reading="BLZ-16")
    if known_hit is not None:
        raise Refused(HIT, coded("hit-declared-before", hit=known_hit))
