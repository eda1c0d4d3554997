"""Ids of the directory's people, terminals and displays as they are kept: in one spelling, none like another."""

from django.db import transaction
from django.db.models import Model

from backoffice.models import IdClaim
from events.errors import Invalid
from events.text.id_spelling_normalization import (
    normalized,
    require_distinct,
    require_visible,
    resemblance_refusal,
    skeletons,
)

_JOINERS = "\u200c\u200d"


def new_id(model: type[Model], text: str, kind: str, field: str) -> str:
    """Return the stored spelling of the id, and claim the look-alikes of a new one.

    Raises Invalid for a new id that looks like an existing one. Claims are unique in the database, so of two such ids
    that come at the same moment one is refused.
    """
    rows = model._default_manager
    if rows.filter(pk=text).exists():
        return text
    name = normalized(text, field)
    require_distinct(name, rows.values_list("pk", flat=True), kind, field)
    keys = [f"{kind}#{skeleton}" for skeleton in sorted(skeletons(name))]
    with transaction.atomic():
        IdClaim.objects.bulk_create([IdClaim(key=key, name=name) for key in keys], ignore_conflicts=True)
        other = IdClaim.objects.filter(key__in=keys).exclude(name=name).first()
        if other is not None:
            raise Invalid(field, resemblance_refusal(name, kind, other.name))
    return name


def visible_name(text: str) -> str:
    """Return a person's name. Raises Invalid for characters that no one sees."""
    require_visible(text, "name", _JOINERS)
    return text
