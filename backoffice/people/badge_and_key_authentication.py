"""Authentication of requests: a person's badge in `Authorization: Bearer ...`, a device's key in `Pitledger-Device`.

Besides badges there are passes (`Authorization: Pitledger-Pass ...`). The pages' process makes them for signed-in
people, with the time of the second factor. A badge never has one. A session's cookie is no credential here.

Keys are random, kept as SHA-256 only, and revocable. A lookup is cached for a second, so a revoked key stops within
one. Roles are not here: they are events, and the desk reads them.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.http import signed_person_passes
from backoffice.installation.dependency_injection import Installation, installation
from backoffice.models import Credential, Device, Person
from backoffice.people.lookalike_id_refusal import new_id, visible_name
from events.envelope import Who
from events.error_codes import ErrorText, coded
from events.errors import Forbidden
from events.runtime import clock

REMEMBERED_SECONDS = 1.0
READ_AGAIN_SECONDS = 0.5
MAX_REMEMBERED = 10_000
_PASS = signed_person_passes.SCHEME.lower()


class NotAuthenticated(Exception):
    """No badge, or one that is unknown or revoked (HTTP 401)."""

    @property
    def text(self) -> str | ErrorText:
        """The text that it was raised with."""
        text = self.args[0] if self.args else ""
        return text if isinstance(text, ErrorText) else str(text)


class NoPass(NotAuthenticated):
    """A foreign or expired pass: no directory need be queried."""


class Holder(msgspec.Struct, frozen=True):
    """The holder of a credential: a person, or a device that is bound to a table."""

    person: str | None
    device: str | None
    table: str | None


Find = Callable[[str], Holder | None]  # by the digest of a badge or key


class CredentialCache:
    """Credentials with a recent look-up, by digest; None for an unknown or revoked one.

    Credentials in use are read again before they expire, all in one query by one of the requests. The others continue
    meanwhile. If each request looked up its own at its expiry, all terminals would stop together every second.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._holder_by_digest: dict[str, tuple[float, Holder | None]] = {}
        self._in_use: set[str] = set()
        self._read_at = 0.0
        self._read_lock = threading.Lock()

    def find(self, digest: str) -> Holder | None:
        """The holder, as of a second ago at most."""
        now = self._clock()
        if now - self._read_at > READ_AGAIN_SECONDS and self._read_lock.acquire(blocking=False):
            try:
                self._read_again(now)
            finally:
                self._read_lock.release()
        cached_holder = self._holder_by_digest.get(digest)
        if cached_holder is None or now - cached_holder[0] > REMEMBERED_SECONDS:
            cached_holder = self._holder_by_digest[digest] = (now, _holders([digest]).get(digest))
        if cached_holder[1] is not None:
            self._in_use.add(digest)
        return cached_holder[1]

    def forget(self) -> None:
        """Look everything up again."""
        self._holder_by_digest, self._in_use = {}, set()

    def _read_again(self, now: float) -> None:
        recent, self._in_use = self._in_use, set()
        in_use = tuple(recent)  # a person may still be adding to the set
        fresh = _holders(in_use) if in_use else {}
        if len(self._holder_by_digest) > MAX_REMEMBERED:
            self._holder_by_digest = {}
        self._holder_by_digest.update({digest: (now, fresh.get(digest)) for digest in in_use})
        self._read_at = now


def _holders(digests: Iterable[str]) -> dict[str, Holder]:
    return holders(digest__in=digests)


def holders(**of: object) -> dict[str, Holder]:
    """Return the holders of credentials that were not revoked, by digest; `of` are further filters of the query."""
    close_stale_connections()  # this may be a thread that Django does not tidy up after
    rows = Credential.objects.filter(revoked_at=None, **of)
    values = rows.values_list("digest", "person_id", "device_id", "device__table")
    return {digest: Holder(person, device, table) for digest, person, device, table in values}


@contextmanager
def credential_cache(house: Installation) -> Iterator[CredentialCache]:
    """The credential cache of this process."""
    yield CredentialCache()


def _memory() -> CredentialCache:
    return installation().part(credential_cache)


def authenticate_sender(headers: Mapping[str, str], find: Find | None = None) -> Who:
    """Return the person at work, and the device in use if a header names it. Raises NotAuthenticated."""
    return holder_of(*credential(headers), headers, find or _memory().find)


def holder_of(scheme: str, secret: str, headers: Mapping[str, str], find: Find) -> Who:
    """Return the person with this badge or pass, as `authenticate_sender` does. Raises NotAuthenticated."""
    holder = _acting(secret) if scheme == _PASS else signed_person_passes.PassHolder(_of_badge(secret, find), None)
    person, factor_s = holder.person, holder.factor_s
    if holder.device:
        return Who(person=person, roles=frozenset(), device=holder.device, table=holder.table, factor_s=factor_s)
    if not headers.get("Pitledger-Device", ""):
        return Who(person=person, roles=frozenset(), factor_s=factor_s)
    device, table = terminal(headers, find)
    return Who(person=person, roles=frozenset(), device=device, table=table, factor_s=factor_s)


def terminal(headers: Mapping[str, str], find: Find | None = None) -> tuple[str, str | None]:
    """The device in use and the table that it is bound to, a person who is at it. Raises NotAuthenticated."""
    holder = (find or _memory().find)(_digest(headers.get("Pitledger-Device", "")))
    if holder is None or holder.device is None:
        raise NotAuthenticated(coded("device-key-unknown"))
    return holder.device, holder.table


def credential(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the scheme and secret of the badge or pass in the headers, without looking it up. Raises NotAuthenticated
    for none."""
    scheme, _, secret = headers.get("Authorization", "").partition(" ")
    if scheme.lower() not in ("bearer", _PASS) or not secret:
        raise NotAuthenticated(coded("badge-needed"))
    return scheme.lower(), secret


def _of_badge(badge: str, find: Find) -> str:
    holder = find(_digest(badge))
    if holder is None or holder.person is None:
        raise NotAuthenticated(coded("badge-unknown"))
    return holder.person


def _acting(secret: str) -> signed_person_passes.PassHolder:
    try:
        return signed_person_passes.acting(secret)
    except Forbidden as error:
        raise NoPass(str(error)) from error


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def issue_badge(person: str, name: str = "") -> str:
    """A new badge for a person (made known if new). It is shown once and never again. Raises Invalid for a new id that
    looks like another person's."""
    person, name = new_id(Person, person, "person", "person"), visible_name(name)
    holder, _ = Person.objects.get_or_create(id=person, defaults={"name": name})
    return _issue(person=holder)


def issue_device_key(device: str, table: str) -> str:
    """A new key for a terminal bound to a table. It is shown once and never again. Raises Invalid for a new id that
    looks like another terminal's."""
    device = new_id(Device, device, "terminal", "device")
    terminal, _ = Device.objects.update_or_create(id=device, defaults={"table": table})
    return _issue(device=terminal)


def revoke(person: str | None = None, device: str | None = None) -> int:
    """Revoke all badges of a person, or all keys of a device; how many there were."""
    rows = Credential.objects.filter(revoked_at=None)
    rows = rows.filter(person_id=person) if person is not None else rows.filter(device_id=device)
    _memory().forget()
    return rows.update(revoked_at=clock.moment())


def _issue(person: Person | None = None, device: Device | None = None) -> str:
    key = secrets.token_urlsafe(32)
    Credential.objects.create(digest=_digest(key), person=person, device=device)
    return key
