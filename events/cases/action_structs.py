"""Actions on a case. Their data has the content of the case's ciphertexts, under the same names."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Amount, Day, Hash, Id, LongText, Name, ShortName, TableName, Text, Time
from events.roles import Role

ENTRIES_MAX = 100  # ids of one kind in an action
Category = Literal["cheating", "theft", "procedure", "dispute", "accident", "conduct", "money laundering", "other"]
Severity = Literal["low", "medium", "high"]
Disposition = Literal["unfounded", "mistake", "training", "disciplinary", "recovered", "reported", "prosecuted"]
Concern = Literal["money", "job"]
Level = Literal["read", "work", "none"]
DestructionReason = Literal["retention over", "court order", "erasure request"]
EventIds = Annotated[tuple[Id, ...], Meta(max_length=ENTRIES_MAX)]
AlertIds = Annotated[tuple[Hash, ...], Meta(max_length=ENTRIES_MAX)]
Rounds = Annotated[tuple[Name, ...], Meta(max_length=ENTRIES_MAX)]  # "BJ1/2026-11-20/17"
PeopleIds = Annotated[tuple[Name, ...], Meta(max_length=ENTRIES_MAX)]
Places = Annotated[tuple[ShortName, ...], Meta(max_length=ENTRIES_MAX)]
CaseRoles = Annotated[tuple[Role, ...], Meta(max_length=12)]
CaseId = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$(?!\n)")]
ExportId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]
_Data = ActionData


class OpenCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open a case. Its subjects do not see it. `roles`: whose holders see it, beside the opener and the auditor."""

    TYPE: ClassVar[str] = "case.open"
    title: Text
    category: Category
    severity: Severity
    note: LongText | None = None
    subjects: PeopleIds = ()
    subject_roles: CaseRoles = ()
    people: PeopleIds = ()
    places: Places = ()
    events: EventIds = ()
    alerts: AlertIds = ()
    rounds: Rounds = ()
    occurred: Time | None = None
    occurred_until: Time | None = None
    reported: Time | None = None
    roles: CaseRoles | None = None


class AddToCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Add evidence, people or places to a case. Subjects that are added no longer see it."""

    TYPE: ClassVar[str] = "case.add"
    events: EventIds = ()
    alerts: AlertIds = ()
    rounds: Rounds = ()
    people: PeopleIds = ()
    places: Places = ()
    subjects: PeopleIds = ()
    subject_roles: CaseRoles = ()
    note: LongText | None = None


class NoteCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Add a note to a case. Notes cannot be changed."""

    TYPE: ClassVar[str] = "case.note"
    note: LongText


class BookmarkVideo(
    _Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename={"from_": "from"}
):
    """Bookmark a recording. `expires`: the time at which the recorder deletes it, or `video_days` after its end.

    `send_to`: a video system of this machine's file of destinations, which gets the bookmark.
    """

    TYPE: ClassVar[str] = "case.bookmark"
    camera: Name
    from_: Time
    to: Time
    note: LongText | None = None
    expires: Time | None = None
    event: Id | None = None
    alert: Hash | None = None
    table: TableName | None = None
    send_to: ShortName | None = None


class AttachFile(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Attach an uploaded file. `attachment` is the SHA-256 of its ciphertext, as the upload returned it."""

    TYPE: ClassVar[str] = "case.attach"
    attachment: Hash
    name: Name
    note: LongText | None = None


class SetTask(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Set a task of a case, or mark it as done. `task` is its id within the case."""

    TYPE: ClassVar[str] = "case.task"
    task: ShortName
    what: Text | None = None
    due: Day | None = None
    person: Name | None = None
    state: Literal["open", "done"] = "open"


class LinkCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Link a case to another one."""

    TYPE: ClassVar[str] = "case.link"
    other: CaseId
    how: Text | None = None


class GrantCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Grant a person access to a case, or withdraw it."""

    TYPE: ClassVar[str] = "case.grant"
    person: Name
    level: Level


class CloseCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Close a case with its disposition. A second person approves it where money or a person's job is concerned."""

    TYPE: ClassVar[str] = "case.close"
    disposition: Disposition
    reason: LongText
    concerns: Annotated[tuple[Concern, ...], Meta(max_length=2)] = ()
    amount_minor: Amount | None = None


class ReopenCase(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reopen a closed case."""

    TYPE: ClassVar[str] = "case.reopen"
    reason: LongText


class DestroyKey(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Destroy the key of a closed case. No one can read it afterwards."""

    TYPE: ClassVar[str] = "case.destroy_key"
    reason: DestructionReason


class HandOverExport(_Data, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record that an export is handed over: to whom, and why."""

    TYPE: ClassVar[str] = "case.hand_over"
    export: ExportId
    to: Text
    reason: Text
