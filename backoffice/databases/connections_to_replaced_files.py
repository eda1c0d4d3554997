"""Connections to SQLite outlive a request, as those to PostgreSQL do; not where the database's file was replaced.

A new connection reads the whole schema and declares Django's functions: it costs more than the queries of a page.
"""

import os
from typing import Any

from django.core.signals import request_started
from django.db import close_old_connections, connections
from django.db.backends.signals import connection_created
from django.dispatch import receiver

File = tuple[int, int]  # device and inode


@receiver(connection_created)
def note_file(connection: Any, **_: object) -> None:
    """Note the file of a new connection."""
    if connection.vendor == "sqlite":
        connection.pitledger_file = file_of(connection)


@receiver(request_started)
def close_replaced(**_: object) -> None:
    """Close the connections of this thread to files that no longer have the name of their database."""
    for connection in connections.all(initialized_only=True):
        noted = getattr(connection, "pitledger_file", None)
        if noted is not None and noted != file_of(connection) and not connection.in_atomic_block:
            connection.close()


def close_stale_connections() -> None:
    """Close this thread's connections that are broken, too old, or to a replaced file; for work outside of requests."""
    close_old_connections()
    close_replaced()


def file_of(connection: Any) -> File | None:
    """Return the file that has a database's name now; None for a deleted one, and for a database in memory."""
    try:
        status = os.stat(connection.settings_dict["NAME"])
    except OSError:
        return None
    return status.st_dev, status.st_ino
