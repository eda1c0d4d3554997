"""Signed-in people act by tokens that the pages make: at the real door, with the second factor named in the token."""

import time
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from django.http import HttpRequest
from django.test import RequestFactory

from backoffice.http import signed_person_passes
from backoffice.http.http_client_to_door import DoorClient
from backoffice.installation.dependency_injection import installation
from backoffice.models import Person
from backoffice.people import signed_in_person_action_sender
from backoffice.people.session_store import SessionStore
from backoffice.people.signed_in_person_action_sender import WITHIN_S
from events.desk.command_and_answer_structs import Answer, Checked
from events.envelope import Action
from events.people.approval_request_lifecycle import ApprovalRequested
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.integration.door.conftest import DoorResponse as HttpAnswer
from tests.integration.door.conftest import ask, badge_of
from tests.servers.ports import LOOPBACK
from tests.support.pages.sign_in import session_of
from tests.support.processes.web_process import DoorProcess

BLAZING = Target("progressives", "blazing")
OLD_S = 3_600


def change(key: str, cap: int, intent: Any = "ask") -> Action:
    data = msgspec.Raw(msgspec.json.encode({"level": "mega", "cap_minor": cap}))
    return Action(type="parameters.change", key=key, intent=intent, data=data)


def give(request: dict[str, Any], key: str) -> Action:
    fields = {"request": request["request"], "content": request["content"]}
    return Action(type="approval.give", key=key, data=msgspec.Raw(msgspec.json.encode(fields)))


def post(door: DoorProcess, action: Action, credential: str, **headers: str) -> HttpAnswer:
    path = signed_in_person_action_sender.address(BLAZING)
    return ask(door.port, "POST", path, body=msgspec.json.encode(action), **{"Authorization": credential} | headers)


def a_pass(person: str, factor_s: float | None = 0, secret: str | None = None) -> str:
    shown = None if factor_s is None else time.time() - factor_s
    return f"{signed_person_passes.SCHEME} {signed_person_passes.to_act(person, shown, secret)}"


def status_and_title(answer: HttpAnswer) -> tuple[int, str]:
    return answer.status, answer.json.get("title", "")


def test_a_badge_asks_and_a_fresh_factor_agrees(door: DoorProcess) -> None:
    answer = post(door, change("bare-1", 9_000_001), f"Bearer {badge_of('paul')}")
    request = answer.json["events"][0]["event"]["data"]
    assert "roles" not in request or request["roles"] == []
    for number, credential in enumerate((f"Bearer {badge_of('ines')}", *_not_fresh())):
        assert status_and_title(post(door, give(request, f"bare-{number}-no"), credential)) == (403, "Second factor")
    first = post(door, give(request, "bare-2"), a_pass("anna"))
    assert [event["event"]["type"] for event in first.json["events"]] == ["approval.given.v1"]
    last = post(door, give(request, "bare-3"), a_pass("paul", factor_s=500))
    assert [event["event"]["type"] for event in last.json["events"]] == ["approval.given.v1", "parameters.changed.v1"]


def _not_fresh() -> tuple[str, ...]:
    """The last one by a clock that was set back since."""
    return tuple(a_pass("anna", factor_s=age) for age in (None, OLD_S, -OLD_S))


def test_a_pass_that_is_forged_or_old_or_of_nobody_is_none(door: DoorProcess) -> None:
    genuine = a_pass("anna")
    forged = (a_pass("anna", secret="another house's"), genuine[:-1] + ("a" if genuine[-1] != "a" else "b"))
    waiting = f"{signed_person_passes.SCHEME} {signed_person_passes.issued('anna')}"  # for another purpose
    for credential in (*forged, waiting, f"{signed_person_passes.SCHEME} ", f"{signed_person_passes.SCHEME} x:y:z"):
        assert post(door, change("forged", 9_000_002), credential).status == 401
    assert post(door, change("forged", 9_000_002), genuine).status == 200


def test_a_pass_is_good_for_half_a_minute(door: DoorProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, status in ((signed_person_passes.ACT_WITHIN_S + 2, 401), (signed_person_passes.ACT_WITHIN_S - 10, 200)):
        at = time.time() - age
        with monkeypatch.context() as earlier:
            earlier.setattr("django.core.signing.time", SimpleNamespace(time=lambda at=at: at))
            shown = a_pass("anna")
        assert post(door, change(f"aged-{age}", 9_000_003 + age), shown).status == status


def test_who_is_in_no_role_for_it_has_no_more_by_a_pass(door: DoorProcess) -> None:
    for person in ("dora", "nobody"):
        assert status_and_title(post(door, change(f"of-{person}", 9_000_004), a_pass(person))) == (403, "Not permitted")


def test_passes_count_with_the_badge_of_the_same_person(door: DoorProcess) -> None:
    many = msgspec.json.encode({"mode": "each", "actions": [change(f"many-{n}", 9_000_005) for n in range(200)]})
    assert (
        ask(
            door.port, "POST", signed_in_person_action_sender.address(BLAZING), body=many, Authorization=a_pass("mark")
        ).status
        == 200
    )
    assert post(door, change("one-more", 9_000_006), a_pass("mark")).status == 429


# --- from a session ---------------------------------------------------------------------------------------------------


@pytest.fixture
def at_the_door(door: DoorProcess) -> Iterator[None]:
    """This process is one of the house's."""
    way = DoorClient(LOOPBACK, door.port, WITHIN_S)
    with closing(way), installation().replaced(signed_in_person_action_sender.door, way):
        yield


def signed_in(person: str) -> HttpRequest:
    request = RequestFactory().get("/")
    request.session = SessionStore(session_of(person))
    request.user = Person.objects.get(pk=person)
    return request


@pytest.mark.django_db
@pytest.mark.usefixtures("at_the_door")
def test_who_is_signed_in_asks_and_agrees_and_a_form_sent_twice_does_it_once() -> None:
    sven, anna = signed_in("sven"), signed_in("anna")
    request = signed_in_person_action_sender.send(sven, BLAZING, change("form-1", 9_000_010))
    assert isinstance(request, Answer), request
    again = signed_in_person_action_sender.send(sven, BLAZING, change("form-1", 9_000_010))
    assert isinstance(again, Answer)
    assert (again.repeated, again.position) == (True, request.position)
    agree = give(msgspec.json.decode(request.events[0].event)["data"], "form-2")
    done = signed_in_person_action_sender.send(anna, BLAZING, agree)
    assert isinstance(done, Answer), done
    assert len(done.events) == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("at_the_door")
def test_what_is_asked_only_to_see_comes_back_as_the_events_that_would_be() -> None:
    sven = signed_in("sven")
    request = signed_in_person_action_sender.send(sven, BLAZING, change("see-1", 9_000_020, "check"))
    assert isinstance(request, Checked), request
    [would] = request.events
    assert isinstance(would.data, ApprovalRequested)
    assert (would.data.action, bool(would.data.roles)) == ("parameters.change", True)


@pytest.mark.django_db
@pytest.mark.usefixtures("at_the_door")
def test_what_the_desk_refuses_comes_back_as_it_is_and_an_old_factor_is_said_so() -> None:
    anna = signed_in("anna")
    no = signed_in_person_action_sender.send(anna, BLAZING, change("no-1", -1))
    assert isinstance(no, Problem)
    assert no.field is not None, no
    shown = anna.session[AUTHENTICATION_METHODS_SESSION_KEY]
    anna.session[AUTHENTICATION_METHODS_SESSION_KEY] = [{**method, "at": method["at"] - OLD_S} for method in shown]
    pay = Action(type="approval.give", key="no-2", data=msgspec.Raw(b'{"request":"x","content":"' + b"0" * 64 + b'"}'))
    old = signed_in_person_action_sender.send(anna, BLAZING, pay)
    assert isinstance(old, Problem)
    assert (old.status, old.title) == (403, "Second factor")
    assert "Show it again" in old.detail


@pytest.mark.django_db
@pytest.mark.usefixtures("at_the_door")
def test_a_sessions_cookie_posted_to_the_door_is_no_credential(door: DoorProcess, settings: Any) -> None:
    cookie = f"{settings.SESSION_COOKIE_NAME}={session_of('anna')}"
    body = msgspec.json.encode(change("cookie", 9_000_030))
    assert (
        ask(door.port, "POST", signed_in_person_action_sender.address(BLAZING), body=body, Cookie=cookie).status == 401
    )


@pytest.mark.django_db
def test_without_the_door_a_form_is_told_to_try_again() -> None:
    sven = signed_in("sven")
    way = DoorClient(LOOPBACK, 1, WITHIN_S)
    with closing(way), installation().replaced(signed_in_person_action_sender.door, way):
        problem = signed_in_person_action_sender.send(sven, BLAZING, change("gone", 9_000_040))
    assert isinstance(problem, Problem)
    assert (problem.status, problem.key) == (503, "gone")
