"""What the environment says: one place that reads PITLEDGER_* variables, for every process."""

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from events.errors import Invalid

ROOT = Path(__file__).resolve().parent.parent
CLOCK = "clock"  # in the data folder of a house that lives in its own time
CONNECT_S = 10  # for a database's answer to a first word


def data_folder() -> Path:
    """PITLEDGER_DATA: where files of a running house lie.

    Default: `var/house` in the checkout; before there is one, the last demo's `var/demo`, so that `up` shows its day.
    """
    if given := os.environ.get("PITLEDGER_DATA"):
        return Path(given).resolve()
    house, demo = ROOT / "var" / "house", ROOT / "var" / "demo"
    configured = "PITLEDGER_STORE" in os.environ or (house / "events.sqlite3").exists()
    return demo if (demo / "events.sqlite3").exists() and not configured else house


def clock() -> str:
    """PITLEDGER_CLOCK: the file of a played clock. A demo's folder brings its own; "": it is the machine's."""
    if (given := os.environ.get("PITLEDGER_CLOCK")) is not None:
        return given
    own = data_folder() / CLOCK
    return str(own) if own.exists() else ""


def property_name() -> str:
    """PITLEDGER_PROPERTY: the casino that this installation serves."""
    return os.environ.get("PITLEDGER_PROPERTY", "athens")


def store_url() -> str:
    """PITLEDGER_STORE: the event store's URL."""
    return os.environ.get("PITLEDGER_STORE", f"sqlite:///{data_folder() / 'events.sqlite3'}")


def read_url() -> str:
    """PITLEDGER_READ: the URL of the read models and the directory."""
    return os.environ.get("PITLEDGER_READ", f"sqlite:///{data_folder() / 'read.sqlite3'}")


def web_port() -> int:
    """PITLEDGER_WEB_PORT: where the pages and the action interface listen, on loopback."""
    return _port("PITLEDGER_WEB_PORT", os.environ.get("PITLEDGER_WEB_PORT") or "8000")


def live_port(web: int | None = None) -> int:
    """PITLEDGER_LIVE_PORT: where the live streams listen, on loopback. Default: the port after the pages' (`web`)."""
    return _port("PITLEDGER_LIVE_PORT", os.environ.get("PITLEDGER_LIVE_PORT") or str((web or web_port()) + 1))


def live_host() -> str:
    """PITLEDGER_LIVE_HOST: the address on which the live streams listen. Default: loopback."""
    return os.environ.get("PITLEDGER_LIVE_HOST") or "127.0.0.1"


def _port(name: str, text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise Invalid(name, f"{text!r} is no port: a number from 1 to 65535")
    return int(text)


def secret_key() -> str:
    """PITLEDGER_SECRET_KEY, or one made for this data folder at its first use.

    Where nothing can be written (`settle` in somebody else's checkout) it lasts as long as the process.
    """
    if given := os.environ.get("PITLEDGER_SECRET_KEY"):
        return given
    path, fresh = data_folder() / "secret-key", os.urandom(32).hex()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(fresh)
    except FileExistsError:
        return path.read_text() or fresh
    except OSError:
        return fresh
    return fresh


def database(url: str) -> dict[str, object]:
    """A Django database setting for "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST:PORT/NAME". Raises Invalid."""
    parts = _parts(url)
    if parts.scheme == "sqlite":
        path = Path(unquote(parts.path[1:] if parts.path.startswith("//") else parts.path))
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        options = {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
        }
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": options}
    if parts.scheme not in ("postgresql", "postgres"):
        raise Invalid("PITLEDGER_READ", "want sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/DB")
    if parts.query:
        raise Invalid("PITLEDGER_READ", f"cannot take {parts.query}: set libpq's variables instead, such as PGSSLMODE")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": {"connect_timeout": CONNECT_S},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def shown(url: str) -> str:
    """A database's URL for people to read: without its password."""
    parts = _parts(url)
    secret = f":{parts.password}@" if parts.password else ""
    return url.replace(secret, "@", 1) if secret else url


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - it is looked at only when it is asked for
    except ValueError as error:
        raise Invalid("PITLEDGER_READ", f"{error}: want postgresql://USER:PASSWORD@HOST:PORT/DB") from error
    return parts
