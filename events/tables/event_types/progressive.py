"""Events of a table that is linked to a progressive: stakes are armed, the deal ends, hits are declared."""

from typing import ClassVar, Literal

import msgspec

from events.tables.event_types.session import Seated, TableEvent

Level = Literal["mega", "major", "minor"]


class ProgressiveStake(msgspec.Struct, frozen=True, kw_only=True):
    """One box's stake in an armed round."""

    box: int
    player: str
    stake_minor: int
    bet: str


class ProgressiveArmed(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The round's progressive stakes are registered, before a card is dealt (004 L15); they feed the meters."""

    TYPE: ClassVar[str] = "progressive.armed.v1"
    progressive: str
    bets: tuple[ProgressiveStake, ...]
    amount_minor: int


class DealCompleted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Every player has two cards: no more hits in this round."""

    TYPE: ClassVar[str] = "deal.completed.v1"
    progressive: str | None = None


class HitDeclared(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer declares a progressive hand; `hit` names it in the property."""

    TYPE: ClassVar[str] = "hit.declared.v1"
    progressive: str
    hit: str
    level: Level


class HitDeclaredLate(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A hit that was missed and found after the deal: a group of its own, at its own position."""

    TYPE: ClassVar[str] = "hit.declared_late.v1"
    progressive: str
    hit: str
    level: Level
    approvals: tuple[tuple[str, str], ...] = ()
