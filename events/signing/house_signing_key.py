"""The key that signs the heads: Ed25519, made at its first use in DATA/keys and readable by its owner alone.

From it, or from PITLEDGER_SEAL_KEY, comes the key that seals snapshots (`events/store/snapshot_seals.py`): a process
without a key believes none. PITLEDGER_HEAD_KEY (the private key's 32 bytes in hex) takes its place where keys come from
a vault.

Where PITLEDGER_SIGNER_AT names another container, that one alone signs and writes in DATA/keys. This one reads the copy
that the signer publishes (DATA/published there), as its DATA/keys.
"""

import os
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from events.error_codes import coded
from events.errors import Conflict, Invalid
from events.settings.settings_from_environment import settings
from events.signing.last_signed_head_file import Memory
from events.signing.public_key_copy_for_containers import publish, published

PRIVATE, PUBLIC = "heads.pem", "heads.pub"
_FORMER = "heads-until-"


class Signer:
    """Signer of heads. `public` is the public key in hex, as in every head; `memory` its last signed head, if
    stored.
    """

    def __init__(self, private: Ed25519PrivateKey, memory: Memory | None = None) -> None:
        self._private = private
        self.memory = memory
        self.public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, body: bytes) -> str:
        """The signature in hex."""
        return self._private.sign(body).hex()


def is_signed(public: str, signature: str, body: bytes) -> bool:
    """Return whether this key made this signature of the body; False also for a malformed key or signature."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), body)
    except (InvalidSignature, ValueError):
        return False
    return True


def keys_folder(data: Path | None = None) -> Path:
    """Return the folder of this installation's keys."""
    return (data or settings().data_folder) / "keys"


def is_there(data: Path | None = None) -> bool:
    """Return whether this machine holds the house's key."""
    return bool(settings().head_key) or (keys_folder(data) / PRIVATE).exists()


def signer(data: Path | None = None) -> Signer:
    """Return the house's signer. Makes a missing key; several processes at once make one.

    Raises Conflict where the signer is in another container.
    """
    must_be_here()
    folder = keys_folder(data)
    if not is_there(data):
        _make(folder, folder / PRIVATE)
    made = Signer(_private(data), memory(data))
    _publish_key(folder, made.public)
    return made


def must_be_here() -> None:
    """Raise Conflict, with where to run the command, in a container that is not the signer's."""
    if at := settings().signer_at:
        raise Conflict(coded("signer-elsewhere", place=at))


def memory(data: Path | None = None) -> Memory:
    """Return the memory of this installation's signer, whether or not the key itself is here."""
    return Memory(keys_folder(data), must_be_here)


def snapshot_key(data: Path | None = None) -> bytes | None:
    """The key that seals this house's snapshots; None where neither key is here. Raises Invalid."""
    seal_key = settings().seal_key.encode()
    if not seal_key and not is_there(data):
        return None
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"pitledger.snapshots.v1")
    return kdf.derive(seal_key or _private(data).private_bytes_raw())


def keep_former(public: str, after: int) -> None:
    """Keep trusting a lost key: its heads up to number `after` stay signed."""
    must_be_here()
    folder = keys_folder()
    folder.joinpath(f"{_FORMER}{after}.pub").write_text(f"{public}\n")
    publish(folder)


def former(data: Path | None = None) -> dict[str, int]:
    """Return the former keys, and the last head each of them signed: a finder of a lost key signs nothing with it."""
    former_keys: dict[str, int] = {}
    for path in keys_folder(data).glob(f"{_FORMER}*.pub"):
        if (number := path.stem.removeprefix(_FORMER)).isdecimal():
            key = path.read_text().strip()
            former_keys[key] = max(former_keys.get(key, 0), int(number))
    return former_keys


def _private(data: Path | None) -> Ed25519PrivateKey:
    """The key as the environment or its file has it. Raises Invalid."""
    if head_key := settings().head_key:
        try:
            return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(head_key))
        except ValueError as error:
            raise Invalid("PITLEDGER_HEAD_KEY", coded("head-key-format")) from error
    path = keys_folder(data) / PRIVATE
    then = "Put keys/ back from the backup, and look with `./manage.py verify`"
    try:
        private = load_pem_private_key(path.read_bytes(), password=None)
    except ValueError as error:
        raise Invalid(str(path), coded("house-key-damaged", advice=then)) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise Invalid(str(path), coded("house-key-not-ed25519", advice=then))
    return private


def _make(folder: Path, path: Path) -> None:
    """Write the key next to its place and link it there: it is whole, or another process was quicker."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    new_path = path.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(new_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(new_path, path)
        (folder / PUBLIC).write_text(f"{Signer(private).public}\n")
    except FileExistsError:
        pass
    finally:
        new_path.unlink()


def _publish_key(folder: Path, public: str) -> None:
    """Let other containers know the key that signs, in the folder that the signer publishes."""
    if published(folder) is None:
        return
    if not (path := folder / PUBLIC).exists() or path.read_text().strip() != public:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(f"{public}\n")
    publish(folder)


def trusted(data: Path | None = None) -> set[str]:
    """Return the public keys that this installation trusts: every DATA/keys/*.pub, and the public half of its own key.

    It is empty without keys: then a head's signature proves only that the head is whole.
    """
    trusted_keys = {path.read_text().strip() for path in keys_folder(data).glob("*.pub")}
    if is_there(data) and not settings().signer_at:
        with suppress(Invalid):  # a damaged key signs nothing, and the signer reports it
            trusted_keys.add(signer(data).public)
    return trusted_keys
