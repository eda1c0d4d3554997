"""Check that the topic is of this store's history. Apart from `history_mismatch.py`: it needs Kafka's client."""

from events.relay.event_topic_reader_and_setup import TopicLog, is_there, last_record, partition_of
from events.settings.settings_from_environment import settings
from events.store import EventReader

ANSWER_S = 2.0


def of_topic(store: EventReader, bootstrap: str) -> str:
    """Return why the relay adds nothing to the topic: it ends with an event of another history; "" where it does not.

    Raises Retry where store or broker do not answer.
    """
    partition = partition_of(settings().property_)
    if not is_there(bootstrap, partition, ANSWER_S):
        return ""
    with TopicLog(bootstrap, partition, answer_s=ANSWER_S) as log:
        record = last_record(log)
    if record is None:
        return ""
    stored = store.after(record.position - 1, 1, until=record.position)
    if stored and stored[0].raw == record.raw:
        return ""
    return (
        f"New events do not reach the figures: the topic ends with event {record.position} of another history. "
        f"Run ./manage.py relay --empty-topic"
    )
