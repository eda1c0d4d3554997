"""The decrypted case: the fold of its entries, each the data of an action with its event, time and author."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from events.cases import action_structs, encryption, event_types

EvidenceKind = Literal["event", "alert", "round"]


class Closing(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a closing: the action's data, and the time from which the key may be destroyed."""

    data: action_structs.CloseCase
    keep_until: str


class AttachmentContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of an attachment's entry: the action's data, the type by content, and the size in bytes."""

    data: action_structs.AttachFile
    type: str
    size: int


# Content of each event type, after decryption.
CONTENTS: dict[str, Any] = {
    event_types.CaseOpened.TYPE: action_structs.OpenCase,
    event_types.CaseAdded.TYPE: action_structs.AddToCase,
    event_types.CaseNoted.TYPE: action_structs.NoteCase,
    event_types.CaseBookmarked.TYPE: action_structs.BookmarkVideo,
    event_types.CaseAttached.TYPE: AttachmentContent,
    event_types.CaseTaskSet.TYPE: action_structs.SetTask,
    event_types.CaseLinked.TYPE: action_structs.LinkCase,
    event_types.CaseGranted.TYPE: action_structs.GrantCase,
    event_types.CaseClosed.TYPE: Closing,
    event_types.CaseReopened.TYPE: action_structs.ReopenCase,
    event_types.CaseExported.TYPE: event_types.ExportContent,
    event_types.CaseHandedOver.TYPE: action_structs.HandOverExport,
}


class SealedEntry(msgspec.Struct, frozen=True):
    """A stored event of a case: its type and author, the ciphertext, its id and time."""

    type: str
    by: str
    sealed: str
    event: str = ""
    at: str = ""


class CaseEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Event, time and author of a part of a case."""

    event: str = ""
    at: str = ""
    by: str = ""


class Evidence(CaseEntry, frozen=True, kw_only=True):
    """An event, alert or round of the case. `ref` is its id."""

    kind: EvidenceKind
    ref: str


class CaseNote(CaseEntry, frozen=True, kw_only=True):
    """A note."""

    note: str


class Bookmark(CaseEntry, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A bookmarked recording. `ref_event` and `ref_alert`: the step or alert where it was made."""

    camera: str
    from_: str
    to: str
    note: str = ""
    expires: str | None = None
    ref_event: str | None = None
    ref_alert: str | None = None
    table: str | None = None
    send_to: str | None = None

    @property
    def recording(self) -> tuple[str, str, str]:
        """Return its camera, beginning and end: a later bookmark of the same recording gives the expiry that counts."""
        return self.camera, self.from_, self.to


class Attachment(CaseEntry, frozen=True, kw_only=True):
    """An attached file. `attachment` is the SHA-256 of its ciphertext, `type` by its content, `size` in bytes."""

    attachment: str
    name: str
    note: str = ""
    type: str
    size: int


class CaseTask(CaseEntry, frozen=True, kw_only=True):
    """A task. `due` is a day, `person` the person who does it."""

    task: str
    what: str = ""
    due: str | None = None
    person: str | None = None
    state: Literal["open", "done"] = "open"


class CaseLink(CaseEntry, frozen=True, kw_only=True):
    """A link to another case."""

    other: str
    how: str = ""


class CaseExport(CaseEntry, frozen=True, kw_only=True):
    """An archive of the case that left the house. `events`: those of the evidence; `manifest`: its SHA-256."""

    export: str
    manifest: str
    events: int
    files: int
    source: str = ""


class HandOver(CaseEntry, frozen=True, kw_only=True):
    """The hand-over of an export: to whom, and why."""

    export: str
    to: str
    reason: str


class Step(CaseEntry, frozen=True, kw_only=True):
    """An event of the case's own history, by type."""

    type: str


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A decrypted case. `grants`: level by person. `concerns` and `disposition` are those of the last closing."""

    id: str
    title: str = ""
    category: str = ""
    severity: str = ""
    status: Literal["open", "closed"] = "open"
    opened: str = ""
    opener: str = ""
    subjects: tuple[str, ...] = ()
    subject_roles: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    occurred: str | None = None
    occurred_until: str | None = None
    reported: str | None = None
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[CaseNote, ...] = ()
    bookmarks: tuple[Bookmark, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    tasks: tuple[CaseTask, ...] = ()
    links: tuple[CaseLink, ...] = ()
    exports: tuple[CaseExport, ...] = ()
    hand_overs: tuple[HandOver, ...] = ()
    grants: dict[str, str] = {}
    disposition: str = ""
    reason: str = ""
    concerns: tuple[str, ...] = ()
    amount_minor: int | None = None
    closed: str | None = None
    keep_until: str | None = None
    history: tuple[Step, ...] = ()

    @property
    def open_tasks(self) -> tuple[CaseTask, ...]:
        """Return the tasks that are not done, the first due first."""
        waiting = [task for task in self.tasks if task.state == "open"]
        return tuple(sorted(waiting, key=lambda task: task.due or "9999"))

    @property
    def recordings(self) -> tuple[Bookmark, ...]:
        """Return the last bookmark of each recording, in the order of the first ones."""
        return tuple({bookmark.recording: bookmark for bookmark in self.bookmarks}.values())


def decrypted(case: str, key: bytes, entries: Iterable[SealedEntry]) -> CaseFile | None:
    """Return the case of these entries, in their order; None where one of them does not open with the key."""
    file = CaseFile(id=case)
    for entry in entries:
        raw = encryption.unseal(key, place(case, entry.type), entry.sealed)
        if raw is None:
            return None
        file = _with_entry(file, msgspec.json.decode(raw, type=CONTENTS[entry.type]), entry)
    return file if file.history else None


def place(case: str, event_type: str) -> str:
    """Return the name of the place of a ciphertext: it opens nowhere else."""
    return f"{case}/{event_type}"


def _with_entry(file: CaseFile, content: Any, entry: SealedEntry) -> CaseFile:
    """Return the case with one more entry."""
    stamp = {"event": entry.event, "at": entry.at, "by": entry.by}
    file = replace(file, history=(*file.history, Step(type=entry.type, **stamp)))
    match content:
        case action_structs.OpenCase():
            return _add_content(_open_file(file, content, entry), content, stamp)
        case action_structs.AddToCase():
            return _add_content(file, content, stamp)
        case action_structs.NoteCase():
            return replace(file, notes=(*file.notes, CaseNote(note=content.note, **stamp)))
        case action_structs.BookmarkVideo():
            return replace(file, bookmarks=(*file.bookmarks, _bookmark(content, stamp)))
        case AttachmentContent():
            return replace(file, attachments=(*file.attachments, _attachment(content, stamp)))
        case action_structs.SetTask():
            return replace(file, tasks=_tasks(file.tasks, content, stamp))
        case action_structs.LinkCase():
            return replace(file, links=(*file.links, CaseLink(other=content.other, how=content.how or "", **stamp)))
        case event_types.ExportContent():
            exported = CaseExport(
                export=content.export,
                manifest=content.manifest,
                events=content.events,
                files=content.files,
                source=content.source,
                **stamp,
            )
            return replace(file, exports=(*file.exports, exported))
        case action_structs.HandOverExport():
            hand_over = HandOver(**msgspec.structs.asdict(content), **stamp)
            return replace(file, hand_overs=(*file.hand_overs, hand_over))
        case action_structs.GrantCase():
            return replace(file, grants={**file.grants, content.person: content.level})
    return _closed(file, content, stamp)


def _open_file(file: CaseFile, data: action_structs.OpenCase, entry: SealedEntry) -> CaseFile:
    return replace(
        file,
        title=data.title,
        category=data.category,
        severity=data.severity,
        opened=entry.at,
        opener=entry.by,
        roles=data.roles or (),
        occurred=data.occurred,
        occurred_until=data.occurred_until,
        reported=data.reported or entry.at,
    )


def _add_content(
    file: CaseFile, data: action_structs.OpenCase | action_structs.AddToCase, stamp: dict[str, str]
) -> CaseFile:
    known_pieces = {(piece.kind, piece.ref) for piece in file.evidence}
    refs: Sequence[tuple[EvidenceKind, str]] = [
        *(("alert", ref) for ref in data.alerts),
        *(("event", ref) for ref in data.events),
        *(("round", ref) for ref in data.rounds),
    ]
    evidence = [
        Evidence(kind=kind, ref=ref, **stamp) for kind, ref in dict.fromkeys(refs) if (kind, ref) not in known_pieces
    ]
    notes = (CaseNote(note=data.note, **stamp),) if data.note else ()
    return replace(
        file,
        evidence=(*file.evidence, *evidence),
        notes=(*file.notes, *notes),
        people=_joined(file.people, data.people),
        places=_joined(file.places, data.places),
        subjects=_joined(file.subjects, data.subjects),
        subject_roles=_joined(file.subject_roles, data.subject_roles),
    )


def _joined(before: Sequence[str], added: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *added)))


def _bookmark(data: action_structs.BookmarkVideo, stamp: dict[str, str]) -> Bookmark:
    return Bookmark(
        camera=data.camera,
        from_=data.from_,
        to=data.to,
        note=data.note or "",
        expires=data.expires,
        ref_event=data.event,
        ref_alert=data.alert,
        table=data.table,
        send_to=data.send_to,
        **stamp,
    )


def _attachment(content: AttachmentContent, stamp: dict[str, str]) -> Attachment:
    data = content.data
    return Attachment(
        attachment=data.attachment,
        name=data.name,
        note=data.note or "",
        type=content.type,
        size=content.size,
        **stamp,
    )


def _tasks(before: tuple[CaseTask, ...], data: action_structs.SetTask, stamp: dict[str, str]) -> tuple[CaseTask, ...]:
    """Return the tasks with one that is new, or changed in its place: missing fields stay."""
    old = next((task for task in before if task.task == data.task), None)
    task = CaseTask(
        task=data.task,
        what=data.what or (old.what if old else ""),
        due=data.due or (old.due if old else None),
        person=data.person or (old.person if old else None),
        state=data.state,
        **stamp,
    )
    return (*before, task) if old is None else tuple(task if each is old else each for each in before)


def _closed(file: CaseFile, content: Any, stamp: dict[str, str]) -> CaseFile:
    if isinstance(content, Closing):
        data = content.data
        return replace(
            file,
            status="closed",
            disposition=data.disposition,
            reason=data.reason,
            concerns=data.concerns,
            amount_minor=data.amount_minor,
            closed=stamp["at"],
            keep_until=content.keep_until,
        )
    assert isinstance(content, action_structs.ReopenCase), "every content has its place"
    note = CaseNote(note=content.reason, **stamp)
    return replace(file, status="open", closed=None, keep_until=None, notes=(*file.notes, note))
