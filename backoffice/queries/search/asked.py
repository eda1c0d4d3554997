"""A search as it is asked: its clauses, and what each asks of the log."""

import msgspec
from django.db.models import Q, QuerySet

from backoffice import writing
from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from backoffice.queries.search.condition import Condition, Event, House
from backoffice.queries.search.conditions import condition
from backoffice.queries.search.grammar import Clause, parse, written
from backoffice.queries.search.ways import AlongIndex, OfActions, Way, along_words, aside, narrowest, rarest
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
        return self._rows(None)

    def looked_at(self) -> "QuerySet[EventLog]":
        """The same, and those of a sum's types that add nothing to it: what an event adds is read out of its bytes."""
        return self._looked_at(None)

    def way(self, end: int, after: int | None, *, newest: bool) -> Way:
        """The way to what it finds beyond a position, in a log that ends there."""
        low, high = narrowest(end, (one.span() for one in self.conditions if one.span))
        if not (quick := [one for one in self.conditions if one.is_quick]):
            return Way(self._rows(None), low, high, newest=newest)
        is_open = low == 1 if newest else high == end
        best = rarest([self._along(one, low, high, newest=newest, is_open=is_open) for one in quick], after)
        best.is_all = len(self.conditions) == 1 and self.is_exact and not self.counting
        return best

    def _along(self, one: Condition, low: int, high: int, *, newest: bool, is_open: bool) -> Way:
        rows = self._rows(one)
        if one.said is not None:
            return along_words(rows, one.said, low, high, newest=newest, is_open=is_open)
        if one.along is None:
            assert one.recorded is not None
            return OfActions(rows, one.recorded, low, high, newest=newest)
        return AlongIndex(rows, one.along, low, high, newest=newest, is_open=is_open)

    def _rows(self, driven: Condition | None) -> "QuerySet[EventLog]":
        found = self._looked_at(driven)
        return found.filter(~Q(counts=0)) if self.counting else found

    def _looked_at(self, driven: Condition | None) -> "QuerySet[EventLog]":
        """Without what the way itself says; what remains is no reason to go another."""
        found = EventLog.objects.using(self.using)
        for one in self.conditions:
            asks = one.asks if one is not driven else one.along.rest if one.along else Q()
            found = found.filter(asks if driven is None else aside(asks)) if asks else found
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
    house = House(_currency(clauses, using), writing.zone(), using, kept_back)
    return Search(clauses, tuple(condition(one, house) for one in clauses), kept_back, using, counting)


def _currency(clauses: tuple[Clause, ...], using: str) -> str:
    """In which amounts are written: the house's, or where it has several that of the one table asked for."""
    if not any(one.field in ("amount", "due", "paid") for one in clauses):
        return ""
    known = currencies.by_place(using)
    tables = [one.values[0].text for one in clauses if one.field == "table" and not one.negated]
    of_table = currencies.of_stream(known, f"{settings().property_}/tables/{tables[0]}") if tables else ""
    return of_table or currencies.only(known)
