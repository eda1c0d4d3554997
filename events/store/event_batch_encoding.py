"""A batch ready to be written: the events encoded, each chained to the one before it, column by column."""

from collections.abc import Callable, Sequence

import msgspec

from events.envelope import digest, encode
from events.store import MAX_BATCH, Append, AppendResult, Key, Stored, StreamEnd, event_size_limit


class EncodedBatch(msgspec.Struct, frozen=True):
    """Columns of equal length (one entry an event), the required heads of the streams, and the keys to store."""

    originator_ids: list[str]
    originator_versions: list[int]
    topics: list[str]
    states: list[bytes]
    expected: list[tuple[str, StreamEnd]]
    heads: dict[str, StreamEnd]
    keys: Sequence[Key]

    def written(self, positions: Sequence[int]) -> AppendResult:
        """Return the result of the append, once the positions are known."""
        rows = zip(positions, self.originator_ids, self.originator_versions, self.topics, self.states, strict=True)
        return AppendResult(stored=[Stored(*row) for row in rows], heads=self.heads)


def encode_batch(appends: Sequence[Append], keys: Sequence[Key], clock: Callable[[], str]) -> EncodedBatch:
    """Encode the events and chain them.

    Raises ValueError for a batch that no store may take: too many events, a stream or a key twice. Raises Refused for
    an event that no broker would take.
    """
    _check(appends, keys)
    recordedat = clock()
    batch = EncodedBatch([], [], [], [], [(append.stream, append.head) for append in appends], {}, keys)
    for append in appends:
        batch.heads[append.stream] = _encode_stream(batch, append, recordedat)
    return batch


def _encode_stream(batch: EncodedBatch, append: Append, recordedat: str) -> StreamEnd:
    stream, version, states = append.stream, append.head.version, batch.states
    prev = batch.heads[append.follows].digest if append.follows is not None else append.head.digest
    if not append.events:  # the stream is only expected to be unchanged
        return StreamEnd(version, prev)
    for new in append.events:
        version += 1
        state = encode(stream, version, prev, new.data, new.meta, recordedat)
        event_size_limit.check(len(state), new.data.TYPE)
        prev = digest(state)
        states.append(state)
    batch.originator_ids.extend([stream] * len(append.events))
    batch.originator_versions.extend(range(append.head.version + 1, version + 1))
    batch.topics.extend([new.data.TYPE for new in append.events])
    return StreamEnd(version, prev)


def _check(appends: Sequence[Append], keys: Sequence[Key]) -> None:
    count = sum(len(append.events) for append in appends)
    if max(count, len(keys)) > MAX_BATCH:
        raise ValueError(f"{count} events and {len(keys)} keys in one transaction, at most {MAX_BATCH} are allowed")
    if len({key.key for key in keys}) < len(keys):
        raise ValueError("an action key stands twice in one append")
    before: set[str] = set()
    for append in appends:
        if append.stream in before:
            raise ValueError(f"stream {append.stream} stands twice in one append: put its events together")
        if append.follows is not None and (append.head.version != 0 or append.follows not in before):
            raise ValueError(f"stream {append.stream} can only follow an earlier stream of the append, and if new")
        before.add(append.stream)
