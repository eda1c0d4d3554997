"""Waiting times of the relay between word of an append and its own looks.

A relay with a wake-up for every event need not poll often. One that finds an event without word - word does not get
through to this process, or got lost - looks often again, until word comes.
"""

import threading
import time

from events.store.wakeup_on_append_across_processes import News, NoNews

# Without word: soon after an event, and later.
LOOK_AGAIN_S = (0.008, 0.020)
# With news: the delay caused by a lost one, and the time in which a process notices its stop.
TOLD_S = 0.1
# The same on a house in which nothing has happened for a few seconds.
QUIET_S, QUIET_LOOKS = 0.5, 30
# The pause between two reads: a batch costs nearly the same for one event as for thirty. It grows with each event above
# 4,000 a second, since the cost of a batch then slows its readers down.
APART_S = (0.002, 0.014)
AN_EVENT_S = 0.00025
# Interval at which the end of the topic is checked: in a pause, and without one.
TOPIC_S = (0.5, 5.0)
# A reader asks the broker repeatedly for so long after the last event or word of one; then it waits for word.
AWAKE_S = 1.0
REST_S = 1.0


class RelayPace:
    """The pace from one read to the next."""

    def __init__(self, *, is_told: bool = False) -> None:
        """`is_told`: whether word is to be expected."""
        self._is_told = is_told
        self._looks = 0  # in a row that found nothing

    def after(self, *, is_told: bool, has_found: bool) -> float:
        """Return the longest wait after a poll, by whether a wake-up came before it and whether it found events."""
        self._is_told = is_told or (self._is_told and not has_found)
        self._looks = 0 if has_found or is_told else self._looks + 1
        if self._is_told:
            return TOLD_S if self._looks < QUIET_LOOKS else QUIET_S
        return float(min(LOOK_AGAIN_S[0] * 1.2 ** min(self._looks, QUIET_LOOKS), LOOK_AGAIN_S[1]))


class ReaderPace:
    """Pace of a reader that waits for the news of an append instead of polling the broker.

    Where records come without news, since news do not reach this process, the reader polls until they do.
    """

    def __init__(self, news: News, now: float) -> None:
        self._news = news
        self._stop = threading.Event()
        self._is_told = not isinstance(news, NoNews)
        self._awake_until = now + AWAKE_S

    def came(self, now: float) -> None:
        """Records have come."""
        if now > self._awake_until:
            self._is_told = False
        self._awake_until = max(self._awake_until, now + AWAKE_S)

    def rest(self, now: float) -> None:
        """Wait for word, where nothing has come for a while; for a second at most."""
        if now <= self._awake_until or isinstance(self._news, NoNews):
            return
        if self._news.wait(REST_S if self._is_told else 0.0, self._stop):
            self._is_told, self._awake_until = True, time.monotonic() + AWAKE_S


def seconds_to_next_look(count: int) -> float:
    """Return the seconds from a poll that found so many events to the next one."""
    least, most = APART_S
    return min(max(count * AN_EVENT_S, least), most)


class TopicChecks:
    """Times at which to check that the topic is still the same. A check delays new events.

    So it waits for a pause, for a while: each batch's own offset shows a topic that was begun again.
    """

    def __init__(self, now: float) -> None:
        self._last = now

    def is_due(self, now: float, *, is_pause: bool) -> bool:
        """Return whether a check is due; then it counts as done."""
        in_pause, at_work = TOPIC_S
        is_time = now - self._last > (in_pause if is_pause else at_work)
        if is_time:
            self._last = now
        return is_time
