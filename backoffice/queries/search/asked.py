"""A search as it is asked: its clauses, and what each asks of the log."""

from collections.abc import Sequence
from functools import partial
from itertools import permutations

import msgspec
from django.db.models import Q, QuerySet

from backoffice import writing
from backoffice.queries import currencies
from backoffice.queries.accounts import blind
from backoffice.queries.search.condition import EVERYTHING, Condition, Event, House
from backoffice.queries.search.conditions import condition
from backoffice.queries.search.grammar import Clause, parse, written
from backoffice.queries.search.recorded import OfActions, along_words
from backoffice.queries.search.spans import Stretch, stretch
from backoffice.queries.search.ways import ByPosition, Way, along, paired, rarest
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
        return self._rows()

    def looked_at(self) -> "QuerySet[EventLog]":
        """The same, and those of a sum's types that add nothing to it: what an event adds is read out of its bytes."""
        return self._looked_at()

    def way(self, after: int | None, *, newest: bool) -> Way:
        """The way to what it finds beyond a position."""
        quick = [one for one in self.conditions if one.is_quick]
        spans = (one.span() for one in self.conditions if one.span and not (quick == [one] and one.is_its_index))
        has_end = not quick and after is None
        within = stretch(spans, self.using, newest=newest, has_end=has_end)
        if not quick:
            return ByPosition(self.rows, within, self.using)
        if within.is_short:
            quick = [one for one in quick if not (one.span and one.is_its_index)] or quick
        if both := self._pair(quick, within):
            return both
        return rarest([self._along(one, within) for one in quick], after)

    def _pair(self, quick: Sequence[Condition], within: Stretch) -> Way | None:
        """Along an index that has two of them."""
        for one, other in permutations(quick, 2):
            if driven := paired(one.along, other.along):
                return along(partial(self._rows, (one, other)), driven, within, self.using)
        return None

    def _along(self, one: Condition, within: Stretch) -> Way:
        asks = partial(self._rows, (one,))
        if one.said is not None:
            return along_words(asks, one.said, within, self.using)
        if one.along is None:
            assert one.recorded is not None
            return OfActions(asks, one.recorded, within, self.using)
        return along(asks, one.along, within, self.using)

    def _rows(self, driven: Sequence[Condition] = ()) -> "QuerySet[EventLog]":
        found = self._looked_at(driven)
        return found.filter(~Q(counts=0)) if self.counting else found

    def _looked_at(self, driven: Sequence[Condition] = ()) -> "QuerySet[EventLog]":
        """Without what the way itself says."""
        found = EventLog.objects.using(self.using)
        for one in self.conditions:
            is_driven = any(one is known for known in driven)
            asks = one.asks if not is_driven else one.along.rest if one.along else Q()
            found = found.filter(asks) if asks and asks is not EVERYTHING else found
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
