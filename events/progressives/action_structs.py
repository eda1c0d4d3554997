"""Actions on a progressive; each is an "ask". One Struct an action type, amounts in minor units."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from events.envelope import ActionData
from events.fields import (
    Currency,
    Day,
    Id,
    Micro,
    Name,
    PoolAmount,
    PoolMoney,
    PoolSigned,
    Position,
    Rate,
    Round,
    Seat,
    Slip,
    Slug,
    TableName,
    Text,
    Year,
)
from events.progressives.event_types import Basis
from events.progressives.fact_structs import Tender


class OpenLevel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A level with its parameters, and the content of its meter and its reserve at the opening."""

    level: Slug
    seed_minor: PoolAmount
    meter_micro: Micro
    reserve_micro: Micro
    feed_millionths: Rate
    reserve_millionths: Rate
    cap_minor: PoolAmount | None = None


class OpenProgressive(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open a progressive with all its parameters. `basis`: fixed pays of its tables are N to 1, or N for 1.

    `ruleset` is a ruleset of blazing7s, the casino's own included. Its name alone means its present file,
    "name@version" a version recorded before. Without `currency` it has the property's currency, or EUR where the
    property has not set one.
    """

    TYPE: ClassVar[str] = "progressive.open"
    progressive: Slug
    ruleset: Name
    currency: Currency | UnsetType = UNSET
    levels: Annotated[tuple[OpenLevel, ...], Meta(min_length=1, max_length=10)]
    policy: Name = "split"
    policy_version: Annotated[int, Meta(ge=1, le=1_000)] = 1
    stakes_minor: tuple[PoolAmount, PoolAmount]
    envy_minor: Annotated[dict[Slug, tuple[PoolAmount, PoolAmount]], Meta(max_length=10)]
    envy_to_winner: bool = False
    surveillance_over_minor: PoolAmount
    withhold_millionths: Rate
    basis: Basis = "to"


class AuthoriseHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Approve the share of a hit: the amount that the approvers saw."""

    TYPE: ClassVar[str] = "hit.authorise"
    hit: Id
    amount_minor: PoolAmount


class EnvyForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tax form of a player who gets an envy bonus."""

    player: Name
    form: Name


class PayJackpot(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Pay an authorised share and the envy bonuses, on the cage's gaming day.

    The withheld tax of each payment follows from the house's settings (`tax_over_minor`, `tax_millionths`); that of the
    share may be entered as well: `withheld_minor`. `form` is the number of the winner's tax form, `envy_forms` are
    those of the others.
    """

    TYPE: ClassVar[str] = "jackpot.pay"
    hit: Id
    gaming_day: Day
    tender: Tender = "cash"
    withheld_minor: PoolAmount | None = None
    form: Name | None = None
    envy_forms: Annotated[tuple[EnvyForm, ...], Meta(max_length=50)] = ()


class PayHouse(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Pay a player from the house's own money where the meter cannot be corrected. The cage pays, on its gaming day.

    It is for a `hit`, or where that is no longer available for the `box` of a `round` of a `table` on `table_day`.
    """

    TYPE: ClassVar[str] = "house.pay"
    level: Slug
    player: Name
    amount_minor: PoolMoney
    reason: Text
    gaming_day: Day
    tender: Tender = "cash"
    hit: Id | None = None
    table: TableName | None = None
    table_day: Day | None = None
    round: Round | None = None
    box: Seat | None = None


class VoidHousePayment(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Void a house payment, by its slip. The number stays used."""

    TYPE: ClassVar[str] = "house.void"
    slip_year: Year
    slip: Slip
    reason: Text


class VoidHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Void a hit."""

    TYPE: ClassVar[str] = "hit.void"
    hit: Id
    reason: Text


class ChangeParameters(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Change parameters of a level. Absent parameters stay unchanged. A cap of null removes the cap."""

    TYPE: ClassVar[str] = "parameters.change"
    level: Slug
    seed_minor: PoolAmount | UnsetType = UNSET
    feed_millionths: Rate | UnsetType = UNSET
    reserve_millionths: Rate | UnsetType = UNSET
    cap_minor: PoolAmount | None | UnsetType = UNSET
    withhold_millionths: Rate | UnsetType = UNSET
    reason: Text | None = None


class AdjustMeter(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Correct a meter by a difference."""

    TYPE: ClassVar[str] = "meter.adjust"
    level: Slug
    amount_minor: PoolSigned
    reason: Text


class ReadMeter(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record a reading of a sign."""

    TYPE: ClassVar[str] = "meter.read"
    level: Slug
    read_minor: PoolAmount


class TestIncrement(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record an increment test: the sign before and after a stake was laid at a linked table."""

    __test__ = False  # no test case, in spite of its name
    TYPE: ClassVar[str] = "increment.test"
    level: Slug
    stake_minor: PoolAmount
    before_minor: PoolAmount
    after_minor: PoolAmount


class CloseVariance(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Close a variance case: the cage pays the missing amount to a player on its gaming day, or the meter grows by it.

    `misread`: the sign was read wrongly, and read again: `read_minor`. No money moves.
    """

    TYPE: ClassVar[str] = "variance.close"
    case: Id
    way: Literal["paid", "added", "misread"]
    reason: Text
    player: Name | None = None
    gaming_day: Day | None = None
    read_minor: PoolAmount | None = None


class DepositFund(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record a deposit into the account behind a level, by the bank's document."""

    TYPE: ClassVar[str] = "fund.deposit"
    level: Slug
    amount_minor: PoolMoney
    document: Text


class WithdrawFund(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record a withdrawal from the account behind a level, by the bank's document. Owed money must stay."""

    TYPE: ClassVar[str] = "fund.withdraw"
    level: Slug
    amount_minor: PoolMoney
    document: Text


class AcknowledgeNotice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Confirm that Accounting has read the notice of a change. `change`: the position of its event."""

    TYPE: ClassVar[str] = "notice.acknowledge"
    change: Position
