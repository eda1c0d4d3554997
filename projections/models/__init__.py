"""The tables of the read models. Every id derives from event ids and names, so that a rebuild gives the same rows."""

from projections.models.log import EventLog
from projections.models.matters import (
    ApprovalRequest,
    HousePayment,
    LevelWait,
    Misfit,
    MissedHit,
    Notice,
    Reading,
    Variance,
)
from projections.models.progressives import (
    ArmedRound,
    ArmedTable,
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
    "ApprovalRequest",
    "ArmedRound",
    "ArmedTable",
    "Envy",
    "EventLog",
    "Hit",
    "HousePayment",
    "LevelWait",
    "Lock",
    "Misfit",
    "MissedHit",
    "Notice",
    "PoisonedEvent",
    "Progressive",
    "ProgressiveLevel",
    "ProgressiveParameters",
    "ProgressiveTable",
    "Reader",
    "Reading",
    "TableDay",
    "Variance",
    "WagerDay",
    "WaitingEvent",
]
