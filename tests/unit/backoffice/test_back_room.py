"""What takes longer than a page may is worked out once, beside the pages, and ends when it takes too long."""

import threading
from collections.abc import Iterator

import pytest

from backoffice.queries import back_room
from backoffice.queries.back_room import BackRoom, Ended, Progress, watched
from events.errors import Refused
from events.store import everything, open_store
from tests.house import House


@pytest.fixture
def room() -> Iterator[BackRoom]:
    found = BackRoom()
    yield found
    found.close()


def test_a_quick_answer_is_there_at_once_and_is_kept(room: BackRoom) -> None:
    worked: list[int] = []

    def work(progress: Progress) -> int:
        worked.append(1)
        return len(worked)

    for _ in range(3):
        piece = room.ask("q", work, 1, wait_s=5)
        assert piece is not None
        assert (piece.is_done, piece.answer, piece.why_not) == (True, 1, "")
    old = room.ask("q", work, 1, lambda answer: answer > 1, wait_s=5)
    assert old is not None
    assert old.answer == 2


def test_who_asks_the_same_meanwhile_gets_the_same_piece_of_work(room: BackRoom) -> None:
    may, worked = threading.Event(), []

    def work(progress: Progress) -> str:
        progress.reached(30)
        worked.append(1)
        may.wait(60)
        return "done"

    pieces = [room.ask("q", work, 60, wait_s=0.01) for _ in range(3)]
    assert len({id(piece) for piece in pieces}) == 1
    [piece] = {id(one): one for one in pieces}.values()
    assert piece is not None
    assert (piece.is_done, piece.progress.percent) in ((False, 50), (False, 0))
    may.set()
    assert piece.wait(60)
    assert worked == [1]
    assert piece.progress.percent == 50


def test_too_many_are_not_begun(room: BackRoom) -> None:
    may = threading.Event()
    begun = [room.ask(number, lambda progress: may.wait(60), 1, wait_s=0) for number in range(back_room.WAITING + 3)]
    assert begun[0] is not None
    assert begun[-1] is None
    may.set()


def test_what_goes_wrong_is_the_answer_and_the_next_is_worked_on(room: BackRoom) -> None:
    def refused(progress: Progress) -> None:
        raise Refused("house", "no such day")

    def failed(progress: Progress) -> None:
        raise ZeroDivisionError

    for work, words in ((refused, "no such day"), (failed, "it failed")):
        piece = room.ask(words, work, 1, wait_s=5)
        assert piece is not None
        assert piece.is_done
        assert words in piece.why_not
    good = room.ask("good", lambda progress: 1, 1, wait_s=5)
    assert good is not None
    assert good.answer == 1


def test_it_ends_when_it_takes_too_long() -> None:
    room, house = BackRoom(longest_s=0.0), House()
    try:

        def read(progress: Progress) -> int:
            return len(list(everything(watched(house.store, progress))))

        def go_through(progress: Progress) -> int:
            return len(list(progress.each(range(10))))

        for work in (read, go_through):
            piece = room.ask(work, work, house.store.position(), wait_s=5)
            assert piece is not None
            assert "not done within" in piece.why_not
    finally:
        room.close()
        house.close()


def test_a_watched_store_is_the_store_and_tells_how_far_it_was_read() -> None:
    store = open_store("memory://")
    store.create()
    progress = Progress(10)
    progress.begin(10)
    eyes = watched(store, progress)
    assert eyes.position() == 0
    assert eyes.after(7, 1) == []
    assert (progress.at, progress.percent) == (7, 70)
    progress.end()
    with pytest.raises(Ended):
        eyes.after(7, 1)
    store.close()


def test_a_room_that_closes_ends_what_is_worked_on() -> None:
    room, begun = BackRoom(), threading.Event()

    def work(progress: Progress) -> None:
        begun.set()
        while True:
            progress.reached(1)

    piece = room.ask("q", work, 1, wait_s=0)
    assert begun.wait(60)
    room.close()
    assert piece is not None
    assert piece.is_done
