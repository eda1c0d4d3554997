"""An action on its way to a decision of the cage: the books, the day, and the people who agree."""

from typing import Any, TypeAlias

import msgspec

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.cage_inventory import Holding
from events.accounting.event_types.cage import IrregularityFound
from events.envelope import Action, EventData, Who
from events.error_codes import recorded_text
from events.errors import Refused
from events.people.approval_request_lifecycle import Moment, Pairs, all_approvers
from events.streams.stream_kind_declaration import ForeignEvent

CLAUSE = "house cage"
Events: TypeAlias = list[EventData | ForeignEvent]


class CageCase(msgspec.Struct, frozen=True, gc=False):
    """`before` are those who agreed to it before, as (person, role), one for each role in force, `irregularities` those
    so far."""

    books: Books
    of: str  # the property
    gaming_day: str
    action: Action
    who: Who
    before: Pairs
    moment: Moment
    irregularities: list[EventData] = []

    @property
    def people(self) -> Pairs:
        """Return all people who agree to it, this person included."""
        return all_approvers(self.before, self.who)

    @property
    def holds(self) -> Holding:
        """Return the expected content of the cage."""
        return self.books.cage.expected

    def forbid(self, kind: str, refusal: Refused, **about: Any) -> None:
        """A rule forbids this. Asked for, it is refused; reported as a fact, it is recorded with an irregularity."""
        if self.action.intent == "ask":
            raise refusal
        self.irregularities.append(
            IrregularityFound(
                gaming_day=self.gaming_day,
                kind=kind,
                clause=refusal.clause,
                source=refusal.source,
                **recorded_text(refusal.text, self.books.settings.currency),
                **about,
            )
        )
