"""Requests of devices at a table: pairing, badges, state and queue. Each view authenticates its own sender."""

from collections.abc import Sequence
from http import HTTPStatus

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from backoffice.access.refusal_log_writer import access_log
from backoffice.installation.dependency_injection import installation
from backoffice.kit import response_builders
from backoffice.models import BadgeSession, TableDevice
from backoffice.people import badge_and_key_authentication, staff_list_and_name_lookup
from backoffice.table_screen import (
    badge_sessions,
    device_authentication,
    held_entry_acceptance_and_rejection,
    pairing,
    pen_of_last_recording_device,
    reader_entry_checks_and_completion,
    received_entry_processing,
    screen_people_queue_and_layout,
)
from backoffice.table_screen.held_entry_acceptance_and_rejection import EntryDecision
from backoffice.table_screen.json_bodies_and_refusals import answered, body_of, broken
from backoffice.table_screen.queued_entry_structs_and_chain import ChainBreak, SessionName, SignedEntry
from backoffice.table_screen.screen_people_queue_and_layout import ScreenState
from events.error_codes import coded
from events.errors import Forbidden, Invalid, Unknown

ENTRIES_MAX = 200  # in one request
GROUPED = "group_refusals"
STATE_QUERY = "pitledger-state-query"  # header for the door: it adds a line with the state, by this query


class PairingState(msgspec.Struct, frozen=True):
    """How far a pairing is; `nonce` is that of the house. `digits` are shown on both sides, once the device has shown
    its own nonce."""

    pairing: str
    nonce: str
    digits: str
    state: str
    device: str
    table: str
    use: str


class BadgeScan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A badge at the screen. `relief`: the relief without signal that it confirms."""

    badge: str
    role: str
    relief: SessionName = ""


class SessionBegun(msgspec.Struct, frozen=True):
    """The person at the screen from now on."""

    session: str
    person: str
    role: str
    name: str


class SessionsEnded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sessions to end; none named: all of this screen, which locks it."""

    sessions: tuple[str, ...] = ()


class QueueRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Entries in order. `sent`: the device's clock now.

    `take_pen`: they are sent although another device recorded meanwhile. `with_state`: the answer has the state of the
    screen. `group_refusals`: the state has `place_refusals` in place of `refused_places`. `state_after`: the state
    comes in a second line, after the answers.
    """

    entries: tuple[SignedEntry, ...]
    sent: str | None = None
    take_pen: bool = False
    with_state: bool = True
    group_refusals: bool = False
    state_after: bool = False


class QueueAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer for each entry, and the end of the device's queue; the state of the screen where a person is at it."""

    answers: list[received_entry_processing.QueueAnswer]
    last_seq: int
    last_digest: str
    state: ScreenState | None = None


@csrf_exempt  # the proof in the body is the authority: no cookie counts here
@require_POST
@answered
def pair(request: HttpRequest) -> HttpResponse:
    """Take a device's key under the code that it scanned."""
    pairing_request = body_of(request, pairing.PairingRequest)
    response = HttpResponse(content_type="application/json")
    device = pairing.answer(pairing_request, device_authentication.set_credential(request, response))
    response.content = msgspec.json.encode(_pairing(device))
    return response


class PairingNonce(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The nonce to which a device has committed."""

    nonce: str


@csrf_exempt  # the nonce to which the device has committed is the authority, beside its cookie
@require_http_methods(["GET", "POST"])
@answered
def pairing_state(request: HttpRequest, pairing_id: str) -> HttpResponse:
    """Answer the device that waits, and no other one; take the nonce of its commitment."""
    credential = device_authentication.credential_of(request)
    device = TableDevice.objects.filter(pk=pairing_id, cookie=credential).first() if credential else None
    if device is None:
        raise Unknown(coded("pairing-unknown"))
    if request.method == "POST":
        device = pairing.reveal(device, body_of(request, PairingNonce).nonce)
    return response_builders.json(_pairing(device))


def _pairing(device: TableDevice) -> PairingState:
    state = pairing.state_of(device)
    return PairingState(device.pk, device.house_nonce, device.digits, state, device.pk, device.table, device.use)


@require_http_methods(["POST", "DELETE"])
@answered
def session(request: HttpRequest, name: str) -> HttpResponse:
    """Exchange a badge for a session, or end sessions of this screen."""
    device = device_authentication.device_of(request, name)
    if request.method == "DELETE":
        ended = body_of(request, SessionsEnded) if request.body else SessionsEnded()
        badge_sessions.end_sessions(device, *ended.sessions)
        response = HttpResponse(status=HTTPStatus.NO_CONTENT)
        if not badge_sessions.present(request, device):
            badge_sessions.forget(response)
        return response
    device_authentication.require_active(device)
    if device.use in reader_entry_checks_and_completion.ACTIONS:
        raise Forbidden(coded("reader-takes-no-badge"))
    scan = body_of(request, BadgeScan)
    try:
        badge_session, secret = badge_sessions.begin(request, device, scan.badge, scan.role, scan.relief)
    except badge_and_key_authentication.NotAuthenticated:
        installation().part(access_log).refused("", device.pk, f"badge at table {name}", "401 unknown badge")
        raise
    received_entry_processing.delete_old(device.table)
    if badge_session.relief:
        received_entry_processing.verify_relief(device, badge_session.relief, badge_session.person)
    called = staff_list_and_name_lookup.names().get(badge_session.person, "")
    response = response_builders.json(SessionBegun(badge_session.id, badge_session.person, badge_session.role, called))
    badge_sessions.set_session_cookie(request, response, secret)
    return response


@require_GET
@answered
def state(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with all that the screen shows."""
    device = device_authentication.device_of(request, name)
    sessions = badge_sessions.present(request, device)
    return response_builders.json(_state(request, device, sessions, is_grouped=GROUPED in request.GET))


@require_POST
@answered
def queue(request: HttpRequest, name: str) -> HttpResponseBase:
    """Take entries of the device's queue."""
    device, sessions = badge_sessions.device_and_present(request, name)
    queue_request = body_of(request, QueueRequest)
    if not 1 <= len(queue_request.entries) <= ENTRIES_MAX:
        raise Invalid("entries", coded("queue-entries-count", most=ENTRIES_MAX))
    if not queue_request.take_pen:
        pen_of_last_recording_device.require(
            device, queue_request.entries, received_entry_processing.clock_of(device, queue_request.sent)
        )
    return _answer_entries(device, sessions, queue_request, request)


def _answer_entries(
    device: TableDevice, sessions: list[BadgeSession], queue_request: QueueRequest, request: HttpRequest | None
) -> HttpResponseBase:
    """Answer entries; `request`: of a screen, which gets its state as well."""
    device_clock = received_entry_processing.clock_of(device, queue_request.sent)
    try:
        replies = received_entry_processing.receive(device, sessions, queue_request.entries, device_clock)
    except ChainBreak as error:
        what = f"queue of table {device.table}"
        installation().part(access_log).refused("", device.pk, what, f"409 {error}")
        return response_builders.problem(broken(error))
    answers = QueueAnswers(answers=replies, last_seq=device.last_seq, last_digest=device.last_digest)
    if request is None or not sessions or not queue_request.with_state:
        return response_builders.json(answers)
    if queue_request.state_after:
        response = response_builders.json(answers)
        response.headers[STATE_QUERY] = f"{GROUPED}=true" if queue_request.group_refusals else ""
        return response
    screen_state = _state(request, device, sessions, is_grouped=queue_request.group_refusals)
    return response_builders.json(msgspec.structs.replace(answers, state=screen_state))


def _state(
    request: HttpRequest, device: TableDevice, sessions: Sequence[BadgeSession], *, is_grouped: bool
) -> ScreenState:
    """Return the state of a screen; `is_grouped`: each refusal once with its places."""
    screen_state = screen_people_queue_and_layout.state_of(device, sessions, get_token(request))
    return screen_people_queue_and_layout.with_grouped_refusals(screen_state) if is_grouped else screen_state


@require_POST
@answered
def decide_entry(request: HttpRequest, name: str) -> HttpResponse:
    """Take an inspector's decision on an entry that waits at this table."""
    device = device_authentication.device_of(request, name)
    device_authentication.require_active(device)
    decision = body_of(request, EntryDecision)
    session = badge_sessions.of_id(badge_sessions.present(request, device), decision.session)
    badge_sessions.require_leading(session)
    return response_builders.json(held_entry_acceptance_and_rejection.decide(device, session.person, decision))


@csrf_exempt  # each entry is signed by the reader's key: no cookie counts here
@require_POST
@answered
def reader_queue(request: HttpRequest, name: str) -> HttpResponseBase:
    """Take entries of a card, wheel or dice reader: in the name of the dealer at the table."""
    device_authentication.require_table(name)
    queue_request = body_of(request, QueueRequest)
    if not 1 <= len(queue_request.entries) <= ENTRIES_MAX:
        raise Invalid("entries", coded("queue-entries-count", most=ENTRIES_MAX))
    device = reader_entry_checks_and_completion.reader_of(queue_request.entries[0], name)
    return _answer_entries(device, reader_entry_checks_and_completion.dealer_at(name), queue_request, None)
