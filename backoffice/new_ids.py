"""Ids of the directory's people, terminals and displays as they are kept: in one spelling, none like another."""

from django.db.models import Model

from events.identifiers import normalized, require_distinct, require_visible

_JOINERS = "\u200c\u200d"


def new_id(model: type[Model], text: str, kind: str, field: str) -> str:
    """The id as it is kept. Raises Invalid for a new one that looks like one that is there. At most two queries."""
    rows = model._default_manager
    if rows.filter(pk=text).exists():
        return text
    name = normalized(text, field)
    require_distinct(name, rows.values_list("pk", flat=True), kind, field)
    return name


def visible_name(text: str) -> str:
    """A person's name. Raises Invalid for characters that nobody sees."""
    require_visible(text, "name", _JOINERS)
    return text
