"""The read models of the house by name. Who has one more registers its projector, and it is built like the others."""

from collections.abc import Iterable

from events.errors import Unknown
from projections.accounts.projector import Accounts
from projections.alerts.projector import Alerts
from projections.engine.projector import Projector
from projections.engine.target import LIVE, Target
from projections.eventlog.projector import Log
from projections.floor.projector import Floor
from projections.progressives.projector import Progressives
from projections.tables.projector import Tables

PROJECTORS: dict[str, type[Projector]] = {}


def register(kind: type[Projector]) -> type[Projector]:
    """One more read model; also as a decorator. It is live from the next start of `project`, which begins at 0."""
    assert PROJECTORS.setdefault(kind.name, kind) is kind, f"there are two read models {kind.name!r}"
    return kind


def projectors(names: Iterable[str] = (), target: Target = LIVE) -> list[Projector]:
    """Projectors for a target, by name; all of them where none is named. Raises Unknown."""
    wanted = list(dict.fromkeys(names)) or list(PROJECTORS)
    for name in wanted:
        if name not in PROJECTORS:
            raise Unknown(f"there is no projection {name!r:.40}; there are: {', '.join(PROJECTORS)}")
    return [PROJECTORS[name](target) for name in wanted]


for _kind in (Log, Tables, Progressives, Floor, Accounts, Alerts):
    register(_kind)
