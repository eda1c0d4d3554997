"""Base of a progressive's deciders: a fold that runs ahead of the store, and the people who agreed."""

from events.error_codes import coded
from events.errors import Unknown
from events.progressives import event_types, fact_structs
from events.progressives.event_to_fact_mapping import fact_of
from events.progressives.fold import Fold
from events.progressives.levels_rounds_and_hits_state import LevelState


def apply(next_fold: Fold, event: event_types.ProgressiveEvent) -> None:
    """Let the fold know an event that is decided and not yet stored. Raises Refused where it may not be."""
    fact = fact_of(next_fold.at + 1, "", event.TYPE, event, event.progressive)
    if fact is not None:
        next_fold.apply(fact)


def approvals(by: fact_structs.People) -> event_types.Approvals:
    """The people as an event names them."""
    return tuple((person.name, person.role) for person in by)


def known_level(next_fold: Fold, name: str) -> LevelState:
    """The level of that name. Raises Unknown."""
    if name not in next_fold.state.levels:
        raise Unknown(coded("level-unknown", level=name))
    return next_fold.level(name)


def table_and_day(stream: str) -> tuple[str, str]:
    """Table and gaming day of a table's stream "PROPERTY/tables/TABLE/GAMING-DAY"."""
    parts = stream.split("/")
    return (parts[2], parts[3]) if len(parts) == 4 else (stream, "")
