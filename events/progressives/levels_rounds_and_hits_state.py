"""The state of one progressive: the fold's memory only. Units as in `fact_structs.py`.

A level's history is kept as *marks*, one a hit, with the contributions and adjustments between them. Voids need only
these. Leading marks that can no longer change are folded into the level's base.
"""

from decimal import Decimal
from typing import TypeAlias

import msgspec

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.progressives.fact_structs import ArmedStake, BoxName, GroupLock, RoundName, Tender
from events.progressives.sharing_policies import policy

RoundKey: TypeAlias = tuple[str, RoundName]

LEAST_PERCENT, MOST_PERCENT = 15, 20
# Finished rounds that are kept for a late hit, and groups that can no longer change: live figures.
KEEP_ROUNDS = 10_000
KEEP_GROUPS = 500


class LevelParameters(msgspec.Struct, frozen=True, kw_only=True):
    """A level's parameters: seed and cap in units, rates in units per minor unit of stake."""

    seed: int
    feed: int
    reserve_rate: int
    cap: int | None


class LevelStart(msgspec.Struct, frozen=True, kw_only=True):
    """A level at its opening."""

    level: str
    settings: LevelParameters
    meter: int
    reserve: int


class ProgressiveTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A progressive at its opening. `surveillance_over` and `withhold` in units; `stakes` and `envy` in minor units.

    `keep_rounds` and `keep_groups` bound the memory in live use; None keeps all.
    """

    progressive: str
    scale: int
    levels: tuple[LevelStart, ...]
    policy: str
    stakes: tuple[int, int]
    envy: dict[str, tuple[int, int]]
    envy_to_winner: bool
    surveillance_over: int
    policy_version: int = 1
    withhold: int | None = None
    keep_rounds: int | None = None
    keep_groups: int | None = None


class ArmedRoundState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An armed round of a table."""

    at: int
    dealer: str
    bets: tuple[ArmedStake, ...]
    pit: str = ""
    dealt: bool = False
    over: bool = False
    void: bool = False
    hits: tuple[str, ...] = ()


class TableProgress(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The next possible facts of a table. Numbered rounds ascend, so the last number gives the used ones."""

    open: RoundName | None = None
    last: int = 0
    names: frozenset[str] = frozenset()


class HitState(msgspec.Struct, frozen=True, kw_only=True):
    """A declared hit. `approved` are the shares (minor units) that it was authorised for, now or once."""

    id: str
    at: int
    level: str
    table: str
    round: RoundName
    box: BoxName
    player: str
    dealer: str
    group: str
    late: bool = False
    void: bool = False
    paid: bool = False
    approved: tuple[int, ...] = ()

    @property
    def final(self) -> bool:
        """Return whether it can no longer change."""
        return self.void or self.paid


class FixedShare(msgspec.Struct, frozen=True, kw_only=True):
    """Values that the first payment in a group fixed permanently: its place (the hit) and the share of each hit."""

    anchor: str
    share: int


class HitGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Hits that share a lock, in order of position, void ones included; None: not locked (now)."""

    key: str
    level: str
    hits: tuple[str, ...]
    lockable: bool
    fixed: FixedShare | None = None
    lock: GroupLock | None = None


class HitMark(msgspec.Struct, frozen=True, kw_only=True):
    """A hit's place in its level: the contributions to meter and reserve since the mark before, and the settings in
    force here."""

    hit: str
    at: int
    meter: int
    reserve: int
    seed: int
    cap: int | None
    version: int


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """The level in front of its first mark. `locked` in minor units, the others in units."""

    meter: int
    reserve: int
    locked: int = 0
    seeds: int = 0


class LevelState(msgspec.Struct, kw_only=True):
    """A level now. `tail_*` came since the last mark; `locked`, `paid` and `deposited` are minor units."""

    name: str
    start: int
    settings: LevelParameters
    base: Base
    meter: int
    reserve: int
    version: int = 1
    marks: list[HitMark] = []
    tail_meter: int = 0
    tail_reserve: int = 0
    fed: int = 0
    adjusted: int = 0
    locked: int = 0
    seeds: int = 0
    paid: int = 0
    pending: int = 0
    reserve_start: int = 0
    reserve_fed: int = 0
    deposited: int = 0


class RecordedLock(msgspec.Struct, frozen=True, kw_only=True):
    """The last recorded lock of a group."""

    revision: int
    lock: GroupLock | None


class HousePayout(msgspec.Struct, frozen=True, kw_only=True):
    """A payment of the house, in minor units, by the slip of the year's series."""

    level: str
    amount: int
    year: str
    slip: int
    tender: Tender
    is_void: bool = False


class VarianceCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case of a reading that was off by more than the limit, in minor units: read less shown."""

    level: str
    variance: int
    is_open: bool = True


class FoldState(msgspec.Struct, kw_only=True):
    """The whole state of the fold at position `at`."""

    at: int
    opening: ProgressiveTerms
    levels: dict[str, LevelState]
    withhold: int | None = None
    tables: dict[str, TableProgress] = {}
    rounds: dict[RoundKey, ArmedRoundState] = {}
    hits: dict[str, HitState] = {}
    groups: dict[str, HitGroup] = {}
    settled: list[str] = []
    locks: dict[str, RecordedLock] = msgspec.field(name="said", default_factory=dict)
    unsaid: set[str] = set()
    slips: dict[str, int] = {}
    variances: dict[str, VarianceCase] = {}
    house: dict[str, HousePayout] = {}  # payments of the house, by place: the last one
    alerted: set[str] = set()
    notices: dict[int, str] = {}  # changes without a notice to accounting yet: position -> level


def opened(at: int, opening: ProgressiveTerms) -> FoldState:
    """The state right after the opening. Raises Refused for parameters out of bounds, Invalid for an unknown policy."""
    policy(opening.policy, opening.policy_version)
    if len({start.level for start in opening.levels}) != len(opening.levels):
        raise Invalid("levels", coded("level-twice"))
    for start in opening.levels:
        check_settings(start.settings)
        _check_start(start)
    check_contribution([start.settings for start in opening.levels], opening.scale)
    check_withhold(opening.withhold, opening.scale)
    return FoldState(
        at=at,
        opening=opening,
        levels={start.level: _level(start) for start in opening.levels},
        withhold=opening.withhold,
    )


def _level(start: LevelStart) -> LevelState:
    return LevelState(
        name=start.level,
        start=start.meter,
        settings=start.settings,
        base=Base(meter=start.meter, reserve=start.reserve),
        meter=start.meter,
        reserve=start.reserve,
        reserve_start=start.reserve,
    )


def _check_start(start: LevelStart) -> None:
    if start.meter < 0 or start.reserve < 0:
        raise Refused("house progressive.open", coded("meter-negative", level=start.level))
    if start.settings.cap is not None and start.settings.cap < start.meter:
        raise Refused("house progressive.open", coded("start-above-cap", level=start.level))


def check_settings(settings: LevelParameters) -> None:
    """Raise Refused for a negative rate or seed, or a cap below the seed."""
    if min(settings.feed, settings.reserve_rate, settings.seed) < 0:
        raise Refused("house progressive.parameters", coded("rate-or-seed-negative"))
    if settings.cap is not None and settings.cap < settings.seed:
        raise Refused("house progressive.parameters", coded("cap-below-seed"))


def check_contribution(all_settings: list[LevelParameters], scale: int) -> None:
    """Raise Refused unless all contribution and reserve rates together are 15 to 20 % of the stake, both inclusive."""
    rate = sum(settings.feed + settings.reserve_rate for settings in all_settings)
    _check_percent("contribution rate", rate, scale)


def check_withhold(withhold: int | None, scale: int) -> None:
    """Raise Refused unless the house's withhold, where it is set, is 15 to 20 % of the stake."""
    if withhold is not None:
        _check_percent("withhold", withhold, scale)


def _check_percent(name: str, rate: int, scale: int) -> None:
    if not LEAST_PERCENT * scale <= rate * 100 <= MOST_PERCENT * scale:
        percent = f"{Decimal(rate * 100) / scale:.6g}"
        raise Refused(
            "blazing7s L.1",
            coded("rate-outside-band", name=name, least=LEAST_PERCENT, most=MOST_PERCENT, percent=percent),
            source="004 L11",
            reading="BLZ-1",
        )
