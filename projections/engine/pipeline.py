"""A transaction without waits: PostgreSQL gets the statements without an answer to each, and works meanwhile.

Only reads wait, for all earlier statements. On SQLite it is an ordinary transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from django.db import DataError, transaction
from psycopg.errors import DivisionByZero, PipelineAborted

from projections.engine.target import FewerRowsChanged, Target


@contextmanager
def going(target: Target) -> Iterator[None]:
    """Run a block of statements, all or nothing, without savepoints.

    A later statement raises an earlier failure, at the latest the end of the block, and nothing is committed. Raises
    Fewer, too.
    """
    if not target.is_postgres or target.connection.in_atomic_block:
        with transaction.atomic(using=target.using):
            yield
        return
    connection = target.connected()
    try:
        with target.connection.wrap_database_errors, _first_error(), connection.pipeline():
            target.execute("BEGIN", ())
            yield
            target.execute("COMMIT", ())
    except BaseException as error:
        with suppress(psycopg.Error):  # a connection that is lost has nothing to undo
            connection.rollback()
        if isinstance(error, DataError) and isinstance(error.__cause__, DivisionByZero):  # as `Target.change` has it
            raise FewerRowsChanged("fewer rows were changed than had to be") from error
        raise


@contextmanager
def _first_error() -> Iterator[None]:
    """Raise the first error of a pipeline: later statements are aborted, and psycopg may raise that abort instead."""
    try:
        yield
    except PipelineAborted as aborted:
        first = aborted.__context__
        raise first if isinstance(first, psycopg.Error) else aborted from None
