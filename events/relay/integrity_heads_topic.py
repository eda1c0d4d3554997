"""The integrity heads on Kafka: the compacted topic `pitledger.heads`, of which any reader can keep a copy.

A record's key is "PROPERTY@NUMBER", its value the head's bytes: a head published twice replaces itself. Publishing
continues after the topic's last record, so it needs no state, and an emptied topic is filled.
"""

import contextlib
from collections.abc import Collection, Iterator, Sequence

from kafka import KafkaProducer
from kafka.errors import KafkaError

from events.error_codes import coded
from events.errors import Conflict, Poison, Retry
from events.integrity.head_signing import last_head
from events.integrity.signed_head_format import Head, decode, has_signature
from events.integrity.signed_head_stores import Heads, in_order
from events.relay.event_topic_reader_and_setup import BATCH_MAX, TopicLog, ensure_topic, is_there, partition_of
from events.relay.leak_free_kafka_clients import connected
from events.signing.last_signed_head_file import GivenUpHeads

TOPIC = "pitledger.heads"
CONFIGS = {"cleanup.policy": "compact", "retention.ms": "-1"}
CONTENT_TYPE = b"application/json"
ANSWER_S = 2.0  # short, because the worker has other work while the broker is away
SEND_S = 10.0
_STEP_BACK = 100


def publish(heads: Heads, bootstrap: str, property_: str, given_up_heads: Sequence[GivenUpHeads] = ()) -> int:
    """Send the heads that the topic lacks; return their number. Raises Retry where the broker does not answer.

    Raises Conflict where the topic holds a foreign head: the heads were cut off or replaced, or the topic is another
    house's. Where people have given that head up (`given_up_heads`), its successors are sent.
    """
    partition = partition_of(property_)
    ensure_topic(bootstrap, partition, ANSWER_S, topic=TOPIC, configs=CONFIGS)
    sent = _last_number(heads, bootstrap, partition, given_up_heads)
    count = 0
    for batch in in_order(heads, sent, BATCH_MAX):
        _send(bootstrap, partition, property_, batch, sent + count)
        count += len(batch)
    return count


def published(bootstrap: str, property_: str) -> Iterator[bytes]:
    """Yield every record of the property's partition as stored; each should be a head. Empty without a topic. Raises
    Retry.
    """
    partition = partition_of(property_)
    if not is_there(bootstrap, partition, ANSWER_S, topic=TOPIC):
        return
    with TopicLog(bootstrap, partition, topic=TOPIC, answer_s=ANSWER_S) as log:
        for records in log.until_end(log.bounds()[0]):
            yield from (record.value or b"" for record in records)  # a tombstone has no value


def left_behind(
    heads: Heads, bootstrap: str, property_: str, now: str, own_keys: Collection[str] = ()
) -> GivenUpHeads | None:
    """Return the heads on the topic that are not stored here and that a restore gives up. Raises Retry.

    The time is now, or that of the latest of these heads where the house's clock was set back before it. Only heads
    signed with one of `own_keys` count: a person who may write to the topic can sign with another key and any time.
    """
    last_kept, last = 0, None
    for raw in published(bootstrap, property_):
        if (head := _signed(raw)) is None:
            continue
        if heads.after(head.number - 1, 1) == [raw]:
            last_kept = max(last_kept, head.number)
            continue
        if head.key in own_keys:
            now = max(now, head.time)
        if last is None or head.number > last.number:
            last = head
    return None if last is None else GivenUpHeads(last_kept=last_kept, last=last_head(last), time=now)


def is_given_up(raw: bytes, given_up_heads: Sequence[GivenUpHeads]) -> GivenUpHeads | None:
    """Return the last decision of people to continue without this head, or None."""
    head = _signed(raw)
    if head is None:
        return None
    for decision in reversed(given_up_heads):
        if decision.last_kept < head.number <= decision.last.number and head.time <= decision.time:
            return decision
    return None


def _signed(raw: bytes) -> Head | None:
    """Return the head; None for a malformed head, or one not signed by its named key.

    Any writer to the topic can put such a record there. It blocks nothing, and `verify` reports it.
    """
    try:
        head = decode(raw)
    except Poison:
        return None
    return head if has_signature(head) else None


def _last_number(heads: Heads, bootstrap: str, partition: int, given_up_heads: Sequence[GivenUpHeads]) -> int:
    """Return the number of the topic's last head, which must equal the house's, byte for byte; 0 for an empty topic."""
    with TopicLog(bootstrap, partition, topic=TOPIC, answer_s=ANSWER_S) as log:
        last = _last_head(log)
    if last is None:
        return 0
    raw, number = last
    if heads.after(number - 1, 1) != [raw]:
        if (without := is_given_up(raw, given_up_heads)) is not None:
            return without.last_kept
        end = heads.last()
        raise Conflict(
            coded("topic-holds-another-head", topic=TOPIC, number=number, accept=decode(end).number if end else 0)
        )
    return number


def _last_head(log: TopicLog) -> tuple[bytes, int] | None:
    """Return the last head and its number, found by reading.

    The embedded broker's end may be too low, and the last record may be a foreign one without a signature.
    """
    begin, claimed = log.bounds()
    back = 1
    while True:
        start, newest_head = max(begin, claimed - back), None
        for records in log.until_end(start):
            heads = ((record.value, _signed(record.value or b"")) for record in reversed(records))
            newest_head = next(((raw, head.number) for raw, head in heads if head is not None), newest_head)
        if newest_head is not None or start == begin:
            return newest_head
        back *= _STEP_BACK


def _send(bootstrap: str, partition: int, property_: str, batch: Sequence[bytes], after: int) -> None:
    producer = None
    try:
        producer = connected(
            KafkaProducer,
            bootstrap,
            acks="all",
            enable_idempotence=True,
            allow_auto_create_topics=False,
            bootstrap_timeout_ms=int(ANSWER_S * 1000),
            max_block_ms=int(SEND_S * 1000),
            request_timeout_ms=int(SEND_S * 1000),
            delivery_timeout_ms=int(SEND_S * 1000) + 1000,
        )
        futures = [
            producer.send(
                TOPIC,
                value=raw,
                key=f"{property_}@{number}".encode(),
                headers=[("content-type", CONTENT_TYPE), ("number", b"%d" % number)],
                partition=partition,
            )
            for number, raw in enumerate(batch, after + 1)
        ]
        producer.flush(timeout=SEND_S)
        for future in futures:
            future.get(timeout=0)
    except KafkaError as error:
        raise Retry(coded("heads-not-acknowledged", why=str(error))) from error
    finally:
        if producer is not None:
            with contextlib.suppress(KafkaError):
                producer.close(timeout=1.0)
