"""Searches of the log that people keep: their own, and those shared with one of their roles.

They are not evidence or events, and the house works without them.
"""

import msgspec
from django.db.models import Q

from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import SavedSearch
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Invalid

NAME_MAX = 80
AT_MOST = 50  # of one person
SHOWN = 200


class Saved(msgspec.Struct, frozen=True):
    """A saved search. `query`: the query string of its address; `role`: the role that shares it, "" without one."""

    id: int
    name: str
    query: str
    person: str
    role: str
    is_mine: bool


def searches_of(reader: Reader) -> tuple[Saved, ...]:
    """Return the reader's own searches, and those shared with one of the reader's roles, by name. One query."""
    own = Q(person=reader.person) if reader.person else Q(pk=None)
    rows = SavedSearch.objects.filter(own | Q(role__in=sorted(reader.roles))).order_by("name", "id")[:SHOWN]
    return tuple(struct_from(row, Saved, is_mine=row.person == reader.person) for row in rows)


def save_search(reader: Reader, name: str, query: str, role: str = "") -> None:
    """Keep a search under a name; the one that had the name before goes. Raises Invalid."""
    name = " ".join(name.split())
    if not reader.person:
        raise Invalid("name", coded("saved-search-needs-sign-in"))
    if not 1 <= len(name) <= NAME_MAX or "\x00" in name:
        raise Invalid("name", coded("saved-search-name", most=NAME_MAX))
    if role not in ("", *TABLES.roles):
        raise Invalid("role", coded("saved-search-role"))
    other_searches = SavedSearch.objects.filter(person=reader.person).exclude(name=name)
    if other_searches.count() >= AT_MOST:
        raise Invalid("name", coded("saved-searches-full", most=AT_MOST))
    SavedSearch.objects.update_or_create(person=reader.person, name=name, defaults={"query": query, "role": role})


def forget(reader: Reader, number: int) -> None:
    """Delete a search of the reader. A missing search, or another person's, is left unchanged."""
    if reader.person:
        SavedSearch.objects.filter(id=number, person=reader.person).delete()
