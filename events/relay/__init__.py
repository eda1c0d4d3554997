"""From the event store to Kafka and on to its readers: the same bytes in the same order.

`relay` sends, with `event_sender_to_kafka`; `gapless_event_topic_reader` follows for a reader.
`event_topic_reader_and_setup` and `topic_records` define its content. `relay_lock_by_store` lets one relay work at a
time. `integrity_heads_topic` puts the integrity heads on a topic of their own, and `witness_delivery` gives them to
others. `kafka_against_store_comparison` compares the topic with the store.
"""
