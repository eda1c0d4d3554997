"""Facts of one progressive, with positions in the store.

Amounts are whole numbers of the fold's *unit*, of which `Opening.scale` make one minor unit (a cent). Live, the unit is
a millionth. In a timeline it is the common denominator of all given figures. So every meter is an exact integer. Rates
are units per minor unit of stake, which live are millionths of the stake. Stakes are in minor units.
"""

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

RoundName: TypeAlias = int | str
BoxName: TypeAlias = int | str
Tender: TypeAlias = Literal["cash", "chips", "transfer"]


class ApprovingPerson(msgspec.Struct, frozen=True):
    """A person who approved, in the role in force then. `name` is an opaque id in live use."""

    name: str
    role: str


People: TypeAlias = tuple[ApprovingPerson, ...]


class ArmedStake(msgspec.Struct, frozen=True, array_like=True):
    """One box's bet in an armed round, in minor units."""

    box: BoxName
    player: str
    stake: int


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact at the store's position `at`, which is unique to it."""

    at: int


class Arm(Fact, frozen=True, kw_only=True):
    """A round is armed before a card is dealt: every stake feeds every level (004 L15)."""

    table: str
    round: RoundName
    dealer: str
    bets: tuple[ArmedStake, ...]
    pit: str = ""


class HitFact(Fact, frozen=True, kw_only=True):
    """The card that makes the hand is on the table."""

    id: str
    table: str
    round: RoundName
    box: BoxName
    level: str


class DealFinished(Fact, frozen=True, kw_only=True):
    """The initial deal is complete: no more hits in this round."""

    table: str
    round: RoundName


class RoundOver(Fact, frozen=True, kw_only=True):
    """End the round."""

    table: str
    round: RoundName


class LateHitFact(Fact, frozen=True, kw_only=True):
    """A hit missed or keyed wrongly and found after the deal: a group of its own, at its own position."""

    id: str
    table: str
    round: RoundName
    box: BoxName
    level: str
    by: People


class VoidRoundFact(Fact, frozen=True, kw_only=True):
    """A misdeal: the round is dealt and over and its hits are void; its contributions stay in the meters."""

    table: str
    round: RoundName
    reason: str
    by: People


class Authorise(Fact, frozen=True, kw_only=True):
    """The present share of this hit is approved."""

    hit: str
    by: People


class Pay(Fact, frozen=True, kw_only=True):
    """The share is paid out. Live, by the numbered slip `slip` of the series `year`."""

    hit: str
    year: str = ""
    slip: int = 0


class Void(Fact, frozen=True, kw_only=True):
    """A declared hit was none."""

    hit: str
    reason: str
    by: People


class ParametersFact(Fact, frozen=True, kw_only=True):
    """New settings of a level; unnamed settings stay. `withhold` is the whole progressive's, in units like a rate."""

    level: str
    by: People
    seed: int | UnsetType = UNSET
    feed: int | UnsetType = UNSET
    reserve_rate: int | UnsetType = UNSET
    cap: int | None | UnsetType = UNSET
    withhold: int | UnsetType = UNSET


class Adjust(Fact, frozen=True, kw_only=True):
    """The meter of a level is corrected by `amount` units, for one of a closed list of reasons."""

    level: str
    amount: int
    reason: str
    by: People


class GroupLock(msgspec.Struct, frozen=True, kw_only=True):
    """The shares of one group, computed as of its position `at`.

    `meter`, `seed`, `from_reserve` and `cap` are in units; `share` (of each hit), `amount` (the meter's part) and
    `house` (the sum of the shares less the amount) are whole minor units. `version` counts the level's parameters that
    were in force there.
    """

    at: int
    hits: tuple[str, ...]
    meter: int
    share: int
    amount: int
    house: int
    seed: int
    from_reserve: int
    cap: int | None
    version: int


class LockRecorded(Fact, frozen=True, kw_only=True):
    """The progressive's stream holds this revision of a group's lock (None: it was withdrawn). It moves no meter."""

    group: str
    revision: int
    lock: GroupLock | None


class SlipUsed(Fact, frozen=True, kw_only=True):
    """A numbered slip of the year's series was used for something else than a share (an envy bonus)."""

    year: str
    slip: int


class HousePaidFact(Fact, frozen=True, kw_only=True):
    """The house paid `amount` minor units for a place ("TABLE/DAY#ROUND/BOX"), by a slip. It moves no meter."""

    place: str
    level: str
    amount: int
    year: str
    slip: int
    tender: Tender


class HouseVoidedFact(Fact, frozen=True, kw_only=True):
    """The payment was taken back; its number stays used."""

    year: str
    slip: int


class VarianceFound(Fact, frozen=True, kw_only=True):
    """A reading was off by more than the limit: `variance` in minor units, the reading less the display."""

    case: str
    level: str
    variance: int


class VarianceSettled(Fact, frozen=True, kw_only=True):
    """The variance was paid (by the numbered slip of the year's series) or added to the meter."""

    case: str
    year: str = ""
    slip: int = 0


class DepositFact(Fact, frozen=True, kw_only=True):
    """The house put `amount` minor units into the account behind the level. It moves no meter."""

    level: str
    amount: int


class NoticeRead(Fact, frozen=True, kw_only=True):
    """Accounting has read the notice of the change at position `change`. It moves no meter."""

    change: int


class WaitingRecorded(Fact, frozen=True, kw_only=True):
    """The stream holds an alert that the level waits for the round of this hit. It moves no meter."""

    hit: str


AnyFact: TypeAlias = (
    Arm
    | HitFact
    | DealFinished
    | RoundOver
    | LateHitFact
    | VoidRoundFact
    | Authorise
    | Pay
    | Void
    | ParametersFact
    | Adjust
    | LockRecorded
    | SlipUsed
    | HousePaidFact
    | HouseVoidedFact
    | VarianceFound
    | VarianceSettled
    | DepositFact
    | NoticeRead
    | WaitingRecorded
)


class MisfitFact(msgspec.Struct, frozen=True):
    """A stored fact that may not be: it moved nothing. Where it stands, and the clause that it offends."""

    position: int
    stream: str
    type: str
    clause: str
    message: str
