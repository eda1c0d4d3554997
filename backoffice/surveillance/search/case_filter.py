"""`case:ID`: the evidence of a case, for a person who may see it; for others the case is unknown."""

from collections.abc import Iterable, Iterator

import msgspec
from django.db.models import QuerySet

from backoffice.case_files.case_queries import case_for, entries_between
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.kit.reader_and_read_rule_types import Reader, current
from backoffice.surveillance.search.grammar import Clause, Mistake, Node, clauses
from backoffice.surveillance.search.sql_and_exact_condition import Condition, SearchContext, of_positions
from events.cases.decrypted_case import CaseFile
from events.errors import Unknown
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog

EVENTS_MAX = 20_000  # a query takes so many parameters


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
            position for rows in _evidence(file, house) for position in rows.values_list("position", flat=True)
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
        for rows in _evidence(msgspec.structs.replace(file, evidence=evidence), house):
            positions |= {*rows.values_list("position", flat=True)}
    return frozenset(positions)


def _evidence(file: CaseFile, house: SearchContext) -> "Iterator[QuerySet[EventLog]]":
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
