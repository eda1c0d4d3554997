"""A second person at a screen: agrees on a phone, under a code that the screen shows, or by a one-time code.

The screen asks with the exact action. It is carried out as the act of the second person, with a fresh second factor of
theirs. The deciders check their authority.
"""

import secrets
import time
from datetime import timedelta
from typing import Any

import msgspec
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from backoffice.access.refusal_log_writer import access_log
from backoffice.forms.request_and_action_wording import SummaryLine, action_lines
from backoffice.installation.dependency_injection import installation
from backoffice.models import BadgeSession, Person, SecondRequest, TableDevice
from backoffice.people import signed_in_person_action_sender
from backoffice.table_screen import action_sending_to_front_door, device_authentication
from backoffice.table_screen.action_sending_to_front_door import DevicePerson
from backoffice.table_screen.queued_entry_structs_and_chain import EntryAction
from backoffice.wording.stream_currencies import currency_at
from events import catalogue
from events.desk.command_and_answer_structs import Answer
from events.envelope import Action
from events.error_codes import coded
from events.errors import Busy, Conflict, Forbidden, Invalid, Unknown
from events.people import authority
from events.people.approval_request_lifecycle import ApprovalRequested
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

VALID_FOR = timedelta(minutes=5)
LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # none looks like another
CODE_LENGTH = 8
TRIES, TRIES_WITHIN_S = 5, 300
KINDS = ("tables", "progressives")


class SecondQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The action for a second person; `name`: the progressive, where it goes there."""

    session: str
    action: EntryAction
    kind: str = "tables"
    name: str = ""


class OneTimeCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second person at the screen, with the code of the own authenticator app."""

    person: str
    one_time_code: str


def ask(device: TableDevice, session: BadgeSession, question: SecondQuestion) -> tuple[SecondRequest, str]:
    """Return a request for a second person and its code. Raises Invalid for an action that needs none."""
    if question.kind not in KINDS:
        raise Invalid("kind", coded("one-of-these", known=list(KINDS)))
    if not authority.needs_factor(question.action.type):
        raise Invalid("action", coded("second-person-not-needed", action=question.action.type))
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    now = timezone.now()
    SecondRequest.objects.filter(ends_at__lt=now - VALID_FOR).delete()
    request = SecondRequest.objects.create(
        id=secrets.token_hex(8),
        code=device_authentication.digest_of(code),
        device=device,
        table=device.table,
        by=session.person,
        action=msgspec.json.encode(question).decode(),
        made_at=now,
        ends_at=now + VALID_FOR,
    )
    return request, code


def of_code(code: str) -> SecondRequest:
    """Return the open request under a code. Raises Unknown."""
    rows = SecondRequest.objects.filter(
        code=device_authentication.digest_of(code.strip().upper()), ends_at__gt=timezone.now()
    )
    request = rows.select_related("device").first()
    if request is None:
        raise Unknown(coded("second-code-unknown"))
    return request


def question_of(request: SecondRequest) -> SecondQuestion:
    """Return the question of a request."""
    return msgspec.json.decode(request.action, type=SecondQuestion)


def target_of(request: SecondRequest) -> Target:
    """Return the stream that the action goes to."""
    question = question_of(request)
    return Target(question.kind, request.table if question.kind == "tables" else question.name)


def action_of(request: SecondRequest) -> Action:
    """Return the action of a request; its key is the request's, so that nothing is done twice."""
    action = question_of(request).action
    return Action(
        type=action.type, key=f"second:{request.pk}", round=action.round, corrects=action.corrects, data=action.data
    )


def confirm(http: HttpRequest, request: SecondRequest) -> dict[str, Any]:
    """Carry out the action as the act of the person who is signed in with a fresh second factor; return the desk's
    reply.
    """
    _require_open(request)
    reply = signed_in_person_action_sender.send(http, target_of(request), action_of(request))
    content: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(reply))
    if isinstance(reply, Answer) or (isinstance(reply, Problem) and reply.status in (409, 422)):
        _store_reply(request, signed_in_person_action_sender.person_of(http) or "", content)
    return content


def confirm_by_code(request: SecondRequest, one_time_code: OneTimeCode) -> dict[str, Any]:
    """Carry out the action as the act of the person whose one-time code this is. Raises Forbidden, Busy, Conflict."""
    _require_open(request)
    _require_code(request, one_time_code)
    who = DevicePerson(one_time_code.person, request.device_id, request.table, factor_at=time.time())
    answer = action_sending_to_front_door.send(who, target_of(request), (action_of(request),), "each")
    if answer.is_final:
        _store_reply(request, one_time_code.person, answer.replies[0])
    return answer.replies[0]


def _require_open(request: SecondRequest) -> None:
    if request.answer:
        raise Conflict(coded("second-request-answered"))
    if request.ends_at <= timezone.now():
        raise Conflict(coded("second-request-old"))
    device_authentication.require_active(request.device)


def _require_code(request: SecondRequest, one_time_code: OneTimeCode) -> None:
    """Raise Busy after several wrong codes of a person, Forbidden for a wrong one."""
    slots = [f"second:{one_time_code.person}:{number}" for number in range(TRIES)]
    slot = next((slot for slot in slots if cache.add(slot, 1, timeout=TRIES_WITHIN_S)), None)
    if slot is None:
        raise Busy(coded("one-time-codes-wrong", minutes=TRIES_WITHIN_S // 60))
    person = Person.objects.filter(pk=one_time_code.person, is_active=True, turns_keys=True).first()
    app = Authenticator.objects.filter(user=person, type=Authenticator.Type.TOTP).first() if person else None
    if app is None or not totp.TOTP(app).validate_code(one_time_code.one_time_code.strip()):
        known_person = one_time_code.person if person is not None else ""
        what = f"second person at table {request.table}"
        installation().part(access_log).refused(known_person, request.device_id, what, "403 wrong code")
        raise Forbidden(coded("one-time-code-wrong"))
    cache.delete(slot)


def _store_reply(request: SecondRequest, person: str, reply: dict[str, Any]) -> None:
    request.answer, request.answered_by = msgspec.json.encode(reply).decode(), person
    SecondRequest.objects.filter(pk=request.pk, answer="").update(answer=request.answer, answered_by=person)


class ContentShown(msgspec.Struct, frozen=True):
    """The content for a second person: an action, its lines, and who asked. `answer`: "" where it is the action
    itself, else the type of the answer to a request for it."""

    action: str
    lines: tuple[SummaryLine, ...]
    by: str
    answer: str = ""


def content_of(request: SecondRequest) -> ContentShown:
    """Return the exact content of a request; of an approval, that of the request which it approves. Raises Unknown."""
    action = question_of(request).action
    data = msgspec.json.decode(action.data)
    currency = currency_at(f"{question_of(request).kind}/{target_of(request).name}")
    if action.type not in authority.ANSWERS:
        return ContentShown(action.type, action_lines(action.type, data, currency), request.by)
    requested = _requested(str(data.get("request", "")))
    if "content" in data and requested.content != data["content"]:
        raise Unknown(coded("second-request-differs"))
    return ContentShown(
        requested.action, action_lines(requested.action, requested.input, currency), requested.person, action.type
    )


def _requested(key: str) -> ApprovalRequested:
    store = installation().store
    place = store.keys([key]).get(key) if key else None
    events = store.stream(place.stream, after=place.first - 1, limit=place.count) if place else []
    for stored in events:
        data = catalogue.decode(stored.type, stored.raw).data
        if isinstance(data, ApprovalRequested):
            return data
    raise Unknown(coded("second-request-unknown"))
