"""What the environment says: one place that reads PITLEDGER_* variables, for every process."""

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """PITLEDGER_DATA: where files of a running house lie.

    Default: `var/house` in the checkout; before there is one, the last demo's `var/demo`, so that `up` shows its day.
    """
    if given := os.environ.get("PITLEDGER_DATA"):
        return Path(given).resolve()
    house, demo = ROOT / "var" / "house", ROOT / "var" / "demo"
    configured = "PITLEDGER_STORE" in os.environ or (house / "events.sqlite3").exists()
    return demo if (demo / "events.sqlite3").exists() and not configured else house


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
    return int(os.environ.get("PITLEDGER_WEB_PORT", "8000"))


def live_port(web: int | None = None) -> int:
    """PITLEDGER_LIVE_PORT: where the live streams listen, on loopback. Default: the port after the pages' (`web`)."""
    return int(os.environ.get("PITLEDGER_LIVE_PORT") or (web or web_port()) + 1)


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
    """A Django database setting for "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST:PORT/NAME"."""
    parts = urlsplit(url)
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
        raise ValueError(f"PITLEDGER_READ: {parts.scheme}:// is neither sqlite nor postgresql")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
