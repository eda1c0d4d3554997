"""The demo's table screen: a link that pairs the browser which opens it, and badges for a dealer and an inspector.

In another house a pit boss confirms each device. Here the demo does it as its pit boss, and opens the table for the
next gaming day. So a new reader plays a spin at once. Printed secrets protect nothing: no other house has this address.
"""

import secrets
import time
from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from backoffice.api.shared_command_desk import desk
from backoffice.kit.reader_and_read_rule_types import public
from backoffice.models import Credential, Person, TableDevice
from backoffice.table_screen import device_authentication, pairing, table_device_request_views
from backoffice.table_screen.action_sending_to_front_door import DevicePerson, send
from events import catalogue
from events.envelope import Action, Who
from events.store import everything
from events.streams.stream_kind_declaration import Target
from events.tables.event_types.session import SessionClosed
from tools.demo import logins
from tools.demo.demo_house_setup import TABLES

TABLE = TABLES[0]
PIT_BOSS = "b-301"
LINK_FOR = timedelta(hours=12)
ROLES = ("dealer", "inspector")


def lines(data: Path, port: int) -> Iterator[str]:
    """Yield the lines that lead to the table screen: a new link, and a badge for each role. None in another house."""
    if not logins.is_demo(data):
        return
    device, _secret = pairing.invite(TABLE.name, "screen", PIT_BOSS)
    secret = secrets.token_hex(4)
    rows = TableDevice.objects.filter(pk=device.pk)
    rows.update(secret=device_authentication.digest_of(secret), ends_at=timezone.now() + LINK_FOR)
    yield f"Deal at {TABLE.name} yourself: open http://localhost:{port}/table/{TABLE.name}#{secret}"
    yield "(the link pairs one browser). Then choose a role and enter its badge:"
    for role, person in zip(ROLES, (TABLE.dealer, TABLE.inspector), strict=True):
        yield f"  {_badge(person, role)}  {role}"
    yield f"Watch beside it: http://localhost:{port}/ and http://localhost:{port}/tables/{TABLE.name}"


def _badge(person: str, role: str) -> str:
    """Return a new badge that is short enough to be typed."""
    badge = f"{role}-{secrets.randbelow(9_000) + 1_000}"
    holder = Person.objects.get(id=person)
    Credential.objects.get_or_create(digest=device_authentication.digest_of(badge), defaults={"person": holder})
    return badge


@csrf_exempt  # as the view that answers
def pair(request: HttpRequest) -> HttpResponseBase:
    """Take a device's key as in every house, then confirm a device that came by a link of the demo."""
    response = table_device_request_views.pair(request)
    if isinstance(response, HttpResponse) and response.status_code == HTTPStatus.OK:
        device = TableDevice.objects.get(pk=msgspec.json.decode(response.content)["device"])
        if device.table == TABLE.name and device.made_by == PIT_BOSS:
            open_table()
            about = {"device": device.pk, "table": device.table, "use": device.use, "key": device.fingerprint}
            _act(PIT_BOSS, Target("devices"), f"demo:{device.pk}", ("device.pair", about))
    return response


PAIR = path("table/pair", public(pair))  # of a demo's house alone, before that of every house


def open_table() -> None:
    """Open the table for its next gaming day with the tray of its last close, unless it is open."""
    inspector = Who(person=TABLE.inspector, roles=frozenset())
    screen = desk().questions.screen(TABLE.name, None, [inspector])
    if screen.status == "open":
        return
    day = next(pad.default for pad in screen.pads if pad.kind == "day")
    limits = {"minimum_minor": TABLE.minimum, "maxima_minor": TABLE.maxima}
    _act(
        TABLE.inspector,
        Target("tables", TABLE.name),
        f"demo:{TABLE.name}:{day}",
        ("session.open", {"gaming_day": day, "opener": _float(), "witness": TABLE.dealer}),
        ("limits.post", limits),
        ("staff.assign", {"post": "dealer", "person": TABLE.dealer}),
        ("staff.assign", {"post": "inspector", "person": TABLE.inspector}),
    )


def _float() -> dict[str, int]:
    """Return the chips of the table's last close; of a table that was never closed those of its plan."""
    chips = TABLE.opener
    for stored_event in everything(desk().store, types=[SessionClosed.TYPE]):
        if f"/tables/{TABLE.name}/" in stored_event.stream:
            closed = catalogue.decode(stored_event.type, stored_event.raw).data
            assert isinstance(closed, SessionClosed)
            chips = dict(closed.closer)
    return {str(value): count for value, count in chips.items()}


def _act(person: str, target: Target, key: str, *actions: tuple[str, dict[str, Any]]) -> None:
    """Send actions as a person of the demo, with a fresh second factor."""
    who = DevicePerson(person, device="", table="", factor_at=time.time())
    commands = tuple(
        Action(type=kind, key=f"{key}:{number}", data=msgspec.Raw(msgspec.json.encode(data)))
        for number, (kind, data) in enumerate(actions)
    )
    answer = send(who, target, commands, "atomic")
    if answer.status != HTTPStatus.OK:
        raise RuntimeError(f"the demo could not do {actions[0][0]}: {answer.replies}")
