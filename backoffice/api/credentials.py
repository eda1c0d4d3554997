"""Who is asking: a person's badge in `Authorization: Bearer ...`, a device's key in `Pitledger-Device`.

Keys are random, kept as SHA-256 only, and revocable. A lookup is remembered for a second, so a revoked key is dead
within one. Roles are not here: they are events, and the desk reads them.
"""

import hashlib
import secrets
import time
from collections.abc import Mapping

from django.db import close_old_connections
from django.utils import timezone

from backoffice.models import Credential, Device, Person
from events.envelope import Who

REMEMBERED_SECONDS = 1.0
MAX_REMEMBERED = 10_000
_remembered: dict[str, tuple[float, Credential | None]] = {}


class NotAuthenticated(Exception):
    """No badge, or one that is unknown or revoked (HTTP 401)."""


def who(headers: Mapping[str, str]) -> Who:
    """The person at work, and the device in use if it says so. Raises NotAuthenticated."""
    scheme, _, badge = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not badge:
        raise NotAuthenticated("a person's badge is needed: Authorization: Bearer BADGE")
    person = _find(badge)
    if person is None or person.person_id is None:
        raise NotAuthenticated("this badge is unknown or was revoked")
    if not (key := headers.get("Pitledger-Device", "")):
        return Who(person=person.person_id, roles=frozenset())
    device = _find(key)
    if device is None or device.device is None:
        raise NotAuthenticated("this device's key is unknown or was revoked")
    return Who(person=person.person_id, roles=frozenset(), device=device.device.id, table=device.device.table)


def _find(key: str) -> Credential | None:
    digest = hashlib.sha256(key.encode()).hexdigest()
    now = time.monotonic()
    known = _remembered.get(digest)
    if known is not None and now - known[0] < REMEMBERED_SECONDS:
        return known[1]
    close_old_connections()  # this may be a thread that Django does not tidy up after
    found = Credential.objects.select_related("device").filter(digest=digest, revoked_at=None).first()
    if len(_remembered) >= MAX_REMEMBERED:
        _remembered.clear()
    _remembered[digest] = (now, found)
    return found


def issue_badge(person: str, name: str = "") -> str:
    """A new badge for a person (made known if new). It is shown once and never again."""
    holder, _ = Person.objects.get_or_create(id=person, defaults={"name": name})
    return _issue(person=holder)


def issue_device_key(device: str, table: str) -> str:
    """A new key for a terminal bound to a table. It is shown once and never again."""
    terminal, _ = Device.objects.update_or_create(id=device, defaults={"table": table})
    return _issue(device=terminal)


def revoke(person: str | None = None, device: str | None = None) -> int:
    """Revoke all badges of a person, or all keys of a device; how many there were."""
    found = Credential.objects.filter(revoked_at=None)
    found = found.filter(person_id=person) if person is not None else found.filter(device_id=device)
    _remembered.clear()
    return found.update(revoked_at=timezone.now())


def _issue(person: Person | None = None, device: Device | None = None) -> str:
    key = secrets.token_urlsafe(32)
    Credential.objects.create(digest=hashlib.sha256(key.encode()).hexdigest(), person=person, device=device)
    return key
