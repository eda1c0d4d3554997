"""The application at the house's one address (RSGI, in granian).

A dealer's action and the entries of table screens are taken here. The process of the pages answers all other requests -
pages, figures, files. The live process answers live streams, and waits for a position. Actions continue in any state of
these processes.
"""

import asyncio
import re
import time
from contextlib import ExitStack, closing
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from msgspec.structs import replace

from backoffice.access.refusal_log_writer import access_log
from backoffice.api.actions import MAX_BODY, REFUSALS
from backoffice.api.json_response import Response, rendered
from backoffice.api.shared_command_desk import prepare
from backoffice.door import house_health_and_process_readiness, http_request_forwarding
from backoffice.door.action_receiver import ActionReceiver, target_of
from backoffice.door.client_address import Client, Peers, client_of
from backoffice.door.delayed_429_answers import RateLimitDelay
from backoffice.door.desk_client_for_views import InProcessDeskClient
from backoffice.door.host_checks import SAFE_METHODS, AddressRefusal, admit
from backoffice.door.house_health_and_process_readiness import Health, Readiness
from backoffice.door.http_request_forwarding import ForwardedRequest, Upstream, UpstreamAnswer
from backoffice.door.request_body_limits import Bodies
from backoffice.door.table_screen_entries_to_views import EntryReceiver, takes
from backoffice.http import monitoring_access, probe_paths, shared_request_ambiguity_checks, signed_person_passes
from backoffice.http.rate_limits import Rate
from backoffice.http.shared_request_ambiguity_checks import Ambiguous, Pairs
from backoffice.installation.dependency_injection import Installation, installation
from backoffice.people.badge_and_key_authentication import NotAuthenticated
from backoffice.people.house_address_of_request import HSTS
from backoffice.people.signed_in_person_action_sender import door
from backoffice.running.heartbeat import beats
from backoffice.wording.error_code_sentences import answered_in
from events.error_codes import coded, text_of
from events.errors import Busy, PitledgerError
from events.runtime import metric_counters
from events.runtime.garbage_collection import collect_briefly
from events.settings.network_address_parsing import proxies
from events.settings.settings_from_environment import settings
from events.streams.problem_details import problem_about, problem_of

POSITION = "/api/v1/position"
WAITING_MAX = 256
_FILES = re.compile(r"/api/v1/cases/[^/]+/attachments")
_UPLOADS = re.compile(rf"{_FILES.pattern}|/cases/[0-9a-f]{{16}}/upload")
_ARCHIVES = re.compile(r"(?:/api/v1)?/cases/[0-9a-f]{16}/exports/[0-9a-f]{32}")
_OF_ACTIONS = {
    name.lower(): name for name in ("Authorization", "Pitledger-Device", "Content-Length", "Accept-Language")
}
_NOT_SENT = dict.fromkeys(_OF_ACTIONS.values(), "")
_SAFE = [("x-content-type-options", "nosniff"), ("cache-control", "no-store")]


class Door:
    """The application. The event loop begins it before the first request, and ends it after the last."""

    def __init__(self, house: Installation) -> None:
        settings = house.settings
        self._house = house
        self._bodies, self._holding = Bodies(), RateLimitDelay()
        self._visitors = Rate("from one address", settings.limit_address)
        self._live = Upstream(
            "the live process", settings.live_at, settings.port_of_live(), at_once=WAITING_MAX, waiting_max=0
        )
        self._streams = Upstream(
            "the live process",
            settings.live_at,
            settings.port_of_live(),
            at_once=http_request_forwarding.LISTENERS_MAX,
            waiting_max=0,
        )
        self._peers = Peers(proxies(settings.proxies))
        self._pages = Upstream("the process of the pages", settings.pages_host, settings.port_of_pages())
        self._health = Health(self._pages, _headers)
        self._readiness = Readiness(lambda: house.store)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        prepare(self._house)
        self._exit_stack = ExitStack()
        self._taking = self._exit_stack.enter_context(closing(ActionReceiver(self._house, loop, self._bodies)))
        own_desk: Any = self._exit_stack.enter_context(closing(InProcessDeskClient(self._taking.limits)))
        self._exit_stack.enter_context(self._house.replaced(door, own_desk))
        self._entries = self._exit_stack.enter_context(closing(EntryReceiver(self._pages)))
        collect_briefly()  # by now all is loaded, and dealers wait for every pause
        self._tasks = [loop.create_task(beats("web")), loop.create_task(self._peers.keep_resolving())]

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        for task in self._tasks:
            task.cancel()
        self._exit_stack.close()
        self._house.close()

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        metric_counters.count(metric_counters.REQUESTS, f"{await self._answer(scope, proto) // 100}xx")

    async def _answer(self, scope: Any, proto: Any) -> int:
        """Answer a request; the status."""
        client, peer = None, scope.client.rpartition(":")[0]
        try:
            headers = scope.headers.items()  # made anew at each call
            client = client_of(peer, headers, self._peers)
            request = request_of(scope, headers, client.source)
        except Ambiguous as error:
            problem = answered_in(shared_request_ambiguity_checks.problem(error), _accepted_language(scope))
            return await self._refuse(
                proto, method_of(scope), client or Client(peer), AddressRefusal(rendered(problem, problem.status))
            )
        if request.method in SAFE_METHODS and (answer := await self._probed(request)) is not None:
            return _send(proto, request, answer)
        admitted = admit(request, client)
        if isinstance(admitted, AddressRefusal):
            return await self._refuse(proto, request.method, client, admitted)
        return await self._serve(admitted, scope, proto)

    async def _serve(self, request: ForwardedRequest, scope: Any, proto: Any) -> int:
        """Answer a request for an address of this house; the status."""
        target = target_of(request.path, request.query) if request.method == "POST" else None
        if target is not None:
            began = time.perf_counter()
            response = await self._taking.respond(target, _credentials(request), proto, request.source)
            metric_counters.observe(metric_counters.ACTION, time.perf_counter() - began)
            answer = UpstreamAnswer(response.status, _headers(response), response.body)
        elif (elsewhere := await self._forward_request(_with_permission(request, scope), proto)) is not None:
            answer = elsewhere
        else:  # a stream, which has ended
            return HTTPStatus.OK
        await self._holding.back(answer.status)
        return _send(proto, request, answer)

    async def _refuse(self, proto: Any, method: str, client: Client, refusal: AddressRefusal) -> int:
        """Answer a request without processing it. It counts for the client's rate limit. The status."""
        response, status = refusal.response, refusal.response.status
        location: Pairs = []
        if refusal.location:
            status, location = HTTPStatus.PERMANENT_REDIRECT, [("location", refusal.location)]
        try:
            self._visitors.take(client.source)
        except Busy as busy:
            response = _refusal_response(busy, client.source)
            status, location = response.status, []
        await self._holding.back(status)
        return _send_plain(proto, method, UpstreamAnswer(status, [*_headers(response), *location], response.body))

    async def _forward_request(self, request: ForwardedRequest, proto: Any) -> UpstreamAnswer | None:
        """Return the answer of another process, or the reason why none came; None where a stream was passed on."""
        source = request.source
        try:
            if request.path == house_health_and_process_readiness.PATH and request.method in ("GET", "HEAD"):
                return await self._health.now(is_detailed=request.may_observe)
            self._visitors.take(source)
            if http_request_forwarding.is_stream(request):
                await http_request_forwarding.pass_through(self._streams, request, proto)
                return None
            if request.method == "GET" and _ARCHIVES.fullmatch(request.path):  # too large to be read whole
                await http_request_forwarding.pass_through(self._pages, request, proto)
                return None
            if request.path == POSITION and "within" in parse_qs(request.query, keep_blank_values=True):
                return await self._send_wait_answer(request)
            if request.method == "POST" and _FILES.fullmatch(request.path):
                await self._taking.find_sender(_credentials(request), source)  # before the body is read
            if request.method not in ("GET", "HEAD"):
                body = await self._bodies.read(
                    f"at {source}", request.header("content-length"), proto, most=_body_bytes_max(request)
                )
                request = replace(request, body=body)
            if takes(request):
                return await self._entries.answer(request, proto)
            return await self._pages.pass_on(request)
        except REFUSALS as error:
            response = _refusal_response(error, source, is_upload=_UPLOADS.fullmatch(request.path) is not None)
            return UpstreamAnswer(response.status, _headers(response), response.body)

    async def _probed(self, request: ForwardedRequest) -> UpstreamAnswer | None:
        """Answer `/livez` and `/readyz`, under any name; None for other requests."""
        if request.path == probe_paths.LIVE:
            return UpstreamAnswer(
                HTTPStatus.OK, [(name.lower(), value) for name, value in probe_paths.HEADERS], probe_paths.IS_LIVE
            )
        if request.path == probe_paths.READY:
            response = await self._readiness.now()
            return UpstreamAnswer(response.status, _headers(response), response.body)
        return None

    async def _send_wait_answer(self, request: ForwardedRequest) -> UpstreamAnswer:
        """Send the live process's answer to a waiting client. Raises NotAuthenticated."""
        who = await self._taking.find_sender(_credentials(request), request.source)
        shown = (signed_person_passes.HEADER.lower(), signed_person_passes.issued(who.person))
        return await self._live.pass_on(replace(request, headers=[*request.headers, shown]))


def request_of(scope: Any, received: Pairs, source: str) -> ForwardedRequest:
    """The request with these headers as every layer reads it. Raises Ambiguous where they could differ."""
    headers = shared_request_ambiguity_checks.accepted_headers(received, signed_person_passes.HEADERS)
    path, query, authority = scope.path, scope.query_string, scope.authority
    shared_request_ambiguity_checks.require_plain_target(path, query)
    request = ForwardedRequest(method_of(scope), path, query, headers, b"", source)
    if authority:
        host = request.header("host")
        if not host and ("host", "") not in headers:
            headers.append(("host", host := authority))
        shared_request_ambiguity_checks.require_one_host(host, authority)
    return request


def _with_permission(request: ForwardedRequest, scope: Any) -> ForwardedRequest:
    """Return the request with its client's permission to read the state of the house. Actions need none."""
    host = next((value for name, value in scope.headers.items() if name.lower() == "host"), scope.authority or "")
    is_local = monitoring_access.is_local(request.source, host, scope.headers.keys())
    may_observe = monitoring_access.admits(request.source, request.header("authorization"), is_local=is_local)
    return replace(request, may_observe=may_observe)


def _body_bytes_max(request: ForwardedRequest) -> int:
    """Return the bytes that a body may have: uploads to cases have more than others."""
    is_upload = _UPLOADS.fullmatch(request.path) is not None
    return (settings().case_file_mb << 20) + MAX_BODY if is_upload else MAX_BODY


def method_of(scope: Any) -> str:
    """Return the method in upper case, as the pages' process reads it: a POST there is a POST here too."""
    method: str = scope.method
    return method.upper()


def _accepted_language(scope: Any) -> str:
    """Return the header Accept-Language of a request that may be unreadable otherwise."""
    return next((value for name, value in scope.headers.items() if name.lower() == "accept-language"), "")


def _credentials(request: ForwardedRequest) -> dict[str, str]:
    """Return the headers that actions are accepted by; of a header that came twice, the first."""
    sent = {_OF_ACTIONS[name]: value for name, value in reversed(request.headers) if name in _OF_ACTIONS}
    return {**_NOT_SENT, **sent}


def _refusal_response(error: Exception, source: str, *, is_upload: bool = False) -> Response:
    if isinstance(error, PitledgerError):
        details = problem_of(error)
    elif isinstance(error, NotAuthenticated):
        installation().part(access_log).stranger(source)
        details = problem_about(401, "Not signed in", text_of(error))
    elif is_upload:
        details = problem_about(413, "Too large", coded("case-file-too-large", most=settings().case_file_mb))
    else:
        details = problem_about(413, "Too large", coded("body-too-large", most=MAX_BODY))
    return rendered(details, details.status)


def _headers(response: Response) -> Pairs:
    headers = [("content-type", response.kind), *_SAFE]
    if response.headers:
        headers += [(name.lower(), value) for name, value in response.headers.items()]
    return headers


def _send(proto: Any, request: ForwardedRequest, answer: UpstreamAnswer) -> int:
    if request.is_secure:
        answer = replace(answer, headers=[*answer.headers, ("strict-transport-security", HSTS)])
    return _send_plain(proto, request.method, answer)


def _send_plain(proto: Any, method: str, answer: UpstreamAnswer) -> int:
    if method == "HEAD" or answer.status in (204, 304):
        proto.response_empty(answer.status, answer.headers)
    else:
        proto.response_bytes(answer.status, answer.headers, answer.body)
    return answer.status
