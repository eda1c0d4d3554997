"""What a progressive would do: an action judged on a copy of what is stored now. Nothing is written, nobody waits."""

from events.approvals import Moment
from events.envelope import Action, ActionData, Who, encode
from events.progressives.service import Live, asked, news_of
from events.store import EventStore, New, Stored


class Supposed:
    """Progressives as they stand at their first question, and as if everything allowed since had been appended."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self._store = store
        self._property = property_
        self._copies: dict[str, Live] = {}

    def would(self, name: str, action: Action, data: ActionData, who: Who, moment: Moment) -> tuple[str, list[New]]:
        """The stream and what `service.act` would append to it, raising what it would raise.

        The store's lock is not taken.
        """
        at = asked(self._store, self._property, name, action, data, who)
        copy = self._copies.get(name) or self._copy(at)
        news = news_of(self._store, copy, action, data, who, moment)
        for new in news:
            raw = encode(copy.stream, 0, b"", new.data, new.meta, new.meta.time)
            copy.take(Stored(copy.position + 1, copy.stream, 0, new.data.TYPE, raw))
        return copy.stream, news

    def _copy(self, at: Live) -> Live:
        with at.guard:
            at.catch_up(self._store)
            copy = self._copies[at.name] = at.as_if()
        return copy
