"""Every mistake of a folder is listed with its file, line and column, before anything is written."""

import gc
import time

import pytest

from backoffice.house.opening import folder_reading, import_checks
from backoffice.house.opening.house_state_reader_for_import import HouseState, read
from backoffice.house.opening.opening_actions_in_order import steps
from events.store.in_memory_store import MemoryStore
from tests.support.houses.new_house_opening_plan import NOW, PROPERTY, files, moved_in, plan

HEADS = "place,tender,denomination,pieces,amount\n"


@pytest.fixture(scope="module")
def empty() -> HouseState:
    """A house in which nothing has happened."""
    return read(MemoryStore(lambda: NOW), PROPERTY)


def faults(state: HouseState, **texts: str) -> list[str]:
    return [str(fault) for fault in import_checks.faults(plan(**texts), state)]


def test_the_example_files_have_no_fault(empty: HouseState) -> None:
    assert faults(empty) == []


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ({"property": ""}, "property.csv, column setting: The currency is missing"),
        (
            {"property": "setting,value\ncurrency,EURO\n"},
            "line 2, column value: There is no currency EURO",
        ),
        (
            {"property": "setting,value\ncurrency,EUR\nzone,Athens\n"},
            "line 3, column value: There is no time zone Athens. Write it as Europe/Athens.",
        ),
        (
            {"property": "setting,value\ncurrency,EUR\nzon,x\n"},
            "line 3, column setting: There is no setting zon",
        ),
        (
            {"property": "setting,value\ncurrency,EUR\nreported_over,200\nregulator_from,100\n"},
            "column value: A discrepancy for the regulator is reported within the house before.",
        ),
        (
            {"property": "setting,value\ncurrency,EUR\nfirst_day,2026-11-20\n"},
            "property.csv, column first_day: The first day 2026-11-20 is over",
        ),
        ({"staff": "id,roles\nd-1,dealer\n"}, "staff.csv, column roles: No one is an administrator"),
        ({"staff": "id,roles\na-1,administrator/cage\n"}, "staff.csv, line 2, column roles: The only administrator"),
        (
            {"staff": "id,roles\na-1,administrator\nb-1,boss\n"},
            "line 3, column roles: There is no role boss",
        ),
        (
            {"staff": "id,roles\na-1,administrator\na-1,dealer\n"},
            "line 3, column id: This is in line 2 already",
        ),
        (
            {"staff": "id,roles\na-1,administrator\nA-1,dealer\n"},
            "line 3, column id: A-1 differs from the person a-1 only by case",
        ),
        ({"staff": "id,roles\na-1,administrator\nd\u200b1,dealer\n"}, "staff.csv, line 3, column id: U+200B"),
        (
            {"tables": "table,pit,game,ruleset\nR1,A,roulete,roulette-french\nBJ1,B,blackjack,blackjack-trilux\n"},
            "tables.csv, line 2, column game: There is no game roulete",
        ),
        (
            {"tables": "table,pit,game,ruleset\nR1,A,roulette,roulette-frech\nBJ1,B,blackjack,blackjack-trilux\n"},
            "tables.csv, line 2, column ruleset: Roulette has no ruleset",
        ),
        ({"progressives": ""}, "tables.csv, line 3, column progressive: There is no progressive blazing"),
        (
            {"opening_balances": f"{HEADS}cage,cash,,,1\nR9,chips,1.00,5,\n"},
            "opening-balances.csv, line 3, column place: There is no table R9",
        ),
        (
            {"opening_balances": f"{HEADS}R1,chips,1.00,5,\n"},
            "column place: The cage has no line",
        ),
        (
            {"opening_balances": f"{HEADS}cage,cash,,,1\nR1,chips,1.00,2001,\n"},
            "opening-balances.csv, line 3, column pieces: The files have 2001 chips of 1.00, and only 2000 are issued",
        ),
        (
            {"opening_balances": f"{HEADS}cage,cash,,,1\nR1,chips,1.00,5,6.00\n"},
            "opening-balances.csv, line 3, column amount: The amount is not",
        ),
        (
            {"opening_balances": f"{HEADS}cage,cash,,,1\ncage,markers,,,1\n"},
            "opening-balances.csv, line 3, column amount: The total of markers.csv differs",
        ),
        (
            {"opening_balances": f"{HEADS}R1,cash,,,1\n"},
            "opening-balances.csv, line 2, column tender: The place R1 has no cash",
        ),
        ({"opening_balances": f"{HEADS}cage,cash,,,1.234\n"}, "column amount: 1.234 can be read in two ways"),
        ({"markers": "marker,player,amount\nM1,g-1,0\n"}, "markers.csv, line 2, column amount: 0 is not over zero"),
        (
            {"markers": "marker,player,amount\nM1,g-1,5\nM1,g-2,6\n"},
            "markers.csv, line 3, column marker: This is in line 2 already",
        ),
        (
            {"history": "table,month,drop,win\nR9,2025-11,1,1\n"},
            "line 2, column table: There is no table R9",
        ),
        (
            {"history": "table,month,drop,win\nR1,2027-11,1,1\n"},
            "line 2, column month: 2027-11 is in the future",
        ),
        (
            {"history": "table,month,drop,win\nR1,2025-11,1,1\nR1,11.2025,2,2\n"},
            "history.csv, line 3, column month: This is in line 2 already",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_to_do(
    empty: HouseState, texts: dict[str, str], complaint: str
) -> None:
    faults_ = faults(empty, **texts)
    assert [fault for fault in faults_ if complaint in fault], faults_
    assert not [fault for fault in faults_ if ".." in fault], faults_


def test_every_mistake_is_listed_at_once(empty: HouseState) -> None:
    faults_ = faults(
        empty,
        staff="id,roles\na-1,administrator\nb-1,boss\nc-1,chief\n",
        markers="marker,player,amount\nM1,g-1,x\nM2,g-2,-1\n",
    )
    assert len(faults_) == 4


def test_a_currency_that_the_house_has_cannot_be_another_one() -> None:
    store = MemoryStore(lambda: NOW)
    moved_in(store)
    faults_ = faults(read(store, PROPERTY), property="setting,value\ncurrency,USD\n")
    assert any("The currency of the property is EUR" in fault for fault in faults_), faults_


def test_thousands_of_lines_are_checked_in_little_cpu_time(empty: HouseState) -> None:
    """A line costs no more among thousands than among hundreds."""

    def cost(count: int) -> float:
        staff = "id,roles\na-001,administrator\n" + "".join(f"d-{number},dealer\n" for number in range(count))
        markers = "marker,player,amount\n" + "".join(f"M{number},g-{number},5.00\n" for number in range(count))
        gc.collect()
        gc.disable()  # what it costs depends on all that other tests have left
        began = time.process_time()
        opening = folder_reading.read(files(staff=staff, markers=markers))
        assert import_checks.faults(opening, empty) == []
        assert len(steps(opening, empty)) > 2 * count
        spent = time.process_time() - began
        gc.enable()
        return spent

    cost(100)
    few = min(cost(400) for _ in range(3))
    assert min(cost(4_000) for _ in range(3)) < 50 * few  # a hundred times, if it grew by the square
