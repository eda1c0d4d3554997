"""The house, declared: its settings and its chips. What figures depend on is judged by what stands there.

Chips are destroyed where they lie, in the cage: of that a decision knows by the cage's books.
"""

from events import catalogue
from events.accounting.kept import kept
from events.approvals import ANSWERING, action_of
from events.chips import Pieces
from events.envelope import ActionData, Who
from events.house import decider
from events.house.types import IssueChips
from events.house.words import WORDS
from events.kinds import Kind, Look


def _in_the_cage(look: Look, _stream: str, house: decider.House, data: ActionData, _who: Who) -> Pieces | None:
    """The chips of the cage by its books, where some are destroyed; None: none are, or the house has no cage."""
    asked = _asked(house, data)
    if not isinstance(asked, IssueChips) or asked.way != "destroyed":
        return None
    books = kept(look.store, look.property)
    with books.guard:
        books.catch_up(look.store)
        cage = books.books.cage
    return cage.expected.chips if cage.is_known else None


def _asked(house: decider.House, data: ActionData) -> ActionData:
    """What it is about: of an answer, what was asked for."""
    request = house.requests.get(data.request) if isinstance(data, ANSWERING) else None
    return data if request is None else catalogue.decode_action(action_of(request))


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/house",
        title="Of the house",
        summary="Change a setting, issue chips",
        types=("events.house.types",),
        rules=decider.RULES,
        words=WORDS,
        begin=lambda _look, _stream: decider.House(),
        beside=_in_the_cage,
        decide=decider.decide,
        evolve=decider.evolve,
        is_alone=True,
    )
