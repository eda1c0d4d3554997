"""Actions of a table that is linked to a progressive."""

from typing import ClassVar

from events.envelope import ActionData
from events.fields import Round, Seat
from events.tables.event_types.progressive import Level


class CompleteDeal(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every player has two cards: Trilux and the progressive's fixed pays are settled, then play begins."""

    TYPE: ClassVar[str] = "deal.complete"


class ArmProgressive(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Register the round's progressive stakes, collect the chips; before a card is dealt."""

    TYPE: ClassVar[str] = "progressive.arm"


class DeclareHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Declare a progressive hand."""

    TYPE: ClassVar[str] = "hit.declare"
    box: Seat
    level: Level


class DeclareHitLate(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Declare a hit after its round: two people, and the cards."""

    TYPE: ClassVar[str] = "hit.declare_late"
    round: Round
    box: Seat
    level: Level
