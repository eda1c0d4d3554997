"""After a restore the next event follows the last one, also where the role of the house may not set sequences."""

import os

import psycopg
import pytest
from psycopg import sql

from backoffice.house.postgres_restore import _set_sequences

pytestmark = pytest.mark.postgres
ROLE = f"house_{os.getpid()}"


@pytest.mark.parametrize("is_owner", [True, False])
def test_the_next_position_follows_the_last(postgres_url: str, is_owner: bool) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE numbered (id bigserial, text text)")
        connection.execute("INSERT INTO numbered (id, text) VALUES (7, 'a'), (4711, 'b')")
        if not is_owner:
            role = sql.Identifier(ROLE)
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
            connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(role))
            connection.execute(sql.SQL("GRANT SELECT, INSERT ON numbered TO {}").format(role))
            connection.execute(sql.SQL("GRANT USAGE, SELECT ON SEQUENCE numbered_id_seq TO {}").format(role))
            connection.execute(sql.SQL("SET LOCAL ROLE {}").format(role))
        for _ in range(2):  # a restore that goes on does it again
            _set_sequences(connection, ["numbered"])
        row = connection.execute("INSERT INTO numbered (text) VALUES ('c') RETURNING id").fetchone()
        assert row is not None
        assert row[0] >= 4712
        assert row[0] <= 4713
        connection.rollback()  # with the role
