"""A PostgreSQL server that answers and refuses the login: what is wrong and its cure, not "does not answer"."""

import psycopg
import pytest
from django.db import OperationalError
from psycopg.conninfo import conninfo_to_dict

from backoffice.mistakes import explained
from events.errors import Defect, Invalid, Retry
from events.store import open_store
from events.store.sessions import failure_of, refusal_of
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
    """Where the server is, and who may come in."""
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
    said = explained(of_django)
    assert said is not None
    assert said[0].startswith("PITLEDGER_READ: ")
    assert "does not answer" not in said[0]


@pytest.mark.parametrize("sentence", ["sorry, too many clients already", "the database system is starting up"])
def test_what_passes_is_tried_again(sentence: str) -> None:
    error = psycopg.OperationalError(FATAL + sentence)
    assert refusal_of(error) == ""
    assert isinstance(failure_of(error, "the event store"), Retry)
