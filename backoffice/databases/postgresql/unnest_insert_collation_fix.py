"""Django's compilers for PostgreSQL: rows that are inserted together name the types of their columns, not the order."""

from typing import Any

from django.db.backends.postgresql.compiler import (
    InsertUnnest,
    SQLAggregateCompiler,
    SQLCompiler,
    SQLDeleteCompiler,
    SQLUpdateCompiler,
)
from django.db.backends.postgresql.compiler import SQLInsertCompiler as Usual

__all__ = ["SQLAggregateCompiler", "SQLCompiler", "SQLDeleteCompiler", "SQLInsertCompiler", "SQLUpdateCompiler"]


class SQLInsertCompiler(Usual):
    """An array has no collation of its own: `text COLLATE "C"[]` is no type."""

    def assemble_as_sql(self, fields: Any, value_rows: Any) -> Any:
        placeholders, parameters = super().assemble_as_sql(fields, value_rows)
        if isinstance(placeholders, InsertUnnest):
            placeholders = InsertUnnest(placeholder.replace(' COLLATE "C"', "") for placeholder in placeholders)
        return placeholders, parameters
