"""The read models of the house by name. A further read model registers its projector, and is built like the others.

A name and a version are known without the projector, which loads every game: most commands need only these.
"""

from collections.abc import Iterable, Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from events.error_codes import coded
from events.errors import Unknown

if TYPE_CHECKING:
    from projections.engine.bulk_writer import WriteTarget
    from projections.engine.projector_base_classes import Projector


class ProjectorDeclaration(NamedTuple):
    """Location of a projector: a class in PACKAGE/projector.py. Its version is in the package itself."""

    package: str
    kind: str

    @property
    def version(self) -> int:
        """The version of the read model, without its projector."""
        return int(import_module(self.package).VERSION)


OURS = {
    "eventlog": ProjectorDeclaration("projections.eventlog", "EventLogProjector"),
    "tables": ProjectorDeclaration("projections.tables", "TablesProjector"),
    "progressives": ProjectorDeclaration("projections.progressives", "ProgressivesProjector"),
    "floor": ProjectorDeclaration("projections.floor", "FloorProjector"),
    "accounts": ProjectorDeclaration("projections.accounts", "AccountsProjector"),
    "alerts": ProjectorDeclaration("projections.alerts", "AlertsProjector"),
    "cases": ProjectorDeclaration("projections.cases", "CasesProjector"),
}


class Registry(MutableMapping[str, "type[Projector]"]):
    """Projectors by name; each is loaded when a person asks for it."""

    def __init__(self, declared: dict[str, ProjectorDeclaration]) -> None:
        self._declared_projectors: dict[str, ProjectorDeclaration | type[Projector]] = {**declared}

    def __getitem__(self, name: str) -> "type[Projector]":
        declared_projector = self._declared_projectors[name]
        if isinstance(declared_projector, ProjectorDeclaration):
            kind: type[Projector] = getattr(
                import_module(f"{declared_projector.package}.projector"), declared_projector.kind
            )
            assert kind.name == name, f"{declared_projector.kind} is declared as {name!r} in OURS"
            self._declared_projectors[name] = declared_projector = kind
        return declared_projector

    def __setitem__(self, name: str, kind: "type[Projector]") -> None:
        self._declared_projectors[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._declared_projectors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared_projectors)

    def __len__(self) -> int:
        return len(self._declared_projectors)

    def __contains__(self, name: object) -> bool:
        return name in self._declared_projectors  # (the library's would load it)

    def version(self, name: str) -> int:
        """The version of a read model."""
        return self._declared_projectors[name].version


PROJECTORS = Registry(OURS)


def register(kind: "type[Projector]") -> "type[Projector]":
    """Register a read model; also as a decorator. It is live from the next start of `project`, which begins at 0."""
    assert kind.name not in PROJECTORS or PROJECTORS[kind.name] is kind, f"there are two read models {kind.name!r}"
    PROJECTORS[kind.name] = kind
    return kind


def projectors(names: Iterable[str] = (), target: "WriteTarget | None" = None) -> "list[Projector]":
    """Projectors for a target (the live tables), by name; all of them where none is named. Raises Unknown."""
    wanted = list(dict.fromkeys(names)) or list(PROJECTORS)
    for name in wanted:
        if name not in PROJECTORS:
            raise Unknown(coded("projection-unknown", name=name, known=list(PROJECTORS)))
    kinds = [PROJECTORS[name] for name in wanted]
    target = target or import_module("projections.engine.bulk_writer").LIVE
    return [kind(target) for kind in kinds]
