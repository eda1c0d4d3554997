"""Explanation of a lock's amount: the opening meter, every contribution since, and the shares.

A report for people and regulators (NM 15.1.24.19: all contributions since the last jackpot up to the one that hit).
Its lines sum up, and `Explanation.check` proves it.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Refused, Unknown
from events.progressives.fact_structs import Adjust, AnyFact, Arm, GroupLock, RoundName
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import LevelState, ProgressiveTerms
from events.progressives.meter import contributed_units


class RoundContribution(msgspec.Struct, frozen=True, kw_only=True):
    """The contribution of one armed round: `stakes_minor` x `feed` (units per minor unit of stake) = `amount` units."""

    at: int
    table: str
    round: RoundName
    stakes_minor: int
    feed: int
    amount: int


class Adjustment(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of the meter, in units, signed."""

    at: int
    reason: str
    amount: int


class ShareLine(msgspec.Struct, frozen=True, kw_only=True):
    """One winner's share."""

    hit: str
    player: str
    table: str
    round: RoundName
    share_minor: int
    status: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A lock and its lines. Amounts without `_minor` are in units, `scale` of which make a minor unit.

    `opening` is the meter at `opening_at`. `opening_is` is its origin: the opening of the progressive, the previous
    lock (its seed and its remainder), or the beginning of the facts.
    """

    hit: str
    level: str
    status: str
    scale: int
    policy: str
    policy_version: int
    parameters_version: int
    opening_is: Literal["start", "previous lock", "carried"]
    opening_at: int
    opening: int
    previous: GroupLock | None
    contributions: tuple[RoundContribution, ...]
    adjustments: tuple[Adjustment, ...]
    lock: GroupLock
    shares: tuple[ShareLine, ...]
    remainder: int
    after: int

    def check(self) -> None:
        """Assert that the lines sum up to the meter, the meter to amount and remainder, the shares to their payers."""
        fed = sum(line.amount for line in self.contributions)
        corrected = sum(line.amount for line in self.adjustments)
        assert self.opening + fed + corrected == self.lock.meter, "the lines make the meter"
        assert self.lock.amount * self.scale + self.remainder == self.lock.meter, "the meter is given or stays"
        assert self.lock.seed + self.remainder == self.after, "what stays lies on top of the seed"
        shares = sum(line.share_minor for line in self.shares)
        assert shares == self.lock.amount + self.lock.house, "every share is paid by the meter or by the house"
        if self.previous is not None and self.opening_is == "previous lock":
            left = self.previous.meter - self.previous.amount * self.scale
            assert self.opening == self.previous.seed + left, "the cycle begins where the previous lock ended"


def explain(start: Fold, facts: Iterable[AnyFact], hit: str) -> Explanation:
    """Return the calculation of the share of `hit`, by the accepted facts after `start`, in order.

    `start` is the fold right after the opening, or any snapshot before the hit: it is not changed. Raises Unknown for
    an unknown hit, Refused for a pending or void one.
    """
    fold, lines = _gather(start, facts)
    hit_state = fold.hit(hit)
    if hit_state is None:
        raise Unknown(coded("hit-unknown", hit=hit))
    lock = fold.lock(hit)
    if lock is None:
        raise Refused("house progressive.hit", coded("hit-without-share", hit=hit, status=fold.status(hit)))
    if lock.at <= start.at:
        raise Refused("house progressive.explain", coded("explanation-begins-too-late", position=lock.at))
    level = fold.level(hit_state.level)
    previous = max(
        (earlier for earlier in fold.locks(level.name) if earlier.at < lock.at),
        key=lambda earlier: earlier.at,
        default=None,
    )
    since = max(previous.at if previous else start.at, start.at)
    cycle_lines = [line for line in lines[level.name] if since < line.at < lock.at]
    return checked_explanation(
        fold.state.opening,
        hit,
        level.name,
        lock,
        previous,
        opening_is=_opening_is(start.level(level.name), previous, since),
        opening_at=since,
        opening=lock.meter - sum(line.amount for line in cycle_lines),
        lines=cycle_lines,
        shares=tuple(_share_line(fold, winning_hit, lock.share) for winning_hit in lock.hits),
    )


def checked_explanation(
    terms: ProgressiveTerms,
    hit: str,
    level: str,
    lock: GroupLock,
    previous: GroupLock | None,
    *,
    opening_is: Literal["start", "previous lock", "carried"],
    opening_at: int,
    opening: int,
    lines: Sequence[RoundContribution | Adjustment],
    shares: tuple[ShareLine, ...],
) -> Explanation:
    """The explanation of these parts. Raises AssertionError where they do not sum up."""
    remainder = lock.meter - lock.amount * terms.scale
    explanation = Explanation(
        hit=hit,
        level=level,
        status=next(share.status for share in shares if share.hit == hit),
        scale=terms.scale,
        policy=terms.policy,
        policy_version=terms.policy_version,
        parameters_version=lock.version,
        opening_is=opening_is,
        opening_at=opening_at,
        opening=opening,
        previous=previous,
        contributions=tuple(line for line in lines if isinstance(line, RoundContribution)),
        adjustments=tuple(line for line in lines if isinstance(line, Adjustment)),
        lock=lock,
        shares=shares,
        remainder=remainder,
        after=lock.seed + remainder,
    )
    explanation.check()
    return explanation


def _opening_is(
    start: LevelState, previous: GroupLock | None, since: int
) -> Literal["start", "previous lock", "carried"]:
    if previous is not None and previous.at == since:
        return "previous lock"
    untouched = not (start.fed or start.adjusted or start.marks or start.seeds)
    return "start" if untouched else "carried"


def _gather(start: Fold, facts: Iterable[AnyFact]) -> tuple[Fold, dict[str, list[RoundContribution | Adjustment]]]:
    """Return the fold after all facts, and by level the movements of its meter between locks."""
    fold = start.copy()
    lines: dict[str, list[RoundContribution | Adjustment]] = {name: [] for name in fold.state.levels}
    for fact in facts:
        if fact.at <= fold.at or fold.take((fact,)):
            continue
        if isinstance(fact, Arm):
            for name, level in fold.state.levels.items():
                lines[name].append(contribution(fact, level.settings.feed))
        elif isinstance(fact, Adjust):
            lines[fact.level].append(Adjustment(at=fact.at, reason=fact.reason, amount=fact.amount))
    return fold, lines


def contribution(fact: Arm, feed: int) -> RoundContribution:
    """Return the contribution of an armed round at this rate."""
    stakes = [bet.stake for bet in fact.bets]
    return RoundContribution(
        at=fact.at,
        table=fact.table,
        round=fact.round,
        stakes_minor=sum(stakes),
        feed=feed,
        amount=contributed_units(feed, stakes),
    )


def _share_line(fold: Fold, hit: str, share_minor: int) -> ShareLine:
    hit_state = fold.state.hits[hit]
    return ShareLine(
        hit=hit,
        player=hit_state.player,
        table=hit_state.table,
        round=hit_state.round,
        share_minor=share_minor,
        status=fold.status(hit),
    )
