"""In which currency a table or a progressive is: an event's amount does not say."""

from collections.abc import Mapping

from django.db.models import Max, TextField, Value
from django.db.models.functions import Concat

from projections.progressives.models import Progressive
from projections.tables.models import TableDay


def by_place(using: str | None = None) -> Mapping[str, str]:
    """The currency of every table (as of its latest gaming day) and progressive, by stream without day. One query."""
    latest = TableDay.objects.using(using).values("property", "table").annotate(id=Max("id")).values("id")
    stream = Concat("property", Value("/tables/"), "table", output_field=TextField())
    tables = TableDay.objects.using(using).filter(id__in=latest).values_list(stream, "currency")
    return dict(tables.union(Progressive.objects.using(using).values_list("id", "currency"), all=True))


def of_stream(known: Mapping[str, str], stream: str) -> str:
    """A stream's currency; "" where it has none, as people and the floor."""
    return known.get(stream) or known.get(stream.rpartition("/")[0], "")


def only(known: Mapping[str, str]) -> str:
    """The one currency of the house; "" where there are several."""
    found = set(known.values()) - {""}
    return found.pop() if len(found) == 1 else ""
