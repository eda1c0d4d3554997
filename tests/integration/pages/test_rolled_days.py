"""Both days of a table that was rolled, as people see them: opener is closer, each stake on one day, each leads on."""

import pytest
from django.test import Client

from projections.invariants import findings
from tests.regressions.test_rolled_days import FLOAT, NEXT, in_prison, spin
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import figures, log_total, source, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def rolled(house: House) -> House:
    """Leave a bet in prison over midnight. It is lost on the next day, which is then closed."""
    house.open_table("FR1")
    in_prison(house)
    house.ok("tables", "FR1", "ines", house.action("session.roll", gaming_day=NEXT, closer=FLOAT))
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    spin(house, 2, wheel="ccw")
    closer = {**FLOAT, "500": FLOAT["500"] + 1}
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=closer))
    evening_with_everything.project(house)
    return house


def test_each_day_leads_to_the_other(client: Client, rolled: House) -> None:
    assert f'href="/tables/FR1/{NEXT}"' in source(client, f"/tables/FR1/{DAY}")
    assert f'href="/tables/FR1/{DAY}"' in source(client, f"/tables/FR1/{NEXT}")
    assert f"Continues in {NEXT} , 5.00 on the layout" in words(client, f"/tables/FR1/{DAY}")
    assert f"Continues from {DAY} , 5.00 on the layout" in words(client, f"/tables/FR1/{NEXT}")


@pytest.mark.parametrize("day", [DAY, NEXT])
def test_every_figure_is_the_sum_of_the_events_behind_it(client: Client, rolled: House, day: str) -> None:
    figures_ = figures(client, f"/tables/FR1/{day}")
    assert {"closer", "stakes", "opener"} <= figures_.keys()
    for name, (address, amount) in figures_.items():
        assert abs(log_total(client, address)) == abs(amount), (name, address)


def test_the_books_of_both_days_are_right(client: Client, rolled: House) -> None:
    assert findings() == []
    old, new = (client.get(f"/api/v1/tables/FR1/{day}").json() for day in (DAY, NEXT))
    assert (old["closer_minor"], old["rolled_into"], old["carried_out_minor"]) == (new["opener_minor"], NEXT, 500)
    assert [day["head"]["stakes_minor"] for day in (old, new)] == [0, 500]
    assert [day["head"]["reckoning"]["event_win_minor"] for day in (old, new)] == [0, 500]
    assert [day["head"]["reckoning"]["inventory_win_minor"] for day in (old, new)] == [0, 500]


def test_the_first_event_of_the_next_day_is_linked_to_the_last_of_the_old(client: Client, rolled: House) -> None:
    first = rolled.store.stream(f"athens/tables/FR1/{NEXT}")[0]
    last = rolled.store.stream(f"athens/tables/FR1/{DAY}")[-1]
    page = source(client, f"/events/{first.position}")
    assert f"/events/{last.position}" in page
