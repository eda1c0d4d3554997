"""Keys of devices: ECDSA P-256, as WebCrypto makes them. The private half never leaves the device."""

import base64
import binascii
import hashlib
import json
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from events.error_codes import coded
from events.errors import Invalid

SIZE = 32  # bytes of a coordinate, and of each half of a signature
_ALGORITHM = ec.ECDSA(hashes.SHA256())


def canonical(key: object) -> str:
    """Return a public key (JWK) in its stored form. Raises Invalid for anything but a point of P-256."""
    if not isinstance(key, dict) or key.get("kty") != "EC" or key.get("crv") != "P-256" or "d" in key:
        raise Invalid("public_key", coded("device-key-not-p256"))
    x, y = (str(key.get(name, "")) for name in "xy")
    text = json.dumps({"crv": "P-256", "kty": "EC", "x": x, "y": y}, separators=(",", ":"))
    try:
        _public(text)
    except ValueError as error:
        raise Invalid("public_key", coded("device-key-not-p256")) from error
    return text


def fingerprint(key: str) -> str:
    """Return the SHA-256 of a canonical public key: its thumbprint by RFC 7638."""
    return hashlib.sha256(key.encode()).hexdigest()


def is_signed(key: str, body: str, signature: str) -> bool:
    """Return whether the holder of the key signed this text. `signature`: base64url of r and s."""
    try:
        raw = _decoded(signature)
        if len(raw) != 2 * SIZE:
            return False
        halves = (int.from_bytes(raw[:SIZE]), int.from_bytes(raw[SIZE:]))
        _public(key).verify(encode_dss_signature(*halves), body.encode(), _ALGORITHM)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=512)
def _public(key: str) -> ec.EllipticCurvePublicKey:
    """Return the public key. Raises ValueError for other text."""
    jwk = json.loads(key)
    coordinates = [_decoded(jwk[name]) for name in "xy"]
    if any(len(raw) != SIZE for raw in coordinates):
        raise ValueError("a coordinate has 32 bytes")
    x, y = (int.from_bytes(raw) for raw in coordinates)
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError("no base64url") from error
