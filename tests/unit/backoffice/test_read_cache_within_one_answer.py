"""The parts of one answer share their reads. Answers do not."""

import threading
from itertools import count

import pytest
from django.http import HttpRequest
from msgspec import Raw

from backoffice.http.read_cache_within_one_answer import cache_reads, is_caching, read_once
from backoffice.people import signed_in_person_action_sender
from events.envelope import Action
from events.streams.stream_kind_declaration import Target


class NumberedReads:
    """A source that returns another number at each read."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def read(self) -> int:
        return next(self._numbers)


def test_an_answer_reads_each_source_once_and_the_next_answer_reads_again() -> None:
    days, tables = NumberedReads().read, NumberedReads().read
    assert [read_once(days), read_once(days)] == [1, 2], "without a block"
    with cache_reads():
        assert [read_once(days), read_once(days), read_once(tables)] == [3, 3, 1]
        with cache_reads():
            assert read_once(days) == 3
        assert read_once(days) == 3, "the inner block does not end the outer one"
    assert not is_caching()
    with cache_reads():
        assert [read_once(days), read_once(tables)] == [4, 2]


def test_a_failed_read_is_read_again_and_a_failed_answer_leaves_nothing() -> None:
    reads = NumberedReads().read

    def failing() -> int:
        if reads() == 1:
            raise OSError("no connection")
        return 7

    @cache_reads()
    def answer() -> None:
        with pytest.raises(OSError, match="no connection"):
            read_once(failing)
        assert read_once(failing) == 7
        raise RuntimeError("the template is wrong")

    with pytest.raises(RuntimeError, match="template"):
        answer()
    assert not is_caching()
    assert read_once(failing) == 7
    assert reads() == 4


def test_each_call_of_a_function_has_its_own_cache() -> None:
    reads = NumberedReads().read

    @cache_reads()
    def answer() -> tuple[int, int]:
        return read_once(reads), read_once(reads)

    assert [answer(), answer()] == [(1, 1), (2, 2)]


def test_threads_that_answer_at_once_share_nothing() -> None:
    reads, both, seen = NumberedReads().read, threading.Barrier(2, timeout=30), list[tuple[int, int]]()

    def answer() -> None:
        with cache_reads():
            first = read_once(reads)
            both.wait()  # both caches are in force now
            seen.append((first, read_once(reads)))
            both.wait()

    with cache_reads():
        assert read_once(reads) == 1
        threads = [threading.Thread(target=answer) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert read_once(reads) == 1
    assert sorted(seen) == [(2, 2), (3, 3)]


def test_an_answer_with_a_cache_sends_no_action() -> None:
    action = Action(key="7b1c", type="session.open", data=Raw(b"{}"))
    with cache_reads(), pytest.raises(RuntimeError, match="has no read cache"):
        signed_in_person_action_sender.send(HttpRequest(), Target("table", "FR1", "2026-11-20"), action)
