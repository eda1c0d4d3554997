"""What people ask of a progressive; every action is an "ask". One Struct an action type, amounts in minor units."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from events.envelope import ActionData
from events.progressives.types import Basis, LevelOpened, Tender

Money = Annotated[int, Meta(ge=0, le=10**12)]
Rate = Annotated[int, Meta(ge=0, le=10**6)]
Signed = Annotated[int, Meta(ge=-(10**12), le=10**12)]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Id = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(min_length=1, max_length=500)]


class OpenProgressive(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a progressive into use with all its parameters. `basis`: fixed pays of its tables are N to 1, or N for 1."""

    TYPE: ClassVar[str] = "progressive.open"
    progressive: Name
    ruleset: Name
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] = "EUR"
    levels: Annotated[tuple[LevelOpened, ...], Meta(min_length=1, max_length=10)]
    policy: Name = "split"
    policy_version: int = 1
    stakes_minor: tuple[Money, Money]
    envy_minor: dict[str, tuple[Money, Money]]
    envy_to_winner: bool = False
    surveillance_over_minor: Money
    withhold_millionths: Rate
    basis: Basis = "to"


class AuthoriseHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Approve the share of a hit as it stands: `amount_minor`, as the people who approve saw it."""

    TYPE: ClassVar[str] = "hit.authorise"
    hit: Id
    amount_minor: Money


class PayJackpot(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Pay an authorised share and the envy bonuses, on the cage's gaming day."""

    TYPE: ClassVar[str] = "jackpot.pay"
    hit: Id
    gaming_day: Day
    tender: Tender = "cash"


class VoidHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Declare that a hit was none."""

    TYPE: ClassVar[str] = "hit.void"
    hit: Id
    reason: Text


class ChangeParameters(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Change settings of a level: what is absent stays, a cap of null is none."""

    TYPE: ClassVar[str] = "parameters.change"
    level: Name
    seed_minor: Money | UnsetType = UNSET
    feed_millionths: Rate | UnsetType = UNSET
    reserve_millionths: Rate | UnsetType = UNSET
    cap_minor: Money | None | UnsetType = UNSET
    withhold_millionths: Rate | UnsetType = UNSET


class AdjustMeter(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Correct a meter by a signed amount."""

    TYPE: ClassVar[str] = "meter.adjust"
    level: Name
    amount_minor: Signed
    reason: Text


class ReadMeter(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record what a sign shows."""

    TYPE: ClassVar[str] = "meter.read"
    level: Name
    read_minor: Money


class TestIncrement(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record an increment test: what the sign showed before and after a stake was laid at a linked table."""

    __test__ = False  # no test case, whatever its name begins with
    TYPE: ClassVar[str] = "increment.test"
    level: Name
    stake_minor: Money
    before_minor: Money
    after_minor: Money


class CloseVariance(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Close a variance case: the amount is paid to `player` by the cage on its gaming day, or added to the meter."""

    TYPE: ClassVar[str] = "variance.close"
    case: Id
    way: Literal["paid", "added"]
    reason: Text
    player: Id | None = None
    gaming_day: Day | None = None


class DepositFund(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record a deposit into the account behind a level, by the bank's document."""

    TYPE: ClassVar[str] = "fund.deposit"
    level: Name
    amount_minor: Annotated[int, Meta(gt=0, le=10**12)]
    document: Text


class AcknowledgeNotice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say that accounting has read the notice of a change: `change` is the position of its event."""

    TYPE: ClassVar[str] = "notice.acknowledge"
    change: Annotated[int, Meta(gt=0, le=2**53)]


PROGRESSIVE_ACTIONS: tuple[type[ActionData], ...] = (
    OpenProgressive,
    AuthoriseHit,
    PayJackpot,
    VoidHit,
    ChangeParameters,
    AdjustMeter,
    ReadMeter,
    TestIncrement,
    CloseVariance,
    DepositFund,
    AcknowledgeNotice,
)
