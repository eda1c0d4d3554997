"""What a projector is: it merges events into rows in memory, and writes each changed row once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from django.db import models

from projections.facts import Fact
from projections.target import Target


class Projector(ABC):
    """One read model. `fold` and `flush` run in the transaction that moves the reader; they may be repeated.

    `version` counts up with every change of what an event does to the rows: a rebuild is due then.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    models: ClassVar[tuple[type[models.Model], ...]]
    # The log is filled before it gets its indexes; the others need their keys from the start.
    indexes_last: ClassVar[bool] = False

    def __init__(self, target: Target) -> None:
        self.target = target

    @abstractmethod
    def fold(self, facts: Sequence[Fact]) -> None:
        """Merge events, in order of position. Any error means: one of these events cannot be applied."""

    @abstractmethod
    def flush(self) -> None:
        """Write what `fold` changed."""

    @abstractmethod
    def forget(self) -> None:
        """Drop what is remembered: the transaction was rolled back, or somebody else wrote."""

    def needs(self, fact: Fact) -> Sequence[str]:
        """Streams, beside its own, whose poison this event must wait for."""
        return ()

    def wake(self) -> set[str]:
        """Progressives that the reconciler should look at after what was folded since the last call."""
        return set()
