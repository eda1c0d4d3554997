"""Requests of people, and their approvals."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import Poison
from events.people.approval_request_lifecycle import (
    ApprovalDeclined,
    ApprovalGiven,
    ApprovalLapsed,
    ApprovalRequested,
    ApprovalWithdrawn,
)
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.json_text_for_columns import json, pairs
from projections.matters.models import ApprovalRequest


class Requests(ProjectorPart):
    """Requests of every stream. `feeds` gives, by session and round, the progressive that a round of a table feeds."""

    def __init__(self, target: WriteTarget, feeds: Callable[[str, object], str | None]) -> None:
        self._target, self._feeds = target, feeds
        self._requests = RowCache(target, ApprovalRequest)
        super().__init__(self._requests)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            ApprovalRequested: self._requested,
            ApprovalGiven: self._agreed,
            ApprovalDeclined: self._gone,
            ApprovalWithdrawn: self._gone,
            ApprovalLapsed: self._gone,
        }

    def _requested(self, event: Event, data: ApprovalRequested) -> None:
        stream = self._asked_of(event, data)
        key = f"{event.stream}/{data.request}"
        self._requests.add(
            key,
            stream=stream,
            session="" if stream == event.stream else event.stream,
            request=data.request,
            action=data.action,
            input=json(data.input),
            content=data.content,
            person=data.person,
            people=json([(data.person, role) for role in data.roles]),
            position=event.position,
            until=data.until or "",
        )

    def _asked_of(self, event: Event, data: ApprovalRequested) -> str:
        """Return the stream that a request belongs to: the progressive for a late hit, otherwise the event's stream."""
        fed = self._feeds(event.stream, data.input.get("round")) if data.action == DeclareHitLate.TYPE else None
        return fed or event.stream

    def _agreed(self, event: Event, data: ApprovalGiven) -> None:
        row = self._request_row(event, data.request)
        row.people = json([*pairs(row.people), *((data.person, role) for role in data.roles)])
        row.spoken_at = json([*msgspec.json.decode(row.spoken_at), event.position])
        if data.decided:
            row.decided_at, row.decided_by = event.position, event.envelope.causation or ""

    def _gone(self, event: Event, data: ApprovalDeclined | ApprovalWithdrawn | ApprovalLapsed) -> None:
        """End a request: it can no longer be approved."""
        row = self._request_row(event, data.request)
        row.ended = event.type.split(".")[1]
        row.decided_at, row.ended_by = event.position, getattr(data, "person", "")
        row.reason = data.why if isinstance(data, ApprovalLapsed) else data.reason

    def _request_row(self, event: Event, request: str) -> ApprovalRequest:
        """The request, to be changed."""
        key = f"{event.stream}/{request}"
        if self._requests.get(key) is None:
            raise Poison(coded("stream-has-no", stream=event.stream, what="request", name=request))
        return self._requests.change(key, ApprovalRequest)

    def decided_by(self, event: Event) -> str:
        """Return the request that an event was decided by: the approval is in the same append, with the same key."""
        key = event.envelope.causation
        if not key:
            return ""
        self._requests.flush()
        requests = self._target.select(ApprovalRequest, "stream = %s AND decided_by = %s", [event.stream, key])
        return requests[0].request if requests else ""
