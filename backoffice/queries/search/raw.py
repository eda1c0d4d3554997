"""Events whose bytes hold some others: what no column says is looked for in the JSON as the store writes it."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BinaryField, BooleanField, F, Func, Value
from django.db.models.sql.compiler import SQLCompiler


class Holds(Func):
    """Whether an event's own bytes hold these, anywhere: more than are meant may, and none that is meant does not."""

    output_field = BooleanField()

    def __init__(self, part: bytes) -> None:
        super().__init__(F("raw"), Value(part, output_field=BinaryField()))

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        sql, values = self.as_sql(compiler, connection, template="instr(%(expressions)s) > 0", **context)
        return sql, tuple(values)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        template = 'pg_catalog."position"(%(expressions)s) > 0'
        sql, values = self.as_sql(compiler, connection, template=template, **context)
        return sql, tuple(values)
