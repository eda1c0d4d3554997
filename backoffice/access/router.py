"""Which database: the access log's own for the access log, and for nothing else."""

from typing import Any

ALIAS = LABEL = "access"


class Router:
    """Django asks it before it reads, writes or makes tables."""

    def db_for_read(self, model: Any, **_hints: Any) -> str | None:
        """Where rows of this model lie; None: as usual."""
        return ALIAS if model._meta.app_label == LABEL else None

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        """Whether tables of this app are made in this database."""
        return (db == ALIAS) == (app_label == LABEL)
