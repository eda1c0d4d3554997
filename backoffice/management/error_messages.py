"""Messages and exit codes of commands for errors that the command itself does not handle."""

import errno
import sqlite3

from django.db.utils import DatabaseError, InternalError, OperationalError, ProgrammingError
from eventsourcing.persistence import PersistenceError

from backoffice.running import database_and_mail_settings
from events.errors import Invalid, PitledgerError
from events.settings.settings_from_environment import settings
from events.store.database_login_errors import refusal_of
from events.store.driver_exception_classes import is_unreachable

FAILED, NOT_UNDERSTOOD = 1, 2

# Errors of the machine about a folder or a file that people named: not a fault of the program.
_NOT_OURS = {errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOSPC, errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
_READ_ONLY, _CANNOT_OPEN = "readonly database", "unable to open database file"
_TABLES_MISSING = ("no such table", "no such column", "does not exist")


def error_line_and_code(error: Exception) -> tuple[str, int] | None:
    """Return a line with the remedy, and the exit code; None for a programming error, which needs its traceback."""
    if isinstance(error, PitledgerError):
        return str(error), NOT_UNDERSTOOD if isinstance(error, Invalid) else FAILED
    if isinstance(error, OSError) and error.filename is not None and error.errno in _NOT_OURS:
        return f"{error.filename}: {error.strerror}", FAILED
    if isinstance(error, sqlite3.OperationalError | PersistenceError) and _READ_ONLY in str(error):
        return _cannot_write(settings().store, "PITLEDGER_STORE"), FAILED
    if isinstance(error, PersistenceError) and _are_missing(str(error)):
        where = database_and_mail_settings.url_without_password(settings().store)
        return f"no event was ever stored in {where}: is it mistyped? `./manage.py up` begins a house there", FAILED
    if isinstance(error, DatabaseError) and (message := _of_read_models(error, str(error).partition("\n")[0])):
        return message, FAILED
    return None


def _of_read_models(error: DatabaseError, why: str) -> str:
    """Return the message for an error of the read models' database; "" for an error without one."""
    database_url = database_and_mail_settings.url_without_password(settings().read)
    if _READ_ONLY in why:
        return _cannot_write(settings().read, "PITLEDGER_READ")
    if _CANNOT_OPEN in why:
        return f"the read models' file {database_url} cannot be opened: may it be written here? (PITLEDGER_READ)"
    if _is_damage(error):
        remedy = "stop the house, put its backup back, and then ./manage.py rebuild all --approve"
        return f"the read models' database {database_url} is damaged ({why}): {remedy}"
    if is_unreachable(error.__cause__) and (refusal := refusal_of(error)):
        return f"PITLEDGER_READ: {refusal}"
    if is_unreachable(error.__cause__):
        return f"the read models' database {database_url} does not answer ({why}): start it, or correct PITLEDGER_READ"
    if isinstance(error, OperationalError | ProgrammingError) and _are_missing(why):
        remedy = "`./manage.py migrate` makes them, and `./manage.py rebuild all` fills them from the events"
        demo = "`./manage.py demo` plays a day of its own"
        return f"The tables are missing, or older than this version ({why}). {remedy}; {demo}."
    return ""


def _are_missing(why: str) -> bool:
    return any(says in why for says in _TABLES_MISSING)


def _is_damage(error: DatabaseError) -> bool:
    """Return whether the error means a damaged database: SQLite's for a file that is not whole, PostgreSQL's for an
    unreadable block."""
    return type(error) is DatabaseError or isinstance(error, InternalError)


def _cannot_write(url: str, setting: str) -> str:
    return f"{database_and_mail_settings.url_without_password(url)} cannot be written by this user ({setting})"
