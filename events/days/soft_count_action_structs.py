"""Actions of the count room and of accounting, on a gaming day."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from events.envelope import ActionData
from events.fields import Amount, Count, Denomination, Id, Name, TableName, Text

Pieces = Annotated[dict[Denomination, Count], Meta(max_length=40)]


class BoxCount(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Content of a drop box: cash and chips by denomination, markers and vouchers by their amount."""

    table: TableName
    drop_box: Name
    cash: Pieces
    marker_minor: Amount = 0
    promotional_minor: Amount = 0
    chips: Pieces = msgspec.field(default_factory=dict)


class EnterCount(BoxCount, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first counter's figures of a drop box. No one sees them until the second's are in (WA 620)."""

    TYPE: ClassVar[str] = "count.enter"


class VerifyCount(BoxCount, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Another person's figures of the same box: where they are equal to the first ones, it is counted."""

    TYPE: ClassVar[str] = "count.verify"


class SettleCount(BoxCount, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The recount of a box, by two people, where the counters differed or a count was wrong."""

    TYPE: ClassVar[str] = "count.settle"


class ExplainDiscrepancy(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Explain a discrepancy. `discrepancy`: the id of its event."""

    TYPE: ClassVar[str] = "discrepancy.explain"
    discrepancy: Id
    reason: Text
