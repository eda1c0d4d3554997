"""The keys and files of cases, in the database of the access log.

Each case has a key of its own. It is encrypted under the house case key, which is in no database and in no backup
(`PITLEDGER_CASE_KEY`, or the file `case-key` of the data folder). Where a case's key is gone, no one can read the case.
"""

import hmac
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from events.cases import encryption
from events.cases.event_types import CaseKeyDestroyed
from events.cases.upload_metadata import UploadNote
from events.error_codes import coded
from events.errors import Defect, Unknown
from events.settings.settings_from_environment import settings
from events.signing.secrets_created_at_first_use import case_key, present_case_key
from events.store import EventReader
from events.store.named_notes_shared_by_processes import Notes

_KEY, _FILE, _TYPE, _HOUSE, _PART = "case-key/", "case-file/", "case-type/", "case-house-key", "case-export/"
_NONCE = 12
_WRAPPING = b"pitledger.cases.v1"


class Vault:
    """Keys and files by case. Every method raises Retry where the database does not answer.

    The house case key is asked for at the first key that is wrapped, and made then if it is missing. Raises Defect
    where it cannot be stored, or another one wraps the keys of this house. `present_key` reads only.
    """

    def __init__(
        self, notes: Notes, house_key: Callable[[], str], present_key: Callable[[], str] | None = None
    ) -> None:
        self._notes = notes
        self._house_key = house_key
        self._present_key = present_key or house_key

    @cached_property
    def _wrapping(self) -> bytes:
        return _derived(self._house_key(), _WRAPPING)

    @cached_property
    def _opening(self) -> bytes:
        return _derived(self._present_key(), _WRAPPING)

    # --- keys -------------------------------------------------------------------------------------------------

    def key(self, case: str) -> bytes | None:
        """Return the key of a case; None where it, or the house case key that opens it, is missing."""
        note = self._notes.read(_KEY + case)
        return None if note is None else self._unwrapped(case, note)

    def open_keys(self, cases: Sequence[str]) -> dict[str, bytes]:
        """Return the keys of several cases, by case, on one connection. Missing and unreadable keys are left out."""
        notes = self._notes.read_many([_KEY + case for case in cases])
        keys = ((case, self._unwrapped(case, notes[_KEY + case])) for case in cases if _KEY + case in notes)
        return {case: key for case, key in keys if key is not None}

    def make_key(self, case: str) -> bytes:
        """Return the key of a new case, durable; of two processes at once the first one's counts.

        Raises Defect where the keys of this house are wrapped by another house case key, also by one that came just
        now.
        """
        self._begin_use()
        self._notes.add(_KEY + case, self._wrap(case, encryption.new_key()))
        key = self.key(case)
        self._begin_use()
        if key is None:
            raise Defect(coded("case-house-key-differs"))
        return key

    def _begin_use(self) -> None:
        mark = _mark(self._wrapping)
        if self._notes.add(_HOUSE, mark) != mark:
            raise Defect(coded("case-house-key-differs"))

    def must_fit(self) -> None:
        """Raise Defect where another house case key wraps the keys of this house, or the key is missing.

        The answer is the same for every case, also for one that does not exist.
        """
        mark = self._notes.read(_HOUSE)
        if mark is not None and not self._present_key():
            raise Defect(coded("case-house-key-missing"))
        if mark is not None and mark != _mark(self._opening):
            raise Defect(coded("case-house-key-differs"))

    def _opened_key(self, case: str) -> bytes:
        """Return the key of a case. Raises Defect for another house case key, Unknown for a destroyed key."""
        key = self.key(case)
        if key is None:
            self.must_fit()
            raise Unknown(coded("case-unknown", case=case))
        return key

    def destroy(self, cases: Iterable[str]) -> None:
        """Delete the keys and files of these cases, and the parts of their exports."""
        for case in cases:
            files = [name for prefix in (_FILE, _TYPE, _PART) for name in self._notes.sizes(f"{prefix}{case}/")]
            self._notes.remove([_KEY + case, *files])

    def keys(self) -> tuple[str, ...]:
        """Return the cases that have a key."""
        return tuple(name.removeprefix(_KEY) for name in self._notes.sizes(_KEY))

    def stored(self) -> frozenset[str]:
        """Return the cases of which a key, a file or a part of an export is stored."""
        names = (name for prefix in (_KEY, _FILE, _TYPE, _PART) for name in self._notes.sizes(prefix))
        return frozenset(name.split("/")[1] for name in names)

    def unreadable(self) -> tuple[str, ...]:
        """Return the cases whose key this house case key does not open."""
        cases = self.keys()
        opened = self.open_keys(cases)
        return tuple(case for case in cases if case not in opened)

    def rewrap(self, new_house_key: str) -> int:
        """Wrap every key by another house case key; return how many were wrapped. Safe to repeat after a kill.

        Raises Defect where neither house case key opens one of them.
        """
        other, count = Vault(self._notes, lambda: new_house_key), 0
        if set(self.unreadable()) & set(other.unreadable()):
            raise Defect(coded("case-house-key-differs"))
        self._notes.write(_HOUSE, _mark(other._wrapping))  # first: processes with the old one open no more cases
        while wrapped := sum(self._rewrap(case, other) for case in other.unreadable()):
            count += wrapped
        return count

    def _rewrap(self, case: str, other: "Vault") -> bool:
        """Wrap a key for another vault; False where it was destroyed, or wrapped by another process, meanwhile."""
        note = self._notes.read(_KEY + case)
        key = None if note is None else self._unwrapped(case, note)
        return bool(note and key and self._notes.replace(_KEY + case, note, other._wrap(case, key)))

    def _wrap(self, case: str, key: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE)
        return nonce + AESGCM(self._wrapping).encrypt(nonce, key, case.encode())

    def _unwrapped(self, case: str, note: bytes) -> bytes | None:
        try:
            return AESGCM(self._opening).decrypt(note[:_NONCE], note[_NONCE:], case.encode())
        except (InvalidTag, ValueError, Defect):
            return None

    # --- files ------------------------------------------------------------------------------------------------

    def add_file(self, case: str, content: bytes, type_: str) -> str:
        """Store a file of a case, encrypted; return the SHA-256 of the ciphertext. The same file again is the same.

        Its note comes first: where it is new, no one removes the file (`events/cases/upload_hold_and_removal.py`).
        """
        raw = self._sealed_file(case, content)
        digest = sha256(raw).hexdigest()
        name = f"{_TYPE}{case}/{digest}"
        new = UploadNote.new(type_, len(content)).written()
        while (note := self._notes.add(name, new)) != new and not UploadNote.read(note).is_attached:
            if self._notes.replace(name, note, new):
                break
        self._notes.add(f"{_FILE}{case}/{digest}", raw)
        return digest

    def digest_of_file(self, case: str, content: bytes) -> str:
        """Return the SHA-256 of the ciphertext that a file of a case has, or would have."""
        return sha256(self._sealed_file(case, content)).hexdigest()

    def _sealed_file(self, case: str, content: bytes) -> bytes:
        return encryption.seal_file(self._opened_key(case), case, content)

    def described(self, case: str, digest: str) -> tuple[str, int] | None:
        """Return the type of a stored file, by its content, and its size in bytes; None for an unknown file."""
        note = self._notes.read(f"{_TYPE}{case}/{digest}")
        if note is None or not self._notes.sizes(f"{_FILE}{case}/{digest}"):
            return None
        upload = UploadNote.read(note)
        return upload.type, upload.size

    def ciphertext(self, case: str, digest: str) -> bytes | None:
        """Return the stored bytes of a file; None for an unknown file."""
        return self._notes.read(f"{_FILE}{case}/{digest}")

    def file(self, case: str, digest: str) -> bytes | None:
        """Return the content of a file; None where it, or the key of its case, is gone."""
        raw, key = self.ciphertext(case, digest), self.key(case)
        if raw is None or key is None or sha256(raw).hexdigest() != digest:
            return None
        return encryption.unseal_file(key, case, raw)

    def sizes(self, case: str) -> dict[str, int]:
        """Return the stored files of a case: bytes by digest."""
        prefix = f"{_FILE}{case}/"
        return {name.removeprefix(prefix): size for name, size in self._notes.sizes(prefix).items()}

    def uploads(self) -> dict[str, dict[str, bytes]]:
        """Return the notes of all files: by case, then by digest."""
        by_case: dict[str, dict[str, bytes]] = {}
        for name, note in self._notes.contents(_TYPE).items():
            case, _, digest = name.removeprefix(_TYPE).partition("/")
            by_case.setdefault(case, {})[digest] = note
        return by_case

    def upload(self, case: str, digest: str) -> bytes | None:
        """Return the note of a file; None for an unknown file."""
        return self._notes.read(f"{_TYPE}{case}/{digest}")

    def change_upload(self, case: str, digest: str, before: bytes, note: bytes) -> bool:
        """Change the note of a file; False where it was changed or removed meanwhile."""
        return self._notes.replace(f"{_TYPE}{case}/{digest}", before, note)

    def remove_upload(self, case: str, digest: str, note: bytes) -> bool:
        """Delete a file and its note; False, and nothing, where the note was changed or removed meanwhile."""
        return self._notes.remove_together(f"{_TYPE}{case}/{digest}", note, [f"{_FILE}{case}/{digest}"])

    # --- parts of exports -------------------------------------------------------------------------------------

    def add_part(self, case: str, name: str, content: bytes) -> bytes:
        """Store a part of an export, encrypted; return the present one: of two writers the first one's counts."""
        self._notes.add(f"{_PART}{case}/{name}", self._sealed_file(case, content))
        present = self.part(case, name)
        if present is None:
            raise Unknown(coded("case-unknown", case=case))  # its key was destroyed meanwhile
        return present

    def part(self, case: str, name: str) -> bytes | None:
        """Return a part of an export; None where it, or the key of its case, is gone."""
        raw, key = self._notes.read(f"{_PART}{case}/{name}"), self.key(case)
        return None if raw is None or key is None else encryption.unseal_file(key, case, raw)

    def parts(self, case: str) -> tuple[str, ...]:
        """Return the names of the stored parts of a case's exports."""
        return tuple(name.removeprefix(f"{_PART}{case}/") for name in self._notes.sizes(f"{_PART}{case}/"))

    def remove_parts(self, case: str, names: Iterable[str]) -> None:
        """Delete parts of exports."""
        if parts := [f"{_PART}{case}/{name}" for name in names]:
            self._notes.remove(parts)


def vault() -> Vault:
    """Return the vault of this house."""
    house = settings()
    return Vault(vault_notes(house.access), lambda: case_key(house), lambda: present_case_key(house))


def house_key_fault() -> Defect | None:
    """Return the fault of a house case key that is missing, or is not the one that wraps the keys of cases.

    Raises Retry where the database of the keys does not answer.
    """
    try:
        vault().must_fit()
    except Defect as error:
        return error
    return None


def vault_notes(url: str) -> Notes:
    """Return the table of keys and files of cases, in this database of an access log. Backups have it."""
    return Notes(url, "pitledger_case_vault")


def destroy_again(store: EventReader, also: Iterable[str] = ()) -> tuple[str, ...]:
    """Destroy the key of each case whose destruction is an event, and of those in `also`. Safe to repeat.

    Return the cases of which a key or a file was still there.
    """
    wanted = {*also, *destroyed_cases(store)}
    left = tuple(sorted(wanted & vault().stored()))
    vault().destroy(left)
    return left


def destroyed_cases(store: EventReader, until: int | None = None) -> tuple[str, ...]:
    """Return the cases whose key is destroyed by an event up to a position (None: any), in order."""
    position, cases = 0, []
    while batch := store.after(position, 1_000, types=(CaseKeyDestroyed.TYPE,), until=until):
        position = batch[-1].position
        cases += [event.stream.rpartition("/")[2] for event in batch]
    return tuple(dict.fromkeys(cases))


def _mark(wrapping: bytes) -> bytes:
    """Return the mark of a house case key, by which it is recognised."""
    return hmac.new(wrapping, b"mark", sha256).digest()[:8]


def _derived(secret: str, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret.encode())
