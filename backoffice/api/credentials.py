"""Who is asking: a person's badge in `Authorization: Bearer ...`, a device's key in `Pitledger-Device`.

Keys are random, kept as SHA-256 only, and revocable. A lookup is remembered for a second, so a revoked key is dead
within one. Roles are not here: they are events, and the desk reads them.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping

import msgspec
from django.db import close_old_connections

from backoffice.models import Credential, Device, Person
from events import clock
from events.envelope import Who

REMEMBERED_SECONDS = 1.0
READ_AGAIN_SECONDS = 0.5
MAX_REMEMBERED = 10_000


class NotAuthenticated(Exception):
    """No badge, or one that is unknown or revoked (HTTP 401)."""


class Holder(msgspec.Struct, frozen=True):
    """Whose a credential is: a person's, or a device's that is bound to a table."""

    person: str | None
    device: str | None
    table: str | None


class Memory:
    """Credentials that were looked up lately, by digest; None: there is none, or it was revoked.

    What is in use is read again before its time is over, all of it in one query by one of those who ask. The others
    go on meanwhile: if each looked up its own when it runs out, all terminals would stop at once every second.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Holder | None]] = {}
        self._in_use: set[str] = set()
        self._read_at = 0.0
        self._reading = threading.Lock()

    def find(self, digest: str) -> Holder | None:
        """The holder, as of a second ago at most."""
        now = self._clock()
        if now - self._read_at > READ_AGAIN_SECONDS and self._reading.acquire(blocking=False):
            try:
                self._read_again(now)
            finally:
                self._reading.release()
        known = self._known.get(digest)
        if known is None or now - known[0] > REMEMBERED_SECONDS:
            known = self._known[digest] = (now, _holders([digest]).get(digest))
        if known[1] is not None:
            self._in_use.add(digest)
        return known[1]

    def forget(self) -> None:
        """Look everything up anew."""
        self._known, self._in_use = {}, set()

    def _read_again(self, now: float) -> None:
        asked, self._in_use = self._in_use, set()
        in_use = tuple(asked)  # somebody may still be adding to the set
        found = _holders(in_use) if in_use else {}
        if len(self._known) > MAX_REMEMBERED:
            self._known = {}
        self._known.update({digest: (now, found.get(digest)) for digest in in_use})
        self._read_at = now


def _holders(digests: Iterable[str]) -> dict[str, Holder]:
    close_old_connections()  # this may be a thread that Django does not tidy up after
    rows = Credential.objects.filter(digest__in=digests, revoked_at=None)
    found = rows.values_list("digest", "person_id", "device_id", "device__table")
    return {digest: Holder(person, device, table) for digest, person, device, table in found}


_memory = Memory()


def who(headers: Mapping[str, str]) -> Who:
    """The person at work, and the device in use if it says so. Raises NotAuthenticated."""
    scheme, _, badge = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not badge:
        raise NotAuthenticated("a person's badge is needed: Authorization: Bearer BADGE")
    person = _memory.find(_digest(badge))
    if person is None or person.person is None:
        raise NotAuthenticated("this badge is unknown or was revoked")
    if not (key := headers.get("Pitledger-Device", "")):
        return Who(person=person.person, roles=frozenset())
    terminal = _memory.find(_digest(key))
    if terminal is None or terminal.device is None:
        raise NotAuthenticated("this device's key is unknown or was revoked")
    return Who(person=person.person, roles=frozenset(), device=terminal.device, table=terminal.table)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


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
    _memory.forget()
    return found.update(revoked_at=clock.moment())


def _issue(person: Person | None = None, device: Device | None = None) -> str:
    key = secrets.token_urlsafe(32)
    Credential.objects.create(digest=_digest(key), person=person, device=device)
    return key
