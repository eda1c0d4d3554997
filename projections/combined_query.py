"""Rows of several read models by one query: related content of a page is read at once, as of one moment."""

from typing import Any

import msgspec
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import BooleanField, QuerySet

# How a database writes a row as a list of JSON, and rows as a list of those.
_WRITTEN = {
    "sqlite": ("json_array", "json_group_array"),
    "postgresql": ("json_build_array", "json_agg"),
}


def read_together(*querysets: QuerySet[Any]) -> list[list[Any]]:
    """Return the rows of each of these, in its order. One query; none for queries that cannot match.

    For rows of text, whole numbers and booleans, as read models have.
    """
    statements = [
        (place, *statement) for place, rows in enumerate(querysets) if (statement := _sql_and_params(rows)) is not None
    ]
    answer: list[list[Any]] = [[] for _ in querysets]
    if statements:
        with connections[querysets[0].db].cursor() as cursor:
            columns = ", ".join(f"({sql})" for _, sql, _ in statements)
            cursor.execute(f"SELECT {columns}", [param for *_, params in statements for param in params])
            texts = cursor.fetchone()
        for (place, *_), text in zip(statements, texts, strict=True):
            answer[place] = _rows(querysets[place], text)
    return answer


def _sql_and_params(rows: QuerySet[Any]) -> tuple[str, tuple[Any, ...]] | None:
    """A query as one column: a text of JSON with all its rows. None for one that can find nothing."""
    connection = connections[rows.db]
    row, aggregate = _WRITTEN[connection.vendor]
    try:
        sql, params = rows.query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:
        return None
    names = ", ".join(f"found.{connection.ops.quote_name(field.column)}" for field in rows.model._meta.concrete_fields)
    return f"SELECT CAST({aggregate}({row}({names})) AS text) FROM ({sql}) AS found", params


def _rows(queryset: QuerySet[Any], text: str | None) -> list[Any]:
    fields = queryset.model._meta.concrete_fields
    names = [field.attname for field in fields]
    truths = [place for place, field in enumerate(fields) if isinstance(field, BooleanField)]
    rows: list[list[Any]] = msgspec.json.decode(text) if text else []
    for row in rows:
        for place in truths:
            row[place] = bool(row[place])
    return [queryset.model.from_db(queryset.db, names, row) for row in rows]
