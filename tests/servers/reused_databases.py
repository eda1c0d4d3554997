"""Used PostgreSQL databases, cleared for the next test.

A new database costs a quarter of a second of processor time, and its removal a tenth of that. Hundreds of tests need
one. So a used database is cleared and given to the next test: empty, or with the tables of the read models (see
`tests.support.processes.scratch_databases`). A cleared database that differs from a new one is emptied or dropped. The
names of the spare databases on the server say that they are spare.
"""

import contextlib
import itertools
from typing import Final, LiteralString

import psycopg
from psycopg import sql

EMPTY: Final = "spare_empty_"
MIGRATED: Final = "spare_migrated_"
GONE_MS = 10_000

_numbers = itertools.count(1)
_seeded: dict[str, list[str]] = {}  # the tables of a server's migrated database in which migrations left rows
_as_new: dict[str, str] = {}  # and what that database says of itself


def take(admin_url: str) -> str | None:
    """The URL of an empty database that is spare on this server, if there is one."""
    return _renamed(admin_url, EMPTY, f"again_{next(_numbers)}")


def becomes_migrated(url: str) -> bool:
    """Exchange this empty database for a spare migrated one, if there is one; it keeps the URL."""
    name = _name(url)
    with _admin(url) as admin:
        spare = _find(admin, MIGRATED)
        if spare is None:
            return False
        _rename(admin, name, f"{EMPTY}{next(_numbers)}")
        _rename(admin, spare, name)
    return True


def learn(template_url: str) -> None:
    """Record the state of a new migrated database of this server."""
    with psycopg.connect(template_url, autocommit=True) as connection:
        server = _server(template_url)
        _seeded[server] = _filled(connection)
        _as_new[server] = _says(connection, _seeded[server])


def give_back(url: str) -> str | None:
    """Clear a database for the next test. Return its kind, or None if it was dropped or is gone already."""
    name = _name(url)
    with _admin(url) as admin:
        if not _exists(admin, name):
            return None
        admin.execute("SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE datname = %s", (GONE_MS, name))
        kind = _cleared(url)
        if kind is None:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        else:
            _rename(admin, name, f"{kind}{next(_numbers)}")
    return kind


def _cleared(url: str) -> str | None:
    """Clear a database and return its new kind; None if it must not be used again."""
    with contextlib.suppress(psycopg.Error), psycopg.connect(url, autocommit=True) as connection:
        if connection.execute(_IS_ODD).fetchone() == (True,):
            return None
        says = _forgets_all_but(connection, _seeded.get(_server(url), []))
        if says is not None and says == _as_new[_server(url)]:
            return MIGRATED
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return EMPTY
    return None  # its files are damaged


def _forgets_all_but(connection: psycopg.Connection, seeded: list[str]) -> str | None:
    """Empty all tables except the seeded ones, and return the state; None without tables of read models."""
    if not seeded or connection.execute("SELECT to_regclass(%s)", (seeded[0],)).fetchone() == (None,):
        return None
    filled = [sql.Identifier(name) for name in _filled(connection) if name not in seeded]
    if filled:
        connection.execute("SET session_replication_role = replica")  # no trigger fires
        connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(sql.SQL(", ").join(filled)))
    return _says(connection, seeded)


def _filled(connection: psycopg.Connection) -> list[str]:
    """The tables that have rows."""
    names = [name for (name,) in connection.execute(_TABLES)]
    query = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(name, sql.Identifier(name)) for name in names
    )
    return [name for (name,) in connection.execute(query)]


def _says(connection: psycopg.Connection, seeded: list[str]) -> str:
    """Return the state of a database: its tables with their columns and indexes, its sequences, and its seeded rows."""
    query = sql.SQL("SELECT {}, md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {} t")
    rows = sql.SQL(" UNION ALL ").join(query.format(name, sql.Identifier(name)) for name in seeded)
    return f"{connection.execute(_SCHEMA).fetchall()} {connection.execute(rows).fetchall()}"


def _renamed(url: str, kind: str, name: str) -> str | None:
    with _admin(url) as admin:
        spare = _find(admin, kind)
        if spare is None:
            return None
        _rename(admin, spare, name)
    return f"{_server(url)}/{name}"


def _admin(url: str) -> psycopg.Connection:
    return psycopg.connect(f"{_server(url)}/postgres", autocommit=True)


def _find(admin: psycopg.Connection, kind: str) -> str | None:
    row = admin.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s) LIMIT 1", (kind,)).fetchone()
    return str(row[0]) if row else None


def _exists(admin: psycopg.Connection, name: str) -> bool:
    return admin.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchone() is not None


def _rename(admin: psycopg.Connection, old: str, new: str) -> None:
    admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(new)))


def _server(url: str) -> str:
    return url.rpartition("/")[0]


def _name(url: str) -> str:
    return url.rpartition("/")[2]


# What the clearing does not reach: settings of the database, schemas beside `public`, what listens to its DDL.
_IS_ODD: LiteralString = """
SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
               WHERE d.datname = current_database())
    OR EXISTS (SELECT FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema'))
    OR EXISTS (SELECT FROM pg_event_trigger) OR EXISTS (SELECT FROM pg_publication)
    OR EXISTS (SELECT FROM pg_extension WHERE extname <> 'plpgsql') OR EXISTS (SELECT FROM pg_largeobject_metadata)
"""

_TABLES: LiteralString = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"

_SCHEMA: LiteralString = """
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
  SELECT format('%s %s %s %s %s %s', c.relname, c.relkind, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                a.attnotnull) AS line
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0
  UNION ALL SELECT pg_get_expr(adbin, adrelid) || adrelid::regclass::text || adnum FROM pg_attrdef
  UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT proname || prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT viewname || definition FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT format('%s %s %s', sequencename, last_value, increment_by) FROM pg_sequences
) all_of_it
"""
