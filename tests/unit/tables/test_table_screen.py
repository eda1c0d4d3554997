"""The table screen of a wheel: places, next steps, payments due, undo and repeated stakes are those of the rules."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events.envelope import Who
from events.games.roulette.layout import TYPES, places
from events.rules.picture_shapes import Pane
from events.tables.screen.screen import Screen, StepView
from events.tables.wager_places_on_screen import places_of
from tests.support.houses.small_house import House

DORA, INES = (Who(person=person, roles=frozenset(), factor_s=0) for person in ("dora", "ines"))
SPLIT = {"wager": "split", "numbers": [1, 2], "amount_minor": 500, "player": "p", "seat": 3}
RED = {"wager": "red", "amount_minor": 1_000, "player": "q", "seat": 1}


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    house.open_table("FR1")
    yield house
    house.close()


def screen(house: House, *actors: Who) -> Screen:
    return house.desk.questions.screen("FR1", None, actors or (DORA,))


def step(shown: Screen, do: str, **data: Any) -> StepView:
    return next(step for step in shown.steps if step.do == do and dict(step.data) == data)


def large(shown: Screen) -> list[str]:
    return [step.label for step in shown.steps if step.size == "large"]


def bet(house: House, name: str, data: dict[str, Any]) -> Any:
    return house.action("bet.place", bet=name, **data)


def spin(house: House, number: int) -> None:
    """The wheel turns against the time before."""
    wheel = next(step.data for step in screen(house).steps if step.do == "ball.launch" and step.refusal is None)
    house.ok("tables", "FR1", "dora", house.action("ball.launch", **wheel), house.action("bets.close"))
    house.ok("tables", "FR1", "dora", house.action("ball.land", number=number))


def test_every_place_of_the_cloth_can_be_tapped_under_the_name_of_its_wager(house: House) -> None:
    shown = screen(house)
    cloth = next(pane for pane in shown.panes if pane.code == "layout")
    names = [place.place for place in shown.places]
    assert len(names) == len(set(names)) == sum(len(places(wager)) for wager in TYPES)
    assert {"straight 17", "split 1-2", "corner 0-1-2-3", "column 2", "dozen 3", "red", "high"} <= set(names)
    for place in shown.places:
        assert min(place.x, place.y) >= 0
        assert place.x + place.width <= cloth.width
        assert place.y + place.height <= cloth.height


def test_a_chip_lies_in_the_rectangle_that_was_tapped(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    for number, place in enumerate(places_of(house.desk.questions.layout("FR1", None, DORA).ruleset)):
        data = {**place.data, "amount_minor": 500, "player": "p", "seat": 1}
        house.ok("tables", "FR1", "dora", bet(house, f"b{number}", data))
        chips = {chip.bet: chip for chip in _cloth(screen(house)).chips}
        chip = chips[f"b{number}"]
        assert place.x <= chip.x <= place.x + place.width, place
        assert place.y <= chip.y <= place.y + place.height, place
        house.ok("tables", "FR1", "dora", house.action("bet.withdraw", bet=f"b{number}"))


def _cloth(shown: Screen) -> Pane:
    return next(pane for pane in shown.panes if pane.code == "layout")


def test_the_next_steps_are_large_and_forbidden_ones_name_their_clause(house: House) -> None:
    assert large(screen(house)) == ["Open round"]
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    assert large(screen(house)) == ["Launch ball, wheel clockwise", "Launch ball, wheel counter-clockwise"]
    spin(house, 7)
    assert large(screen(house)) == ["End round"]
    house.ok("tables", "FR1", "dora", house.action("round.end"), house.action("round.open"))
    shown = screen(house)
    assert large(shown) == ["Launch ball, wheel counter-clockwise"]
    refusal = step(shown, "ball.launch", wheel="cw", ball="ccw").refusal
    assert refusal is not None
    assert (refusal.clause, refusal.source) == ("roulette-french P.1", "002 §1")
    problem = house.no("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"))
    assert (refusal.clause, refusal.source, refusal.reading) == (problem.clause, problem.source, problem.reading)


def test_the_number_pad_stands_open_after_no_more_bets(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), house.action("ball.launch", wheel="cw", ball="ccw"))
    house.ok("tables", "FR1", "dora", house.action("bets.close"))
    shown = screen(house)
    land = step(shown, "ball.land")
    pad = next(pad for pad in shown.pads if pad.name == "number")
    assert (land.size, land.asks, pad.kind, len(pad.options)) == ("large", ("number",), "number", 37)
    assert (pad.options[17].value, pad.options[17].look) == (17, "black")
    assert {refused.refusal.clause for refused in shown.refused_places} == {"roulette-french P.3"}
    assert {refused.place for refused in shown.refused_places} == {place.place for place in shown.places}


def test_due_is_in_the_order_of_payment_and_one_tap_pays_all(house: House) -> None:
    column = {"wager": "column", "which": 1, "amount_minor": 500, "player": "p", "seat": 3}
    stakes = [bet(house, "a", SPLIT), bet(house, "b", RED), bet(house, "c", column)]
    house.ok("tables", "FR1", "dora", house.action("round.open"), *stakes)
    spin(house, 1)
    shown = screen(house)
    assert [due.place for due in shown.due] == ["column 1", "red", "split 1-2"], "columns, even chances, numbers"
    assert [due.chips for due in shown.due] == [((500, 2),), ((500, 2),), ((2500, 3), (500, 2))]
    assert step(shown, "round.end").refusal is not None
    house.ok("tables", "FR1", "dora", *(house.action(pay.type, **pay.data) for pay in shown.all_paid))
    assert (screen(house).due, screen(house).all_paid) == ((), ())
    assert large(screen(house)) == ["End round"]


def test_what_is_undone_is_what_the_rules_allow(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), bet(house, "a", SPLIT), bet(house, "b", RED))
    ways = screen(house).undo
    assert [(way.do, way.data["bet"], way.label) for way in ways] == [
        ("bet.withdraw", "b", "Red"),
        ("bet.withdraw", "a", "Split 1-2"),
    ]
    by_inspector = screen(house, INES).undo
    assert [way.do for way in by_inspector][-1] == "round.void"
    correct = next(way for way in by_inspector if way.do == "bet.correct")
    assert (correct.data["bet"], correct.asks, correct.corrects) == ("b", ("amount_minor", "reason"), True)
    assert by_inspector[-1].second == (("inspector", "pit boss"), ("surveillance",))
    house.ok("tables", "FR1", "dora", house.action("bet.withdraw", **ways[0].data))
    assert [way.data["bet"] for way in screen(house).undo] == ["a"]
    spin(house, 30)
    assert [way.do for way in screen(house).undo] == []


def test_any_bet_is_taken_back_by_its_name_not_only_the_last_on_a_place(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), bet(house, "a", RED), bet(house, "b", RED))
    back = step(screen(house), "bet.withdraw")
    assert (back.asks, back.group, back.refusal) == (("bet",), "business", None)
    house.ok("tables", "FR1", "dora", house.action(back.do, bet="a"))
    assert [bet.bet for bet in screen(house).bets] == ["b"]


def test_the_last_stakes_are_laid_again_by_player_or_all(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), bet(house, "a", SPLIT), bet(house, "b", RED))
    spin(house, 30)
    house.ok("tables", "FR1", "dora", *(house.action(pay.type, **pay.data) for pay in screen(house).all_paid))
    house.ok("tables", "FR1", "dora", house.action("round.end"))
    assert screen(house).same_again == {}, "no bets are taken between rounds"
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    again = screen(house).same_again
    assert {player: len(stakes) for player, stakes in again.items()} == {"": 2, "p": 1, "q": 1}
    stakes = [house.action("bet.place", bet=f"n{number}", **stake) for number, stake in enumerate(again[""])]
    house.ok("tables", "FR1", "dora", *stakes)
    assert [lying.amount_minor for lying in screen(house).bets] == [500, 1_000]


def test_the_people_at_the_screen_are_judged_together(house: House) -> None:
    assert step(screen(house, DORA), "session.close").refusal is not None
    assert step(screen(house, DORA, INES), "session.close").refusal is None


def test_a_table_that_was_never_opened_offers_its_opening() -> None:
    house = House()
    shown = screen(house, INES)
    assert (shown.status, shown.version, large(shown)) == ("new", 0, ["Open table"])
    refusal = step(shown, "round.open").refusal
    assert refusal is not None
    assert refusal.clause == "house session"
    house.close()


def test_a_closed_table_offers_the_opening_of_its_next_day(house: House) -> None:
    closer = {"100": 1_000, "500": 1_000, "2500": 1_000}
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=closer))
    shown = screen(house, INES)
    assert (shown.status, large(shown)) == ("closed", ["Open table"])
    day = next(pad.default for pad in shown.pads if pad.kind == "day")
    assert day > shown.gaming_day
    house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day=day, opener=closer))


def test_the_screen_is_made_without_writing_or_keeping_anything(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("round.open"), bet(house, "a", SPLIT))
    before = house.store.position()
    first, second = screen(house), screen(house)
    assert house.store.position() == before
    assert msgspec.json.encode(first) == msgspec.json.encode(second)


def test_without_signal_the_wheel_turns_the_other_way_each_time(house: House) -> None:
    def wheel_directions() -> list[str]:
        offline = screen(house).offline_round
        assert offline is not None
        return [step.data["wheel"] for block in offline.blocks for step in block.steps if step.do == "ball.launch"]

    assert wheel_directions() == ["cw", "ccw"]
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="ccw", ball="cw"))
    assert wheel_directions() == ["ccw", "cw"], "this spin, then the next one"
