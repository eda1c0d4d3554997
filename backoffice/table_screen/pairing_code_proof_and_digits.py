"""Proof of a pairing's secret, and the digits that two people compare. Pure; the tablet's page computes the same.

The secret never travels. The device proves it with a MAC over its public key and over a commitment to a nonce. Then
the house sends its own nonce, and the device opens the commitment. The digits depend on the secret, the key and both
nonces. A person between them who breaks TLS must choose a key before either nonce is known: one guess in 10,000.
"""

import hashlib
import hmac
import json
import re

from events.error_codes import coded
from events.errors import Invalid

NONCE = re.compile(r"[0-9a-f]{32,128}")


def key_of(secret: str) -> str:
    """Return the key of a secret, which the house keeps: its SHA-256, in hex."""
    return _sha256(secret)


def code_of(key: str) -> str:
    """Return the name under which a device speaks of a code: it tells nothing of the secret."""
    return _sha256(f"code.{key}")


def commitment_of(nonce: str, public_key: str) -> str:
    """Return the commitment to a nonce and a canonical public key."""
    return _sha256(f"{nonce}.{_point(public_key)}")


def proof_of(key: str, public_key: str, commitment: str) -> str:
    """Return the device's proof that it knows the secret, for this key and this commitment alone."""
    content = f"{_point(public_key)}.{commitment}".encode()
    return hmac.new(key.encode(), content, hashlib.sha256).hexdigest()


def digits(key: str, public_key: str, nonce: str, house_nonce: str) -> str:
    """Return the four digits that tablet and pit page show."""
    content = f"{key}.{_point(public_key)}.{nonce}.{house_nonce}".encode()
    return f"{int.from_bytes(hashlib.sha256(content).digest()[:4]) % 10_000:04}"


def require_nonce(nonce: str) -> None:
    """Raises Invalid for less than 16 bytes in hex."""
    if not NONCE.fullmatch(nonce):
        raise Invalid("nonce", coded("pairing-nonce"))


def is_same(digits_text: str, expected: str) -> bool:
    """Compare two texts in a time that tells nothing of them."""
    return hmac.compare_digest(digits_text.encode(), expected.encode())


def _point(public_key: str) -> str:
    jwk = json.loads(public_key)
    return f"{jwk['x']}.{jwk['y']}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
