"""A search as it is asked: its clauses, and what each asks of the log."""

import msgspec
from django.db.models import Q, QuerySet

from backoffice import writing
from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from backoffice.queries.search.conditions import Condition, Event, House, condition
from backoffice.queries.search.grammar import Clause, parse, written
from backoffice.queries.sums import Sum
from events.settings import settings
from events.tables.types.money import BuyinMade
from projections.eventlog.models import EventLog


class Search(msgspec.Struct, frozen=True):
    """All of its clauses hold of what it finds. `kept_back` is what is not for who asks (`blind.streams`); with
    `counting` only what adds to that sum is found, and each row of the log says what it adds (`counts`)."""

    clauses: tuple[Clause, ...]
    conditions: tuple[Condition, ...]
    kept_back: tuple[str, ...] = ()
    using: str = "default"
    counting: Sum | None = None

    @property
    def text(self) -> str:
        """The search as it is written."""
        return written(self.clauses)

    def without(self, clause: Clause) -> str:
        """The search with one clause taken away."""
        return written(tuple(one for one in self.clauses if one is not clause))

    def rows(self) -> "QuerySet[EventLog]":
        """What the log's columns let through, in no order."""
        found = self.looked_at()
        return found.filter(~Q(counts=0)) if self.counting else found

    def looked_at(self) -> "QuerySet[EventLog]":
        """The same, and those of a sum's types that add nothing to it: what an event adds is read out of its bytes."""
        found = EventLog.objects.using(self.using).filter(*(one.asks for one in self.conditions if one.asks))
        if self.counting:
            found = found.filter(type__in=self.counting.types).annotate(counts=self.counting.counts)
        is_of_buyins = self.counting is not None and BuyinMade.TYPE in self.counting.types
        return found.exclude(blind.not_told(self.kept_back, is_of_buyins=is_of_buyins)) if self.kept_back else found

    def finds(self, position: int, event: Event) -> bool:
        """Whether an event that the columns let through is meant."""
        return all(one.finds(position, event) for one in self.conditions if not one.is_exact)

    @property
    def is_exact(self) -> bool:
        """Whether the columns say everything."""
        return all(one.is_exact for one in self.conditions)


def search(text: str, using: str = "default", kept_back: tuple[str, ...] = (), counting: Sum | None = None) -> Search:
    """A search as it was written. Raises Mistake, which names the column."""
    clauses = parse(text)
    house = House(_currency(clauses, using), writing.zone(), using)
    return Search(clauses, tuple(condition(one, house) for one in clauses), kept_back, using, counting)


def _currency(clauses: tuple[Clause, ...], using: str) -> str:
    """In which amounts are written: the house's, or where it has several that of the one table asked for."""
    if not any(one.field in ("amount", "due", "paid") for one in clauses):
        return ""
    known = currencies.by_place(using)
    tables = [one.values[0].text for one in clauses if one.field == "table" and not one.negated]
    of_table = currencies.of_stream(known, f"{settings().property_}/tables/{tables[0]}") if tables else ""
    return of_table or currencies.only(known)
