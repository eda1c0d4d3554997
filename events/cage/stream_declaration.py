"""The cage, declared: a stream a gaming day, judged at its own position by every fact before it."""

from collections.abc import Iterator, Sequence

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.event_types.cage import SlipVoided
from events.accounting.live_books_for_decisions import BooksDecision, DecidedEvents, cached_books
from events.cage.action_structs import CloseCage, CountCage, OpenCage
from events.cage.decider import decide
from events.cage.decision_context import CLAUSE
from events.cage.displayed_names import WORDS
from events.cage.roles import RULES
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import SlipIssued, issued_key, name_of, settled_key
from events.envelope import Action, ActionData, EventData, Who
from events.errors import Refused
from events.people.approval_request_lifecycle import Moment
from events.store import EventReader, EventStore
from events.streams.stream_kind_declaration import Claims, Decisions, Disclosure, ForeignEvent, Kind, Routing, Target
from events.tables import gaming_day_stream_for_action
from events.tables.event_types.session import SessionVoided


def follow_cage(store: EventStore, property_: str, target: Target, _action: Action, data: ActionData) -> BooksDecision:
    """The cage by the books of the property."""
    books = cached_books(store, property_)
    with books.guard:
        books.catch_up(store)
        day = getattr(data, "gaming_day", None) or target.gaming_day or books.books.cage.gaming_day

    def judge(books: Books, action: Action, data: ActionData, actor: Who, moment: Moment) -> DecidedEvents:
        return decide(books, property_, target, action, data, actor, moment)

    return _Cage(books, f"{property_}/cage/{day}", judge)


class _Cage(BooksDecision):
    """The cage by the books; its day begins before any later one of the house."""

    def decide(
        self, history: EventReader, action: Action, data: ActionData, actor: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events that the action makes, after all that `history` has."""
        if isinstance(data, OpenCage):
            self._must_follow(history, data.gaming_day)
        return super().decide(history, action, data, actor, moment)

    def as_if(self) -> BooksDecision:
        """A copy to try things on."""
        return _Cage(self._cached.as_if(), self.stream, self._decide)

    def _must_follow(self, history: EventReader, gaming_day: str) -> None:
        property_ = self.stream.partition("/")[0]
        places = [f"{property_}/tables/{table}/" for table in self.books.cage.tables]
        if any(history.stream(f"{place}{gaming_day}", 0, 1) for place in places):
            return
        if later := [day for place in places for day in _standing_after(history, place, gaming_day)]:
            raise Refused(
                CLAUSE, gaming_day_stream_for_action.begins_no_more(gaming_day, later), field="data.gaming_day"
            )


def _standing_after(history: EventReader, place: str, gaming_day: str) -> Iterator[str]:
    """A table's days after that one, but for those that are void: a void day takes nothing any more."""
    candidate = history.last_stream(place) or ""
    while candidate > f"{place}{gaming_day}":
        [end] = history.stream(candidate, history.head(candidate).version - 1)
        if end.type != SessionVoided.TYPE:
            yield candidate
        candidate = history.last_stream(place, candidate) or ""


def _issues(stream: str, event: SlipIssued) -> str:
    """Return the key by which tables find a slip."""
    return issued_key(stream.partition("/")[0], name_of(event.kind, event.year, event.slip))


def _voids(stream: str, event: SlipVoided) -> str | None:
    """Return the decision about the void of a slip: receipts and voids exclude each other."""
    if event.was_sent:
        return None
    return settled_key(stream.partition("/")[0], name_of(event.kind, event.year, event.slip))


def _belongs_to(event: EventData, _stream: str) -> str | None:
    """Return its slip."""
    slip, year = getattr(event, "slip", None), getattr(event, "year", "")
    if slip is None:
        return None
    return name_of(getattr(event, "kind", "credit"), year, slip) if year else str(slip)


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/cage/GAMING-DAY",
        title="In the cage",
        summary="Count the cage, change chips and money, issue slips",
        types=(
            "events.cage.action_structs",
            "events.accounting.event_types.cage",
            "events.controls.slip_issued_event",
        ),
        rules=RULES,
        words=WORDS,
        decisions=Decisions(
            follow=follow_cage,
        ),
        routing=Routing(
            belongs_to=_belongs_to,
            appends_to={"slip.void": ("tables",), "approval.give": ("tables",)},  # a credit on its way goes back
        ),
        claims=Claims(
            events={SlipIssued: _issues, SlipVoided: _voids},
        ),
        disclosure=Disclosure(
            blind=frozenset(action_type.TYPE for action_type in (OpenCage, CountCage, CloseCage)),
            untold=frozenset((DiscrepancyFound.TYPE,)),
        ),
    )
