"""Devices that are paired and not revoked, by the events; and the device that sent a request, by its cookie.

The stream of devices is short, and read again where it has grown: a revoked device stops within a second.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie

from backoffice.installation.dependency_injection import installation
from backoffice.models import TableDevice
from backoffice.people.house_address_of_request import address_of, cookies_of, mark_of_request
from events import catalogue
from events.error_codes import coded
from events.errors import Forbidden, Unknown
from events.floor.device_and_entry_decider import Devices, evolve
from events.store import EventStore
from projections.floor.models import InstalledTable

COOKIE = "pitledger_table"
KEPT_S = 400 * 86_400  # the longest that browsers keep a cookie
REMEMBERED_S = 1.0
PAGE = 500


class DevicesInForce:
    """The devices of a store's stream, updated from the last read event."""

    def __init__(self, store: EventStore, property_: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._stream = f"{property_}/devices"
        self._devices, self._version, self._end = Devices(), 0, b""
        self._looked_at = float("-inf")
        self._read_lock = threading.Lock()

    def all_devices(self) -> Devices:
        """Return the devices as of a second ago at most."""
        with self._read_lock:
            if self._clock() - self._looked_at > REMEMBERED_S:
                self._look()
        return self._devices

    def read_devices(self) -> Devices:
        """Return the devices of the stream as of now."""
        with self._read_lock:
            self._look()
        return self._devices

    def _look(self) -> None:
        head = self._store.head(self._stream)
        if (head.version, head.digest) != (self._version, self._end):
            devices, version = Devices(), 0
            while version < head.version and (page := self._store.stream(self._stream, version, PAGE)):
                for stored in page:
                    event = catalogue.decode(stored.type, stored.raw)
                    devices = evolve(devices, event.data, event.actor)
                version = page[-1].version
            self._devices, self._version, self._end = devices, head.version, head.digest
        self._looked_at = self._clock()


def current_devices() -> Devices:
    """Return the devices of this house as of a second ago at most."""
    return _devices_of_house().all_devices()


def read_devices() -> Devices:
    """Return the devices of this house as of now."""
    return _devices_of_house().read_devices()


def _devices_of_house() -> DevicesInForce:
    house = installation()
    store, property_ = house.store, house.settings.property_
    return store.process_cache.get((DevicesInForce, property_), lambda: DevicesInForce(store, property_))


def digest_of(secret: str) -> str:
    """Return the hash under which a secret is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def set_credential(request: HttpRequest, response: HttpResponse) -> str:
    """Put a new credential into the browser; return the hash under which it is kept."""
    secret = secrets.token_urlsafe(32)
    response.set_cookie(COOKIE, secret, max_age=KEPT_S, httponly=True, samesite="Strict")
    return digest_of(mark_of_request(request) + secret)


def credential_of(request: HttpRequest) -> str:
    """Return the hash of the credential that came with a request; "" for none."""
    secret = request.COOKIES.get(COOKIE, "")
    return digest_of(mark_of_request(request) + secret) if secret else ""


def device_of(request: HttpRequest, table: str) -> TableDevice:
    """Return the device that sent a request, revoked or not.

    Raises Forbidden for one that was never paired here, and Unknown for a table that is not of this house.
    """
    credential = credential_of(request)
    device = TableDevice.objects.filter(cookie=credential, table=table).first() if credential else None
    if device is None or not is_paired(device):
        require_table(table)
        raise Forbidden(coded("device-not-paired", table=table))
    return device


def require_table(table: str) -> None:
    """Raise Unknown for a table that is not on the floor and never had a device."""
    if not any(rows.filter(table=table).exists() for rows in (TableDevice.objects, InstalledTable.objects)):
        raise Unknown(coded("table-unknown", table=table))


def is_paired(device: TableDevice) -> bool:
    """Return whether a pit boss has confirmed this very key for this table."""
    event = current_devices().paired.get(device.id) or read_devices().paired.get(device.id)
    return event is not None and (event.key, event.table) == (device.fingerprint, device.table)


def require_active(device: TableDevice) -> None:
    """Raise Forbidden for a revoked device."""
    if not current_devices().is_active(device.id):
        raise Forbidden(coded("device-revoked"))


def may_listen(table: str, cookies: str, host: str = "localhost") -> bool:
    """Return whether these cookies are those of a device that is paired with the table and not revoked."""
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    request.COOKIES = cookies_of(parse_cookie(cookies), address_of(host))
    try:
        device = device_of(request, table)
    except (Forbidden, Unknown):
        return False
    return current_devices().is_active(device.pk)
