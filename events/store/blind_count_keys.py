"""One-time keys: one counter's figures of a box are hidden until the other's are in (docs/adr/0061).

A key is stored outside the event store, as a note with the access log. It is made for one box and deleted when its
count is settled. It is encrypted under the key of the logins, which is in no database and in no backup: neither opens
an entry. Where a key is lost or fails, the entry is lost, and the box is counted again.
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from events.settings.settings_from_environment import settings
from events.signing.secrets_created_at_first_use import durable_login_key
from events.store.named_notes_shared_by_processes import Notes

ROOM = 2_048  # every entry is padded to so many bytes, so its length reveals nothing
_KEY, _NONCE = 32, 12
_NOTE = "count-key/"


def sealed(name: str, text: bytes) -> str:
    """Return the text encrypted under the key of this name, which is made at its first use. Raises Retry."""
    assert len(text) <= ROOM, "an entry is longer than any count"
    nonce = secrets.token_bytes(_NONCE)
    key = _read(name) or _make(name)
    return b64encode(nonce + AESGCM(key[:_KEY]).encrypt(nonce, text.ljust(ROOM), name.encode())).decode()


def open_count(name: str, text: str) -> bytes | None:
    """Return the sealed content; None where its key is lost. Raises Retry."""
    raw, key = b64decode(text), _read(name)
    if key is None:
        return None
    try:
        return AESGCM(key[:_KEY]).decrypt(raw[:_NONCE], raw[_NONCE:], name.encode()).rstrip()
    except InvalidTag:
        return None


def is_kept(name: str) -> bool:
    """Return whether the key of this name exists; its sealed content is not read. Raises Retry."""
    return _read(name) is not None


def digest(name: str, content: bytes) -> bytes:
    """Return the digest of a content, by which no one without the key can guess it; a random one without the key."""
    key = _read(name) or secrets.token_bytes(2 * _KEY)
    return hmac.new(key[_KEY:], content, sha256).digest()


def forget(names: Collection[str]) -> None:
    """Delete these keys: no one opens their sealed content any more. Raises Retry."""
    _notes().remove([_note_of(name) for name in names])
    for name in names:
        _file_of(name).unlink(missing_ok=True)


def _notes() -> Notes:
    return Notes(settings().access)


def _note_of(name: str) -> str:
    return f"{_NOTE}{sha256(name.encode()).hexdigest()}"


def _file_of(name: str) -> Path:
    """Return the file in which an earlier version kept the key, in plain."""
    return settings().data_folder / "counts" / f"{sha256(name.encode()).hexdigest()}.key"


def _read(name: str) -> bytes | None:
    note = _notes().read(_note_of(name))
    if note is None:
        return _carried_over(name)
    with suppress(InvalidTag):
        key = AESGCM(_wrapping_key()).decrypt(note[:_NONCE], note[_NONCE:], name.encode())
        return key if len(key) == 2 * _KEY else None
    return None


def _carried_over(name: str) -> bytes | None:
    """The key from the file of an earlier version, which becomes a note."""
    path = _file_of(name)
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(key) != 2 * _KEY:
        return None
    _write(name, key)
    path.unlink(missing_ok=True)
    return key


def _make(name: str) -> bytes:
    """Make a key, durable before anything is sealed with it; of two processes at once the first one's counts."""
    _write(name, secrets.token_bytes(2 * _KEY))
    if (key := _read(name)) is None:  # one that was restored, or made under another key of the logins, opens nothing
        _notes().remove([_note_of(name)])
        _write(name, secrets.token_bytes(2 * _KEY))
        key = _read(name)
    assert key is not None, "a key that was written just now is there"
    return key


def _write(name: str, key: bytes) -> None:
    nonce = secrets.token_bytes(_NONCE)
    _notes().add(_note_of(name), nonce + AESGCM(_wrapping_key()).encrypt(nonce, key, name.encode()))


def _wrapping_key() -> bytes:
    kdf = HKDF(algorithm=SHA256(), length=_KEY, salt=None, info=b"pitledger.counts.v1")
    return kdf.derive(durable_login_key(settings()).encode())
