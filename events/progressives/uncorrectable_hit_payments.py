"""Exceptions: payments that cannot be corrected in the meter, settled by a house payment."""

from typing import Literal

import msgspec

from events.progressives.fact_structs import GroupLock
from events.progressives.fold import Fold
from events.progressives.meter import displayed_minor
from events.progressives.sharing_policies import policy


class PaymentException(msgspec.Struct, frozen=True, kw_only=True):
    """One hit whose payment differs from the one that the present facts would give.

    `late`: the hit was declared after its round's group had been paid, with which it should have been shared. Both
    amounts are its own share, and people decide the fair amount. `paid otherwise`: its share was fixed at
    `share_minor`, and by the present facts it would be `due_minor`.
    """

    kind: Literal["late", "paid otherwise"]
    hit: str
    level: str
    share_minor: int
    due_minor: int


def exceptions(fold: Fold) -> list[PaymentException]:
    """Return all exceptions among the remembered hits, in order of the hits' positions."""
    exceptional = [*_late_hits(fold), *_paid_otherwise(fold)]
    return sorted(exceptional, key=lambda exception: (fold.state.hits[exception.hit].at, exception.kind))


def _late_hits(fold: Fold) -> list[PaymentException]:
    """Late hits of a round that has paid hits of their level, where the policy would have made them one group."""
    state = fold.state
    if not policy(state.opening.policy, state.opening.policy_version).together:
        return []
    paid = {(h.table, h.round, h.level) for h in state.hits.values() if h.paid and not h.late}
    late = [h for h in state.hits.values() if h.late and not h.void and (h.table, h.round, h.level) in paid]
    shares = {h.id: lock.share if (lock := fold.lock(h.id)) else 0 for h in late}
    return [
        PaymentException(kind="late", hit=h.id, level=h.level, share_minor=shares[h.id], due_minor=shares[h.id])
        for h in late
    ]


def _paid_otherwise(fold: Fold) -> list[PaymentException]:
    exceptional = []
    for group in fold.state.groups.values():
        if group.fixed is None or group.lock is None:
            continue
        due = _share_now(fold, group.lock)
        if due != group.fixed.share:
            exceptional += [
                PaymentException(
                    kind="paid otherwise", hit=hit, level=group.level, share_minor=group.fixed.share, due_minor=due
                )
                for hit in group.lock.hits
            ]
    return exceptional


def _share_now(fold: Fold, lock: GroupLock) -> int:
    """The share if nothing had been paid yet."""
    opening = fold.state.opening
    top = lock.meter if lock.cap is None else min(lock.meter, lock.cap)
    return policy(opening.policy, opening.policy_version).share(displayed_minor(top, opening.scale), len(lock.hits))
