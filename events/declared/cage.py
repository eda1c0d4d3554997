"""The cage, declared: a stream a gaming day, judged at its own position by every fact before it."""

from events.accounting.actions.cage import CloseCage, CountCage, OpenCage
from events.accounting.books import Books
from events.accounting.kept import At, Decided, kept
from events.accounting.types.cage import SlipVoided
from events.approvals import Moment
from events.cage.decider import decide
from events.cage.roles import RULES
from events.cage.words import WORDS
from events.discrepancies import DiscrepancyFound
from events.envelope import Action, ActionData, EventData, Who
from events.kinds import Kind, Target
from events.slips import SlipIssued, issued_key, name_of, settled_key
from events.store import EventStore


def follow(store: EventStore, property_: str, target: Target, _action: Action, data: ActionData) -> At:
    """The cage by the books of the property."""
    books = kept(store, property_)
    with books.guard:
        books.catch_up(store)
        day = getattr(data, "gaming_day", None) or target.gaming_day or books.books.cage.gaming_day

    def judge(known: Books, action: Action, data: ActionData, who: Who, moment: Moment) -> Decided:
        return decide(known, property_, target, action, data, who, moment)

    return At(books, f"{property_}/cage/{day}", judge)


def _issues(stream: str, event: SlipIssued) -> str:
    """Where tables find a slip."""
    return issued_key(stream.partition("/")[0], name_of(event.kind, event.year, event.slip))


def _voids(stream: str, event: SlipVoided) -> str | None:
    """What a receipt and a void of the same slip both want."""
    if event.was_sent:
        return None
    return settled_key(stream.partition("/")[0], name_of(event.kind, event.year, event.slip))


def _belongs_to(event: EventData, _stream: str) -> str | None:
    """Its slip."""
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
        types=("events.accounting.actions.cage", "events.accounting.types.cage", "events.slips"),
        rules=RULES,
        words=WORDS,
        belongs_to=_belongs_to,
        appends_to={"slip.void": ("tables",), "approval.give": ("tables",)},  # a credit on its way goes back
        claims={SlipIssued: _issues, SlipVoided: _voids},
        blind=frozenset(one.TYPE for one in (OpenCage, CountCage, CloseCage)),
        untold=frozenset((DiscrepancyFound.TYPE,)),
        follow=follow,
    )
