"""The events behind a case: those that were added, those of its alerts and rounds, and of its bookmarks."""

import json
from collections.abc import Collection, Iterator

import msgspec

from backoffice.event_log import figures_hidden_before_counts
from backoffice.surveillance.replay import round_lookup
from events.cases.decrypted_case import CaseFile
from events.errors import Unknown
from events.store import EventStore, Stored
from projections.alerts.models import Alert


class CollectedEvidence(msgspec.Struct, frozen=True):
    """Events in the order of the store. `missing`: references that the house does not have, or hides from the reader
    until a count is over."""

    events: tuple[Stored, ...]
    missing: tuple[str, ...] = ()


def collect(store: EventStore, file: CaseFile, roles: Collection[str]) -> CollectedEvidence:
    """Return the evidence of a case, as a person in these roles may see it."""
    by_position, missing_references = dict[int, Stored](), list[str]()
    hidden = figures_hidden_before_counts.streams(roles)
    for reference in _references(file, roles):
        stored = _event(store, reference)
        if stored is None or (stored.stream in hidden and figures_hidden_before_counts.has_buyins([stored.type])):
            missing_references.append(reference)
        else:
            by_position[stored.position] = stored
    return CollectedEvidence(
        tuple(by_position[position] for position in sorted(by_position)), tuple(missing_references)
    )


def _references(file: CaseFile, roles: Collection[str]) -> Iterator[str]:
    """Yield the ids of the events, each once; a reference that leads to none as it is."""
    by_kind = {
        kind: [piece.ref for piece in file.evidence if piece.kind == kind] for kind in ("event", "alert", "round")
    }
    by_kind["event"] += [bookmark.ref_event for bookmark in file.bookmarks if bookmark.ref_event]
    by_kind["alert"] += [bookmark.ref_alert for bookmark in file.bookmarks if bookmark.ref_alert]
    yielded = set[str]()
    for reference in (*by_kind["event"], *_of_alerts(by_kind["alert"]), *_of_rounds(by_kind["round"], roles)):
        if reference not in yielded:
            yielded.add(reference)
            yield reference


def _of_alerts(alerts: Collection[str]) -> Iterator[str]:
    events = dict(Alert.objects.filter(id__in=alerts).values_list("id", "events"))
    for alert in alerts:
        yield from json.loads(events[alert]) if alert in events else [alert]


def _of_rounds(names: Collection[str], roles: Collection[str]) -> Iterator[str]:
    for name in names:
        try:
            steps = find_round(name, roles)
        except Unknown:
            yield name
        else:
            yield from (step.envelope.id for step in steps.steps[: steps.over])


def find_round(name: str, roles: Collection[str]) -> round_lookup.RoundSteps:
    """Return a round by its name, "BJ1/2026-11-20/17". Raises Unknown."""
    table, gaming_day, number = name.split("/")
    return round_lookup.find(table, gaming_day, int(number), roles)


def _event(store: EventStore, reference: str) -> Stored | None:
    stream, _, version = reference.rpartition("@")
    if not stream or not version.isdecimal() or not int(version):
        return None
    return next(iter(store.stream(stream, int(version) - 1, 1)), None)
