"""Heads at every table, and results of a table that is counted only."""

from collections.abc import Iterator

import pytest

from events.envelope import Who
from events.tables.screen.screen import Screen
from tests.support.houses.small_house import DAY, House

DORA, INES = (Who(person=person, roles=frozenset(), factor_s=0) for person in ("dora", "ines"))


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    house.open_table("FR1")
    for table, game, ruleset in (
        ("CO1", "roulette", "roulette-french"),
        ("CO2", "baccarat", "baccarat"),
        ("CO3", "craps", "craps-gr"),
        ("CO4", "blackjack", "blackjack-trilux"),
    ):
        about = {"pit": "A", "table": table, "game": game, "ruleset": ruleset, "recorded": False}
        house.agreed("floor", "", ("adam", "paul"), house.action("table.install", **about))
        opening = house.action("session.open", gaming_day=DAY, opener={"500": 1_000})
        house.ok("tables", table, "ines", opening)
    yield house
    house.close()


def screen(house: House, table: str) -> Screen:
    return house.desk.questions.screen(table, None, (DORA, INES))


def large(house: House, table: str) -> list[str]:
    return [step.do for step in screen(house, table).steps if step.size == "large"]


@pytest.mark.parametrize("table", ["FR1", "CO1"])
def test_heads_are_counted_at_every_table(house: House, table: str) -> None:
    assert "heads.count" in {step.do for step in screen(house, table).steps}
    counted = house.ok("tables", table, "dora", house.action("heads.count", heads=7))[-1]
    assert (counted.type, counted.data.heads, counted.data.table) == ("heads.counted.v1", 7, table)
    for heads in (-1, 100, "7"):
        assert house.no("tables", table, "dora", house.action("heads.count", heads=heads)).status == 400


@pytest.mark.parametrize(
    ("table", "result", "kind"),
    [("CO1", "17", "number"), ("CO2", "banker", "choice"), ("CO3", "7", "number"), ("CO4", "blackjack", "text")],
)
def test_a_result_is_the_next_step_where_a_house_notes_results(
    house: House, table: str, result: str, kind: str
) -> None:
    assert large(house, table) == []
    step = next(step for step in screen(house, table).steps if step.do == "result.note")
    pad = next(pad for pad in screen(house, table).pads if pad.name in step.asks)
    assert (pad.field, pad.kind) == ("result", kind)
    assert not pad.options or result in {option.value for option in pad.options}
    noted = house.ok("tables", table, "dora", house.action("result.note", result=result))
    assert large(house, table) == ["result.note"]
    assert noted[-1].data.result == result


def test_a_table_with_bets_offers_no_note_of_results(house: House) -> None:
    assert "result.note" not in {step.do for step in screen(house, "FR1").steps}
