"""The house's secrets of its own making: from a setting, or in a file of the data folder, made at the first use."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from events.error_codes import coded
from events.errors import Defect
from events.settings.setting_declarations import Settings

SECRET_KEY, LOGIN_KEY, CASE_KEY = "secret-key", "login-key", "case-key"


def secret_key(settings_in_force: Settings) -> str:
    """Return PITLEDGER_SECRET_KEY, or a key made for this data folder at its first use.

    Where nothing can be written (`settle` in another person's checkout) it lasts as long as the process. Stored data is
    encrypted with `durable_secret_key`.
    """
    return settings_in_force.secret_key or _key_or_passing(settings_in_force, SECRET_KEY)


def durable_secret_key(settings_in_force: Settings) -> str:
    """Return `secret_key` for data that is stored. Raises Defect where it would end with the process."""
    return settings_in_force.secret_key or _key_of(settings_in_force, SECRET_KEY, "PITLEDGER_SECRET_KEY")


def login_key(settings_in_force: Settings) -> str:
    """Return the key of sessions and passes: PITLEDGER_SECRET_KEY, or one made for this data folder.

    It is in no backup: a copy of the house gives access to no session. A restored house has a new key, so that all
    people sign in again. Where nothing can be written it lasts as long as the process.
    """
    return settings_in_force.secret_key or _key_or_passing(settings_in_force, LOGIN_KEY)


def durable_login_key(settings_in_force: Settings) -> str:
    """Return `login_key` for blind counts, which are stored. Raises Defect where it would end with the process."""
    return settings_in_force.secret_key or _key_of(settings_in_force, LOGIN_KEY, "PITLEDGER_SECRET_KEY")


def case_key(settings_in_force: Settings) -> str:
    """Return the house case key: PITLEDGER_CASE_KEY, or one made for this data folder at its first use.

    It wraps the keys of cases. It is in no database and in no backup. Raises Defect where it cannot be stored: cases
    under a key that ends with the process would be lost.
    """
    return settings_in_force.case_key or _key_of(settings_in_force, CASE_KEY, "PITLEDGER_CASE_KEY_FILE")


def present_case_key(settings_in_force: Settings) -> str:
    """Return the house case key that is here; "" without one. Raises Defect where its file cannot be read."""
    is_here = settings_in_force.case_key or (settings_in_force.data_folder / CASE_KEY).exists()
    return case_key(settings_in_force) if is_here else ""


def _key_or_passing(settings_in_force: Settings, name: str) -> str:
    try:
        return _key_of(settings_in_force, name, "")
    except Defect:
        return os.urandom(32).hex()


def _key_of(settings_in_force: Settings, name: str, setting: str) -> str:
    """Return the key in this file of the data folder, made now if it is not there; the same for all who ask at once.

    Raises Defect where the file can be neither read nor written, or is empty.
    """
    path = settings_in_force.data_folder / name
    try:
        if not path.exists():
            _make(path)
        key = path.read_text()
    except OSError as error:
        raise Defect(coded("house-key-unwritable", why=str(error), setting=setting)) from error
    if not key:
        raise Defect(coded("house-key-empty", path=str(path)))
    return key


def _make(path: Path) -> None:
    """Write a new key, whole and durable before it has its name; an existing one stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own: threads share their process's number, and containers often have the same.
    number, new = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "w") as file:
            file.write(os.urandom(32).hex())
            file.flush()
            os.fsync(number)
        with suppress(FileExistsError):  # another process was faster
            os.link(new, path)
    finally:
        os.unlink(new)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
