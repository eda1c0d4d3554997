"""Decisions about a progressive by people and the reconciler. One Struct an event type, on PROPERTY/progressives/NAME.

Contributions and hits are not here: they are facts in the table streams. Integers only: `*_minor` are minor units of
the progressive's currency, `*_micro` are millionths of a minor unit, `*_millionths` are millionths of a stake. Fields
of common searches have the names of `events/tables/event_types/session.py`; `gaming_day` and `round` are the hit's.
"""

from typing import ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from events.envelope import EventData
from events.progressives.fact_structs import Tender

Approvals = tuple[tuple[str, str], ...]  # (person, role)
Basis = Literal["to", "for"]


class ProgressiveEvent(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The part that all events of a progressive have in common."""

    progressive: str


class LevelOpened(msgspec.Struct, frozen=True, kw_only=True):
    """A level with its parameters, and the content of its meter and its reserve at the opening."""

    level: str
    seed_minor: int
    meter_micro: int
    reserve_micro: int
    feed_millionths: int
    reserve_millionths: int
    cap_minor: int | None = None


class ProgressiveOpened(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A progressive with everything that was filed before its use (NJ 13:69D-1.52).

    `ruleset_digest` is that of the recorded data (`ruleset.recorded.v1`) by which its bets are played at its tables.
    `basis`: the fixed pays at its tables are N "to" 1 (the stake comes back on top) or N "for" 1 (BLZ-2).
    """

    TYPE: ClassVar[str] = "progressive.opened.v1"
    ruleset: str
    currency: str
    levels: tuple[LevelOpened, ...]
    policy: str
    policy_version: int
    stakes_minor: tuple[int, int]
    envy_minor: dict[str, tuple[int, int]]
    envy_to_winner: bool
    surveillance_over_minor: int
    withhold_millionths: int
    approvals: Approvals = ()
    basis: Basis = "to"
    ruleset_digest: str = ""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One winner's part of a lock."""

    hit: str
    player: str
    box: int
    table: str
    gaming_day: str
    round: int
    share_minor: int


class SharesLocked(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The shares of one group of hits, computed as of position `as_of` from everything before it.

    `amount_minor` comes from the meter, `house_minor` from the house on top; `seed_minor` restarts the meter,
    `seed_from_reserve_micro` of it paid by the reserve. A higher `revision` replaces the earlier locks of the `group`.
    """

    TYPE: ClassVar[str] = "shares.locked.v1"
    level: str
    group: str
    revision: int
    as_of: int
    table: str
    gaming_day: str
    round: int
    meter_micro: int
    amount_minor: int
    house_minor: int
    seed_minor: int
    seed_from_reserve_micro: int
    shares: tuple[Share, ...]
    policy: str
    policy_version: int
    parameters_version: int
    cap_minor: int | None = None


class LockWithdrawn(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The lock of the group is no longer valid: all its hits are void, or it must wait again."""

    TYPE: ClassVar[str] = "lock.withdrawn.v1"
    level: str
    group: str
    revision: int
    reason: Literal["void", "pending"]


class HitEvent(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The place and the player of one hit."""

    level: str
    hit: str
    table: str
    gaming_day: str
    round: int
    box: int
    player: str
    pit: str = ""
    dealer: str | None = None


class HitAuthorised(HitEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The share as it stood (`amount_minor`) is approved; should it become another, this has lapsed."""

    TYPE: ClassVar[str] = "hit.authorised.v1"
    amount_minor: int
    approvals: Approvals


class JackpotPaid(HitEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The cage paid the share, by slip number `slip` of the year's series, on its gaming day `paid_gaming_day`.

    `amount_minor` is the gross; of it `withheld_minor` were withheld by law, and `form` is the number of its form.
    """

    TYPE: ClassVar[str] = "jackpot.paid.v1"
    amount_minor: int
    slip: int
    slip_year: str
    paid_gaming_day: str
    tender: Tender
    approvals: Approvals = ()
    withheld_minor: int = 0
    form: str = ""

    @property
    def net_minor(self) -> int:
        """Return the amount that the player got."""
        return self.amount_minor - self.withheld_minor


class EnvyPaid(HitEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The cage paid the bonus of one player of the winner's round; `box` is the winner's.

    Gross, withheld and form are as with a share.
    """

    TYPE: ClassVar[str] = "envy.paid.v1"
    winner: str
    amount_minor: int
    slip: int
    slip_year: str
    paid_gaming_day: str
    tender: Tender
    withheld_minor: int = 0
    form: str = ""

    @property
    def net_minor(self) -> int:
        """Return the amount that the player got."""
        return self.amount_minor - self.withheld_minor


class HousePlace(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The place of a house payment: a box of a table's round, by the numbered slip `slip` of the year's series."""

    level: str
    table: str
    gaming_day: str
    round: int
    box: int
    amount_minor: int
    reason: str
    slip: int
    slip_year: str
    approvals: Approvals


class HousePaid(HousePlace, frozen=True, kw_only=True, omit_defaults=True):
    """The cage paid a player out of the house's own money, on its gaming day `paid_gaming_day`; no meter moved.

    `hit` where one exists: a winner found too late, or a payment that differs from the one by the present facts.
    """

    TYPE: ClassVar[str] = "house.paid.v1"
    player: str
    paid_gaming_day: str
    tender: Tender
    hit: str | None = None

    @property
    def net_minor(self) -> int:
        """Return the amount that the player got: nothing is withheld from it."""
        return self.amount_minor


class HouseVoided(HousePlace, frozen=True, kw_only=True, omit_defaults=True):
    """A payment of the house was taken back, in the tender in which it was paid; the number of its slip stays used.

    Events of before do not say the tender.
    """

    TYPE: ClassVar[str] = "house.voided.v1"
    tender: Tender | None = None


class HitVoided(HitEvent, frozen=True, kw_only=True, omit_defaults=True):
    """It was found not to be a hit; the meter is exactly as without it."""

    TYPE: ClassVar[str] = "hit.voided.v1"
    reason: str
    approvals: Approvals


class ParametersChanged(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """New settings of a level. Absent settings stay, and a cap of null removes the cap. `withhold` is the whole
    progressive's.
    """

    TYPE: ClassVar[str] = "parameters.changed.v1"
    level: str
    parameters_version: int
    seed_minor: int | UnsetType = UNSET
    feed_millionths: int | UnsetType = UNSET
    reserve_millionths: int | UnsetType = UNSET
    cap_minor: int | None | UnsetType = UNSET
    withhold_millionths: int | UnsetType = UNSET
    approvals: Approvals
    reason: str | None = None


class MeterAdjusted(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The meter was corrected by the signed amount, for one of the closed list of reasons (WA 695)."""

    TYPE: ClassVar[str] = "meter.adjusted.v1"
    level: str
    amount_minor: int
    reason: str
    meter_micro: int
    approvals: Approvals


class MeterRead(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Accounting read the sign (SD 24.02): its display, the amount by the events, and the difference."""

    TYPE: ClassVar[str] = "meter.read.v1"
    level: str
    read_minor: int
    shown_minor: int
    variance_minor: int
    meter_micro: int
    as_of: int
    approvals: Approvals


class VarianceOpened(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A reading is off by more than the limit (SD 24.02): a case that people close. Accounting is notified by this."""

    TYPE: ClassVar[str] = "variance.opened.v1"
    level: str
    case: str
    read_minor: int
    shown_minor: int
    variance_minor: int
    limit_minor: int
    as_of: int


class VarianceClosed(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The variance was paid to a player who got too little, by a numbered slip, or added to the meter (SD 24.02).

    `misread`: the reading was wrong; `read_minor` is the new reading, and no money moves.
    """

    TYPE: ClassVar[str] = "variance.closed.v1"
    level: str
    case: str
    way: Literal["paid", "added", "misread"]
    amount_minor: int
    reason: str
    read_minor: int | None = None
    player: str | None = None
    slip: int = 0
    slip_year: str = ""
    paid_gaming_day: str = ""
    approvals: Approvals = ()


class IncrementTested(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The quarterly increment test (SD 24.02): a stake was laid, and the sign should rise by its share of it."""

    TYPE: ClassVar[str] = "increment.tested.v1"
    level: str
    stake_minor: int
    feed_millionths: int
    before_minor: int
    after_minor: int
    expected_micro: int
    is_passed: bool
    as_of: int
    approvals: Approvals = ()


class FundDeposited(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The house put money into the account that covers a level's liability (WA 455): its seeds, its parts.

    Below zero: it took out money that is owed to no player.
    """

    TYPE: ClassVar[str] = "fund.deposited.v1"
    level: str
    amount_minor: int
    document: str
    approvals: Approvals = ()


class NoticeAcknowledged(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Accounting has read the notice of a change of rates or of a corrected meter (NJ 13:69D-1.52(e)3).

    `change` is the position of that change's event.
    """

    TYPE: ClassVar[str] = "notice.acknowledged.v1"
    level: str
    change: int


class LevelWaiting(ProgressiveEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An alert: a level's locks wait for a round whose initial deal was not completed in time. Raised once a round."""

    TYPE: ClassVar[str] = "level.waiting.v1"
    level: str
    hit: str
    table: str
    gaming_day: str
    round: int
    as_of: int
    waited_s: int


PROGRESSIVE_EVENTS: tuple[type[ProgressiveEvent], ...] = (
    ProgressiveOpened,
    SharesLocked,
    LockWithdrawn,
    HitAuthorised,
    JackpotPaid,
    EnvyPaid,
    HousePaid,
    HouseVoided,
    HitVoided,
    ParametersChanged,
    MeterAdjusted,
    MeterRead,
    VarianceOpened,
    VarianceClosed,
    IncrementTested,
    FundDeposited,
    NoticeAcknowledged,
    LevelWaiting,
)
