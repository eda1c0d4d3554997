"""Files of cases that were uploaded and never attached. They are removed after a day.

No file is removed while it is attached. An action on an old upload first makes its time new. A file is removed only
with the note that was read before the events of its case.
"""

from collections.abc import Collection
from datetime import timedelta

import msgspec

from events.cases import decrypted_case
from events.cases.case_key_and_file_vault import Vault, vault
from events.cases.decrypted_case import SealedEntry
from events.cases.upload_metadata import UploadNote
from events.store import EventReader

UPLOAD_RETENTION = timedelta(days=1)  # a program that was stopped in the evening attaches its file in the morning
# An action on an upload has at least this time from its decision to its event, which takes milliseconds.
HELD = timedelta(hours=12)


def hold_upload(keys: Vault, case: str, digest: str) -> tuple[str, int] | None:
    """Return type and size of a file that an action attaches, which is not removed meanwhile; None where it is gone."""
    while (note := keys.upload(case, digest)) is not None:
        upload = UploadNote.read(note)
        age = upload.age()
        new = UploadNote.new(upload.type, upload.size)
        if upload.is_attached or (age is not None and age < HELD):
            break
        if keys.change_upload(case, digest, note, new.written()):
            break
    return keys.described(case, digest)


def remove_unattached(store: EventReader, property_: str) -> int:
    """Remove the uploads older than UPLOAD_RETENTION that no event attaches, and return their number. Safe to repeat.

    Files of a case that cannot be read stay. Raises Retry where a database does not answer.
    """
    keys, removed = vault(), 0
    for case, notes in keys.uploads().items():
        old = {digest: note for digest, note in notes.items() if _is_old(UploadNote.read(note))}
        attached = _attached(store, property_, keys, case) if old else None
        for digest, note in old.items() if attached is not None else ():
            upload = UploadNote.read(note)
            if digest in (attached or ()):
                keys.change_upload(case, digest, note, upload.attached().written())
            elif upload.age() is None:  # of an earlier version: its day begins now
                keys.change_upload(case, digest, note, UploadNote.new(upload.type, upload.size).written())
            else:
                removed += keys.remove_upload(case, digest, note)
    return removed


def _is_old(upload: UploadNote) -> bool:
    age = upload.age()
    return not upload.is_attached and (age is None or age > UPLOAD_RETENTION)


def _attached(store: EventReader, property_: str, keys: Vault, case: str) -> Collection[str] | None:
    """Return the digests of the attached files; None for a case that cannot be read."""
    key, entries = keys.key(case), list[SealedEntry]()
    for stored in store.stream(f"{property_}/cases/{case}") if key else ():
        if stored.type in decrypted_case.CONTENTS:
            event = msgspec.json.decode(stored.raw)
            sealed = event["data"]["sealed"]
            entries.append(SealedEntry(stored.type, event["actor"], sealed, event["id"], event["time"]))
    file = decrypted_case.decrypted(case, key, entries) if key else None
    return None if file is None else {attachment.attachment for attachment in file.attachments}
