"""A witness at another broker: the heads of its topic, taken by the program that runs outside the house."""

from pathlib import Path

import pytest
from kafka import KafkaProducer

from events.errors import Retry
from events.integrity.signed_head_stores import MemoryHeads
from events.relay.integrity_heads_topic import TOPIC
from events.relay.leak_free_kafka_clients import connected
from events.relay.witness_delivery import hand_over
from tests.unit.integrity.test_witness import HouseWithWitness
from tools import witness


def test_heads_of_another_brokers_topic_are_taken(bootstrap: str, tmp_path: Path) -> None:
    witnessed = HouseWithWitness(tmp_path)
    assert [hand_over(witnessed.heads, f"kafka://{bootstrap}", "athens") for _ in range(2)] == [3, 3]
    with witnessed.witness() as opened:
        assert witness.take(opened, witness.followed(bootstrap, until_end=True)) == 0
    assert witnessed.read().heads == witnessed.heads.after(0)


def test_a_broker_that_is_away_is_tried_again() -> None:
    with pytest.raises(Retry):
        hand_over(MemoryHeads(), "kafka://127.0.0.1:9", "athens")


def test_hostile_records_among_the_heads_are_passed_over(bootstrap: str, tmp_path: Path) -> None:
    """Other writers of the topic cannot keep the house's heads from the witness."""
    witnessed, theirs = HouseWithWitness(tmp_path), HouseWithWitness(tmp_path / "theirs")
    hand_over(witnessed.heads, f"kafka://{bootstrap}", "athens")
    hostile = [b"what?", b"\xff\xfe", b"[" * 10_000, *theirs.heads.after(0)]
    producer = connected(KafkaProducer, bootstrap, acks="all")
    for number, raw in enumerate(hostile):
        producer.send(TOPIC, raw, key=b"%d" % number).get(timeout=30)
    producer.close()
    with witnessed.witness(witnessed.by.public) as opened:
        outcome = witness.take_all(opened, witness.followed(bootstrap, until_end=True))
    assert (outcome["taken"], outcome["contradicts"]) == (3, False)
    assert len(outcome["refused"]) >= 5
    assert witnessed.read().heads == witnessed.heads.after(0)
