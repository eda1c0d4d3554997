"""Expiry of the house's HTTPS certificates, as a client sees them."""

import socket
import ssl
import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

from cryptography import x509

from events.settings.settings_from_environment import settings

ANSWER_S = 2.0
KEPT_S = 600.0  # between two connections to an address
_end_by_address: dict[str, tuple[float, datetime | None]] = {}


def expiries() -> dict[str, datetime]:
    """Return the expiry of the certificate of each address of the house that this machine can reach."""
    origins = [address.origin for address in settings().addresses]
    return {origin: end for origin in origins if (end := expiry(origin)) is not None}


def expiry(address: str) -> datetime | None:
    """Return the expiry of this address's certificate; None without HTTPS, or if this machine cannot reach it.

    The certificate need not be trusted: the house may have an authority of its own.
    """
    at, end = _end_by_address.get(address, (float("-inf"), None))
    if time.monotonic() - at > KEPT_S:
        end = _look(address)
        _end_by_address[address] = time.monotonic(), end
    return end


def _look(address: str) -> datetime | None:
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((parts.hostname, parts.port or 443), ANSWER_S) as line,
            context.wrap_socket(line, server_hostname=parts.hostname) as secured,
        ):
            raw = secured.getpeercert(binary_form=True)
        return x509.load_der_x509_certificate(raw).not_valid_after_utc if raw else None
    except (OSError, ValueError):
        return None


def days_left(end: datetime) -> int:
    """Return the whole days until the end."""
    return (end - datetime.now(UTC)).days
