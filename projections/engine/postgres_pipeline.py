"""A transaction in PostgreSQL's pipeline (`pipelined_transaction.py`): statements do not wait for answers."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from django.db import DataError
from psycopg.errors import DivisionByZero, PipelineAborted

from projections.engine.bulk_writer import FewerRowsChanged, WriteTarget


@contextmanager
def in_pipeline(target: WriteTarget) -> Iterator[None]:
    """Run a block of statements in a transaction, all or nothing.

    Raises FewerRowsChanged where a change found too few rows.
    """
    connection = target.connected()
    try:
        with target.connection.wrap_database_errors, _first_error(), connection.pipeline():
            target.execute("BEGIN", ())
            yield
            target.execute("COMMIT", ())
    except BaseException as error:
        with suppress(psycopg.Error):  # a connection that is lost has nothing to undo
            connection.rollback()
        if isinstance(error, DataError) and isinstance(
            error.__cause__, DivisionByZero
        ):  # as `WriteTarget.change` has it
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
