"""`alert:mispay`, `alert:ID`, `case:ID`: the events that prove an alert, and the evidence of a case.

An alert has also surveillance's later events about it. A case is unknown to a person who may not see it.
"""

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

import msgspec
from django.db.models import Q, QuerySet

from backoffice.case_files.case_queries import case_for, entries_between
from backoffice.event_log import figures_hidden_before_counts
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit.reader_and_read_rule_types import Reader, current
from backoffice.surveillance.search.condition_of_sql_and_predicate import Condition, SearchContext, of_positions
from backoffice.surveillance.search.grammar import Clause, Mistake, Node, Value, clauses
from backoffice.surveillance.search.spelling_suggestions import closest_names_hint
from events.cases.decrypted_case import CaseFile
from events.errors import Unknown
from events.house.alert_rules import RULES
from events.settings.settings_from_environment import settings
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

AT_MOST = 2_000  # alerts
EVENTS_MAX = 20_000  # of all alerts, or cases: a query takes so many parameters
_AT_ONCE = 100  # streams, or alerts, in a query
_ID = re.compile(r"[0-9a-f]{64}")


def alerts(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for any of these names and ids. Raises Mistake, also for readers who may not see alerts."""
    if not figures_hidden_before_counts.shows_alerts(house.hidden_streams):
        raise Mistake(clause.column + clause.negated, "search-alerts-reserved")
    wanted = reduce(or_, [_alert_condition(value) for value in clause.values])
    alert_events = list(Alert.objects.using(house.using).filter(wanted).values_list("id", "events")[: AT_MOST + 1])
    positions = frozenset(_alert_positions(alert_events, house)) if len(alert_events) <= AT_MOST else frozenset()
    if len(alert_events) > AT_MOST or len(positions) > EVENTS_MAX:
        raise Mistake(clause.column, "search-alerts-too-many")
    return of_positions(positions)


def _alert_condition(value: Value) -> Q:
    """Return the condition for an alert's name, with its words joined or not, or its id."""
    words_joined = value.text.replace("_", " ").replace("-", " ")
    if value.is_prefix and (names := [name for name in RULES if name.startswith(words_joined)]):
        return Q(name__in=names)
    if words_joined in RULES:
        return Q(name=words_joined)
    if _ID.fullmatch(value.text):
        return Q(id=value.text)
    code = "search-beginning-unknown" if value.is_prefix else "search-value-unknown"
    raise Mistake(value.column, code, field="alert", text=value.text[:40], hint=closest_names_hint(words_joined, RULES))


def _alert_positions(alert_events: list[tuple[str, str]], house: SearchContext) -> Iterator[int]:
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


def cases(clause: Clause, house: SearchContext) -> Condition:
    """Return the condition for the events of cases: those added, those of added rounds, and proofs of added alerts.

    Raises Mistake for an unknown case.
    """
    positions: set[int] = set()
    for value in clause.values:
        try:
            file = case_for(value.text, current())
        except Unknown as error:
            raise Mistake(
                value.column, "search-value-unknown", field="case", text=value.text[:40], hint=None
            ) from error
        positions |= {
            position for rows in _evidence_events(file, house) for position in rows.values_list("position", flat=True)
        }
    if len(positions) > EVENTS_MAX:
        raise Mistake(clause.column, "search-cases-too-many", most=EVENTS_MAX)
    return of_positions(positions)


@cache_reads()
def added_between(nodes: Iterable[Node], reader: Reader, after: int, upto: int) -> frozenset[int]:
    """Return the positions of the evidence that was added, between two positions, to the cases of a search.

    Cases that the reader may not see add none.
    """
    house, positions = SearchContext("", "", "default", ()), set[int]()
    for case in {value.text for clause in clauses(nodes) if clause.field == "case" for value in clause.values}:
        try:
            file = case_for(case, reader)
        except Unknown:
            continue
        entries = entries_between(case, after, upto)
        evidence = tuple(piece for piece in file.evidence if piece.event in entries)
        for rows in _evidence_events(msgspec.structs.replace(file, evidence=evidence), house):
            positions |= {*rows.values_list("position", flat=True)}
    return frozenset(positions)


def _evidence_events(file: CaseFile, house: SearchContext) -> "Iterator[QuerySet[EventLog]]":
    """Yield the events of each piece of evidence."""
    for piece in file.evidence:
        if piece.kind == "event":
            yield EventLog.objects.using(house.using).named(piece.ref)
        elif piece.kind == "round":
            table, day, number = piece.ref.split("/")
            yield EventLog.objects.using(house.using).filter(table=table, gaming_day=day, round=int(number))
        else:
            proofs = Alert.objects.using(house.using).filter(id=piece.ref).values_list("events", flat=True)
            for proof in (each for raw in proofs for each in msgspec.json.decode(raw, type=list[str])):
                yield EventLog.objects.using(house.using).named(proof)
