"""Actions of people at a screen, on their way to the desk.

They come to it like those of the pages, with a pass that names the person, the device and its table.
"""

from http import HTTPStatus
from typing import Any, Literal

import msgspec

from backoffice.http import signed_person_passes
from backoffice.http.http_client_to_door import DoorAnswer
from backoffice.installation.dependency_injection import installation
from backoffice.people.signed_in_person_action_sender import ATTEMPTS, address, door
from events.envelope import Action
from events.errors import Retry
from events.streams.problem_details import problem_of
from events.streams.stream_kind_declaration import Target

PASSING = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE})
_SILENT = "The house does not answer. Send it again, nothing is done twice."


class DevicePerson(msgspec.Struct, frozen=True):
    """A person who acts at a device. `factor_at`: when they showed a second factor (None: a badge is all there is)."""

    person: str
    device: str
    table: str
    factor_at: float | None = None


class DeskAnswer(msgspec.Struct, frozen=True):
    """The desk's answer: one reply for each action. `is_final`: the same again would have the same answer."""

    status: int
    position: int
    replies: list[dict[str, Any]]
    is_final: bool = True


def send(who: DevicePerson, target: Target, actions: tuple[Action, ...], mode: Literal["atomic", "each"]) -> DeskAnswer:
    """Return the desk's answer to actions of a person at a screen."""
    pass_text = signed_person_passes.to_act(who.person, who.factor_at, device=who.device, table=who.table)
    headers = {"Authorization": f"{signed_person_passes.SCHEME} {pass_text}"}
    body = msgspec.json.encode({"mode": mode, "actions": actions})
    for _attempt in range(ATTEMPTS):
        try:
            response = installation().part(door).post(address(target), content=body, headers=headers)
        except TimeoutError:
            break
        except ConnectionError:
            continue
        return _answer(response)
    return _no_answer()


def _answer(response: DoorAnswer) -> DeskAnswer:
    try:
        content = msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        return _no_answer()
    if response.status_code == HTTPStatus.OK:
        replies = content["answers"]
        passing = any(reply.get("status") in PASSING for reply in replies)
        return DeskAnswer(200, content["position"], replies, is_final=not passing)
    return DeskAnswer(response.status_code, 0, [content], is_final=response.status_code not in PASSING)


def _no_answer() -> DeskAnswer:
    problem = problem_of(Retry(_SILENT))
    return DeskAnswer(problem.status, 0, [msgspec.to_builtins(problem)], is_final=False)
