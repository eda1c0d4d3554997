"""A transaction without waits: PostgreSQL gets the statements without an answer to each, and works meanwhile.

Only reads wait, for all earlier statements. On SQLite it is an ordinary transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from projections.engine.bulk_writer import WriteTarget


@contextmanager
def pipelined(target: WriteTarget) -> Iterator[None]:
    """Run a block of statements, all or nothing, without savepoints.

    A later statement raises an earlier failure, at the latest the end of the block, and nothing is committed. Raises
    FewerRowsChanged, too.
    """
    if not target.is_postgres or target.connection.in_atomic_block:
        with transaction.atomic(using=target.using):
            yield
        return
    from projections.engine.postgres_pipeline import in_pipeline  # here: a house on SQLite never loads the driver

    with in_pipeline(target):
        yield
