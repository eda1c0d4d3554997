"""Requests and agreements: what one person asked for, and others agree to."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.approvals import ApprovalDeclined, ApprovalGiven, ApprovalLapsed, ApprovalRequested, ApprovalWithdrawn
from events.errors import Poison
from events.tables.actions.progressive import DeclareHitLate
from projections.engine.facts import Fact
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import ApprovalRequest
from projections.matters.text import json, pairs


class Requests(Part):
    """Requests of a progressive. `feeds` gives, by session and round, the progressive that a round of a table feeds."""

    def __init__(self, target: Target, feeds: Callable[[str, object], str | None]) -> None:
        self._target, self._feeds = target, feeds
        self._requests = Rows(target, ApprovalRequest)
        super().__init__(self._requests)

    def handlers(self) -> Mapping[Any, Handler]:
        return {
            ApprovalRequested: self._requested,
            ApprovalGiven: self._agreed,
            ApprovalDeclined: self._gone,
            ApprovalWithdrawn: self._gone,
            ApprovalLapsed: self._gone,
        }

    def _requested(self, fact: Fact, data: ApprovalRequested) -> None:
        """Of what is asked of a table, a late hit alone is a matter of its progressive."""
        stream = self._asked_of(fact, data)
        if stream is None:
            return
        key = f"{fact.stream}/{data.request}"
        self._requests.change(
            key,
            lambda: ApprovalRequest(
                id=key,
                stream=stream,
                session="" if stream == fact.stream else fact.stream,
                request=data.request,
                action=data.action,
                input=json(data.input),
                content=data.content,
                person=data.person,
                people=json([(data.person, role) for role in data.roles]),
                position=fact.position,
                until=data.until or "",
            ),
        )

    def _asked_of(self, fact: Fact, data: ApprovalRequested) -> str | None:
        if "/progressives/" in fact.stream:
            return fact.stream
        return self._feeds(fact.stream, data.input.get("round")) if data.action == DeclareHitLate.TYPE else None

    def _agreed(self, fact: Fact, data: ApprovalGiven) -> None:
        if (row := self._asked(fact, data.request)) is None:
            return
        row.people = json([*pairs(row.people), *((data.person, role) for role in data.roles)])
        row.spoken_at = json([*msgspec.json.decode(row.spoken_at), fact.position])
        if data.decided:
            row.decided_at, row.decided_by = fact.position, fact.event.causation or ""

    def _gone(self, fact: Fact, data: ApprovalDeclined | ApprovalWithdrawn | ApprovalLapsed) -> None:
        """Nobody can agree to it any more."""
        if (row := self._asked(fact, data.request)) is None:
            return
        row.ended = fact.type.split(".")[1]
        row.decided_at, row.ended_by = fact.position, getattr(data, "person", "")
        row.reason = data.why if isinstance(data, ApprovalLapsed) else data.reason

    def _asked(self, fact: Fact, request: str) -> ApprovalRequest | None:
        """The request, to be changed; None where it is no matter of a progressive."""
        key = f"{fact.stream}/{request}"
        if self._requests.get(key) is None:
            if "/progressives/" not in fact.stream:
                return None
            raise Poison(f"nobody asked {fact.stream} for {request!r:.80}")
        return self._requests.change(key, ApprovalRequest)

    def decided_by(self, fact: Fact) -> str:
        """The request that an event was decided by: the agreement stands in the same append, by the same key."""
        key = fact.event.causation
        if not key:
            return ""
        self._requests.flush()
        found = self._target.select(ApprovalRequest, "stream = %s AND decided_by = %s", [fact.stream, key])
        return found[0].request if found else ""
