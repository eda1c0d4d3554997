"""A refused request names its sender as soon as the sender is known."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from backoffice.api.actions import Receiver
from backoffice.api.json_response import Response
from events.desk.command_and_answer_structs import Command, Reply
from events.envelope import Who
from events.errors import Busy
from events.streams.stream_kind_declaration import Target

DORA = Who(person="dora", roles=frozenset({"dealer"}))


class RefusingReceiver(Receiver):
    """Raises at one step; the answer is the person of the refusal."""

    def __init__(self, step: str) -> None:
        self.step = step

    def _reach(self, step: str) -> None:
        if step == self.step:
            raise Busy("too often")

    async def sender(self, headers: Mapping[str, str], source: str) -> Who:
        self._reach("sender")
        return DORA

    def admit(self, who: Who) -> None:
        self._reach("admit")

    async def body(self, who: Who, headers: Mapping[str, str], content: Any) -> bytes:
        self._reach("body")
        return b'{"type": "round.open", "key": "k1", "data": {}}'

    async def decide(self, command: Command) -> list[Reply]:
        self._reach("decide")
        return []

    def refusal(self, error: Exception, who: Who | None, target: Target, source: str, accepted: str) -> Response:
        assert isinstance(error, Busy)
        return Response(429, "text/plain", (who.person if who else "").encode(), {})


@pytest.mark.parametrize(
    ("step", "person"), [("sender", b""), ("admit", b"dora"), ("body", b"dora"), ("decide", b"dora")]
)
def test_a_refusal_names_the_sender_if_it_is_known(step: str, person: bytes) -> None:
    response = asyncio.run(RefusingReceiver(step).respond(Target("tables", "FR1"), {}, None, "192.0.2.1"))
    assert response.body == person
