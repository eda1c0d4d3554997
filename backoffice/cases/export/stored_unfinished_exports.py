"""Stored content of exports, encrypted with the key of the case, before the event of each export.

So an export that was killed, or that waits for a signed head, continues with the same content and the same event. A
destroyed key destroys the stored content.
"""

from datetime import timedelta
from typing import Any

import msgspec

from events.cases.case_key_and_file_vault import Vault, vault
from events.runtime import clock

EXPORT_RETENTION = timedelta(minutes=15)  # a finished export, for another download
UNFINISHED_KEPT = timedelta(days=7)
_BEGUN, _STAGE, _PROOF, _FINISHED = "begun", "stage", "proof", "finished"


class StagedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file of an export: its content, or the digest of the attachment that it is. `manifest_fields` go
    into the manifest."""

    name: str
    content: bytes | None = None
    attachment: str = ""
    manifest_fields: dict[str, Any] = msgspec.field(name="more", default_factory=dict)


class UnprovenExport(msgspec.Struct, frozen=True):
    """Everything of an export but its proof.

    `person` and `roles` may get it, `own` are the case's own events before it, `evidence` the positions of the others,
    `missing` the evidence that is not in it.
    """

    heading: dict[str, str]
    person: str
    roles: tuple[str, ...]
    source: str
    own: int
    evidence: tuple[int, ...]
    missing: tuple[str, ...]
    files: tuple[StagedFile, ...]
    manifest: bytes


class Stages:
    """The stored exports of a case. Each method raises Retry where the database or the key does not answer."""

    def __init__(self, vault: Vault, case: str) -> None:
        self._vault, self._case = vault, case

    def begin(self, export: str, person: str) -> bool:
        """Note who exports; return whether this is a new export."""
        if self.person(export) is not None:
            return False
        now = int(clock.moment().timestamp())
        content = msgspec.json.encode([person, now])
        return self._vault.add_part(self._case, f"{export}/{_BEGUN}", content) == content

    def person(self, export: str) -> str | None:
        """Return the person who began an export; None for an unknown one."""
        content = self._vault.part(self._case, f"{export}/{_BEGUN}")
        return None if content is None else str(msgspec.json.decode(content)[0])

    def add(self, stage: UnprovenExport) -> UnprovenExport:
        """Store the content of an export behind this many own events: of two processes the first one's counts."""
        name = f"{stage.heading['export']}/{_STAGE}/{stage.own}"
        return _decode(self._vault.add_part(self._case, name, msgspec.msgpack.encode(stage)))

    def stage(self, export: str, own: int) -> UnprovenExport | None:
        """Return the content of an export behind this many own events."""
        content = self._vault.part(self._case, f"{export}/{_STAGE}/{own}")
        return None if content is None else _decode(content)

    def add_proof(self, export: str, proof: bytes) -> bytes:
        """Store the proof of an export: of two processes the first one's counts."""
        return self._vault.add_part(self._case, f"{export}/{_PROOF}", proof)

    def proof(self, export: str) -> bytes | None:
        """Return the stored proof of an export."""
        return self._vault.part(self._case, f"{export}/{_PROOF}")

    def finish(self, export: str) -> None:
        """Note that the whole archive was written or sent."""
        self._vault.add_part(self._case, f"{export}/{_FINISHED}", str(int(clock.moment().timestamp())).encode())

    def unfinished(self) -> frozenset[str]:
        """Return the stored exports whose archive was not written or sent yet."""
        names = [name.split("/") for name in self._vault.parts(self._case)]
        done = {name[0] for name in names if name[1] == _FINISHED}
        return frozenset(name[0] for name in names if name[1] == _STAGE) - done

    def expire(self) -> None:
        """Delete exports whose time is over."""
        names = self._vault.parts(self._case)
        old = {export for export in {name.partition("/")[0] for name in names} if self._is_old(export)}
        self._vault.remove_parts(self._case, [name for name in names if name.partition("/")[0] in old])

    def _is_old(self, export: str) -> bool:
        now = clock.moment().timestamp()
        finished = self._vault.part(self._case, f"{export}/{_FINISHED}")
        if finished is not None:
            return now - int(finished) > EXPORT_RETENTION.total_seconds()
        begun = self._vault.part(self._case, f"{export}/{_BEGUN}")
        return begun is None or now - int(msgspec.json.decode(begun)[1]) > UNFINISHED_KEPT.total_seconds()


def remove_old_exports() -> None:
    """Delete the stored exports of all cases whose time is over. Raises Retry."""
    keys = vault()
    for case in sorted(keys.stored()):
        if keys.key(case) is not None:  # without it no one knows how old they are
            Stages(keys, case).expire()


def _decode(content: bytes) -> UnprovenExport:
    return msgspec.msgpack.decode(content, type=UnprovenExport)
