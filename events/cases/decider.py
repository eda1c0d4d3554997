"""Decisions on a case. Pure: they get the decrypted case, and the function that encrypts, with the state."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec

from events import catalogue
from events.cases import action_structs, encryption, event_types
from events.cases.access import OPENERS, WORKERS, is_subject, may_read, may_work
from events.cases.decrypted_case import AttachmentContent, CaseFile, Closing, SealedEntry
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused, Unknown
from events.house.cameras_by_table_setting import expiry
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.roles import AuthorityRule

CLAUSE = "house case"
REQUEST = "request"  # the place of a request's ciphertext
CLOSE_TWO, DESTROY = "case.close, about money or a person's job", "case.destroy_key"
_TWO = AuthorityRule(ask=WORKERS, keys=(WORKERS, WORKERS), excluded=("asked", "named"), clause=CLAUSE)
RULES: dict[str, AuthorityRule] = {
    "case.open": AuthorityRule(ask=OPENERS, excluded=("named",), clause=CLAUSE),
    **{
        f"case.{verb}": AuthorityRule(ask=WORKERS, excluded=("named",), clause=CLAUSE)
        for verb in ("add", "note", "bookmark", "attach", "task", "link", "grant", "close", "reopen", "hand_over")
    },
    CLOSE_TWO: _TWO,
    DESTROY: _TWO,
}
# Actions that a closed case still takes.
_ON_CLOSED = (
    action_structs.NoteCase,
    action_structs.LinkCase,
    action_structs.GrantCase,
    action_structs.ReopenCase,
    action_structs.DestroyKey,
    action_structs.HandOverExport,
)
_MADE: Mapping[type[ActionData], type[event_types.CaseEvent]] = {
    action_structs.OpenCase: event_types.CaseOpened,
    action_structs.AddToCase: event_types.CaseAdded,
    action_structs.NoteCase: event_types.CaseNoted,
    action_structs.BookmarkVideo: event_types.CaseBookmarked,
    action_structs.AttachFile: event_types.CaseAttached,
    action_structs.SetTask: event_types.CaseTaskSet,
    action_structs.LinkCase: event_types.CaseLinked,
    action_structs.GrantCase: event_types.CaseGranted,
    action_structs.CloseCase: event_types.CaseClosed,
    action_structs.ReopenCase: event_types.CaseReopened,
    action_structs.HandOverExport: event_types.CaseHandedOver,
}
Seal = Callable[[str, bytes], str]  # place and text -> ciphertext


class StoredFile(msgspec.Struct, frozen=True):
    """An uploaded file of the case: its type by content, and its size in bytes."""

    type: str
    size: int


class CaseState(msgspec.Struct, frozen=True):
    """A case by its events, without its key."""

    case: str
    entries: tuple[SealedEntry, ...] = ()
    requests: Requests = {}
    is_destroyed: bool = False


class CaseContext(msgspec.Struct, frozen=True):
    """The decrypted case, for a decision: None where it does not exist or no one can read it.

    `unknown`: the first reference of the action that the house does not have. `uploaded`: the file to be attached.
    `others`: the cases that the action names, as far as they can be read.
    """

    file: CaseFile | None
    seal: Seal
    unseal: Callable[[str, str], bytes | None]
    retention_days: int = 0
    video_days: int = 0
    files_bytes_max: int = 0
    uploaded: StoredFile | None = None
    unknown: str = ""
    others: Mapping[str, CaseFile] = {}


def id_of(action_key: str) -> str:
    """Return the id of the case that an action with this key opens."""
    return sha256(f"pitledger case {action_key}".encode()).hexdigest()[:16]


def unknown_case(case: str) -> Unknown:
    """Return the error for a case that does not exist, or that this person may not see."""
    return Unknown(coded("case-unknown", case=case))


def decide(
    state: CaseState, action: Action, data: ActionData, actor: Who, moment: Moment, context: CaseContext
) -> Sequence[EventData]:
    """Return the events of an action. Raises Unknown for a person who may not see the case, Refused, Invalid."""
    authority.role_for("cases", data.TYPE, actor.roles)
    if isinstance(data, action_structs.OpenCase):
        if state.entries or state.case != id_of(action.key):
            raise unknown_case(state.case)
        return [_case_opened(state, data, actor, context)]
    _require_access(state, actor, context)

    def judge(_action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> Sequence[EventData]:
        return _judged(state, data, actor, moment, context, approval_request_lifecycle.all_approvers(before, actor))

    if isinstance(data, approval_request_lifecycle.ANSWERING) or _needs_two(data):
        sealed = msgspec.structs.replace(action, data=msgspec.Raw(_sealed_input(data, context)))
        return approval_request_lifecycle.decide(
            "cases",
            state.requests,
            sealed,
            data,
            actor,
            moment,
            judge,
            decode_action=lambda request: read(request, context),
        )
    return judge(action, data, ())


def read(request: Action, context: CaseContext) -> ActionData:
    """Return the data of a request, whose input is encrypted. Raises Unknown without the key."""
    sealed = msgspec.json.decode(request.data, type=event_types.SealedRequest).sealed
    raw = context.unseal(REQUEST, sealed)
    if raw is None:
        raise Unknown(coded("request-unknown", request=request.key))
    return catalogue.decode_action(msgspec.structs.replace(request, data=msgspec.Raw(raw)))


def _needs_two(data: ActionData) -> bool:
    return isinstance(data, action_structs.DestroyKey) or (
        isinstance(data, action_structs.CloseCase) and bool(data.concerns)
    )


def _sealed_input(data: ActionData, context: CaseContext) -> bytes:
    return msgspec.json.encode(event_types.SealedRequest(context.seal(REQUEST, msgspec.json.encode(data))))


def _require_access(state: CaseState, actor: Who, context: CaseContext) -> None:
    file = context.file
    if file is None or state.is_destroyed or not may_read(file, actor.person, actor.roles):
        raise unknown_case(state.case)
    if not may_work(file, actor.person, actor.roles):
        raise Refused(CLAUSE, coded("case-read-only"))


# --- opening ----------------------------------------------------------------------------------------------------------


def _case_opened(state: CaseState, data: action_structs.OpenCase, actor: Who, context: CaseContext) -> EventData:
    file = CaseFile(id=state.case, subjects=data.subjects, subject_roles=data.subject_roles)
    if is_subject(file, actor.person, actor.roles):
        raise Refused(CLAUSE, coded("case-about-yourself"), field="data.subjects")
    _check_times(data.occurred, data.occurred_until, "data.occurred_until")
    _check_known(context)
    own = tuple(role for role in ("surveillance", "pit boss") if role in actor.roles)
    content = data if data.roles is not None else msgspec.structs.replace(data, roles=own[:1])
    return _encrypted_event(state, data, context, content)


def _check_times(first: str | None, last: str | None, field: str) -> None:
    if first and last and datetime.fromisoformat(last) < datetime.fromisoformat(first):
        raise Invalid(field, coded("case-times-reversed"))


def _check_known(context: CaseContext) -> None:
    if context.unknown:
        raise Refused(CLAUSE, coded("case-evidence-unknown", evidence=context.unknown))


# --- working on it ----------------------------------------------------------------------------------------------------


def _judged(
    state: CaseState,
    data: ActionData,
    actor: Who,
    moment: Moment,
    context: CaseContext,
    people: approval_request_lifecycle.Pairs,
) -> Sequence[EventData]:
    file = context.file
    assert file is not None, "access was checked"
    if file.status == "closed" and not isinstance(data, _ON_CLOSED):
        raise Refused(CLAUSE, coded("case-closed"))
    match data:
        case action_structs.AddToCase():
            _check_addition(file, data, actor)
            _check_known(context)
        case action_structs.BookmarkVideo():
            return [_bookmarked(state, data, context)]
        case action_structs.AttachFile():
            return [_attached(state, file, data, context)]
        case action_structs.SetTask():
            _check_task(file, data, moment)
        case action_structs.LinkCase():
            _check_link(file, data, actor, context)
        case action_structs.GrantCase():
            _check_grant(file, data, actor, moment)
        case action_structs.CloseCase():
            return [_closed(state, data, moment, context, people)]
        case action_structs.ReopenCase():
            _check_closed(file)
        case action_structs.HandOverExport():
            _check_export(file, data)
        case action_structs.DestroyKey():
            return [_destroyed(state, file, data, moment, people)]
    return [_encrypted_event(state, data, context)]


def _encrypted_event(state: CaseState, data: ActionData, context: CaseContext, content: Any = None) -> EventData:
    """Return the event of an action, its content encrypted."""
    shape = _MADE[type(data)]
    sealed = context.seal(shape.TYPE, msgspec.json.encode(data if content is None else content))
    return shape(case=state.case, sealed=sealed, digest=encryption.digest(sealed))


def _check_addition(file: CaseFile, data: action_structs.AddToCase, actor: Who) -> None:
    fields = (getattr(data, name) for name in data.__struct_fields__)
    if not any(fields):
        raise Invalid("data", coded("case-addition-empty"))
    after = msgspec.structs.replace(file, subjects=data.subjects, subject_roles=data.subject_roles)
    if is_subject(after, actor.person, actor.roles):
        raise Refused(CLAUSE, coded("case-about-yourself"), field="data.subjects")


def _bookmarked(state: CaseState, data: action_structs.BookmarkVideo, context: CaseContext) -> EventData:
    """Return the bookmark with its expiry: the usual term of recordings, where the action names no expiry."""
    _check_times(data.from_, data.to, "data.to")
    _check_times(data.to, data.expires, "data.expires")
    _check_known(context)
    expires = data.expires or expiry(data.to, context.video_days)
    return _encrypted_event(state, data, context, msgspec.structs.replace(data, expires=expires))


def _attached(state: CaseState, file: CaseFile, data: action_structs.AttachFile, context: CaseContext) -> EventData:
    if context.uploaded is None:
        raise Refused(CLAUSE, coded("case-file-missing"), field="data.attachment")
    if any(attachment.attachment == data.attachment for attachment in file.attachments):
        raise Refused(CLAUSE, coded("case-file-attached"), field="data.attachment")
    size = context.uploaded.size
    if size + sum(attachment.size for attachment in file.attachments) > context.files_bytes_max:
        raise Refused(CLAUSE, coded("case-files-too-large", most=context.files_bytes_max >> 20))
    return _encrypted_event(state, data, context, AttachmentContent(data, context.uploaded.type, size))


def _check_task(file: CaseFile, data: action_structs.SetTask, moment: Moment) -> None:
    is_new = not any(task.task == data.task for task in file.tasks)
    if is_new and not data.what:
        raise Invalid("data.what", coded("case-task-empty"))
    if data.person and not may_read(file, data.person, moment.roles.get(data.person, frozenset())):
        raise Refused(CLAUSE, coded("case-person-without-access", person=data.person), field="data.person")


def _check_link(file: CaseFile, data: action_structs.LinkCase, actor: Who, context: CaseContext) -> None:
    other = context.others.get(data.other)
    if other is None or not may_read(other, actor.person, actor.roles):
        raise unknown_case(data.other)
    if other.id == file.id or any(link.other == other.id for link in file.links):
        raise Refused(CLAUSE, coded("case-linked"), field="data.other")


def _check_closed(file: CaseFile) -> None:
    if file.status == "open":
        raise Refused(CLAUSE, coded("case-open"))


def _check_export(file: CaseFile, data: action_structs.HandOverExport) -> None:
    if data.export not in {export.export for export in file.exports}:
        raise Refused(CLAUSE, coded("case-export-unknown"), field="data.export")


def _check_grant(file: CaseFile, data: action_structs.GrantCase, actor: Who, moment: Moment) -> None:
    roles = moment.roles.get(data.person, frozenset())
    if data.level != "none" and is_subject(file, data.person, roles):
        raise Refused(CLAUSE, coded("case-about-person", person=data.person), field="data.person")
    if data.person == actor.person:
        raise Refused(CLAUSE, coded("case-grant-to-yourself"), field="data.person")
    if file.grants.get(data.person) == data.level:
        raise Refused(CLAUSE, coded("value-is-current"))
    after = msgspec.structs.replace(file, grants={data.person: "read"})
    if data.level != "none" and not may_read(after, data.person, roles):
        raise Refused(CLAUSE, coded("case-role-missing", person=data.person), field="data.person")


# --- two people -------------------------------------------------------------------------------------------------------


def _closed(
    state: CaseState,
    data: action_structs.CloseCase,
    moment: Moment,
    context: CaseContext,
    people: approval_request_lifecycle.Pairs,
) -> EventData:
    assert context.file is not None, "access was checked"
    if data.concerns:
        authority.require(RULES[CLOSE_TWO], _with_access(context.file, people, moment))
    end = datetime.fromisoformat(moment.time) + timedelta(days=context.retention_days)
    keep_until = end.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return _encrypted_event(state, data, context, Closing(data, keep_until))


def _destroyed(
    state: CaseState,
    file: CaseFile,
    data: action_structs.DestroyKey,
    moment: Moment,
    people: approval_request_lifecycle.Pairs,
) -> EventData:
    if file.status != "closed" or file.keep_until is None:
        raise Refused(CLAUSE, coded("case-not-closed"))
    if datetime.fromisoformat(moment.time) < datetime.fromisoformat(file.keep_until):
        raise Refused(CLAUSE, coded("case-retention-runs", until=file.keep_until))
    able = _with_access(file, people, moment)
    authority.require(RULES[DESTROY], able)
    return event_types.CaseKeyDestroyed(case=state.case, reason=data.reason, approvals=tuple(dict.fromkeys(able)))


def _with_access(
    file: CaseFile, people: approval_request_lifecycle.Pairs, moment: Moment
) -> approval_request_lifecycle.Pairs:
    """Return those of the people who may act on the case, by their roles of now: no subject is among them."""
    held: dict[str, Collection[str]] = {}
    for person, role in people:
        held[person] = {*held.get(person, ()), role, *moment.roles.get(person, ())}
    return tuple((person, role) for person, role in people if may_work(file, person, held[person]))


# --- the content of events --------------------------------------------------------------------------------------------


def evolve(state: CaseState, event: EventData, actor: str) -> CaseState:
    """Return the case after an event."""
    if isinstance(event, event_types.CaseEvent):
        return msgspec.structs.replace(state, entries=(*state.entries, SealedEntry(event.TYPE, actor, event.sealed)))
    if isinstance(event, event_types.CaseKeyDestroyed):
        return msgspec.structs.replace(state, is_destroyed=True)
    return msgspec.structs.replace(state, requests=approval_request_lifecycle.evolve(state.requests, event))
