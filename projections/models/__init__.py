"""The tables of the read models. Every id derives from event ids and names, so that a rebuild gives the same rows."""

from projections.models.log import EventLog
from projections.models.progressives import (
    ArmedRound,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)
from projections.models.reader import PoisonedEvent, Reader, WaitingEvent
from projections.models.tables import TableDay, WagerDay

__all__ = [
    "ArmedRound",
    "Envy",
    "EventLog",
    "Hit",
    "Lock",
    "PoisonedEvent",
    "Progressive",
    "ProgressiveLevel",
    "ProgressiveParameters",
    "ProgressiveTable",
    "Reader",
    "TableDay",
    "WagerDay",
    "WaitingEvent",
]
