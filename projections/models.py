"""Where Django looks for tables: each read model has its own in its package, and names them with its projector."""

from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.journal.models import JournalEntry
from projections.registry import PROJECTORS

OF_READERS = (model for kind in PROJECTORS.values() for model in kind.models)
TABLES = (Reader, PoisonedEvent, WaitingEvent, *OF_READERS, JournalEntry)
