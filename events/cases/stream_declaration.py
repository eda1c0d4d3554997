"""Declaration of cases, each in a stream of its own. Here the ciphertexts are made and opened, for the decider."""

import logging
from collections.abc import Mapping, Sequence

from events.cases import action_structs, decider, decrypted_case, encryption
from events.cases.access import may_read
from events.cases.case_key_and_file_vault import Vault, vault
from events.cases.decider import CaseContext, CaseState, StoredFile
from events.cases.decrypted_case import CaseFile
from events.cases.displayed_names import WORDS
from events.cases.event_types import CaseKeyDestroyed
from events.cases.upload_hold_and_removal import hold_upload
from events.envelope import ActionData, Who
from events.errors import Retry
from events.house.current_settings import settings_of
from events.settings.settings_from_environment import settings
from events.store import EventStore, NewEvent
from events.streams import stream_kind_declaration
from events.streams.stream_kind_declaration import Decisions, Disclosure, Kind, Routing, StreamView, Target

log = logging.getLogger(__name__)


def _case_of(stream: str) -> str:
    return stream.rpartition("/")[2]


def _look_up(_store: EventStore, _target: Target) -> None:
    """Raise Retry where the database of the keys does not answer, and Defect where the house case key is another one.

    Both are raised in the sender's thread, so that no other sender waits.
    """
    vault().must_fit()


def _context(view: StreamView, _stream: str, state: CaseState, data: ActionData, _who: Who) -> CaseContext:
    keys, case, house = vault(), state.case, settings()
    is_new = isinstance(data, action_structs.OpenCase) and not state.entries
    key = keys.make_key(case) if is_new else _key(keys, state)
    return CaseContext(
        file=None if key is None else decrypted_case.decrypted(case, key, state.entries),
        seal=lambda place, text: encryption.seal(key or b"", decrypted_case.place(case, place), text),
        unseal=lambda place, text: key and encryption.unseal(key, decrypted_case.place(case, place), text),
        retention_days=house.case_retention_days,
        files_bytes_max=house.case_files_mb << 20,
        video_days=_video_days(view, data),
        uploaded=_uploaded(keys, case, data),
        unknown=_first_unknown(view, data),
        others=_other_cases(view, keys, data),
    )


def _key(keys: Vault, state: CaseState) -> bytes | None:
    if state.is_destroyed or not state.entries:
        return None
    key = keys.key(state.case)
    if key is None:
        keys.must_fit()
    return key


def _video_days(view: StreamView, data: ActionData) -> int:
    """Return the days for which recordings are kept, for bookmarks without an expiry of their own."""
    is_open = isinstance(data, action_structs.BookmarkVideo) and data.expires is None
    return settings_of(view.store, view.property).video_days if is_open else 0


def _uploaded(keys: Vault, case: str, data: ActionData) -> StoredFile | None:
    if not isinstance(data, action_structs.AttachFile):
        return None
    stored = hold_upload(keys, case, data.attachment)
    return None if stored is None else StoredFile(*stored)


def _other_cases(view: StreamView, keys: Vault, data: ActionData) -> Mapping[str, CaseFile]:
    if not isinstance(data, action_structs.LinkCase):
        return {}
    state: CaseState = view.read_stream(f"{view.property}/cases/{data.other}").state
    other = _file(keys, state)
    return {} if other is None else {data.other: other}


def _file(keys: Vault, state: CaseState) -> CaseFile | None:
    key = _key(keys, state)
    return None if key is None else decrypted_case.decrypted(state.case, key, state.entries)


def _first_unknown(view: StreamView, data: ActionData) -> str:
    """Return the first event or round of the action that the house does not have; "" for none."""
    if isinstance(data, action_structs.BookmarkVideo):
        return data.event if data.event and not _is_event(view, data.event) else ""
    if not isinstance(data, action_structs.OpenCase | action_structs.AddToCase):
        return ""
    missing = [event for event in data.events if not _is_event(view, event)]
    missing += [name for name in data.rounds if not _is_round(view, name)]
    return missing[0] if missing else ""


def _is_event(view: StreamView, event: str) -> bool:
    stream, _, version = event.rpartition("@")
    is_own = stream.startswith(f"{view.property}/") and version.isascii() and version.isdecimal()
    if not is_own or len(version) > 9 or stream_kind_declaration.is_restricted(stream):
        return False
    return bool(view.store.stream(stream, int(version) - 1, 1)) if int(version) else False


def _is_round(view: StreamView, name: str) -> bool:
    parts = name.split("/")
    if len(parts) != 3 or not parts[2].isdecimal():
        return False
    return view.has_events(f"{view.property}/tables/{parts[0]}/{parts[1]}")


def _may_repeat(view: StreamView, stream: str, who: Who) -> None:
    """Raise Unknown for a person who may not see the case, or no longer."""
    state: CaseState = view.read_stream(stream).state
    file = _file(vault(), state)
    if file is None or not may_read(file, who.person, who.roles):
        raise decider.unknown_case(state.case)


def _kept_content(stream: str, _data: ActionData, content: bytes) -> bytes:
    """Return the content behind an action's key, by which no one can guess the action."""
    key = vault().key(_case_of(stream))
    return encryption.content_digest(encryption.new_key() if key is None else key, content)


def _appended(stream: str, events: Sequence[NewEvent]) -> None:
    """Destroy the key of a case as soon as that is an event. A process that was killed before does it at its start."""
    if any(isinstance(event.data, CaseKeyDestroyed) for event in events):
        try:
            vault().destroy([_case_of(stream)])
        except Retry as error:
            log.warning("the key of a case is destroyed at the next start: %s", error)


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/cases/NAME",
        title="Of cases",
        summary="Open a case, collect evidence, close it",
        types=("events.cases.action_structs", "events.cases.event_types"),
        rules=decider.RULES,
        words=WORDS,
        appended=_appended,
        decisions=Decisions(
            begin=lambda _look, stream: CaseState(_case_of(stream)),
            context=_context,
            decide=decider.decide,
            evolve=decider.evolve,
        ),
        routing=Routing(
            look_up=_look_up,
            named_by_key=decider.id_of,
            belongs_to=lambda event, _stream: getattr(event, "case", None),
        ),
        disclosure=Disclosure(
            may_repeat=_may_repeat,
            kept_content=_kept_content,
            is_restricted=True,
        ),
    )
