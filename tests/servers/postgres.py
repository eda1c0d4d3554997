"""PostgreSQL: a cluster of its own for a test run, with a new database for each request."""

import contextlib
import functools
import itertools
import os
import pwd
import secrets
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import sql

from tests.servers import postgres_package_download
from tests.servers.ports import LOOPBACK
from tests.servers.server_base_class import Server

SUPPORTED = (15, 17)  # which the tests run on; docs/howto/upgrade-postgresql.md says so
OLDEST = SUPPORTED[0]
USER = "pitledger"

# What a crash of the whole machine would need; a test's data die with the test.
FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "on"}
COMMON = {"listen_addresses": LOOPBACK, "unix_socket_directories": "", "max_connections": "200", "timezone": "UTC"}


# Databases sort as people do, as those of most servers: what the product orders by bytes must say so.
LINGUISTIC = ("--locale-provider=icu", "--icu-locale=en-US")


_chosen: list[int] = []  # the version that the run is for, where it was asked for one


def choose(version: int) -> None:
    """Let every server of this run be of that version (`pytest --postgres VERSION`)."""
    _chosen[:] = [version]
    find.cache_clear()


def find_version(version: int) -> Path | None:
    """Return the folder of the programs of a version: installed, or unpacked into the cache."""
    homes = (Path(f"/usr/lib/postgresql/{version}/bin"), postgres_package_download.home_of(version))
    return next((home for home in homes if (home / "initdb").exists()), None)


@functools.cache
def find() -> Path | None:
    """Return the folder of `initdb` and `postgres`: of the chosen version, else the newest that is installed."""
    if _chosen:
        return find_version(_chosen[0])
    on_path = shutil.which("initdb")
    if on_path and shutil.which("postgres"):
        return Path(on_path).parent
    homes = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/opt/homebrew/opt").glob("postgresql@*/bin")]
    whole = [home for home in homes if (home / "initdb").exists() and _version(home) >= OLDEST]
    return max(whole, key=_version, default=None)


def _version(home: Path) -> int:
    digits = "".join(filter(str.isdigit, home.parent.name))
    return int(digits) if digits else 0


class PostgreSQL(Server):
    """One cluster, reached over TCP with a password.

    `durable=True` keeps PostgreSQL's own defaults for writing to disk, for measurements; without it nothing is synced.
    """

    name = "postgres"
    stop_signal = signal.SIGINT  # "fast": sessions are ended, data are written

    def __init__(self, *, durable: bool = False, version: int | None = None) -> None:
        super().__init__()
        home = find() if version is None else find_version(version)
        if home is None:
            raise FileNotFoundError(f"PostgreSQL {version or ''} is not installed (initdb and postgres not found)")
        self.home = home
        self._settings = COMMON | ({} if durable else FAST)
        self._password = secrets.token_urlsafe(12)
        self._numbers = itertools.count(1)
        if os.geteuid() == 0:  # it refuses to run as root
            account = pwd.getpwnam("postgres")
            self.uid, self.gid = account.pw_uid, account.pw_gid

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}:{self._password}@{self.address}/{database}"

    def before(self) -> list[list[str]]:
        password_file = self.folder / "password"
        password_file.write_text(self._password)
        password_file.chmod(0o600)
        if self.uid is not None and self.gid is not None:
            os.chown(password_file, self.uid, self.gid)
        sorting = ["-E", "UTF8", "--locale=C.UTF-8", *LINGUISTIC]
        initdb = [str(self.home / "initdb"), "-D", str(self.folder / "data"), "--no-sync", *sorting]
        return [[*initdb, "-U", USER, "--auth=scram-sha-256", f"--pwfile={password_file}"]]

    def command(self) -> list[str]:
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self.home / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *settings]

    def answers(self) -> bool:
        try:
            with psycopg.connect(self.url(), connect_timeout=5) as connection:
                return connection.execute("SELECT 1").fetchone() == (1,)
        except psycopg.OperationalError:  # still starting up
            return False

    def new_database(self) -> str:
        """Create an empty database and return its URL."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database of `new_database`, with the sessions that are still in it; gone already is fine."""
        name = url.rsplit("/", 1)[1]
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """A fresh database for a `with` block; gives its URL."""
        url = self.new_database()
        try:
            yield url
        finally:
            self.drop_database(url)
