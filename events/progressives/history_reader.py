"""A progressive's history from the store: the fold at its opening, and every fact since, in order.

Two look-ups read less than that: its opening, and the declaration of a hit.
"""

from collections.abc import Iterable, Iterator

import msgspec

from events import catalogue
from events.error_codes import coded
from events.errors import Unknown
from events.floor import table_installation_decider
from events.progressives import event_types
from events.progressives.event_to_fact_mapping import FACT_TYPES, fact_of, opening_of
from events.progressives.fact_structs import AnyFact
from events.progressives.fold import Fold
from events.rules.ruleset_adoption_and_recording import Recorded, RulesetRecorded
from events.rules.taken_ruleset_version_struct import FIRST, taken_ruleset
from events.store import EventReader, Stored, everything
from events.streams.stream_kind_declaration import StreamView
from events.tables.event_types.progressive import HitDeclared, HitDeclaredLate
from events.tables.linked_progressive_terms import LinkedProgressive

PAGE = 200  # events of a stream read at a time


def stream_of(property_: str, name: str) -> str:
    """The stream of a progressive."""
    return f"{property_}/progressives/{name}"


def names(history: EventReader, property_: str) -> list[str]:
    """The names of the property's progressives."""
    opened = everything(history, types=[event_types.ProgressiveOpened.TYPE])
    prefix = stream_of(property_, "")
    return sorted({event.stream.removeprefix(prefix) for event in opened if event.stream.startswith(prefix)})


def opening(history: EventReader, property_: str, name: str) -> tuple[int, event_types.ProgressiveOpened]:
    """Return the position and the event of its opening. Raises Unknown."""
    stream = stream_of(property_, name)
    opened = everything(history, types=[event_types.ProgressiveOpened.TYPE])
    stored = next((event for event in opened if event.stream == stream), None)
    if stored is None:
        raise Unknown(coded("progressive-unknown", progressive=name))
    data = catalogue.decode(stored.type, stored.raw).data
    assert isinstance(data, event_types.ProgressiveOpened)
    return stored.position, data


def linked(history: EventReader, property_: str, name: str) -> LinkedProgressive | None:
    """Return the link of tables under this name; None where it is not open. It reads the stream up to its opening."""
    stream, after = stream_of(property_, name), 0
    while page := history.stream(stream, after, PAGE):
        for stored in page:
            if stored.type == event_types.ProgressiveOpened.TYPE:
                opened = catalogue.decode(stored.type, stored.raw).data
                return _linked(opened)
        after = page[-1].version
    return None


def link(view: StreamView, name: str) -> LinkedProgressive | None:
    """Return the same, read once permanently: it stays as opened."""
    return view.read_once(stream_of(view.property, name), lambda: linked(view.store, view.property, name))


def _linked(opened: event_types.ProgressiveOpened) -> LinkedProgressive:
    plays = taken_ruleset(opened.ruleset, opened.ruleset_digest)
    recorded_plays = plays if plays.digest or plays.name in FIRST else None
    return LinkedProgressive(opened.progressive, opened.currency, opened.stakes_minor, opened.basis, recorded_plays)


def recorded_rulesets(history: EventReader, property_: str) -> Recorded:
    """The rulesets that were recorded on the floor. Read are those events alone."""
    rulesets = {}
    for stored in everything(history, types=[RulesetRecorded.TYPE]):
        if stored.stream == table_installation_decider.stream_of(property_):
            data = catalogue.decode(stored.type, stored.raw).data
            rulesets[data.ruleset] = data
    return rulesets


def declared(history: EventReader, property_: str, hit: str) -> Stored:
    """Return the declaration of the hit, reading the declarations alone. Raises Unknown.

    Where it was declared more than once, all but one were refused: the whole history shows which one counts.
    """
    declarations = _declarations(history, property_, hit)
    if not declarations:
        raise Unknown(coded("hit-unknown", hit=hit))
    if len(declarations) == 1:
        return declarations[0]
    name = catalogue.decode(declarations[0].type, declarations[0].raw).data.progressive
    fold = start(history, property_, name)
    fold.take(fact for _, fact in facts(history, property_, name))
    taken = fold.hit(hit)
    return next(
        (declaration for declaration in declarations if taken is not None and declaration.position == taken.at),
        declarations[0],
    )


def _declarations(history: EventReader, property_: str, hit: str) -> list[Stored]:
    named = msgspec.json.encode(hit)
    return [
        stored
        for stored in everything(history, types=[HitDeclared.TYPE, HitDeclaredLate.TYPE])
        if named in stored.raw
        and stored.stream.startswith(f"{property_}/tables/")
        and catalogue.decode(stored.type, stored.raw).data.hit == hit
    ]


def start(history: EventReader, property_: str, name: str) -> Fold:
    """The fold right after the opening. It keeps every hit, so that an old one can be explained."""
    position, data = opening(history, property_, name)
    return Fold.opened(position, msgspec.structs.replace(opening_of(data), keep_groups=None))


def facts(
    history: EventReader, property_: str, name: str, until: int | None = None, after: int = 0
) -> Iterator[tuple[Stored, AnyFact]]:
    """Yield every fact of the progressive, with its event, after a position and up to one.

    Raises `Poison` for an unreadable event.
    """
    return facts_of(everything(history, after, sorted(FACT_TYPES), until=until), property_, name)


def facts_of(events: Iterable[Stored], property_: str, name: str) -> Iterator[tuple[Stored, AnyFact]]:
    """Yield the facts among these events. Raises `Poison` for an unreadable event."""
    own = stream_of(property_, name)
    for stored in events:
        if stored.type in FACT_TYPES and (stored.stream == own or "/tables/" in stored.stream):
            data = catalogue.decode(stored.type, stored.raw).data
            fact = fact_of(stored.position, stored.stream, stored.type, data, name)
            if fact is not None:
                yield stored, fact
