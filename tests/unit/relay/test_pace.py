"""The relay looks rarely while notifications come. After an event without a notification it looks often.

Expensive reads wait for a pause.
"""

import threading
import time

from events.relay.polling_intervals import (
    APART_S,
    AWAKE_S,
    LOOK_AGAIN_S,
    QUIET_LOOKS,
    QUIET_S,
    REST_S,
    TOLD_S,
    TOPIC_S,
    ReaderPace,
    RelayPace,
    TopicChecks,
    seconds_to_next_look,
)


def test_while_word_comes_one_waits_for_it() -> None:
    pace = RelayPace()
    assert pace.after(is_told=True, has_found=True) == TOLD_S
    assert pace.after(is_told=False, has_found=False) == TOLD_S
    assert pace.after(is_told=True, has_found=False) == TOLD_S


def test_who_was_never_told_looks_often_and_more_seldom_while_nothing_happens() -> None:
    pace = RelayPace()
    assert pace.after(is_told=False, has_found=True) == LOOK_AGAIN_S[0]
    pauses = [pace.after(is_told=False, has_found=False) for _ in range(10)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LOOK_AGAIN_S[1]


def test_an_event_without_word_is_a_reason_to_look_often_until_word_comes() -> None:
    pace = RelayPace()
    pace.after(is_told=True, has_found=True)
    assert pace.after(is_told=False, has_found=True) == LOOK_AGAIN_S[0]
    assert pace.after(is_told=False, has_found=False) < TOLD_S
    assert pace.after(is_told=True, has_found=True) == TOLD_S


def looks(a_second: int) -> float:
    """Return the interval between looks after many looks, for a number of events per second."""
    looks, between = 1, 0.0
    for _ in range(50):
        between = seconds_to_next_look(looks)
        looks = round(a_second * between)
    return between


def test_looks_are_further_apart_only_where_very_much_comes() -> None:
    least, most = APART_S
    assert [looks(rate) for rate in (0, 10, 1_000, 3_000)] == [least] * 4
    assert [looks(rate) for rate in (5_000, 100_000)] == [most] * 2


def test_the_topic_is_looked_after_in_a_pause_and_seldom_where_there_is_none() -> None:
    in_pause, at_work = TOPIC_S
    checks = TopicChecks(100.0)
    assert not checks.is_due(100.0 + in_pause / 2, is_pause=True)
    assert not checks.is_due(100.0 + at_work / 2, is_pause=False)
    assert checks.is_due(100.0 + at_work / 2, is_pause=True)
    assert not checks.is_due(100.0 + at_work, is_pause=False)
    assert checks.is_due(100.0 + 2 * at_work, is_pause=False)


def test_in_a_quiet_house_a_lost_word_costs_more_and_looks_cost_less() -> None:
    pace = RelayPace(is_told=True)
    pauses = [pace.after(is_told=False, has_found=False) for _ in range(QUIET_LOOKS + 1)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (TOLD_S, QUIET_S)
    assert pace.after(is_told=True, has_found=True) == TOLD_S


class Word:
    """Word that the test gives, and how long a reader waited for it."""

    def __init__(self) -> None:
        self.has_come, self.waits = False, list[float]()

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        self.waits.append(seconds)
        return self.has_come

    def close(self) -> None:
        """Do nothing: no resource is open."""


def test_a_reader_waits_for_word_once_nothing_has_come_for_a_while() -> None:
    word = Word()
    rest, now = ReaderPace(word, began := time.monotonic()), time.monotonic() + 2 * AWAKE_S
    rest.rest(began)
    assert word.waits == [], "it asks on: more is likely to come"
    rest.rest(now)
    assert word.waits == [REST_S]
    word.has_come = True
    rest.rest(now)
    rest.rest(began + AWAKE_S / 2)
    assert word.waits == [REST_S] * 2, "word has come: it asks until the event is there"


def test_a_reader_to_whom_no_word_gets_through_asks_on() -> None:
    word = Word()
    rest, now = ReaderPace(word, time.monotonic()), time.monotonic() + 2 * AWAKE_S
    rest.came(now)
    rest.rest(now + 2 * AWAKE_S)
    assert word.waits == [0.0]
    word.has_come = True
    rest.rest(now + 2 * AWAKE_S)
    word.has_come = False
    rest.rest(time.monotonic() + 2 * AWAKE_S)
    assert word.waits == [0.0, 0.0, REST_S]
