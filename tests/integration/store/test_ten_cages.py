"""Ten cages issue slips at once, and some are killed: no number is used twice, and none is missing.

If one slip is received and voided at once, one of the two is refused.
"""

import itertools
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.controls.slip_issued_event import SlipIssued
from events.store import everything, open_store
from events.streams.problem_details import Problem
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import House, reopened_house

CAGES, EACH = 10, 4
FIRST = 1_000  # of the keys of each cage: another thousand


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


def cage(url: str, number: int) -> House:
    """Return another process's desk on the same store."""
    house = reopened_house(open_store(url))
    house.numbers = itertools.count(10_000_000 + FIRST * number)
    return house


def numbers(url: str) -> list[int]:
    with closing(open_store(url)) as store:
        return [slip.slip for slip in issued(store)]


def issued(store: Any) -> list[SlipIssued]:
    read = [catalogue.decode(event.type, event.raw).data for event in everything(store, types=[SlipIssued.TYPE])]
    return [event for event in read if isinstance(event, SlipIssued)]


def requests(house: Cashiers, many: int) -> list[str]:
    return [house.at_table("fill.request", chips={"500": 1})[0].data.request for _ in range(many)]


def test_ten_cages_at_once_number_their_slips_without_gap(url: str) -> None:
    house = Cashiers(open_store(url))
    ids = requests(house, CAGES * EACH)
    others = [cage(url, number) for number in range(CAGES)]
    start = threading.Barrier(CAGES)

    def work(other: House, mine: list[str]) -> None:
        start.wait(timeout=60)
        for request in mine:
            other.ok("cage", "", "cage", other.action("slip.issue", request=request))

    threads = [threading.Thread(target=work, args=(other, ids[number::CAGES])) for number, other in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    for house_ in (*others, house):
        house_.close()
    assert numbers(url) == list(range(1, CAGES * EACH + 1))


_CASHIER = """
import sys
from tests.integration.store.test_ten_cages import cage
house = cage(sys.argv[1], int(sys.argv[2]))
print("ready", flush=True)
for request in sys.argv[3:]:
    house.send("cage", "", "cage", house.action("slip.issue", request=request, _key=f"issue-{request}"))
    print(request, flush=True)
"""


def test_a_cage_that_is_killed_leaves_no_gap_and_whoever_repeats_gets_the_same_number(url: str) -> None:
    house = Cashiers(open_store(url))
    ids = requests(house, 12)
    for number, victim in enumerate((ids[:6], ids[6:]), 1):
        program = [sys.executable, "-c", _CASHIER, url, str(number), *victim]
        process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
        assert process.stdout is not None
        for _ in range(2 + number):  # ready, and some of them issued: the next is on its way
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
        process.stdout.close()
    for request in ids:
        house.cage("slip.issue", request=request, _key=f"issue-{request}")
    house.close()
    assert numbers(url) == list(range(1, 13))
    with closing(open_store(url)) as store:
        assert sorted(slip.request for slip in issued(store)) == sorted(ids)


@pytest.mark.parametrize("run", range(3))
def test_of_a_receipt_and_a_void_at_once_one_comes_too_late(url: str, run: int) -> None:
    house = Cashiers(open_store(url))
    slip = house.issue()
    asking = house.action("slip.void", kind="fill", slip=slip.slip, reason="x")
    request = house.ok("cage", "", "cage", asking)[0].data
    table, other = cage(url, 1), cage(url, 2)
    start, replies = threading.Barrier(2), list[Any]()

    def work(of: House, kind: str, name: str, action: Any) -> None:
        start.wait(timeout=60)
        replies.extend(of.send(kind, name, "ines", action))

    void = other.action("approval.give", request=request.request, content=request.content)
    receive = table.action("fill.receive", slip=slip.slip, chips={"500": 100})
    threads = [
        threading.Thread(target=work, args=(table, "tables", "FR1", receive)),
        threading.Thread(target=work, args=(other, "cage", "", void)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len([reply for reply in replies if isinstance(reply, Problem)]) == 1, replies
    assert house.books.slips.transit == 0
    for house_ in (table, other, house):
        house_.close()
