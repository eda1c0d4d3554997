"""What accounting is told: changes of parameters, corrected meters."""

from collections.abc import Mapping
from typing import Any

from events.errors import Poison
from events.progressives import types as said
from events.roles import DEPARTMENT
from projections.engine.facts import Fact
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import Notice
from projections.matters.requests import Requests
from projections.matters.text import json


class Notices(Part):
    """Notices, until somebody of accounting has read them."""

    def __init__(self, target: Target, requests: Requests) -> None:
        self._target, self._requests = target, requests
        self._notices = Rows(target, Notice)
        super().__init__(self._notices)

    def handlers(self) -> Mapping[Any, Handler]:
        return {said.NoticeAcknowledged: self._acknowledged}

    def note(self, fact: Fact, data: said.ParametersChanged | said.MeterAdjusted, changes: Any, **what: Any) -> None:
        """`changes` are (name, before, after)."""
        told = next((name for name, role in data.approvals if DEPARTMENT.get(role) == "accounting"), "")
        request = self._requests.decided_by(fact)
        self._notices.change(
            fact.id,
            lambda: Notice(
                id=fact.id,
                stream=fact.stream,
                level=data.level,
                position=fact.position,
                people=json(data.approvals),
                request=request,
                told=told,
                changes=json(changes),
                **what,
            ),
        )

    def _acknowledged(self, fact: Fact, data: said.NoticeAcknowledged) -> None:
        self._notices.flush()
        found = self._notices.adopt(
            self._target.select(Notice, "stream = %s AND position = %s", [fact.stream, data.change])
        )
        if not found:
            raise Poison(f"{fact.stream} changed nothing at {data.change}")
        row = self._notices.change(found[0].id, Notice)
        row.read_at, row.read_by = fact.position, fact.event.actor
