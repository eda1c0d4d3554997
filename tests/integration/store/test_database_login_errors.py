"""A PostgreSQL server that refuses the login: the error names the cause and the remedy, not "does not answer"."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError
from psycopg.conninfo import conninfo_to_dict

from backoffice.management.error_messages import error_line_and_code
from events.errors import Defect, Invalid, Retry
from events.store import open_store, refused_login_sqlstate_retrieval
from events.store.database_login_errors import failure_of, refusal_of
from tests.servers import PostgreSQL

FATAL = 'connection failed: connection to server at "127.0.0.1", port 5432 failed: FATAL:  '
SENTENCES = {
    'password authentication failed for user "house"': "refuses the login",
    'role "house" does not exist': "refuses the login",
    'role "house" is not permitted to log in': "refuses the login",
    'no pg_hba.conf entry for host "10.0.0.7", user "house", database "events", no encryption': "pg_hba.conf",
    'database "events" does not exist': "has no such database",
    'permission denied for database "events"': "GRANT CONNECT",
}


@pytest.fixture
def parts(postgres_server: PostgreSQL) -> dict[str, str]:
    """Return the server's address and its login."""
    parts = conninfo_to_dict(postgres_server.url())
    return {name: str(value) for name, value in parts.items() if value}


def url(parts: dict[str, str], *, name: str | None = None, user: str | None = None) -> str:
    who = user or f"{parts['user']}:{parts.get('password', '')}"
    return f"postgresql://{who}@{parts['host']}:{parts['port']}/{name or parts.get('dbname', 'postgres')}"


def test_a_missing_database_is_named(parts: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refused:
        open_store(url(parts, name="no_such"))
    assert refused.value.field == "PITLEDGER_STORE"
    assert "the server has no such database. Create it" in str(refused.value)
    assert 'database "no_such" does not exist' in str(refused.value)


def test_a_wrong_user_is_named(parts: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="refuses the login"):
        open_store(url(parts, user="nobody_here"))


def test_a_server_that_is_away_does_not_answer() -> None:
    with pytest.raises(Retry, match="does not answer"):
        open_store("postgresql://house:secret@127.0.0.1:1/events")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_refusal_has_its_cure(sentence: str) -> None:
    error = psycopg.OperationalError(FATAL + sentence)
    assert SENTENCES[sentence] in refusal_of(error)
    assert sentence in refusal_of(error)
    assert isinstance(failure_of(error, "the event store"), Defect), "the same again does not help"
    of_django = OperationalError(str(error))
    of_django.__cause__ = error
    lines = error_line_and_code(of_django)
    assert lines is not None
    assert lines[0].startswith("PITLEDGER_READ: ")
    assert "does not answer" not in lines[0]


@pytest.mark.parametrize("sentence", ["sorry, too many clients already", "the database system is starting up"])
def test_what_passes_is_tried_again(sentence: str) -> None:
    error = psycopg.OperationalError(FATAL + sentence)
    assert refusal_of(error) == ""
    assert isinstance(failure_of(error, "the event store"), Retry)


# --- servers that speak another language ------------------------------------------------------------------------------


class German(PostgreSQL):
    """A server with German messages, by a locale of its own."""

    def __init__(self, locales: Path) -> None:
        super().__init__()
        self._settings = self._settings | {"lc_messages": "de_DE.UTF-8"}
        self._locales = locales

    def environment(self) -> dict[str, str]:
        return super().environment() | {"LOCPATH": str(self._locales)}


@pytest.fixture(scope="module")
def german() -> Iterator[PostgreSQL]:
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("localedef and the sources of its locales are not installed")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # for the server's own account
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], check=True)
        with German(Path(folder)) as server:
            yield server


@pytest.mark.postgres
def test_refusals_of_a_german_server_are_named(german: PostgreSQL) -> None:
    parts = {name: str(value) for name, value in conninfo_to_dict(german.url()).items() if value}
    for wrong, sentence, cure in (
        (url(parts, name="no_such"), "existiert nicht", "the server has no such database. Create it"),
        (url(parts, user="nobody:here"), "Passwort-Authentifizierung", "the database refuses the login"),
        (url(parts | {"password": "wrong"}), "fehlgeschlagen", "the database refuses the login"),
    ):
        with pytest.raises(psycopg.OperationalError, match=sentence) as failed:
            psycopg.connect(wrong)
        assert cure in refusal_of(failed.value)
        assert sentence in refusal_of(failed.value)
        assert isinstance(failure_of(failed.value, "the event store"), Defect)
        with pytest.raises(Invalid, match=cure[:20]):
            open_store(wrong)
        of_django = OperationalError(str(failed.value))
        of_django.__cause__ = failed.value
        lines = error_line_and_code(of_django)
        assert lines is not None
        assert lines[0].startswith(f"PITLEDGER_READ: {cure}")


@pytest.mark.postgres
def test_a_user_who_may_not_connect_is_named_by_a_german_server(german: PostgreSQL) -> None:
    parts = {name: str(value) for name, value in conninfo_to_dict(german.url()).items() if value}
    with psycopg.connect(german.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        connection.execute("CREATE ROLE shut NOLOGIN PASSWORD 'shut'")
        connection.execute("CREATE DATABASE closed")
        connection.execute("REVOKE CONNECT ON DATABASE closed FROM PUBLIC")
    for wrong, cure in (
        (url(parts, user="guest:guest", name="closed"), "GRANT CONNECT"),
        (url(parts, user="shut:shut"), "allows no such login"),
    ):
        with pytest.raises(psycopg.OperationalError) as failed:
            psycopg.connect(wrong)
        assert cure in refusal_of(failed.value)


@pytest.mark.postgres
def test_a_german_server_without_room_is_tried_again(german: PostgreSQL) -> None:
    parts = {name: str(value) for name, value in conninfo_to_dict(german.url()).items() if value}
    with psycopg.connect(german.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE narrow LOGIN PASSWORD 'narrow' CONNECTION LIMIT 0")
    with pytest.raises(psycopg.OperationalError, match="Verbindungen") as failed:
        psycopg.connect(url(parts, user="narrow:narrow"))
    assert refusal_of(failed.value) == ""
    assert isinstance(failure_of(failed.value, "the event store"), Retry)


def test_a_server_that_is_away_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(psycopg.OperationalError) as failed:
        psycopg.connect("postgresql://house:secret@127.0.0.1:1/events")
    monkeypatch.setattr(refused_login_sqlstate_retrieval, "_log_in", lambda *_: pytest.fail("no server answered"))
    assert refusal_of(failed.value) == ""
