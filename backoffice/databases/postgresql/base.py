"""Django's backend for PostgreSQL, with the session of our other connections.

`events/store/postgres_session_settings.py` sets it.
"""

from typing import Any

from django.db.backends.postgresql import base, operations

from events.store.postgres_session_settings import at_start, set_session

BY_BYTES = ' COLLATE "C"'  # order and prefix are the product's, not the database's
TEXTS = ("CharField", "FileField", "FilePathField", "SlugField", "TextField")
SETTINGS = {"access": "PITLEDGER_ACCESS"}  # which setting names the database, by alias


def _by_bytes(kind: Any) -> Any:
    """A type of text that is ordered by its bytes."""
    if callable(kind):
        return lambda values: f"{kind(values)}{BY_BYTES}"
    return f"{kind}{BY_BYTES}"


class DatabaseOperations(operations.DatabaseOperations):
    """Django's operations, with our compilers."""

    compiler_module = "backoffice.databases.postgresql.unnest_insert_collation_fix"


class DatabaseWrapper(base.DatabaseWrapper):
    """Named ENGINE in the settings. Raises Invalid for a database that does not fit, before anything is written."""

    ops_class = DatabaseOperations
    data_types: Any = base.DatabaseWrapper.data_types | {
        name: _by_bytes(base.DatabaseWrapper.data_types[name]) for name in TEXTS
    }

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), **at_start()}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        try:
            set_session(connection, SETTINGS.get(self.alias, "PITLEDGER_READ"))
        except BaseException:
            connection.close()
            raise
        return connection
