"""Actions of signed-in people: the person, the age of their second factor, and the way to the desk.

The pages have no desk. They post each action to the door, with a pass that names the person and the time of their
second factor. The door's refusals come back unchanged.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from urllib.parse import quote, urlencode

import msgspec
from allauth.account.internal.flows.login import get_authentication_records  # the only way to when it was
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from backoffice.http import signed_person_passes
from backoffice.http.http_client_to_door import DoorAnswer, DoorClient
from backoffice.http.read_cache_within_one_answer import is_caching
from backoffice.installation.dependency_injection import Installation, installation
from backoffice.models import Person
from events import catalogue
from events.desk.command_and_answer_structs import Answer, Checked, Reply, Unwritten
from events.envelope import Action
from events.error_codes import coded
from events.errors import Retry
from events.people import authority
from events.settings.settings_from_environment import settings
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem, problem_about, problem_of
from events.streams.stream_kind_declaration import Target

ATTEMPTS = 2  # a connection may have been closed while no one used it; the action's key makes again safe
WITHIN_S = 25.0  # longer than the door waits for its desk


def person_of(request: HttpRequest) -> str | None:
    """The id of a person who is signed in; None: no one."""
    user: Person | AnonymousUser = request.user
    return str(user.pk) if user.is_authenticated else None


def factor_at(request: HttpRequest) -> float | None:
    """Return the time of the last second factor in this session (a passkey counts as one); None: never."""
    times = [record["at"] for record in get_authentication_records(request, request.user) if record["method"] == "mfa"]
    return float(times[-1]) if times else None


def factor_age(request: HttpRequest) -> int | None:
    """Return the age of the second factor in seconds; None without one."""
    moment = factor_at(request)
    return None if moment is None else signed_person_passes.age_s(moment)


def is_fresh(request: HttpRequest) -> bool:
    """Return whether the second factor is fresh enough for actions that move money or admit people."""
    age = factor_age(request)
    return age is not None and age <= settings().fresh_s


def lets_turn_keys(request: HttpRequest) -> bool:
    """Return whether two people approved this login: else its second factor proves only one person's word."""
    user: Person | AnonymousUser = request.user
    return isinstance(user, Person) and user.turns_keys


@contextmanager
def door(house: Installation) -> Iterator[DoorClient]:
    """The way to the web process, which takes actions."""
    with closing(DoorClient(house.settings.web_at, house.settings.web_port, WITHIN_S)) as client:
        yield client


def send(request: HttpRequest, target: Target, action: Action) -> Reply:
    """Return the desk's reply to an action of the signed-in person; a Problem for a refusal.

    `action.key` is the form's own: the same key gets the first answer again. Raises RuntimeError within `cache_reads`.
    """
    if is_caching():
        raise RuntimeError("an answer that sends an action reads its result: it has no read cache")
    person = person_of(request)
    if person is None:
        return problem_about(HTTPStatus.UNAUTHORIZED, "Not signed in", coded("sign-in-needed"), action.key)
    if authority.needs_factor(action.type) and not lets_turn_keys(request):
        return problem_about(HTTPStatus.FORBIDDEN, "Let in by one", coded("login-let-in-by-one"), action.key)
    headers = {
        "Authorization": f"{signed_person_passes.SCHEME} {signed_person_passes.to_act(person, factor_at(request))}"
    }
    body = msgspec.json.encode(action)
    for _attempt in range(ATTEMPTS):
        try:
            return _reply(installation().part(door).post(address(target), content=body, headers=headers))
        except TimeoutError:
            break
        except ConnectionError:
            continue
    return problem_of(Retry(coded("web-process-silent")), action.key)


def address(target: Target) -> str:
    """Return the address for actions of this stream."""
    path = stream_kind_declaration.kind_by_name(target.kind).address.format(name=quote(target.name, safe=""))
    query = urlencode({"gaming_day": target.gaming_day}) if target.gaming_day else ""
    return f"/api/v1{path}" + (f"?{query}" if query else "")


def _reply(response: DoorAnswer) -> Reply:
    if response.status_code != HTTPStatus.OK:
        return _problem(response)
    body = msgspec.json.decode(response.content)
    return _checked(body) if body.get("written") is False else msgspec.json.decode(response.content, type=Answer)


def _problem(response: DoorAnswer) -> Problem:
    try:
        return msgspec.json.decode(response.content, type=Problem)
    except msgspec.DecodeError:
        return problem_of(Retry(coded("web-process-silent")))


def _checked(body: dict[str, object]) -> Checked:
    """Return the result of a check; the data of each event is decoded by its type."""
    raw = msgspec.convert(body, _CheckedAction)
    return Checked(raw.key, [_unwritten_event(event) for event in raw.events])


def _unwritten_event(event: dict[str, object]) -> Unwritten:
    shape = catalogue.event_types()[str(event["type"])]
    event_checked = msgspec.convert(event, Unwritten)
    return msgspec.structs.replace(event_checked, data=msgspec.convert(event["data"], shape, str_keys=True))


class _CheckedAction(msgspec.Struct, frozen=True):
    key: str
    events: list[dict[str, object]]
