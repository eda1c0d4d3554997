"""Django's settings from the house's settings: databases and mail; and a database's URL without its password."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from events.errors import Invalid
from events.store.network_drive_refusal import must_be_local

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "testserver")  # names of this machine; the last is Django's test client
CONNECT_S = 10  # for a database's answer to a first word
_LASTING = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}  # a connection serves the requests of a minute


def database(url: str, setting: str = "PITLEDGER_READ") -> dict[str, object]:
    """A Django database setting for "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST:PORT/NAME". Raises Invalid."""
    parts = _url_parts(url, setting)
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
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": options, **_LASTING}
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
        **_LASTING,
    }


def mail(url: str) -> dict[str, object]:
    """Django's settings for a mail server, "smtp://HOST:PORT" or "smtps://USER:PASSWORD@HOST:PORT". Raises Invalid."""
    parts = _url_parts(url, "PITLEDGER_MAIL")
    is_tls = parts.scheme == "smtps"
    return {
        "EMAIL_HOST": parts.hostname or "",
        "EMAIL_PORT": parts.port or (465 if is_tls else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": is_tls,
        "EMAIL_TIMEOUT": CONNECT_S,
    }


def url_without_password(url: str) -> str:
    """A database's URL for people to read: without its password."""
    parts = _url_parts(url)
    secret = f":{parts.password}@" if parts.password else ""
    return url.replace(secret, "@", 1) if secret else url


def _url_parts(url: str, setting: str = "PITLEDGER_READ") -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - it is looked at only when it is asked for
    except ValueError as error:
        raise Invalid(setting, f"{error}: want postgresql://USER:PASSWORD@HOST:PORT/DB") from error
    return parts
