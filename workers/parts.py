"""Parts that the tasks of a worker use, handed in at its start (`app.parts`, backoffice/house/worker.py)."""

from typing import Protocol

from events.integrity.head_store import Heads
from events.integrity.heads import Looked
from events.settings.settings import Settings
from events.store import EventStore


class Parts(Protocol):
    """Parts of this process, each built when the first task asks for it."""

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> EventStore: ...
    @property
    def heads(self) -> Heads: ...
    def verify(self) -> bool:
        """Begin to verify the whole history, in a process of its own; False where one is still at it."""

    def backup(self) -> bool:
        """Begin a scheduled backup where one is due, in a process of its own; False where one is still at it."""

    def tell(self) -> bool:
        """Start to notify people of their open items, in a separate process; False where one still runs."""

    def judge(self) -> bool:
        """Start the test of closed results against chance, in a separate process; False where one still runs."""

    def remove_expired(self) -> int:
        """Remove uploads that no one attached, and stored exports whose time is over; return the number of uploads."""

    def looked(self) -> Looked | None:
        """Return the extent of the access log; None where it cannot be read."""

    def kafka(self) -> str:
        """Kafka's address. Raises Retry where no one has said yet where the embedded broker is."""
