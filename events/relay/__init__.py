"""From the event store to Kafka and on to its readers: the same bytes in the same order.

`relay` sends, `tail` reads; `topic` knows the records, `lock` lets one relay work at a time, `embedded` is the broker
for one machine. `process` and `status` are about the processes themselves: none outlives its parent unnoticed, and
each says in a file that it is ready and how far it has come.
"""
