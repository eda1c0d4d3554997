"""`alert:mispay`, `alert:ID`: the events that prove an alert, and surveillance's later events about it."""

import re
from collections.abc import Iterator
from functools import reduce
from operator import or_

import msgspec
from django.db.models import Q

from backoffice.event_log import figures_hidden_before_counts
from backoffice.surveillance.search.grammar import Clause, Mistake, Value
from backoffice.surveillance.search.spelling_suggestions import near
from backoffice.surveillance.search.sql_and_exact_condition import Condition, SearchContext, of_positions
from events.house.alert_rules import RULES
from events.settings.settings_from_environment import settings
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

AT_MOST = 2_000  # alerts
EVENTS_MAX = 20_000  # of them all: a query takes so many parameters and no longer
_AT_ONCE = 100  # streams, or alerts, in a query
_ID = re.compile(r"[0-9a-f]{64}")


def alerts(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for any of these names and ids. Raises Mistake, also for readers who may not see alerts."""
    if not figures_hidden_before_counts.shows_alerts(house.hidden_streams):
        raise Mistake(clause.column + clause.negated, "search-alerts-reserved")
    wanted = reduce(or_, [_of(value) for value in clause.values])
    alert_events = list(Alert.objects.using(house.using).filter(wanted).values_list("id", "events")[: AT_MOST + 1])
    positions = frozenset(_positions(alert_events, house)) if len(alert_events) <= AT_MOST else frozenset()
    if len(alert_events) > AT_MOST or len(positions) > EVENTS_MAX:
        raise Mistake(clause.column, "search-alerts-too-many")
    return of_positions(positions)


def _of(value: Value) -> Q:
    """Return the condition for an alert's name, with its words joined or not, or its id."""
    words_joined = value.text.replace("_", " ").replace("-", " ")
    if value.is_prefix and (names := [name for name in RULES if name.startswith(words_joined)]):
        return Q(name__in=names)
    if words_joined in RULES:
        return Q(name=words_joined)
    if _ID.fullmatch(value.text):
        return Q(id=value.text)
    code = "search-beginning-unknown" if value.is_prefix else "search-value-unknown"
    raise Mistake(value.column, code, field="alert", text=value.text[:40], hint=near(words_joined, RULES))


def _positions(alert_events: list[tuple[str, str]], house: SearchContext) -> Iterator[int]:
    """Yield the positions of alerts' events: proofs, and people's actions."""
    rows = EventLog.objects.using(house.using).values_list("position", flat=True)
    versions: dict[str, set[int]] = {}
    for _, proofs in alert_events:
        for proof in msgspec.json.decode(proofs, type=list[str]):
            stream, _, version = proof.rpartition("@")
            versions.setdefault(stream, set()).add(int(version))
    streams = list(versions)
    for start in range(0, len(streams), _AT_ONCE):
        stream_group = streams[start : start + _AT_ONCE]
        yield from rows.filter(reduce(or_, [Q(stream=stream, version__in=versions[stream]) for stream in stream_group]))
    desk, about = f"{settings().property_}/alerts", [alert for alert, _ in alert_events]
    for start in range(0, len(about), _AT_ONCE):
        yield from rows.filter(stream__in=[f"{desk}/{alert}" for alert in about[start : start + _AT_ONCE]])
