"""The store against a copy of its events elsewhere: the topic, or the event log among the read models.

Both are read in order of position, a batch at a time; a repeated event of a copy is read once.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.integrity.first_fault_of_each_kind import CopyDifference
from events.integrity.heads_consistency import Kind
from events.store import EventReader
from events.streams import stream_kind_declaration

FINDINGS_MAX = 100  # another house's copy needs no longer list
APART_MAX = 100_000  # events that a copy left out in one place


class CopyComparison(msgspec.Struct, frozen=True):
    """`events` different events up to `position` were read from the copy; its last position may be later.

    `repeated` of them are in the copy twice, with the same bytes.
    """

    events: int
    position: int
    differences: list[CopyDifference]
    repeated: int = 0


class _CopiedEventId(msgspec.Struct):
    id: str


_id_decoder = msgspec.json.Decoder(_CopiedEventId)


def compare(store: EventReader, copy: Iterator[Mapping[int, bytes]], kind: Kind, until: int = 0) -> CopyComparison:
    """Compare the whole copy with the store up to its last position, or up to `until`, the copy's own claim.

    `copy`: batches of events by position, in order.
    """
    position, events, end = 0, 0, store.position()
    differences: list[CopyDifference] = []
    for batch in copy:
        new_records = {at: raw for at, raw in batch.items() if at > position}
        if new_records and max(new_records) > end:  # as long as we read, others append
            end = store.position()
        if beyond := sorted(at for at in new_records if at > end):
            message = f"stands {_WHERE[kind]}, beyond the store's end"
            differences += [CopyDifference(kind, "lost", at, name_of(new_records[at]), message) for at in beyond]
            new_records = {at: raw for at, raw in new_records.items() if at not in beyond}
        if new_records:
            until = max(new_records)
            differences += _differ(new_records, _stored(store, position, until, kind), kind)
            position, events = until, events + len(new_records)
        if len(differences) >= FINDINGS_MAX:
            break
    if position < until:
        differences += _differ({}, _stored(store, position, until, kind), kind)
    return CopyComparison(events, position, differences[:FINDINGS_MAX])


_WHERE: dict[Kind, str] = {"topic": "on the topic", "log": "in the event log"}


def name_of(raw: bytes) -> str:
    """The event as it names itself, or that it cannot be read."""
    try:
        return _id_decoder.decode(raw).id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "an event that cannot be read"


def _stored(store: EventReader, after: int, until: int, kind: Kind) -> dict[int, bytes]:
    """Return the events that the copy must have: the log has no event of a restricted kind."""
    events_by_position: dict[int, bytes] = {}
    while batch := store.after(after, 5_000, until=until):
        wanted = [
            event for event in batch if kind == "topic" or not stream_kind_declaration.is_restricted(event.stream)
        ]
        events_by_position.update((event.position, event.raw) for event in wanted)
        after = batch[-1].position
        if len(events_by_position) > APART_MAX:  # the copy lacks so many that no list is needed
            break
    return events_by_position


def _differ(
    copied_records: Mapping[int, bytes], stored_records: Mapping[int, bytes], kind: Kind
) -> Sequence[CopyDifference]:
    if copied_records == stored_records:
        return []
    differences = []
    for at in sorted(copied_records.keys() | stored_records.keys()):
        if at not in stored_records:
            differences.append(
                CopyDifference(
                    kind, "lost", at, name_of(copied_records[at]), f"stands {_WHERE[kind]}, and not in the store"
                )
            )
        elif at not in copied_records:
            message = f"stands in the store, and was left out {_WHERE[kind]}"
            differences.append(CopyDifference(kind, "left out", at, name_of(stored_records[at]), message))
        elif copied_records[at] != stored_records[at]:
            message = f"is another event {_WHERE[kind]} than in the store"
            differences.append(CopyDifference(kind, "another", at, name_of(copied_records[at]), message))
    return differences
