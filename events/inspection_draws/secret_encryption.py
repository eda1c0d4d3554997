"""The secret of a draw, encrypted: events have only its ciphertext until the draw is opened.

AES-256-GCM under a key derived from the house's secret key; the draw and the commitment are authenticated with it. A
ciphertext reveals nothing about the result: all have the same length.
"""

import base64
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from events.error_codes import coded
from events.errors import Conflict
from events.inspection_draws.verifiable_weighted_draw import commitment_of

SECRET_BYTES, NONCE_BYTES = 32, 12


def key_of(house_secret: str) -> bytes:
    """Return the key of the draws of a house."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"pitledger.draws.v1").derive(house_secret.encode())


def new_secret() -> bytes:
    """Return a fresh secret."""
    return os.urandom(SECRET_BYTES)


def seal(key: bytes, draw: str, secret: bytes) -> str:
    """Return the encrypted secret of a draw, in Base64."""
    nonce = os.urandom(NONCE_BYTES)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, secret, _bound(draw, commitment_of(secret)))).decode()


def unseal(key: bytes, draw: str, commitment: str, sealed: str) -> bytes:
    """Return the secret of a draw. Raises Conflict where the key is another one, or the commitment is not its own."""
    raw = base64.b64decode(sealed)
    try:
        secret = AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], _bound(draw, commitment))
    except InvalidTag as error:
        raise Conflict(coded("draw-not-unsealed", draw=draw)) from error
    if commitment_of(secret) != commitment:
        raise Conflict(coded("draw-not-unsealed", draw=draw))
    return secret


def _bound(draw: str, commitment: str) -> bytes:
    return f"{draw}\n{commitment}".encode()
