"""The drawing of craps: each bet of both rulesets has its place, the puck is on the point, the dice lie as thrown."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.games.craps.point_shooter_and_dice_state import rules_of
from events.games.craps.ruleset import POINTS
from events.games.craps.table_picture import draw
from events.rules.picture_shapes import Die, Drawn, Pane
from events.tables.table_session_state_structs import Bet
from tests.support.tables.in_memory_tables import craps_table
from tests.unit.tables.test_craps import bet, line, on_six, throw


def pane(drawn: Drawn, code: str) -> Pane:
    return next(pane_ for pane_ in drawn.panes if pane_.code == code)


def lying(ruleset: str) -> tuple[Any, list[Bet]]:
    """A table, and one bet of each kind on every number it may be on."""
    table = craps_table(ruleset)
    bets = []
    for wager, shape in rules_of(table.state).data.bets.items():
        numbers: list[int | None] = [None]
        if shape.form in ("travelling", "odds", "number") and shape.number is None and "pass" not in wager:
            numbers = [*POINTS, *(numbers if shape.form == "travelling" else [])]
        if shape.form == "hardway":
            numbers = [4, 6, 8, 10]
        bets += [Bet(f"{wager}-{number}", wager, 1_000, "g-1", seat=1, number=number) for number in numbers]
    return table, bets


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_every_bet_has_its_place(ruleset: str) -> None:
    table, bets = lying(ruleset)
    assert len(bets) > 50
    cloth = pane(draw(replace(table.state, bets={laid.id: laid for laid in bets}), []), "layout")
    chips = {chip.bet: chip for chip in cloth.chips}
    assert len({(chip.x, chip.y) for chip in chips.values()}) == len(bets)
    fields = {field.code or field.text: field for field in cloth.fields}
    for laid in bets:
        chip = chips[laid.id]
        wager = laid.wager.removesuffix("_odds") if "pass" in laid.wager else laid.wager
        name = {4: "2+2", 6: "3+3", 8: "4+4", 10: "5+5"}[laid.number or 0] if wager == "hardway" else wager
        field = fields[str(laid.number) if laid.number and wager != "hardway" else name]
        assert field.x < chip.x < field.x + field.width, laid
        assert field.y < chip.y < field.y + field.height, laid


def test_the_puck_is_off_until_a_point_is_set_and_stands_on_it_then() -> None:
    seen = []
    for table in (line(), on_six(), throw(on_six(), 3, 3)):
        cloth = pane(draw(table.state, table.events), "layout")
        box = next(field for field in cloth.fields if field.text == "6")
        (puck,) = cloth.discs
        seen.append((puck.look, box.x < puck.x < box.x + box.width))
    assert seen == [("off", False), ("on", True), ("off", False)]


def test_the_dice_lie_as_they_fell_until_they_are_offered_again() -> None:
    table = on_six()
    dice = pane(draw(table.state, table.events), "dice").dice
    assert [die.face for die in dice] == [2, 4]
    table.ask("dice.offer")
    assert pane(draw(table.state, table.events), "dice").dice == ()


def test_a_die_shows_as_many_eyes_as_it_says() -> None:
    assert [len(set(Die(0, 0, face).pips)) for face in range(1, 7)] == [1, 2, 3, 4, 5, 6]


def test_a_come_bet_travels_to_its_number() -> None:
    table = on_six().ask("bet.place", **bet("c", "come"))
    before = next(chip for chip in pane(draw(table.state, []), "layout").chips if chip.bet == "c")
    throw(table, 4, 4)
    after = next(chip for chip in pane(draw(table.state, []), "layout").chips if chip.bet == "c")
    assert before.y > after.y
