"""A level's six meters (NJ 13:69E-1.39A), each as a total over events.

A total also needs the rates in force and the replaced locks. They are read from the progressive's own events, not from
the read model of the figure on the page.
"""

from typing import Any

import msgspec
from django.db.models import BigIntegerField, Case, Expression, F, Q, Value, When
from django.db.models.lookups import Exact
from django.utils.translation import gettext_lazy as _
from msgspec import UNSET

from backoffice.event_log.sum_declarations_of_figures import Sum, SumPart, number, text
from events.error_codes import coded
from events.errors import Invalid
from events.progressives import event_types
from events.progressives.history_reader import stream_of
from events.settings.settings_from_environment import settings
from events.tables.event_types.progressive import ProgressiveArmed
from projections.eventlog.models import EventLog
from projections.matters.models import Misfit
from projections.progressives.models import MICRO

# By name: its unit, and its description.
LEVEL_SUMS = {
    "fed": ("micro", _("contributions: stakes of each round × the rate in force")),
    "laid": ("minor", _("stakes of the rounds that contributed to the meter")),
    "armed": ("count", _("rounds that contributed to the meter")),
    "seeds": ("micro", _("seeds added to the meter")),
    "adjusted": ("micro", _("corrections of the meter")),
    "hits": ("count", _("hits: jackpots awarded and not withdrawn")),
    "given": ("minor", _("awarded: amounts paid from the meter")),
    "wins": ("minor", _("wins: shares paid")),
    "meter": ("micro", _("meter: start, seeds, contributions and corrections, less awards")),
    "reserve": ("micro", _("reserve: start and reserved parts of stakes, less seeds")),
}


class _Story(msgspec.Struct):
    """Events of one level: the opening, its rates by position, its voided locks."""

    name: str
    stream: str
    level: str
    opened: int
    start: event_types.LevelOpened
    feeds: list[tuple[int, int]]
    reserves: list[tuple[int, int]]
    replaced: list[int]


def level_sum(name: str, meter: str) -> Sum:
    """The sum of this name at a level, "PROGRESSIVE/LEVEL". Two queries. Raises Invalid."""
    progressive, _slash, level = meter.rpartition("/")
    if name not in LEVEL_SUMS or not progressive:
        raise Invalid("sum", coded("sum-needs-meter", name=name))
    unit, label = LEVEL_SUMS[name]
    story = _story(progressive, level)
    return Sum(name, label, _meter_parts(name, story) if story else (), unit)


def _story(progressive: str, level: str) -> _Story | None:
    stream = stream_of(settings().property_, progressive)
    kinds: dict[str, type[event_types.ProgressiveEvent]] = {
        kind.TYPE: kind
        for kind in (
            event_types.ProgressiveOpened,
            event_types.ParametersChanged,
            event_types.SharesLocked,
            event_types.LockWithdrawn,
        )
    }
    rows = EventLog.objects.filter(stream=stream, type__in=kinds).order_by("position")
    story: _Story | None = None
    last: dict[str, int] = {}
    for position, type_, raw in rows.values_list("position", "type", "raw"):
        data: Any = _data(bytes(raw), kinds[type_])
        if isinstance(data, event_types.ProgressiveOpened):
            story = _opening_story(progressive, stream, level, position, data)
        elif story is None or data.level != level:
            continue
        elif isinstance(data, event_types.ParametersChanged):
            _change(story, position, data)
        else:
            if data.group in last:
                story.replaced.append(last[data.group])
            last[data.group] = position
    return story


def _data(raw: bytes, kind: type[event_types.ProgressiveEvent]) -> Any:
    envelope = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(envelope["data"], type=kind)


def _opening_story(
    name: str, stream: str, level: str, position: int, data: event_types.ProgressiveOpened
) -> _Story | None:
    start = next((opened_level for opened_level in data.levels if opened_level.level == level), None)
    if start is None:
        return None
    feeds, reserves = [(position, start.feed_millionths)], [(position, start.reserve_millionths)]
    return _Story(name, stream, level, position, start, feeds, reserves, [])


def _change(story: _Story, position: int, data: event_types.ParametersChanged) -> None:
    if data.feed_millionths is not UNSET:
        story.feeds.append((position, data.feed_millionths))
    if data.reserve_millionths is not UNSET:
        story.reserves.append((position, data.reserve_millionths))


def _meter_parts(name: str, story: _Story) -> tuple[SumPart, ...]:
    own = Q(stream=story.stream) & Q(Exact(text("level"), Value(story.level)))
    events_in_force = own & ~Q(position__in=story.replaced)
    lock_type, amount, seed = event_types.SharesLocked.TYPE, number("amount_minor"), number("seed_minor")
    opening = Q(position=story.opened)
    feeding_events = _armed(story, story.feeds)
    adjusted = SumPart(event_types.MeterAdjusted.TYPE, amount * MICRO, own)
    return {
        "fed": (feeding_events,),
        "laid": (SumPart(feeding_events.type, F("amount_minor"), feeding_events.only),),
        "armed": (SumPart(feeding_events.type, Value(1), feeding_events.only),),
        "seeds": (SumPart(lock_type, seed * MICRO, events_in_force),),
        "adjusted": (adjusted,),
        "hits": (SumPart(lock_type, Value(1), events_in_force),),
        "given": (SumPart(lock_type, amount, events_in_force),),
        "wins": (SumPart(event_types.JackpotPaid.TYPE, amount, own),),
        "meter": (
            SumPart(event_types.ProgressiveOpened.TYPE, Value(story.start.meter_micro), opening),
            feeding_events,
            adjusted,
            SumPart(lock_type, (seed - amount) * MICRO, events_in_force),
        ),
        "reserve": (
            SumPart(event_types.ProgressiveOpened.TYPE, Value(story.start.reserve_micro), opening),
            _armed(story, story.reserves),
            SumPart(lock_type, -number("seed_from_reserve_micro"), events_in_force),
        ),
    }[name]


def _armed(story: _Story, rates: list[tuple[int, int]]) -> SumPart:
    """The stakes of the rounds that were armed, times the rate in force where each was."""
    refused = Misfit.objects.filter(stream=story.stream, type=ProgressiveArmed.TYPE)
    only = Q(Exact(text("progressive"), Value(story.name))) & Q(position__gt=story.opened)
    only &= ~Q(position__in=list(refused.values_list("position", flat=True)))
    cases = [When(position__gt=position, then=Value(rate)) for position, rate in reversed(rates)]
    rate: Expression = Case(*cases, default=Value(0), output_field=BigIntegerField())
    return SumPart(ProgressiveArmed.TYPE, F("amount_minor") * rate, only)
