"""Hits that no one declared, for people to check, and payments of the house outside the meters, which clear them."""

from collections.abc import Mapping
from typing import Any

from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.json_text_for_columns import json
from projections.matters.models import HousePayment, MissedHit


class MissedHits(ProjectorPart):
    """Cards that make a hit, and no one declared it."""

    def __init__(self, target: WriteTarget) -> None:
        self._missed = RowCache(target, MissedHit)
        super().__init__(self._missed)

    def note(self, event: Event, data: IrregularityRecorded, stream: str, level: str, shown_minor: int | None) -> None:
        """Note a missed hit, for people to check."""
        key = missed_id(event.stream, data.round, data.box)
        self._missed.add(
            key,
            stream=stream,
            session=event.stream,
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round or 0,
            box=data.box or 0,
            player=data.player or "",
            level=level,
            shown_minor=shown_minor,
            position=event.position,
        )

    def clear(self, key: str, why: str, at: int) -> None:
        """Clear a missed hit."""
        row = self._missed.get(key)
        if row is not None and row.cleared_at is None:
            row = self._missed.change(key, MissedHit)
            row.cleared_at, row.cleared_by = at, why


def missed_id(session: str, round_: int | None, box: int | None) -> str:
    """SESSION#ROUND/BOX."""
    return f"{session}#{round_}/{box}"


class HousePayments(ProjectorPart):
    """Payments of the house by a slip of its own; such a payment clears a missed hit."""

    def __init__(self, target: WriteTarget, missed: MissedHits) -> None:
        self._payments, self._missed = RowCache(target, HousePayment), missed
        super().__init__(self._payments)

    def handlers(self) -> Mapping[Any, Handler]:
        return {event_types.HousePaid: self._house_paid, event_types.HouseVoided: self._house_voided}

    def _house_paid(self, event: Event, data: event_types.HousePaid) -> None:
        slip = f"{data.slip_year}-{data.slip}"
        key = f"{event.stream}/{slip}"
        self._payments.add(
            key,
            stream=event.stream,
            level=data.level,
            hit=data.hit or "",
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round,
            box=data.box,
            player=data.player,
            amount_minor=data.amount_minor,
            slip=slip,
            paid_gaming_day=data.paid_gaming_day,
            tender=data.tender,
            reason=data.reason,
            people=json(data.approvals),
            position=event.position,
        )
        session = f"{event.envelope.source}/tables/{data.table}/{data.gaming_day}"
        self._missed.clear(missed_id(session, data.round, data.box), "paid by the house", event.position)

    def _house_voided(self, event: Event, data: event_types.HouseVoided) -> None:
        key = f"{event.stream}/{data.slip_year}-{data.slip}"
        if self._payments.get(key) is None:
            raise Poison(coded("stream-has-no", stream=event.stream, what="slip", name=f"{data.slip_year}-{data.slip}"))
        row = self._payments.change(key, HousePayment)
        row.void_at, row.void_reason = event.position, data.reason
