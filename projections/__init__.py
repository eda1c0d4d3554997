"""The read models: what anybody looks at, computed from the events and from nothing else.

`runner.py` takes events from Kafka, `apply.py` gives them to the projectors in batches, exactly once; `rebuild.py`
makes a projection again from the store; `books.py` reads the figures.
"""
