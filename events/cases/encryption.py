"""Encryption of a case's texts and files: AES-256-GCM under the case's key.

Texts are padded, so that their length says little. The nonce of a file follows from its content. So the same
file in the same case is the same ciphertext, and a repeated upload changes nothing.
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from binascii import Error
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 64  # the first half encrypts, the second makes digests of contents and nonces of files
_NONCE, _HALF, _BLOCK = 12, 32, 256


def new_key() -> bytes:
    """Return a new key of a case."""
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, name: str, text: bytes) -> str:
    """Return the text encrypted for this place of the case, in base64."""
    nonce = secrets.token_bytes(_NONCE)
    padded = text.ljust(-(-len(text) // _BLOCK) * _BLOCK)
    return b64encode(nonce + _cipher(key).encrypt(nonce, padded, name.encode())).decode()


def unseal(key: bytes, name: str, sealed: str) -> bytes | None:
    """Return the text; None where another key, or another place, made the ciphertext."""
    try:
        raw = b64decode(sealed, validate=True)
        return _cipher(key).decrypt(raw[:_NONCE], raw[_NONCE:], name.encode()).rstrip(b" ")
    except (InvalidTag, Error, ValueError):
        return None


def digest(sealed: str) -> str:
    """Return the SHA-256 of a ciphertext, in hex."""
    return sha256(b64decode(sealed)).hexdigest()


def seal_file(key: bytes, case: str, content: bytes) -> bytes:
    """Return the ciphertext of a file."""
    nonce = hmac.new(key[_HALF:], b"file\0" + content, sha256).digest()[:_NONCE]
    return nonce + _cipher(key).encrypt(nonce, content, f"{case}/file".encode())


def unseal_file(key: bytes, case: str, raw: bytes) -> bytes | None:
    """Return the content of a file; None where another key made the ciphertext."""
    try:
        return _cipher(key).decrypt(raw[:_NONCE], raw[_NONCE:], f"{case}/file".encode())
    except (InvalidTag, ValueError):
        return None


def content_digest(key: bytes, content: bytes) -> bytes:
    """Return a digest of an action's content. People without the key cannot check guesses with it."""
    return hmac.new(key[_HALF:], b"content\0" + content, sha256).digest()


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(key[:_HALF])
