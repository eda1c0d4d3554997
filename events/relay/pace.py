"""How long the relay waits for word of an append before it looks by itself.

Who is told of every event need not look often. Who finds one without having been told - word does not get through to
this process, or got lost - looks often again, until word comes.
"""

# Without word: soon after an event, and later.
LOOK_AGAIN_S = (0.008, 0.020)
# With it: what a lost word costs at most, and how soon a process hears that it is to stop.
TOLD_S = 0.1
# Looks are that far apart, for a batch costs nearly the same for one event as for thirty; and further, event by event,
# where more come than 4,000 a second, for then all that a batch costs is taken from those who have to read it.
APART_S = (0.002, 0.014)
AN_EVENT_S = 0.00025
# How often it is read whether the topic still ends as it did: in a pause, and where there is none.
TOPIC_S = (0.5, 5.0)


class Pace:
    """From look to look."""

    def __init__(self) -> None:
        self._is_told = False
        self._pause = LOOK_AGAIN_S[0]

    def after(self, *, told: bool, found: bool) -> float:
        """Seconds to wait at most, after a look to which word had led or not, and which found something or not."""
        self._is_told = told or (self._is_told and not found)
        self._pause = LOOK_AGAIN_S[0] if found else min(self._pause * 1.2, LOOK_AGAIN_S[1])
        return TOLD_S if self._is_told else self._pause


def apart(found: int) -> float:
    """Seconds from a look that found so many events to the next one."""
    least, most = APART_S
    return min(max(found * AN_EVENT_S, least), most)


class Checks:
    """When to read whether the topic still is what it was, which holds up what comes.

    So it waits for a pause, for a while: each batch's own offset tells a topic that was begun anew.
    """

    def __init__(self, now: float) -> None:
        self._last = now

    def is_due(self, now: float, *, is_pause: bool) -> bool:
        """Whether it is time; then it counts as done."""
        in_pause, at_work = TOPIC_S
        is_time = now - self._last > (in_pause if is_pause else at_work)
        if is_time:
            self._last = now
        return is_time
