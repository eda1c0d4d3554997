"""Notices to accounting: changes of parameters, corrected meters."""

from collections.abc import Mapping
from typing import Any

from events.error_codes import coded
from events.errors import Poison
from events.progressives import event_types
from events.roles import DEPARTMENT
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.approval_requests import Requests
from projections.matters.json_text_for_columns import json
from projections.matters.models import Notice


class Notices(ProjectorPart):
    """Notices, until a person of accounting has read them."""

    def __init__(self, target: WriteTarget, requests: Requests) -> None:
        self._target, self._requests = target, requests
        self._notices = RowCache(target, Notice)
        super().__init__(self._notices)

    def handlers(self) -> Mapping[Any, Handler]:
        return {event_types.NoticeAcknowledged: self._acknowledged}

    def note(
        self,
        event: Event,
        data: event_types.ParametersChanged | event_types.MeterAdjusted,
        changes: Any,
        **columns: Any,
    ) -> None:
        """Store a notice; `changes` are (name, before, after)."""
        notified = next((name for name, role in data.approvals if DEPARTMENT.get(role) == "accounting"), "")
        request = self._requests.decided_by(event)
        self._notices.add(
            event.id,
            stream=event.stream,
            level=data.level,
            position=event.position,
            people=json(data.approvals),
            request=request,
            accounting_person=notified,
            changes=json(changes),
            **columns,
        )

    def _acknowledged(self, event: Event, data: event_types.NoticeAcknowledged) -> None:
        self._notices.flush()
        notices = self._notices.adopt(
            self._target.select(Notice, "stream = %s AND position = %s", [event.stream, data.change])
        )
        if not notices:
            raise Poison(coded("stream-has-no", stream=event.stream, what="change", name=str(data.change)))
        row = self._notices.change(notices[0].id, Notice)
        row.read_at, row.read_by = event.position, event.envelope.actor
