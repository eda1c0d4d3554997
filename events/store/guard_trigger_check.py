"""The triggers that refuse to edit stored events: the expected ones against the actual ones.

The owner of the database can take them away; that is seen as long as no one puts them back unasked.
"""

import re
from collections.abc import Collection, Sequence

import msgspec
import structlog

from events.store import EventStore

log = structlog.get_logger(__name__)


class Guard(msgspec.Struct, frozen=True, order=True):
    """A trigger of a table; `text` is all that it is made of, in a form that can be compared."""

    table: str
    name: str
    text: str


Guards = Sequence[Guard]

# The bits of pg_trigger.tgtype of the guards: before the statement.
_BEFORE = 2
_BITS = {"INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}
_TRIGGER = re.compile(
    r"CREATE OR REPLACE TRIGGER (\w+) BEFORE ([A-Z ]+) ON \w+\.(\w+)\s+FOR EACH STATEMENT EXECUTE FUNCTION \w+\.(\w+)"
)
_FUNCTION = re.compile(
    r"CREATE OR REPLACE FUNCTION \w+\.(\w+)\(\) RETURNS trigger .*?AS \$body\$(.*?)\$body\$", re.DOTALL
)


def guard_differences(tables: Collection[str], expected_guards: Guards, actual: Guards) -> list[str] | None:
    """Return the differences, a line each; None where there is no table at all."""
    if not tables:
        return None
    should, there = (
        {(guard.table, guard.name): guard.text for guard in guards} for guards in (expected_guards, actual)
    )
    lost = sorted({guard.table for guard in expected_guards} - set(tables))
    lines = [f"the table {table} is missing" for table in lost]
    lines += [
        f"{name} of {table} is missing" for table, name in sorted(should.keys() - there.keys()) if table in tables
    ]
    changed = sorted(key for key in should.keys() & there.keys() if should[key] != there[key])
    lines += [f"{name} of {table} is switched off or another one" for table, name in changed]
    return lines + [f"{name} of {table} is none of ours" for table, name in sorted(there.keys() - should.keys())]


def prepare(store: EventStore) -> None:
    """Make the store's missing tables. Changed guards are reported and not corrected."""
    if differences := store.amiss():
        then = "run `./manage.py verify`; `./manage.py migrate` puts them back"
        log.critical("the guards of the event store are not as they were made", amiss=differences, then=then)
    else:
        store.create()


def guards_of(script: str) -> Guards:
    """Return the guards that a script for PostgreSQL makes."""
    bodies = dict(_FUNCTION.findall(script))
    return [
        Guard(table, name, trigger_text(_bits(events), "O", "", False, bodies[function]))
        for name, events, table, function in _TRIGGER.findall(script)
    ]


def trigger_text(bits: int, enabled: str, columns: str, has_condition: bool, body: str) -> str:
    """Return PostgreSQL's description of a trigger and its function, as one text. "A" is on as well: always."""
    return repr((bits, enabled in ("O", "A"), columns, has_condition, body))


def _bits(events: str) -> int:
    return _BEFORE + sum(_BITS[event] for event in events.split(" OR "))
