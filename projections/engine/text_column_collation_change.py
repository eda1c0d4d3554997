"""Text columns in byte order (COLLATE "C"), whatever collation their database has.

Order and prefix belong to the product. A linguistic collation sorts "g10" between "G1" and "G2", and its ranges have
other rows than the same ranges in SQLite or in Python.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_COLLATED_SO = """
SELECT to_jsonb(d) ->> 'datlocprovider', datcollate FROM pg_database AS d WHERE datname = current_database()
"""
_TEXTS = """
SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attcollation = (SELECT oid FROM pg_collation WHERE collname = 'default')
    AND left(c.relname, 10) <> 'pitledger_'
ORDER BY a.attrelid, a.attnum
"""


def order_by_bytes(connection: BaseDatabaseWrapper) -> list[str]:
    """Give every text column of this database that has the default collation that of bytes; the tables changed.

    One statement a table. Rows are not rewritten, indexes on text are built again. Safe to repeat; nothing is done on
    SQLite, nor where the database itself orders by bytes.
    """
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(_COLLATED_SO)
        provider, collation = cursor.fetchone()
        if provider in (None, "c") and collation in ("C", "POSIX"):
            return []
        cursor.execute(_TEXTS)
        tables: dict[str, list[tuple[str, str]]] = {}
        for table, column, kind in cursor.fetchall():
            tables.setdefault(table, []).append((column, kind))
        for table, columns in tables.items():
            cursor.execute(_alter(connection, table, columns))
    return list(tables)


def _alter(connection: BaseDatabaseWrapper, table: str, columns: list[tuple[str, str]]) -> str:
    quote: Any = connection.ops.quote_name
    changes = ", ".join(f'ALTER COLUMN {quote(column)} TYPE {kind} COLLATE "C"' for column, kind in columns)
    return f"ALTER TABLE {quote(table)} {changes}"
