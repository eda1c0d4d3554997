"""From the event store to Kafka and on to its readers: the same bytes in the same order.

`relay` sends, with `sender`; `tail` follows for a reader. `topic` and `records` define its content. `lock` lets one
relay work at a time. `heads` puts the integrity heads on a topic of their own, and `witness` gives them to others.
`compared` compares the topic with the store.
"""
