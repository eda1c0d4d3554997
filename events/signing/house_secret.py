"""The house's secrets of its own making: from a setting, or in a file of the data folder, made at the first use."""

import os
from contextlib import suppress

from events.settings.settings import Settings

SECRET_KEY, LOGIN_KEY, CASE_KEY = "secret-key", "login-key", "case-key"


def secret_key(settings_in_force: Settings) -> str:
    """Return PITLEDGER_SECRET_KEY, or a key made for this data folder at its first use.

    Where nothing can be written (`settle` in another person's checkout) it lasts as long as the process.
    """
    return settings_in_force.secret_key or _key_of(settings_in_force, SECRET_KEY)


def login_key(settings_in_force: Settings) -> str:
    """Return the key of sessions, passes and blind counts: PITLEDGER_SECRET_KEY, or one made for this data folder.

    It is in no backup: a copy of the house gives access to no session and opens no count. A restored house has a new
    key, so that all people sign in again.
    """
    return settings_in_force.secret_key or _key_of(settings_in_force, LOGIN_KEY)


def case_key(settings_in_force: Settings) -> str:
    """Return the house case key: PITLEDGER_CASE_KEY, or one made for this data folder at its first use.

    It wraps the keys of cases. It is in no database and in no backup.
    """
    return settings_in_force.case_key or _key_of(settings_in_force, CASE_KEY)


def _key_of(settings_in_force: Settings, name: str) -> str:
    """Return the key in this file of the data folder, made now if it is not there: whole before it has its name."""
    path, fresh = settings_in_force.data_folder / name, os.urandom(32).hex()
    made = path.with_name(f"{name}.{os.getpid()}")
    try:
        if path.exists():
            return path.read_text() or fresh
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
            file.write(fresh)
        os.link(made, path)
    except FileExistsError:  # another process was faster
        return path.read_text() or fresh
    except OSError:
        return fresh
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
    return fresh
