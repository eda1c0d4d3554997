"""Times in a search: `time:22:00..23:00`, full times, and `around:EVENT_ID`."""

from datetime import datetime, timedelta

from backoffice.event_log import figures_hidden_before_counts
from backoffice.surveillance.search import value_range_parsing
from backoffice.surveillance.search.condition_of_sql_and_predicate import (
    EVERYTHING,
    Condition,
    Event,
    SearchContext,
    any_of,
    range_condition,
)
from backoffice.surveillance.search.grammar import Clause, Mistake, Value
from backoffice.surveillance.search.position_spans_to_search import of_time
from projections.eventlog.models import EventLog

NEAR_SPAN = "2m"


def at_time(clause: Clause, house: SearchContext) -> Condition:
    conditions = [_one_time(value_range_parsing.times(value, house.zone), house) for value in clause.values]
    return any_of(conditions)


def _one_time(
    times: "value_range_parsing.ClockRange | value_range_parsing.WallTime | value_range_parsing.Range[datetime]",
    house: SearchContext,
) -> Condition:
    def finds(at: int, event: Event) -> bool:
        return times.holds(datetime.fromisoformat(event["time"]))

    if isinstance(times, value_range_parsing.ClockRange):
        return Condition(EVERYTHING, finds)
    asks = range_condition("time", times.moments if isinstance(times, value_range_parsing.WallTime) else times)
    return Condition(asks, finds, span=lambda: of_time(asks, house.using))


def around_time(clause: Clause, house: SearchContext) -> Condition:
    return any_of([_near_event(value, house) for value in clause.values])


def _near_event(value: Value, house: SearchContext) -> Condition:
    """Return the condition for two minutes around an event, or the time after a tilde; both ends included."""
    name, _, length = value.text.partition("~")
    within = timedelta(
        seconds=value_range_parsing.seconds(length or NEAR_SPAN, value.column + value.quoted + len(name) + 1)
    )
    rows = EventLog.objects.using(house.using)
    rows = rows.filter(position=int(name)) if name.isdecimal() and len(name) < 19 else rows.named(name)
    if house.hidden_streams:  # its time is hidden as well
        rows = rows.exclude(figures_hidden_before_counts.hidden_events(house.hidden_streams, is_of_buyins=False))
    moment = rows.values_list("time", flat=True).first()
    if moment is None:
        raise Mistake(value.column, "search-event-unknown", text=name[:80])
    return _one_time(value_range_parsing.Range(moment - within, moment + within), house)
