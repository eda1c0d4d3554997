"""What a command says, and with which exit code it ends, where none of its own words cover what went wrong."""

import psycopg
from django.db.utils import OperationalError, ProgrammingError

from backoffice import environment
from events.errors import Invalid, PitledgerError
from events.settings import settings

FAILED, NOT_UNDERSTOOD = 1, 2

_TABLES_MISSING = ("no such table", "no such column", "does not exist")


def explained(error: Exception) -> tuple[str, int] | None:
    """One line that says what to do, and the exit code; None for what is a fault of ours and needs its traceback."""
    if isinstance(error, PitledgerError):
        return str(error), NOT_UNDERSTOOD if isinstance(error, Invalid) else FAILED
    if not isinstance(error, OperationalError | ProgrammingError):
        return None
    why = str(error).partition("\n")[0]
    if _is_unreachable(error):
        where = environment.shown(settings().read)
        return f"the read models' database {where} does not answer ({why}): start it, or correct PITLEDGER_READ", FAILED
    if any(says in why for says in _TABLES_MISSING):
        how = "`./manage.py migrate` makes them, and `./manage.py rebuild all` fills them from the events"
        demo = "`./manage.py demo` plays a day of its own"
        return f"The tables are missing, or older than this version ({why}). {how}; {demo}.", FAILED
    return None


def _is_unreachable(error: Exception) -> bool:
    """PostgreSQL gives every error that comes from a server a code; SQLite says in words that it cannot open a file."""
    if isinstance(error.__cause__, psycopg.OperationalError):
        return error.__cause__.sqlstate is None
    return "unable to open database file" in str(error)
