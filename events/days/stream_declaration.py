"""The accountant's gaming days, declared: judged at their own position by every fact before it.

First figures of a count are encrypted and decrypted here: the decider needs no key. The report of a close or
restatement is also made here.
"""

from collections.abc import Mapping, Sequence

import msgspec

from events import catalogue
from events.accounting import soft_count_progress, staked_vouchers_per_drop_box
from events.accounting.cage_and_count_state_fold import Books
from events.accounting.discrepancies_with_explanations import unexplained
from events.accounting.discrepancy_people import people_of_discrepancies
from events.accounting.event_types.soft_count import Figures
from events.accounting.live_books_for_decisions import BooksDecision, DecidedEvents, Decider, KeptBooks, cached_books
from events.accounting.report import (
    amendment_event_dependencies,
    canonical_report_bytes,
    canonical_report_from_ledger,
    checklist_system_state_source,
    day_reports,
)
from events.accounting.report.ledger_cache_for_day_close import KeptLedger
from events.accounting.report.ledger_cache_for_day_close import cached_ledger as kept_ledger
from events.accounting.report.property_ledger_fold import accounting_event
from events.days import day_close_and_amendment_decider
from events.days.box_count_decider import CountContext, decide, figures
from events.days.day_close_and_amendment_decider import NextRestatement
from events.days.day_close_override_amend_structs import AmendDay, OverrideItem
from events.days.displayed_names import WORDS
from events.days.roles import CLAUSE, COUNTERS, RULES
from events.days.soft_count_action_structs import BoxCount, EnterCount, ExplainDiscrepancy, VerifyCount
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.fields import is_day
from events.people import approval_request_lifecycle
from events.people.approval_request_lifecycle import Moment
from events.store import EventReader, EventStore, blind_count_keys
from events.streams.stream_kind_declaration import Decisions, Disclosure, ForeignEvent, Kind, Routing, Target


class _Days(BooksDecision):
    """A day by the books; the keys of settled counts are dropped as soon as those are stored."""

    def __init__(self, books: KeptBooks, stream: str, decide: Decider, closes: "_CloseJudge") -> None:
        super().__init__(books, stream, decide)
        self._closes = closes

    def decide(
        self, history: EventReader, action: Action, data: ActionData, actor: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events that the action makes; the accounts judge a close."""
        request_data = _action_data(self.books, self.stream, data)
        if isinstance(request_data, day_close_and_amendment_decider.ACTIONS):
            return self._closes.decide(history, self.stream, request_data, action, data, actor, moment)
        is_count = isinstance(request_data, BoxCount) and not set(COUNTERS).isdisjoint(actor.roles)
        if not is_count:
            return self._by(self.books, action, data, actor, moment)
        books = _with_old_box(self.books, history, self.stream, request_data)
        return self._by(_with_vouchers(books, history, self.stream, request_data), action, data, actor, moment)

    def catch_up(self, history: EventReader) -> None:
        """Take everything that is stored by now."""
        before = self.books.counting.entries
        super().catch_up(history)
        entries = self.books.counting.entries.items()
        blind_count_keys.forget([box for box, entry in entries if not entry.sealed and entry is not before.get(box)])

    def as_if(self) -> BooksDecision:
        """Return a copy for trials, but for no count: a trial would show the other counter's figures."""
        return _Days(self._cached.as_if(), self.stream, _but_no_count(self._decide), self._closes.as_if())


class _CloseJudge:
    """Judge of the close of a day, by the accounts and by the state of the house's programs."""

    def __init__(self, store: EventStore, accounts: KeptLedger, people: Mapping[str, frozenset[str]]) -> None:
        self._store = store
        self._accounts = accounts
        self._people = people

    def as_if(self) -> "_CloseJudge":
        """Return the judge itself for a trial: the accounts are the same."""
        return self

    def decide(
        self,
        history: EventReader,
        stream: str,
        request_data: ActionData,
        action: Action,
        data: ActionData,
        actor: Who,
        moment: Moment,
    ) -> Sequence[EventData]:
        """Return the events that the action makes, after all that `history` has."""
        with self._accounts.guard:
            self._accounts.catch_up(history)
            context = day_close_and_amendment_decider.CloseContext(
                position=history.position(),
                system_state=checklist_system_state_source.current_state(self._store),
                restated=self._restated(history, stream, request_data) if isinstance(request_data, AmendDay) else None,
                people=self._people,
            )
            return day_close_and_amendment_decider.decide(
                self._accounts.ledger, stream, action, data, actor, moment, context
            )

    def _restated(self, history: EventReader, stream: str, request_data: AmendDay) -> NextRestatement | None:
        """The report of a closed day with those events as well."""
        property_, _, day = stream.split("/", 2)
        basis = day_reports.basis_of(history, property_, day, history.position())
        if basis.closing is None:
            return None
        basis = day_reports.with_named(history, basis, request_data.events, history.position())
        named = {f"{stored.stream}@{stored.version}": accounting_event(stored, property_) for stored in basis.named}
        day_close_and_amendment_decider.must_belong(self._accounts.ledger, day, basis.until, named)
        day_close_and_amendment_decider.must_be_whole(
            amendment_event_dependencies.missing(history, basis.named, basis.until)
        )
        ledger = (
            self._accounts.with_named(day, basis.named) or day_reports.made_of(history, property_, day, basis).ledger
        )
        report = canonical_report_from_ledger.figures(
            ledger, day, basis.as_of, restatement=basis.restatement, layout=basis.layout
        )
        return NextRestatement(
            after=basis.restatement - 1,
            events=frozenset(request_data.events),
            position=basis.as_of,
            layout=basis.layout,
            digest=canonical_report_bytes.digest(report),
        )


def _with_old_box(books: Books, history: EventReader, stream: str, request_data: ActionData) -> Books:
    """Read the gaming day and counts of a box's table again, since the books forget a box that was settled long ago."""
    assert isinstance(request_data, BoxCount)
    box = _box(stream, request_data)
    if soft_count_progress.recorded_buyins(books.counting, box) is not None:
        return books
    table, property_ = box.partition("#")[0], stream.partition("/")[0]
    concerned = {shape.TYPE for shape in soft_count_progress.types()}
    read = (stored for name in (table, stream) for stored in history.stream(name) if stored.type in concerned)
    recounted = soft_count_progress.Counting()
    for stored in sorted(read, key=lambda stored: stored.position):
        if (fact := accounting_event(stored, property_)) is not None:
            recounted = soft_count_progress.evolve(recounted, fact)
    return msgspec.structs.replace(books, counting=soft_count_progress.together_with(books.counting, recounted))


def _with_vouchers(books: Books, history: EventReader, stream: str, request_data: ActionData) -> Books:
    """The vouchers staked over a box: only a count of more vouchers than were bought in needs them."""
    assert isinstance(request_data, BoxCount)
    box = _box(stream, request_data)
    recorded_count = soft_count_progress.recorded_buyins(books.counting, box)
    if recorded_count is None or request_data.promotional_minor <= recorded_count[1].promotional:
        return books
    staked = staked_vouchers_per_drop_box.staked_over(history, *box.split("#", 1))
    return msgspec.structs.replace(books, counting=msgspec.structs.replace(books.counting, staked={box: staked}))


def _action_data(books: Books, stream: str, data: ActionData) -> ActionData:
    """Return the data of the action; for an answer, the requested data."""
    if not isinstance(data, approval_request_lifecycle.ANSWERING):
        return data
    request = books.requests.get(stream, {}).get(data.request)
    return data if request is None else catalogue.decode_action(approval_request_lifecycle.action_of(request))


def _but_no_count(decide: Decider) -> Decider:
    def tried(books: Books, action: Action, data: ActionData, actor: Who, moment: Moment) -> DecidedEvents:
        if isinstance(data, EnterCount | VerifyCount):
            raise Refused(CLAUSE, coded("count-not-checked-before"))
        return decide(books, action, data, actor, moment)

    return tried


def follow_day(store: EventStore, property_: str, target: Target, _action: Action, data: ActionData) -> BooksDecision:
    """The day that the address names; without one, the cage's. Raises Invalid, Refused."""
    books = cached_books(store, property_)
    with books.guard:
        books.catch_up(store)
        day = target.gaming_day or books.books.cage.gaming_day
    if not is_day(day):
        raise Invalid("gaming_day", coded("gaming-day-format")) if day else Refused(CLAUSE, coded("gaming-day-missing"))
    stream = f"{property_}/days/{day}"
    request_data = _action_data(books.books, stream, data)
    people = people_of_discrepancies(store, _discrepancies(books.books, day, request_data))

    def judge(books: Books, action: Action, data: ActionData, actor: Who, moment: Moment) -> DecidedEvents:
        return decide(books, stream, action, data, actor, moment, _context(books, stream, data, people))

    accounts = kept_ledger(store, property_)
    if isinstance(request_data, day_close_and_amendment_decider.ACTIONS):
        accounts.catch_up(store)  # all of it, before the first request
        accounts.save(store)
    if isinstance(request_data, AmendDay):
        accounts.hold(store, day)
    return _Days(books, stream, judge, _CloseJudge(store, accounts, people))


def _discrepancies(books: Books, day: str, request_data: ActionData) -> Sequence[str]:
    """Return the discrepancies of the decision: the explained one, or all that stay unexplained."""
    if isinstance(request_data, ExplainDiscrepancy):
        return (request_data.discrepancy,)
    if isinstance(request_data, OverrideItem) and request_data.item == day_close_and_amendment_decider.UNEXPLAINED:
        return unexplained(books.discrepancies, day)
    return ()


def _context(books: Books, stream: str, data: ActionData, people: Mapping[str, frozenset[str]]) -> CountContext:
    if not isinstance(data, EnterCount | VerifyCount):
        return CountContext(people=frozenset[str]().union(*people.values()))
    box = _box(stream, data)
    entry = books.counting.entries.get(box, soft_count_progress.CountProgress())
    first = _first_figures(box, entry.sealed) if entry.sealed else None
    if isinstance(data, VerifyCount) or first is not None:
        return CountContext(first=first)
    return CountContext(sealed=blind_count_keys.sealed(box, msgspec.json.encode(figures(data))))


def _first_figures(box: str, sealed: str) -> Figures | None:
    raw = blind_count_keys.open_count(box, sealed)
    return None if raw is None else msgspec.json.decode(raw, type=Figures)


def _box(stream: str, data: BoxCount) -> str:
    property_, _, day = stream.split("/", 2)
    return soft_count_progress.name_of(property_, data, day)


def _kept_content(stream: str, data: ActionData, content: bytes) -> bytes:
    """Return the content behind the first counter's key, from which the figures cannot be guessed."""
    return blind_count_keys.digest(_box(stream, data), content) if isinstance(data, EnterCount) else content


def _belongs_to(event: EventData, _stream: str) -> str | None:
    """Return its box or its discrepancy."""
    box, table = getattr(event, "drop_box", None), getattr(event, "table", "")
    return f"{table}/{box}" if box is not None else getattr(event, "discrepancy", None)


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/days/GAMING-DAY",
        title="On a gaming day",
        summary="Count boxes, explain discrepancies, close the day",
        types=(
            *("events.days.soft_count_action_structs", "events.accounting.event_types.soft_count"),
            *("events.days.day_close_override_amend_structs", "events.accounting.event_types.day_close"),
        ),
        rules=RULES,
        words=WORDS,
        decisions=Decisions(
            follow=follow_day,
        ),
        routing=Routing(
            belongs_to=_belongs_to,
        ),
        disclosure=Disclosure(
            kept_content=_kept_content,
        ),
    )
