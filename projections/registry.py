"""The projections by name."""

from collections.abc import Iterable

from events.errors import Unknown
from projections.engine.projector import Projector
from projections.engine.target import LIVE, Target
from projections.eventlog.projector import Log
from projections.progressives.projector import Progressives
from projections.tables.projector import Tables

PROJECTORS: dict[str, type[Projector]] = {kind.name: kind for kind in (Log, Tables, Progressives)}


def projectors(names: Iterable[str] = (), target: Target = LIVE) -> list[Projector]:
    """Projectors for a target, by name; all of them where none is named. Raises Unknown."""
    wanted = list(dict.fromkeys(names)) or list(PROJECTORS)
    for name in wanted:
        if name not in PROJECTORS:
            raise Unknown(f"there is no projection {name!r:.40}; there are: {', '.join(PROJECTORS)}")
    return [PROJECTORS[name](target) for name in wanted]
