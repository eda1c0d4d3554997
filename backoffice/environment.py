"""What Django needs of the settings: a secret, a database; and a database's address as people may see it."""

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from events.errors import Invalid
from events.settings import Settings
from events.store.drives import must_be_local

ROOT = Path(__file__).resolve().parent.parent
LOGIN_KEY = "login-key"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "testserver")  # names of this machine; the last is Django's test client
CONNECT_S = 10  # for a database's answer to a first word


def secret_key(given: Settings) -> str:
    """PITLEDGER_SECRET_KEY, or one made for this data folder at its first use.

    Where nothing can be written (`settle` in somebody else's checkout) it lasts as long as the process.
    """
    return given.secret_key or _key_of(given, "secret-key")


def login_key(given: Settings) -> str:
    """The key on which sessions and passes rest: PITLEDGER_SECRET_KEY, or one made for this data folder.

    It is in no backup: whoever has a copy of the house cannot use a session of it, and a restored house has a new key,
    so that everybody signs in anew.
    """
    return given.secret_key or _key_of(given, LOGIN_KEY)


def _key_of(given: Settings, name: str) -> str:
    """The key in this file of the data folder, made now if it is not there: whole before it has its name."""
    path, fresh = given.data_folder / name, os.urandom(32).hex()
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


def database(url: str, setting: str = "PITLEDGER_READ") -> dict[str, object]:
    """A Django database setting for "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST:PORT/NAME". Raises Invalid."""
    parts = _parts(url, setting)
    if parts.scheme == "sqlite":
        path = Path(unquote(parts.path[1:] if parts.path.startswith("//") else parts.path))
        must_be_local(path, setting)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        options = {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
        }
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": options}
    if parts.scheme not in ("postgresql", "postgres"):
        raise Invalid(setting, "want sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/DB")
    if parts.query:
        raise Invalid(setting, f"cannot take {parts.query}: set libpq's variables instead, such as PGSSLMODE")
    return {
        "ENGINE": "backoffice.databases.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": {"connect_timeout": CONNECT_S},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def mail(url: str) -> dict[str, object]:
    """Django's settings for a mail server, "smtp://HOST:PORT" or "smtps://USER:PASSWORD@HOST:PORT". Raises Invalid."""
    parts = _parts(url, "PITLEDGER_MAIL")
    is_tls = parts.scheme == "smtps"
    return {
        "EMAIL_HOST": parts.hostname or "",
        "EMAIL_PORT": parts.port or (465 if is_tls else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": is_tls,
        "EMAIL_TIMEOUT": CONNECT_S,
    }


def shown(url: str) -> str:
    """A database's URL for people to read: without its password."""
    parts = _parts(url)
    secret = f":{parts.password}@" if parts.password else ""
    return url.replace(secret, "@", 1) if secret else url


def _parts(url: str, setting: str = "PITLEDGER_READ") -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - it is looked at only when it is asked for
    except ValueError as error:
        raise Invalid(setting, f"{error}: want postgresql://USER:PASSWORD@HOST:PORT/DB") from error
    return parts
