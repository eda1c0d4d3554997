"""An action on its way to a decision of the cage: the books as they stand, the day, and who agrees."""

from typing import TypeAlias

import msgspec

from events.accounting.books import Books
from events.accounting.cage import Holding
from events.approvals import Moment, Pairs, everybody
from events.envelope import EventData, Who
from events.kinds import Elsewhere

CLAUSE = "house cage"
Events: TypeAlias = list[EventData | Elsewhere]


class Case(msgspec.Struct, frozen=True, gc=False):
    """`before` are those who agreed to it before, as (person, role), one for each role in force."""

    books: Books
    of: str  # the property
    gaming_day: str
    who: Who
    before: Pairs
    moment: Moment

    @property
    def people(self) -> Pairs:
        """All who agree to it, this person included."""
        return everybody(self.before, self.who)

    @property
    def holds(self) -> Holding:
        """What the cage should hold."""
        return self.books.cage.expected
