"""The fold that decisions of the cage and the count room rest on: settings, slips, cage, boxes, discrepancies.

It takes the property's events in the order of the store. Its state after a position never changes later.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import (
    cage_inventory,
    discrepancies_with_explanations,
    fill_and_credit_slip_states,
    soft_count_progress,
)
from events.accounting.cage_inventory import Cage
from events.accounting.discrepancies_with_explanations import Discrepancies
from events.accounting.event_types.cage import CageOpened, MarkerCarried, MarkerRedeemed
from events.accounting.event_types.day_close import DayClosed
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.soft_count_progress import Counting
from events.house.setting_and_chip_issue_decider import House
from events.house.setting_and_chip_issue_decider import evolve as evolve_house
from events.house.setting_and_chip_structs import ChipsIssued, SettingChanged
from events.people import approval_request_lifecycle
from events.people.approval_request_lifecycle import Requests
from events.runtime.cache_until_declarations_change import cached_until_forgotten

VERSION = "8"  # raise it whenever the fold computes another state from the same events


class Books(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The books after the last applied event. `requests` of a stream wait for the approval of a second person.

    `opened_at` are the positions at which the cage's last days were opened. `closed` are the closed gaming days.
    `redeemed` are the markers returned to their players, by month. They are kept permanently, since a number belongs to
    one marker. `markers` are the open ones carried over from before the books, by number.
    """

    house: House = House()
    slips: Slips = Slips()
    cage: Cage = Cage()
    counting: Counting = Counting()
    discrepancies: Discrepancies = {}
    requests: dict[str, Requests] = {}
    opened_at: tuple[int, ...] = ()
    closed: frozenset[str] = frozenset()
    redeemed: dict[str, frozenset[str]] = {}
    markers: dict[str, MarkerCarried] = {}

    def is_redeemed(self, marker: str) -> bool:
        """Return whether the marker went back to its player before."""
        return any(marker in month for month in self.redeemed.values())

    @property
    def settings(self) -> Any:
        """Return the settings in force."""
        return self.house.settings


def evolve(books: Books, fact: AccountingEvent) -> Books:
    """The books after one more event."""
    data = fact.data
    if isinstance(data, SettingChanged | ChipsIssued):
        books = replace(books, house=evolve_house(books.house, data))
    if isinstance(data, approval_request_lifecycle.EVENTS):
        return _add_request(books, fact)
    if isinstance(data, DayClosed):
        return replace(books, closed=books.closed | {data.gaming_day})
    if isinstance(data, MarkerCarried):
        return replace(books, markers={**books.markers, data.marker: data})
    if isinstance(data, MarkerRedeemed):
        left = {number: marker for number, marker in books.markers.items() if number != data.marker}
        month = data.gaming_day[:7]  # a small set to copy, however long the house's life
        redeemed_markers = books.redeemed.get(month, frozenset())
        books = replace(books, redeemed={**books.redeemed, month: redeemed_markers | {data.marker}}, markers=left)
    books = replace(
        books,
        cage=cage_inventory.evolve(books.cage, fact, books.slips),
        slips=fill_and_credit_slip_states.evolve(books.slips, fact),
        counting=soft_count_progress.evolve(books.counting, fact),
        discrepancies=discrepancies_with_explanations.evolve(books.discrepancies, fact),
    )
    return _next_day(books, fact) if isinstance(data, CageOpened) else books


def _add_request(books: Books, fact: AccountingEvent) -> Books:
    if fact.stream.split("/", 2)[1] not in FOLLOWING:
        return books
    requests = approval_request_lifecycle.evolve(books.requests.get(fact.stream, {}), fact.data)
    return replace(books, requests={**books.requests, fact.stream: requests})


def _next_day(books: Books, fact: AccountingEvent) -> Books:
    """Forget everything that was settled before the previous day: no decision needs it."""
    openings = (*books.opened_at, fact.position)[-3:]
    books = replace(books, opened_at=openings)
    if len(openings) < 3:
        return books
    return replace(
        books,
        slips=fill_and_credit_slip_states.settled_before(books.slips, openings[0]),
        counting=soft_count_progress.settled_before(books.counting, openings[0]),
        discrepancies=discrepancies_with_explanations.explained_before(books.discrepancies, openings[0]),
    )


FOLLOWING = ("cage", "days")


@cached_until_forgotten
def types() -> frozenset[str]:
    """Return the event types that they take."""
    shapes: tuple[type[Any], ...] = (
        *(SettingChanged, ChipsIssued, DayClosed, MarkerCarried),
        *fill_and_credit_slip_states.TYPES,
        *cage_inventory.TYPES,
        *soft_count_progress.types(),
        *discrepancies_with_explanations.TYPES,
        *approval_request_lifecycle.EVENTS,
    )
    return frozenset(shape.TYPE for shape in shapes)
