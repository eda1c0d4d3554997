"""A client of Kafka that shares no code with the product: librdkafka, the library of kcat."""

import json

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from events.relay.event_topic_reader_and_setup import TOPIC, partition_of
from tests.support.processes.relays_and_topic_readers import PROPERTY

ANSWER_S = 120.0


def ids_on_topic(bootstrap: str, property_: str = PROPERTY) -> list[str]:
    """Return the ids of all events on the property's partition, from beginning to end, with repetitions."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "foreign",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "broker.address.family": "v4",
        }
    )
    try:
        consumer.assign([TopicPartition(TOPIC, partition_of(property_), 0)])
        ids: list[str] = []
        while (message := consumer.poll(ANSWER_S)) is not None:
            if (error := message.error()) is not None:
                assert error.code() == KafkaError._PARTITION_EOF, error
                return ids
            ids.append(_id(message))
    finally:
        consumer.close()
    raise AssertionError(f"the broker at {bootstrap} does not answer")


def _id(message: Message) -> str:
    value = message.value()
    assert value is not None
    return str(json.loads(value)["id"])
