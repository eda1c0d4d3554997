"""Sort a database error of Django into one that may be tried again and one that needs a repair."""

import re

from django.db import DataError, Error, ProgrammingError

from events.error_codes import ErrorText, coded
from events.errors import Defect, PitledgerError, Retry

_REPAIRED_BY_HAND = re.compile(r"no such table|no such column|does not exist|readonly database|unable to open")


def failure_of(error: Error, what: ErrorText, setting: str) -> PitledgerError:
    """Return the error for `what`, refused by this error of the database that `setting` names."""
    why = str(error).partition("\n")[0][:200]
    if isinstance(error, DataError | ProgrammingError) or _REPAIRED_BY_HAND.search(why):
        return Defect(coded("database-to-repair", what=what, setting=setting, why=why))
    return Retry(coded("database-not-answering", what=what, setting=setting, why=why))
