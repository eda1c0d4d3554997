"""What a report is made for, and the reports that show what the page of the gaming day shows."""

from collections.abc import Collection, Iterator

import msgspec

from backoffice.queries.accounts import blind
from backoffice.queries.accounts.day import Day, day
from backoffice.queries.accounts.players import cash_of_day
from backoffice.queries.hold.page import hold
from backoffice.queries.hold.rows import last_day
from backoffice.queries.hold.sheets import period
from projections.accounts.models import DayAccount

Row = tuple[object, ...]


class Of(msgspec.Struct, frozen=True, kw_only=True):
    """A gaming day as somebody in these roles may see it. `until` is the first event of the next day: what belongs to
    no day by itself stands on the one in which it was said."""

    shown: Day
    roles: Collection[str]
    first: int
    until: int | None

    @property
    def day(self) -> str:
        return self.shown.day

    @property
    def is_sealed(self) -> bool:
        """Whether what its boxes hold is kept from the reader."""
        return blind.of_day(self.day, self.roles)


def of_day(name: str, roles: Collection[str]) -> Of:
    """Raises Unknown for a day of which nothing was recorded."""
    shown = day(name, roles)
    began = DayAccount.objects.order_by("first").values_list("first", flat=True)
    first = began.get(id=name)
    return Of(shown=shown, roles=roles, first=first, until=began.filter(first__gt=first).first())


def discrepancies(of: Of) -> Iterator[Row]:
    """Opened by a count, and open until they are explained."""
    for one in of.shown.found:
        about = (one.position, one.kind, one.table, one.shift, one.tender)
        yield *about, one.expected_minor, one.found_minor, one.difference_minor, one.band, one.explained_by, one.reason


def count_variance(of: Of) -> Iterator[Row]:
    """What was counted in each box against what was bought in over it, by tender (MS 4.14)."""
    for box in of.shown.boxes:
        for one in box.tenders:
            about = (box.table, box.drop_box, box.shift, box.stage, one.tender)
            yield *about, one.recorded_minor, one.found_minor, one.difference_minor, one.permille


def hours(of: Of) -> Iterator[Row]:
    """All tables together, by the clock of the events; what was bought in is empty while it is sealed."""
    for one in of.shown.hours:
        moved = (one.bought_minor, one.fills_minor, one.credits_minor)
        yield one.began, *moved, one.event_win_minor, one.mispay_minor, one.sum_minor


def cash(of: Of) -> Iterator[Row]:
    """Everybody who changed cash, by opaque id."""
    for one in cash_of_day(of.day, of.roles, everybody=True).players:
        yield one.player, one.in_minor, one.out_minor, one.level


def held(of: Of) -> Iterator[Row]:
    """What each table held of its drop on the day, in the month and in the year to date; only what is counted."""
    found = hold(of.day, "table", "").lines if last_day() else ()
    for one in (held for line in found for held in line):
        amounts = (one.of.drop_minor, one.of.win_minor, one.hold)
        yield one.name, period(one), *amounts, one.of.handle_minor, one.of.event_win_minor, one.win_by_handle
