"""People at a device: a badge is exchanged at once for a session that is bound to the device, its table and a role.

The badge is looked up by its hash and never stored. The session's secret is in a cookie that no script reads. A session
ends with a relief, with the lock of the screen, with the revocation of the device, and after a shift at the latest.
"""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from backoffice.kit import precomposed_row_statements
from backoffice.models import BadgeSession, TableDevice
from backoffice.people import badge_and_key_authentication
from backoffice.people.current_roles import roles_of
from backoffice.people.house_address_of_request import mark_of_request
from backoffice.table_screen import device_authentication
from backoffice.table_screen.device_authentication import digest_of
from events.error_codes import coded
from events.errors import Forbidden, Invalid
from events.roles import DEALING, SUPERVISORS

COOKIE = "pitledger_badges"
ROLES = DEALING
LASTS = timedelta(hours=14)  # longer than any shift
AT_ONCE = 6  # people at one screen
ONE_AT_A_TIME = ("dealer",)  # a new one relieves the one before


def begin(
    request: HttpRequest, device: TableDevice, badge: str, role: str, relief: str = ""
) -> tuple[BadgeSession, str]:
    """Return a new session and its secret. Raises NotAuthenticated, Forbidden, Invalid."""
    if role not in ROLES:
        raise Invalid("role", coded("one-of-these", known=sorted(ROLES)))
    holder = badge_and_key_authentication.holders(digest=digest_of(badge)).get(digest_of(badge))
    if holder is None or holder.person is None:
        raise badge_and_key_authentication.NotAuthenticated(coded("badge-unknown"))
    if role not in roles_of(holder.person):
        raise Forbidden(coded("role-not-granted", person=holder.person, role=role))
    now, secret = timezone.now(), secrets.token_urlsafe(32)
    with transaction.atomic():
        open_ = BadgeSession.objects.filter(device=device, ended_at=None)
        replaced = Q(person=holder.person, role=role)
        open_.filter(replaced | Q(role=role) if role in ONE_AT_A_TIME else replaced).update(ended_at=now)
        session = BadgeSession.objects.create(
            id=secrets.token_hex(8),
            secret=_secret_digest(request, secret),
            device=device,
            person=holder.person,
            role=role,
            relief=relief[:64],
            began_at=now,
        )
    return session, secret


def present(request: HttpRequest, device: TableDevice) -> list[BadgeSession]:
    """Return the sessions that came with a request of this device and have not ended, in the order they began.

    A revoked device has no sessions.
    """
    if not device_authentication.current_devices().is_active(device.pk):
        return []
    return [session for session in _open(request) if session.device_id == device.pk]


def device_and_present(request: HttpRequest, table: str) -> tuple[TableDevice, list[BadgeSession]]:
    """Return the device that sent a request, with its sessions. Raises as `device_authentication.device_of`."""
    credential = device_authentication.credential_of(request)
    sessions = [
        session
        for session in (_open(request) if credential else ())
        if session.device.cookie == credential and session.device.table == table
    ]
    if not sessions or not device_authentication.is_paired(device := sessions[0].device):
        device = device_authentication.device_of(request, table)
        return device, present(request, device)
    return device, sessions if device_authentication.current_devices().is_active(device.pk) else []


def _open(request: HttpRequest) -> list[BadgeSession]:
    """Return the sessions that came with a request and have not ended, in the order they began. Sessions of one device
    share one object for it.

    This runs at every tap. The query filters by secret alone, and Python by end and age: that takes half the time.
    """
    hashes = [_secret_digest(request, secret) for secret in _secrets(request)]
    since = timezone.now() - LASTS
    sessions = [
        session
        for session in precomposed_row_statements.rows(BadgeSession, "secret", hashes)
        if session.ended_at is None and session.began_at > since
    ]
    ids = {session.device_id for session in sessions}
    devices = {device.pk: device for device in precomposed_row_statements.rows(TableDevice, "id", ids)}
    sessions = [session for session in sessions if session.device_id in devices]
    for session in sessions:
        session.device = devices[session.device_id]
    return sorted(sessions, key=lambda session: (session.began_at, session.id))


def of_id(sessions: list[BadgeSession], id_: str) -> BadgeSession:
    """Return the session of this id. Raises Forbidden."""
    session = next((session for session in sessions if session.id == id_), None)
    if session is None:
        raise Forbidden(coded("screen-session-ended"))
    return session


def require_leading(session: BadgeSession) -> None:
    """Raise Forbidden for a session that does not lead the table: a dealer's."""
    if session.role not in SUPERVISORS:
        raise Forbidden(coded("role-needed", action="device.accept_entry", roles=SUPERVISORS))


def end_sessions(device: TableDevice, *ids: str) -> int:
    """End these sessions of a device, or all of them; return how many there were."""
    rows = BadgeSession.objects.filter(device=device, ended_at=None)
    return (rows.filter(id__in=ids) if ids else rows).update(ended_at=timezone.now())


def set_session_cookie(request: HttpRequest, response: HttpResponse, secret: str) -> None:
    """Put a session's secret into the browser, next to those of the others at this screen."""
    values = [*_secrets(request)[-(AT_ONCE - 1) :], secret]
    response.set_cookie(COOKIE, ".".join(values), httponly=True, samesite="Strict")


def forget(response: HttpResponse) -> None:
    """Take the sessions' cookie away."""
    response.delete_cookie(COOKIE, samesite="Strict")


def _secrets(request: HttpRequest) -> list[str]:
    return [secret for secret in request.COOKIES.get(COOKIE, "").split(".") if secret][-AT_ONCE:]


def _secret_digest(request: HttpRequest, secret: str) -> str:
    return digest_of(mark_of_request(request) + secret)
