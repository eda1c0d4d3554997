"""One-time keys: what one counter has found in a box is sealed until the other's figures are in (docs/adr/0061).

A key lies outside the store, in DATA/counts, readable by its owner alone; it is made for one box and deleted when its
count is settled. Who has no key, or one that opens nothing, has lost the entry: the box is counted again.
"""

import hmac
import os
import secrets
from base64 import b64decode, b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from events.settings import settings

ROOM = 2_048  # every entry is filled up to so many bytes: its length says nothing
_KEY, _NONCE = 32, 12


def sealed(name: str, text: bytes) -> str:
    """The text under the key of this name, which is made where there is none."""
    assert len(text) <= ROOM, "an entry is longer than any count"
    nonce = secrets.token_bytes(_NONCE)
    key = _read(name) or _make(name)
    return b64encode(nonce + AESGCM(key[:_KEY]).encrypt(nonce, text.ljust(ROOM), name.encode())).decode()


def opened(name: str, text: str) -> bytes | None:
    """What was sealed; None where its key is lost."""
    raw, key = b64decode(text), _read(name)
    if key is None:
        return None
    try:
        return AESGCM(key[:_KEY]).decrypt(raw[:_NONCE], raw[_NONCE:], name.encode()).rstrip()
    except InvalidTag:
        return None


def is_kept(name: str) -> bool:
    """Whether the key of this name is there; what it seals is not looked at."""
    return _read(name) is not None


def digest(name: str, content: bytes) -> bytes:
    """The digest of a content that nobody without the key can guess it by; another one, once the key is gone."""
    key = _read(name) or secrets.token_bytes(2 * _KEY)
    return hmac.new(key[_KEY:], content, sha256).digest()


def forget(name: str) -> None:
    """The key is gone: what it sealed is opened by nobody any more."""
    with suppress(FileNotFoundError):
        _path(name).unlink()


def _path(name: str) -> Path:
    return settings().data_folder / "counts" / f"{sha256(name.encode()).hexdigest()}.key"


def _read(name: str) -> bytes | None:
    try:
        key = _path(name).read_bytes()
    except FileNotFoundError:
        return None
    return key if len(key) == 2 * _KEY else None


def _make(name: str) -> bytes:
    """A new key, on the disk before anything is sealed with it; that of whoever was quicker, if somebody was."""
    path = _path(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}.{secrets.token_hex(4)}")
    with open(made, "xb", opener=lambda at, flags: os.open(at, flags, 0o600)) as file:
        file.write(secrets.token_bytes(2 * _KEY))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(made, path)
    except FileExistsError:
        if _read(name) is None:  # one that was cut off is none
            os.replace(made, path)
    made.unlink(missing_ok=True)
    key = _read(name)
    assert key is not None, "a key that was written just now is there"
    return key
