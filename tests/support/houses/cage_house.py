"""A house with a cage, for tests: it is open, and a table asks it for chips."""

from typing import Any

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.live_books_for_decisions import cached_books
from events.envelope import AnyEnvelope
from events.store import EventStore
from events.streams.problem_details import Problem
from tests.support.houses.small_house import DAY, PROPERTY, House

CHIPS = {"100": 10_000, "500": 4_000, "2500": 1_000}
CASH = 5_000_000


class Cashiers(House):
    """People, tables, a cage; FR1 is open for play."""

    def __init__(self, store: EventStore | None = None) -> None:
        super().__init__(store)
        self.open_table("FR1")
        self.cage("cage.open", gaming_day=DAY, **counted())

    @property
    def books(self) -> Books:
        """The books after all stored events."""
        books = cached_books(self.store, PROPERTY)
        with books.guard:
            books.catch_up(self.store)
            return books.books

    def cage(self, kind: str, /, **data: Any) -> list[AnyEnvelope]:
        """Do an action as the cashier, and return its events."""
        return self.ok("cage", "", "cage", self.action(kind, **data))

    def not_in_cage(self, kind: str, /, **data: Any) -> Problem:
        """Return the problem with which an action of the cashier is refused."""
        return self.no("cage", "", "cage", self.action(kind, **data))

    def at_table(self, kind: str, /, **data: Any) -> list[AnyEnvelope]:
        """Do an action as the inspector at the table, and return its events."""
        return self.ok("tables", "FR1", "ines", self.action(kind, **data))

    def not_at_table(self, kind: str, /, **data: Any) -> Problem:
        """Return the problem with which an action of the inspector is refused."""
        return self.no("tables", "FR1", "ines", self.action(kind, **data))

    def issue(self, kind: str = "fill", chips: dict[str, int] | None = None) -> Any:
        """Ask at the table, issue in the cage; the slip."""
        request = self.at_table(f"{kind}.request", chips=chips or {"500": 100})[0].data
        return self.cage("slip.issue", request=request.request, runner="sid")[0].data

    def void(self, kind: str, slip: int) -> list[AnyEnvelope]:
        """Declare a slip void; the events of the second person's word."""
        asking = self.action("slip.void", kind=kind, slip=slip, reason="not needed")
        return self.agreed("cage", "", ("cage", "ines"), asking)


def counted(cash: int = CASH, **chips: int) -> dict[str, Any]:
    """Return a count of the cage, with these numbers of chips by denomination ("c500")."""
    counts_by_name = {name[1:]: count for name, count in chips.items()}
    return {"chips": CHIPS | counts_by_name, "cash_minor": cash}
