"""An intruder edits the topic of a house's events. `verify` names the first wrong record, and not its consequences."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest
from kafka import KafkaProducer

from backoffice.integrity.house_verification import VerificationOptions, VerificationRun
from events.integrity.heads_consistency import Finding
from events.relay.event_topic_reader_and_setup import TOPIC, ensure_topic
from events.relay.leak_free_kafka_clients import connected
from events.relay.topic_records import headers
from events.signing import house_signing_key
from tests.regressions.test_forged_history import intruder
from tests.regressions.test_tampered import TamperedHouse, event, tampered
from tests.servers.ports import free_port
from tests.support.processes.child_broker import EmbeddedBroker

__all__ = ["intruder", "tampered"]  # fixtures, on both databases
LIFE = b"0.0123456789abcdef"


class LyingRecord(msgspec.Struct):
    """A record for the topic."""

    key: bytes
    value: bytes
    headers: list[tuple[str, bytes]]


Topic: TypeAlias = list[LyingRecord]


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with EmbeddedBroker(tmp_path, free_port()) as broker:
        monkeypatch.setenv("PITLEDGER_KAFKA", broker.bootstrap)
        ensure_topic(broker.bootstrap)
        yield broker.bootstrap


def as_relayed(house: TamperedHouse) -> Topic:
    """Return the records that the relay would send."""
    last, records = 0, []
    for recorded in house.stored:
        records.append(LyingRecord(recorded.stream.encode(), recorded.raw, headers(recorded, last, LIFE)))
        last = recorded.position
    return records


def send(bootstrap: str, topic: Topic) -> None:
    producer = connected(KafkaProducer, bootstrap)
    for record in topic:
        producer.send(TOPIC, key=record.key, value=record.value, headers=record.headers, partition=0)
    producer.flush(timeout=60)
    producer.close()


def verification_findings(house: TamperedHouse, *, log: bool = False) -> list[Finding]:
    options = VerificationOptions(
        keys=house_signing_key.trusted(house.intruder.data), read_models=log, using=house.using
    )
    findings = VerificationRun(options, lambda line: None).run().findings
    return [finding for finding in findings if finding.kind != "guard"]


def missing(topic: Topic) -> None:
    del topic[4]


def emptied_at_the_end(topic: Topic) -> None:
    """Remove the last records. It is no fault, as `verify` cannot tell it from records not yet sent."""
    del topic[-2:]


def foreign(topic: Topic) -> None:
    topic.insert(4, LyingRecord(b"somebody", b"what?", []))


def foreign_at_the_end(topic: Topic) -> None:
    """Add a record of an incarnation after all others. It must not end the comparison."""
    topic.append(relabelled(topic[-1], b"incarnation", b"9000.feedfeedfeedfeed"))
    topic[-1].value = b"what?"
    topic[4].value = topic[4].value.replace(b"2026", b"2027", 1)


def of_no_event(topic: Topic) -> None:
    """Add a record with the relay's headers, far after the store's end."""
    topic.insert(4, relabelled(topic[3], b"position", b"1000000000000000"))


def edited(topic: Topic) -> None:
    topic[4].value = topic[4].value.replace(b"2026", b"2027", 1)


def of_another_type(topic: Topic) -> None:
    topic[4] = relabelled(topic[4], b"type", b"fill.received.v1")


def of_another_table(topic: Topic) -> None:
    topic[4].key = b"athens/tables/FR9/2026-11-20"


def of_another_place(topic: Topic) -> None:
    topic[4] = relabelled(topic[4], b"previous", b"1")


def out_of_order(topic: Topic) -> None:
    topic[4], topic[5] = topic[5], topic[4]


def doubled(topic: Topic) -> None:
    topic.insert(6, topic[4])


def doubled_as_another(topic: Topic) -> None:
    again = topic[4].value.replace(b"2026", b"2027", 1)
    topic.insert(6, LyingRecord(topic[4].key, again, topic[4].headers))


def relabelled(record: LyingRecord, name: bytes, value: bytes) -> LyingRecord:
    changed = [(header, value if header == name.decode() else old) for header, old in record.headers]
    return LyingRecord(record.key, record.value, changed)


def fifth(house: TamperedHouse) -> int:
    return house.stored[4].position


CASES: list[tuple[Callable[[Topic], None], str]] = [
    (missing, "{event} at {place} stands in the store, and was left out on the topic"),
    (emptied_at_the_end, ""),
    (foreign, "record 4 at {before} was sent by no relay of this house"),
    (foreign_at_the_end, "{event} at {place} is another event on the topic than in the store"),
    (of_no_event, "stands on the topic, beyond the store's end"),
    (edited, "{event} at {place} is another event on the topic than in the store"),
    (of_another_type, "{event} at {place} has headers of fill.received.v1 in"),
    (of_another_table, "in athens/tables/FR9/2026-11-20"),
    (of_another_place, "{event} at {place} has a header that says it follows 1"),
    (out_of_order, "{event} at {place} stands on the topic behind event {after}"),
    (doubled, ""),
    (doubled_as_another, "{event} at {place} stands on the topic once more, as another event (record 6)"),
]


@pytest.mark.parametrize(("tamper", "message"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_first_record_that_is_wrong_is_named(
    tampered: TamperedHouse, broker: str, tamper: Callable[[Topic], None], message: str
) -> None:
    topic = as_relayed(tampered)
    tamper(topic)
    send(broker, topic)
    place = fifth(tampered)
    positions = {"before": tampered.stored[3].position, "after": tampered.stored[5].position}
    should = message.format(place=place, event=event(tampered, place), **positions)
    findings = verification_findings(tampered)
    assert [finding.kind for finding in findings] == (["topic"] if message else []), findings
    assert all(should in finding.message for finding in findings)


def test_two_copies_that_agree_tell_on_the_store(tampered: TamperedHouse, broker: str) -> None:
    """The edited event of the store was not signed yet. The topic and the event log have the original."""
    send(broker, as_relayed(tampered))
    last = tampered.stored[-1]
    tampered.rows("DELETE FROM pitledger_heads WHERE number > 3")
    house_signing_key.memory(tampered.intruder.data)._path("athens").unlink()
    tampered.flip(last.position)
    (finding,) = verification_findings(tampered, log=True)
    assert (finding.kind, finding.position, finding.event) == (
        "rewritten",
        last.position,
        event(tampered, last.position),
    )
