"""The engine of the read models, which names none of them: its caller brings their projectors.

`runner.py` takes events from Kafka, `batch_applier.py` gives them to the projectors in batches, exactly once;
`rebuild.py` makes a projection again from the store and switches it in.
"""
