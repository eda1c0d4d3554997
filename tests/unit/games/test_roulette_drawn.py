"""The roulette wheel and cloth, drawn: every place has a spot of its own, and chips lie where they belong."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.games.roulette import layout
from events.games.roulette.event_types import BallLanded, BallLaunched, SpinCalledOff
from events.games.roulette.table_picture import ORDER, draw
from events.games.roulette.wheel_state_and_personal_limits import WheelPlay
from events.rules.picture_shapes import Chip, Drawn, Pane
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.table_session_state_structs import Bet, DueWinnings, Session

WHERE: dict[str, Any] = {"pit": "A", "table": "R", "gaming_day": "2026-11-20", "shift": "day", "ruleset": "roulette@1"}
SESSION = Session(
    stream="athens/tables/R/2026-11-20",
    table="R",
    pit="A",
    game="roulette",
    plays=TakenRuleset("roulette-american", "1"),
    currency="EUR",
    gaming_day="2026-11-20",
    play=WheelPlay(),
)
FRENCH = replace(SESSION, plays=TakenRuleset("roulette-french", "1"))
THROWN = BallLaunched(**WHERE, wheel="cw", ball="ccw")


def bets() -> list[Bet]:
    """One on every place of the cloth."""
    bets_ = []
    for wager in layout.TYPES:
        for place, numbers in enumerate(layout.places(wager), 1):
            named = numbers if wager in layout.NUMBER_BETS else ()
            which = place if wager in layout.GROUP_BETS else None
            bets_.append(Bet(f"{wager}-{place}", wager, 100, "g-1", numbers=named, which=which))
    return bets_


def pane(drawn: Drawn, code: str) -> Pane:
    return next(pane_ for pane_ in drawn.panes if pane_.code == code)


def chips(session: Session, *lying: Bet) -> dict[str, Chip]:
    with_bets = replace(session, bets={bet.id: bet for bet in lying})
    return {chip.bet: chip for chip in pane(draw(with_bets, []), "layout").chips}


@pytest.mark.parametrize("session", [SESSION, FRENCH], ids=["american", "french"])
def test_every_place_of_the_cloth_has_a_spot_of_its_own(session: Session) -> None:
    lying = bets()
    assert len(lying) == 37 + 60 + 14 + 23 + 11 + 3 + 3 + 6
    chips_ = chips(session, *lying)
    assert len({(chip.x, chip.y) for chip in chips_.values()}) == len(lying)
    cloth = pane(draw(session, []), "layout")
    assert all(0 <= chip.x <= cloth.width and 0 <= chip.y <= cloth.height for chip in chips_.values())


@pytest.mark.parametrize("session", [SESSION, FRENCH], ids=["american", "french"])
def test_a_chip_lies_in_its_field_and_touches_the_numbers_it_covers(session: Session) -> None:
    fields = {int(field.text): field for field in pane(draw(session, []), "layout").fields if field.text.isdecimal()}
    for bet in bets():
        chip = chips(session, bet)[bet.id]
        touched = {
            number
            for number, field in fields.items()
            if field.x <= chip.x <= field.x + field.width and field.y <= chip.y <= field.y + field.height
        }
        if bet.wager in ("straight", "split", "corner") and bet.numbers != (0, 1, 2, 3):
            assert touched == set(bet.numbers), bet
        elif bet.numbers:
            assert touched <= set(bet.numbers), bet
            assert touched, bet


def test_the_wheel_has_each_number_once_red_and_black_in_turn() -> None:
    assert sorted(ORDER) == list(layout.NUMBERS)
    colours = [layout.colour(number) for number in ORDER[1:]]
    assert colours == ["red", "black"] * 18
    wheel = pane(draw(SESSION, []), "wheel")
    assert [note.text for note in wheel.notes] == [str(number) for number in ORDER]


def test_the_ball_runs_until_it_rests_and_a_spin_that_is_none_takes_it_away() -> None:
    landed = BallLanded(**WHERE, number=17, colour="black")
    seen = []
    for events in ([], [THROWN], [THROWN, landed], [THROWN, SpinCalledOff(**WHERE, reason="no spin")]):
        drawn = draw(SESSION, events)
        looks = [disc.look for disc in (*pane(drawn, "wheel").discs, *pane(drawn, "layout").discs)]
        seen.append((len(pane(drawn, "wheel").marks), looks))
    assert seen == [(0, []), (2, []), (0, ["ball", "black", "dolly"]), (0, [])]


def test_bets_of_several_on_one_place_lie_side_by_side() -> None:
    lying = [Bet(f"b{seat}", "red", 100, f"g-{seat}", seat=seat) for seat in range(1, 8)]
    chips_ = chips(SESSION, *lying)
    assert len({(chip.x, chip.y) for chip in chips_.values()}) == 7
    assert [chips_[f"b{seat}"].place for seat in (1, 7)] == [1, 7]


def test_what_is_due_lies_where_it_was_won_and_a_prisoner_is_marked() -> None:
    bet = Bet("b", "red", 100, "g-1", zeros=1)
    session = replace(
        SESSION, bets={"b": bet}, due={"w": DueWinnings(Bet("w", "straight", 100, "g-2", numbers=(5,)), 3_500)}
    )
    held, due = pane(draw(session, []), "layout").chips
    assert (held.is_held, held.is_due, held.amount_minor) == (True, False, 100)
    assert (due.is_held, due.is_due, due.amount_minor) == (False, True, 3_500)
    assert (due.x, due.y) == (lambda spot: (spot.x, spot.y))(
        chips(SESSION, Bet("w", "straight", 1, "g-2", numbers=(5,)))["w"]
    )
