"""The topic against the store, record by record: what a reader of Kafka saw, and the store does not hold."""

from collections.abc import Iterator, Sequence

import msgspec

from events.relay.records import Record, parse
from events.relay.topic import Log, begins_at, is_there, last_record, partition_of
from events.store import Reader

FINDINGS_MAX = 100  # a topic of another house needs no longer list
ANSWER_S = 2.0


class Difference(msgspec.Struct, frozen=True):
    """At this position the topic does not say what the store does."""

    position: int
    message: str


class Compared(msgspec.Struct, frozen=True):
    """`events` different events up to `position` were read from the topic's present life; the last may be behind."""

    events: int
    position: int
    differences: list[Difference]


def compare(store: Reader, bootstrap: str, property_: str) -> Compared:
    """Read the topic from the store's first event on, a batch at a time. Nothing is written. Raises Retry."""
    partition = partition_of(property_)
    if not is_there(bootstrap, partition, ANSWER_S):
        return Compared(0, 0, [])
    with Log(bootstrap, partition, answer_s=ANSWER_S) as log:
        last = last_record(log)
        begin = None if last is None else begins_at(last.incarnation)
        if last is None or begin is None:
            return Compared(0, 0, [])
        return _compare(store, _records(log, begin, last.incarnation))


def _records(log: Log, begin: int, incarnation: str) -> Iterator[list[Record]]:
    """The records of one life of the topic, in batches."""
    for batch in log.until_end(begin):
        found = [ours for record in batch if (ours := parse(record)) is not None]
        yield [record for record in found if record.incarnation == incarnation]


def _compare(store: Reader, batches: Iterator[list[Record]]) -> Compared:
    """Both in order of position; what the topic repeats is read once."""
    position, events, differences = 0, 0, list[Difference]()
    for batch in batches:
        fresh = {record.position: record.raw for record in batch if record.position > position}
        if beyond := sorted(one for one in fresh if one > store.position()):
            differences += [Difference(one, "stands on the topic, beyond the store's end") for one in beyond]
            fresh = {one: raw for one, raw in fresh.items() if one not in beyond}
        if not fresh:
            continue
        until = max(fresh)
        differences += _differ(fresh, _stored(store, position, until))[: FINDINGS_MAX - len(differences)]
        position, events = until, events + len(fresh)
        if len(differences) >= FINDINGS_MAX:
            break
    return Compared(events, position, differences)


def _stored(store: Reader, after: int, until: int) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    while batch := store.after(after, 1_000, until=until):
        found |= {event.position: event.raw for event in batch}
        after = batch[-1].position
        if len(found) > 100_000:  # the topic lacks so many that no list is needed
            break
    return found


def _differ(told: dict[int, bytes], stored: dict[int, bytes]) -> Sequence[Difference]:
    found = []
    for position in sorted(told.keys() | stored.keys()):
        if position not in stored:
            found.append(Difference(position, "stands on the topic, and not in the store"))
        elif position not in told:
            found.append(Difference(position, "stands in the store, and was left out on the topic"))
        elif told[position] != stored[position]:
            found.append(Difference(position, "is another event on the topic than in the store"))
    return found
