"""Database router: the access log has a database of its own."""

from typing import Any

ALIAS = LABEL = "access"


class Router:
    """Django asks it before it reads, writes or makes tables."""

    def db_for_read(self, model: Any, **_hints: Any) -> str | None:
        """Return the database of this model's rows; None for the default."""
        return ALIAS if model._meta.app_label == LABEL else None

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        """Return whether tables of this app are made in this database."""
        return (db == ALIAS) == (app_label == LABEL)
