"""Posting of people's results in the projector's process, while the projector is idle."""

from collections.abc import Callable
from typing import ClassVar

from events.store import EventStore
from projections.journal.idle_posting import JournalPoster, StorePosting
from projections.people.people_results_row_posting import Posting


class ResultsPoster(JournalPoster):
    """Poster of results on request, with the share of time that the journal has."""

    begin: ClassVar[Callable[[EventStore, str, str], StorePosting]] = Posting
    failure: ClassVar[str] = "results of people are not posted for now"
