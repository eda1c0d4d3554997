"""Subject of a report, and the reports with the contents of the gaming day's page."""

from collections.abc import Collection, Iterator, Mapping

import msgspec

from backoffice.days.cash_by_player_page import cash_of_day
from backoffice.days.gaming_day_page_content import DayPage, day
from backoffice.days.hold.hold_entry_queries import last_day
from backoffice.days.hold.hold_page_content import hold
from backoffice.event_log import figures_hidden_before_counts
from projections.accounts.models import DayAccount

Row = Mapping[str, object]  # a cell for each column of the report, by its name
_OF_DISCREPANCY = (
    *("kind", "table", "shift", "tender", "expected_minor", "found_minor", "difference_minor"),
    *("band", "explained_by", "reason"),
)


class ReportSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A gaming day as visible to a person in these roles.

    `until` is the first event of the next day: an event without a gaming day belongs to the day in which it was
    recorded.
    """

    shown: DayPage
    roles: Collection[str]
    first: int
    until: int | None

    @property
    def day(self) -> str:
        return self.shown.day

    @property
    def is_sealed(self) -> bool:
        """Return whether the contents of its boxes are hidden from the reader."""
        return figures_hidden_before_counts.hides_day(self.day, self.roles)


def report_subject(name: str, roles: Collection[str]) -> ReportSubject:
    """Raise Unknown for a day of which nothing was recorded."""
    day_page = day(name, roles)
    began = DayAccount.objects.order_by("first").values_list("first", flat=True)
    first = began.get(id=name)
    return ReportSubject(shown=day_page, roles=roles, first=first, until=began.filter(first__gt=first).first())


def discrepancies(of: ReportSubject) -> Iterator[Row]:
    """Yield the discrepancies opened by a count, with their explanations."""
    for discrepancy in of.shown.discrepancies:
        yield {"event": discrepancy.position, **{name: getattr(discrepancy, name) for name in _OF_DISCREPANCY}}


def count_variance(of: ReportSubject) -> Iterator[Row]:
    """Yield counted against recorded amounts of each box, by tender (MS 4.14)."""
    for box in of.shown.boxes:
        for tender in box.tenders:
            yield {
                "table": box.table,
                "box": box.drop_box,
                "shift": box.shift,
                "state": box.stage,
                "tender": tender.tender,
                "recorded_minor": tender.recorded_minor,
                "counted_minor": tender.found_minor,
                "difference_minor": tender.difference_minor,
                "difference_permille": tender.permille,
            }


def hours(of: ReportSubject) -> Iterator[Row]:
    """Yield the hours of all tables together, by the events' clock; buy-ins are empty while sealed."""
    for hour in of.shown.hours:
        yield {
            "from": hour.began,
            "buyins_minor": hour.bought_minor,
            "fills_minor": hour.fills_minor,
            "credits_minor": hour.credits_minor,
            "event_win_minor": hour.event_win_minor,
            "mispay_minor": hour.mispay_minor,
            "sum_minor": hour.sum_minor,
        }


def cash(of: ReportSubject) -> Iterator[Row]:
    """Yield the cash changes of all players, by opaque id."""
    yield from map(msgspec.structs.asdict, cash_of_day(of.day, of.roles, everybody=True).players)


def hold_to_date(of: ReportSubject) -> Iterator[Row]:
    """Yield each table's hold of the day, the month and the year to date; counted tables only."""
    hold_lines = hold(of.day, "table", "").lines if last_day() else ()
    for held_line in (held for line in hold_lines for held in line):
        yield {
            "table": held_line.name,
            "period": held_line.period_name,
            "drop_minor": held_line.of.drop_minor,
            "win_minor": held_line.of.win_minor,
            "hold_millionths": held_line.hold,
            "handle_minor": held_line.of.handle_minor,
            "event_win_minor": held_line.of.event_win_minor,
            "win_by_handle_millionths": held_line.win_by_handle,
        }
