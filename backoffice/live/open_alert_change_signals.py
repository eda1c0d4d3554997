"""News of open alerts for wall displays: one query of the read models for all displays, twice a second."""

from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import msgspec

from backoffice.freshness.freshness import freshness
from backoffice.live.shared_polling_base_class import InThread, SharedReading
from backoffice.surveillance.large_screen_alert_content import wall_mark

TICK_S = 0.5
BEAT_S = 2.0


class AlertNews(msgspec.Struct, frozen=True):
    """The mark of the open alerts, and the age of the read models as a word."""

    mark: str = ""
    state: str = "unknown"


Read: TypeAlias = Callable[[], AlertNews]


def read_news() -> AlertNews:
    """Return the mark of the open alerts and the age of the figures."""
    age = freshness()
    return AlertNews(wall_mark(), "late" if age.is_stale and age.state == "current" else age.state)


class AlertMarks(SharedReading[AlertNews]):
    """Marks of the open alerts, read while a wall listens. After a failed reading, beats report an unknown age."""

    subject = "the alerts for the wall displays"

    def __init__(self, in_thread: InThread[AlertNews], read: Read = read_news, tick_s: float = TICK_S) -> None:
        super().__init__(in_thread, tick_s)
        self._read = read
        self._latest_news = AlertNews()

    def read(self) -> AlertNews:
        """Return the mark of the open alerts and the age of the figures."""
        return self._read()

    def take(self, reading: AlertNews) -> bool:
        """Take a reading; a new mark is sent at once."""
        is_new, self._latest_news = reading.mark != self._latest_news.mark, reading
        return is_new

    def fail(self) -> bool:
        """Keep the mark; its age is unknown."""
        self._latest_news = msgspec.structs.replace(self._latest_news, state="unknown")
        return False

    async def messages(self) -> AsyncIterator[str]:
        """Yield the text of a stream until the end: a mark as soon as it changes, and a beat in between."""
        async for is_new in self.changes(lambda: self._latest_news.mark, "", BEAT_S):
            yield _message("alerts" if is_new else "beat", self._latest_news)


def _message(event: str, news: AlertNews) -> str:
    return f"event: {event}\ndata: {msgspec.json.encode(news).decode()}\n\n"
