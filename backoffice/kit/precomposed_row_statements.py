"""Statements on rows of models that run at every tap: Django composes its own for longer than a database runs them.

A statement is composed once for each model and set of columns. Values are prepared by the model's fields.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model

M = TypeVar("M", bound=Model)


def rows(model: type[M], column: str, values: Collection[str]) -> list[M]:
    """Return the rows with one of these values in a column of text."""
    if not values:
        return []
    places = ", ".join(["%s"] * len(values))
    statement = f"SELECT * FROM {model._meta.db_table} WHERE {column} IN ({places})"
    return list(model._default_manager.raw(statement, list(values)))


def insert(row: Model) -> None:
    """Insert a new row, which gets its key. Raises django.db.IntegrityError."""
    model, fields = type(row), _inserted(type(row))
    connection = connections[router.db_for_write(model)]
    values = [_prepared(field, getattr(row, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(_insertion(model), values)
        [row.pk] = cursor.fetchone()
    row._state.adding, row._state.db = False, connection.alias


def update(model: type[Model], where: Mapping[str, object], **changes: object) -> int:
    """Change the rows with all of these values; return their number."""
    connection = connections[router.db_for_write(model)]
    named = [*changes.items(), *where.items()]
    values = [_prepared(model._meta.get_field(name), value, connection) for name, value in named]
    with connection.cursor() as cursor:
        cursor.execute(_updating(model, tuple(where), tuple(changes)), values)
        return int(cursor.rowcount)


def _prepared(field: Any, value: object, connection: BaseDatabaseWrapper) -> Any:
    return field.get_db_prep_save(value, connection)


@lru_cache
def _inserted(model: type[Model]) -> tuple["Field[Any, Any]", ...]:
    return tuple(field for field in model._meta.local_concrete_fields if not field.primary_key)


@lru_cache
def _insertion(model: type[Model]) -> str:
    columns = ", ".join(f'"{field.column}"' for field in _inserted(model))
    places = ", ".join(["%s"] * len(_inserted(model)))
    return f'INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places}) RETURNING "{model._meta.pk.column}"'


@lru_cache
def _updating(model: type[Model], where: tuple[str, ...], changes: tuple[str, ...]) -> str:
    columns = {field.name: field.column for field in model._meta.local_concrete_fields}
    changed, chosen = ([f'"{columns[name]}" = %s' for name in names] for names in (changes, where))
    return f"UPDATE {model._meta.db_table} SET {', '.join(changed)} WHERE {' AND '.join(chosen)}"
