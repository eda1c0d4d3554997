"""Logins that a PostgreSQL server refuses: the setting to correct, and the cure."""

import re
import sys
from collections.abc import Mapping

from events.error_codes import coded
from events.errors import Defect, PitledgerError, Retry

_LOGIN = "the database refuses the login. Correct user and password"
_REFUSALS: Mapping[str, str] = {
    "authentication failed|no password supplied|role .* does not exist|not permitted to log in": _LOGIN,
    "no pg_hba.conf entry": "the server allows no such login. Allow it in its pg_hba.conf, or correct the host",
    "database .* does not exist": "the server has no such database. Create it (createdb --encoding UTF8 --template "
    "template0 NAME), or correct its name",
    "permission denied for database": "the user may not use this database. GRANT CONNECT to it, or correct the user",
}
_BY_CODE: Mapping[str, str] = {
    "28P01": _LOGIN,
    "28000": "the server allows no such login. Correct user, password and host, or allow it in its pg_hba.conf",
    "3D000": _REFUSALS["database .* does not exist"],
    "42501": _REFUSALS["permission denied for database"],
}


def refusal_of(error: Exception) -> str:
    """Return the error, with its cure, where a server answered and refused the login; "" where it did not answer.

    The server's sentence decides where it is English, else its code, for which the login is tried once more. A server
    that has no room just now gets "".
    """
    message = str(error)
    cure = next((cure for part, cure in _REFUSALS.items() if re.search(part, message)), "")
    if not cure:
        cure = _BY_CODE.get(_login_sqlstate(error), "")
        message = re.sub(r"^.*? failed: +", "", message, flags=re.DOTALL)
    return f"{cure} ({message.rpartition('FATAL:')[2].strip()})" if cure else ""


def failure_of(error: Exception, server: str, setting: str = "PITLEDGER_STORE") -> PitledgerError:
    """Return the answer for a database that cannot be reached: Defect where it refuses the login, else Retry."""
    refusal = refusal_of(error)
    silent = Retry(coded("database-silent", server=server, why=str(error)))
    return Defect(coded("database-refused", setting=setting, why=refusal)) if refusal else silent


def _login_sqlstate(error: Exception) -> str:
    """Return the code of a refused login; "" in a process that has not loaded PostgreSQL's driver."""
    if "psycopg" not in sys.modules:
        return ""
    from events.store.refused_login_sqlstate_retrieval import (
        login_sqlstate,  # here: a house on SQLite never loads the driver
    )

    return login_sqlstate(error)
