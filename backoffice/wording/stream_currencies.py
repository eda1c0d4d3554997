"""Currencies of tables, progressives and the property, because an event's amount does not name its own."""

from functools import cached_property

import msgspec
from django.db import DEFAULT_DB_ALIAS, connections

from backoffice.installation.dependency_injection import installation
from events.error_codes import coded
from events.errors import Unknown
from events.house.property_currency_lookup import of_property
from events.settings.settings_from_environment import settings
from projections.matters.models import ApprovalRequest
from projections.progressives.models import Progressive
from projections.tables.models import TableDay


class Places(dict[str, str]):
    """The currency of every table and progressive, by stream without day."""

    @cached_property
    def house(self) -> str:
        """The property's one currency. If its places name no currency or several, its events decide."""
        used = set(self.values()) - {""}
        return used.pop() if len(used) == 1 else of_property(installation().store, settings().property_)


def by_place(using: str | None = None) -> Places:
    """The currency of every table (as of its latest gaming day) and progressive, by stream without day. One query, of
    some steps in an index a table, however many days it has."""
    with connections[using or DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_BY_PLACE)
        return Places(cursor.fetchall())


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


def of_stream(places: Places, stream: str) -> str:
    """A stream's currency: its table's or progressive's, else the property's."""
    return places.get(stream) or places.get(stream.rpartition("/")[0]) or places.house


def of_house() -> str:
    """The property's one currency."""
    return by_place().house


def currency_at(place: str) -> str:
    """Raise Unknown where nothing is there."""
    stream = f"{settings().property_}/{place}"
    currency = by_place().get(stream) or _requested_currency(stream)
    if currency is None:
        raise Unknown(coded("place-unknown", place=place))
    return currency


def _requested_currency(stream: str) -> str | None:
    """The currency of a progressive that waits for others to agree to its opening."""
    row = ApprovalRequest.objects.filter(stream=stream, action="progressive.open", decided_at=None).first()
    return None if row is None else str(msgspec.json.decode(row.input).get("currency") or of_house())
