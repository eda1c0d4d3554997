"""Events of a case: the id, a ciphertext, and the digest of the ciphertext."""

from typing import ClassVar

import msgspec

from events.envelope import EventData


class CaseEvent(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a case. `sealed`: nonce and ciphertext in base64; `digest`: the SHA-256 of those bytes, in hex."""

    case: str
    sealed: str
    digest: str


class CaseOpened(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A case begins."""

    TYPE: ClassVar[str] = "case.opened.v1"


class CaseAdded(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Evidence, people or places are added to a case."""

    TYPE: ClassVar[str] = "case.added.v1"


class CaseNoted(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A note is added to a case."""

    TYPE: ClassVar[str] = "case.noted.v1"


class CaseBookmarked(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A recording is bookmarked for a case."""

    TYPE: ClassVar[str] = "case.bookmarked.v1"


class CaseAttached(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A file is attached to a case. The file is in the access database."""

    TYPE: ClassVar[str] = "case.attached.v1"


class CaseTaskSet(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A task of a case is set, or done."""

    TYPE: ClassVar[str] = "case.task_set.v1"


class CaseLinked(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A case is linked to another one."""

    TYPE: ClassVar[str] = "case.linked.v1"


class CaseGranted(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A person's access to a case is granted or withdrawn."""

    TYPE: ClassVar[str] = "case.granted.v1"


class CaseClosed(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A case is closed."""

    TYPE: ClassVar[str] = "case.closed.v1"


class CaseReopened(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A closed case is open again."""

    TYPE: ClassVar[str] = "case.reopened.v1"


class CaseKeyDestroyed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The key of a case is destroyed: its ciphertexts stay, and no one can read them. `approvals`: person and role."""

    TYPE: ClassVar[str] = "case.key_destroyed.v1"
    case: str
    reason: str
    approvals: tuple[tuple[str, str], ...] = ()


class SealedRequest(msgspec.Struct, frozen=True):
    """The input of a request on a case, as an approval event holds it."""

    sealed: str


class ExportContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The encrypted part of an export's event. `events`: those of the evidence; `source`: where it was asked for."""

    export: str
    manifest: str
    events: int
    files: int
    source: str = ""


class CaseExported(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A case is exported. `manifest`: the SHA-256 of the archive's manifest, by which an outsider verifies it."""

    TYPE: ClassVar[str] = "case.exported.v1"
    manifest: str


class CaseHandedOver(CaseEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An export of a case is handed over."""

    TYPE: ClassVar[str] = "case.handed_over.v1"
