"""Rules for the hits of one level in one round of one table. Across tables, hits are always in sequence.

A policy is a named, versioned object. A lock event names it, so that an old lock can always be recomputed.
"""

import msgspec

from events.error_codes import coded
from events.errors import Invalid


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """`together`: the hits of a round form one group. `each_full`: each gets all that the meter shows."""

    name: str
    version: int
    together: bool
    each_full: bool

    def share(self, shown_minor: int, hits: int) -> int:
        """Return the share of each of `hits` winners of the meter's `shown_minor` whole cents (004 L55-61, BLZ-9)."""
        return shown_minor if self.each_full else shown_minor // hits

    def taken(self, share_minor: int, hits: int) -> int:
        """Return the part of these shares that the meter gives; the rest is the house's."""
        return share_minor if self.each_full else share_minor * hits


_ALL = (
    Policy(name="split", version=1, together=True, each_full=False),
    Policy(name="full-each", version=1, together=True, each_full=True),
    Policy(name="sequential", version=1, together=False, each_full=False),
)
POLICIES: dict[tuple[str, int], Policy] = {(policy.name, policy.version): policy for policy in _ALL}


def policy(name: str, version: int = 1) -> Policy:
    """The policy of that name and version. Raises Invalid for an unknown one."""
    policy_ = POLICIES.get((name, version))
    if policy_ is None:
        raise Invalid("policy", coded("policy-unknown", policy=name, version=version))
    return policy_
