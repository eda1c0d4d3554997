"""In which currency a table or a progressive is: an event's amount does not say."""

from collections.abc import Mapping

from django.db import DEFAULT_DB_ALIAS, connections

from projections.progressives.models import Progressive
from projections.tables.models import TableDay


def by_place(using: str | None = None) -> Mapping[str, str]:
    """The currency of every table (as of its latest gaming day) and progressive, by stream without day. One query, of
    some steps in an index a table, however many days it has."""
    with connections[using or DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_BY_PLACE)
        return dict(cursor.fetchall())


# A database that groups reads every day; from one table to the next there is a step in the index.
_BY_PLACE = f"""
WITH RECURSIVE known(name) AS (
  SELECT min("table") FROM {TableDay._meta.db_table}
  UNION ALL
  SELECT (SELECT min("table") FROM {TableDay._meta.db_table} WHERE "table" > name) FROM known WHERE name IS NOT NULL
)
SELECT property || '/tables/' || "table", currency
FROM known JOIN {TableDay._meta.db_table} AS day ON day.id = (
  SELECT id FROM {TableDay._meta.db_table} WHERE "table" = name ORDER BY gaming_day DESC LIMIT 1
)
UNION ALL
SELECT id, currency FROM {Progressive._meta.db_table}
"""


def of_stream(known: Mapping[str, str], stream: str) -> str:
    """A stream's currency; "" where it has none, as people and the floor."""
    return known.get(stream) or known.get(stream.rpartition("/")[0], "")


def only(known: Mapping[str, str]) -> str:
    """The one currency of the house; "" where there are several."""
    found = set(known.values()) - {""}
    return found.pop() if len(found) == 1 else ""
