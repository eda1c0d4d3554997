"""Table screens of craps and baccarat, of a counted-only table, and of a game that declares no screen."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events.games.craps.ruleset import rules as rules_of_craps
from events.games.craps.throw_validity_and_next_shooter import Throw, throw_check
from events.rules import game_declaration_and_registry as games
from events.tables.screen.screen import Screen, StepView
from tests.support.houses.small_house import DAY, House
from tests.support.tables.random_table_taps import DICE_SET, PEOPLE, Walk
from tests.toys.bigsix.game_declaration import GAME


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.close()


def opened(house: House, table: str, game: str, ruleset: str, **installed: Any) -> None:
    data = {"pit": "A", "table": table, "game": game, "ruleset": ruleset, **installed}
    house.agreed("floor", "", ("adam", "paul"), house.action("table.install", **data))
    opener = {"100": 1_000, "500": 1_000}
    house.ok("tables", table, "ines", house.action("session.open", gaming_day=DAY, opener=opener))
    if installed.get("recorded", True):
        house.ok("tables", table, "ines", house.action("limits.post", minimum_minor=500, maxima_minor={}))


def staff(house: House, table: str) -> None:
    for post, person in (("dealer", "dora"), ("inspector", "ines")):
        house.ok("tables", table, "ines", house.action("staff.assign", post=post, person=person))


def screen(house: House, table: str) -> Screen:
    return house.desk.questions.screen(table, None, PEOPLE)


def step(shown: Screen, do: str, **data: Any) -> StepView:
    return next(step for step in shown.steps if step.do == do and dict(step.data) == data)


def lay(house: House, table: str, **data: Any) -> None:
    house.ok("tables", table, "dora", house.action("bet.place", amount_minor=1_000, **data))


# --- craps ----------------------------------------------------------------------------------------------------


@pytest.fixture
def craps(house: House) -> House:
    opened(house, "CG1", "craps", "craps-gr")
    for post, person in (("dealer", "dora"), ("second dealer", "d2"), ("stickman", "s1"), ("inspector", "ines")):
        house.ok("tables", "CG1", "ines", house.action("staff.assign", post=post, person=person))
    house.ok("tables", "CG1", "ines", house.action("dice.put", dice=DICE_SET), house.action("round.open"))
    lay(house, "CG1", bet="p", wager="pass", player="p", seat=1)
    house.ok("tables", "CG1", "dora", house.action("shooter.appoint", seat=1, player="p"))
    return house


def roll(house: House, *dice: int) -> None:
    shown = screen(house, "CG1")
    if shown.play.dice and not shown.play.chosen:
        house.ok("tables", "CG1", "dora", house.action("dice.choose", places=[0, 1]))
    house.ok("tables", "CG1", "dora", house.action("dice.offer"))
    rolling = next(step for step in screen(house, "CG1").steps if step.size == "large")
    assert (rolling.do, rolling.asks) == ("dice.roll", ("dice",))
    house.ok("tables", "CG1", "dora", house.action("dice.roll", dice=dice))


def test_odds_are_laid_on_their_place_with_the_bet_that_they_go_with(craps: House) -> None:
    names = {place.place for place in screen(craps, "CG1").places}
    assert {"pass", "pass_odds", "come", "come_odds 6", "place 6", "hardway 8", "field", "any7"} <= names
    refused = {place.place for place in screen(craps, "CG1").refused_places}
    assert {"come", "pass_odds"} <= refused
    roll(craps, 4, 2)
    shown = screen(craps, "CG1")
    assert [(data.place, data.seat, dict(data.data)) for data in shown.place_data] == [("pass_odds", 1, {"base": "p"})]
    refused_at = {(place.place, place.seat) for place in shown.refused_places}
    assert ("pass_odds", 1) not in refused_at
    assert ("pass_odds", 2) in refused_at
    assert ("pass", None) in refused_at, "line bets are made before the come-out"
    lay(craps, "CG1", wager="pass_odds", player="p", seat=1, bet="o", base="p")


def test_a_won_place_bet_can_be_pressed_and_its_roll_is_entered_by_21_pairs(craps: House) -> None:
    roll(craps, 4, 4)
    lay(craps, "CG1", bet="six", wager="place", number=6, player="q", seat=2, after_win="stay")
    roll(craps, 5, 1)
    shown = screen(craps, "CG1")
    press = step(shown, "bet.press", bet="six")
    assert (press.label, press.size, press.may_be_next) == ("Press place 6", "small", False)
    assert [(due.place, due.amount_minor) for due in shown.due] == [("place 6", 1_166)]
    assert (shown.due[0].chips, shown.due[0].rest_minor) == (((500, 2), (100, 1)), 66)
    pad = next(pad for pad in shown.pads if pad.name == "dice")
    assert (pad.kind, pad.ordered) == ("dice", False)


def test_a_faulty_throw_is_called_off_with_its_fault(craps: House) -> None:
    craps.ok("tables", "CG1", "dora", craps.action("dice.choose", places=[0, 1]), craps.action("dice.offer"))
    shown = screen(craps, "CG1")
    call_off = next(step for step in shown.steps if step.do == "roll.call_off" and step.asks == ("fault",))
    assert (call_off.refusal, call_off.group) == (None, "mistakes")
    pad = next(pad for pad in shown.pads if pad.name == "fault")
    off = next(option for option in pad.options if option.label == "Die off the table")
    craps.ok("tables", "CG1", "dora", craps.action("roll.call_off", **off.value))


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_only_faults_for_which_the_ruleset_calls_no_roll_are_offered(house: House, ruleset: str) -> None:
    opened(house, "CG1", "craps", ruleset)
    pad = next(pad for pad in screen(house, "CG1").pads if pad.name == "fault")
    seen = [option.value["seen"] for option in pad.options]
    rules = rules_of_craps(ruleset)
    assert all(throw_check(rules, Throw(**throw)) for throw in seen)
    faults = set(msgspec.structs.asdict(Throw())) - {"past_middle", "hit_end"}
    observations = [{fault: True} for fault in faults] + [{"past_middle": 1}, {"hit_end": 0}]
    expected = {reason for throw in observations for reason in throw_check(rules, Throw(**throw))}
    assert {reason for throw in seen for reason in throw_check(rules, Throw(**throw))} == expected


def test_a_place_that_is_staked_in_multiples_says_so_with_the_refusal_of_the_decider(house: House) -> None:
    opened(house, "CG1", "craps", "craps-by")
    posts = (("dealer", "dora"), ("second dealer", "d2"), ("stickman", "s1"), ("inspector", "ines"), ("manager", "m1"))
    for post, person in posts:
        house.ok("tables", "CG1", "ines", house.action("staff.assign", post=post, person=person))
    house.ok("tables", "CG1", "ines", house.action("dice.put", dice=DICE_SET), house.action("round.open"))
    units = {unit.place: unit for unit in screen(house, "CG1").place_units}
    minor = {name: unit.unit_minor for name, unit in units.items()}
    assert minor == {f"place {number}": 600 if number in (6, 8) else 500 for number in (4, 5, 6, 8, 9, 10)}
    for name, unit in units.items():
        about = {"wager": "place", "number": int(name.split()[1]), "player": "p", "seat": 1}
        no = house.no("tables", "CG1", "dora", house.action("bet.place", bet="b", amount_minor=1_300, **about))
        refusal = unit.refusal
        assert (no.code, no.clause, no.source) == (refusal.code, refusal.clause, refusal.source)
        assert (no.params or {})["chips"] == (refusal.params or {})["chips"] == unit.unit_minor // 100
        bet = house.action("bet.place", bet=name, amount_minor=2 * unit.unit_minor, **about)
        house.ok("tables", "CG1", "dora", bet)


# --- baccarat -------------------------------------------------------------------------------------------------


def test_a_coup_goes_by_its_cards(house: House) -> None:
    opened(house, "BA1", "baccarat", "baccarat")
    shown = screen(house, "BA1")
    large = [(step.do, dict(step.data)) for step in shown.steps if step.size == "large"]
    assert large == [("shoe.load", {"packs": 8})]
    staff(house, "BA1")
    house.ok("tables", "BA1", "dora", house.action("shoe.load", shoe="s1", packs=8))
    house.ok("tables", "BA1", "dora", house.action("shoe.burn", card="2C"))
    house.ok("tables", "BA1", "dora", house.action("round.open"))
    lay(house, "BA1", bet="b", wager="banker", player="p", seat=10)
    banker = next(place for place in screen(house, "BA1").places if place.place == "banker")
    assert (banker.seated, len(banker.spots)) == (True, 10)
    house.ok("tables", "BA1", "dora", house.action("bets.close"))
    labels = []
    for card in ("2C", "9D", "3H", "KS"):
        deal = next(step for step in screen(house, "BA1").steps if step.size == "large")
        labels.append(deal.label)
        house.ok("tables", "BA1", "dora", house.action("card.deal", card=card, **deal.data))
    assert labels == ["Card to player", "Card to banker", "Card to player", "Card to banker"]
    shown = screen(house, "BA1")
    assert [(due.place, due.seat, due.amount_minor) for due in shown.due] == [("banker", 10, 950)]


# --- counted only, and a game of somebody else's -----------------------------------------------------------------


def test_a_counted_only_table_has_its_business_without_bets(house: House) -> None:
    opened(house, "FR2", "roulette", "roulette-french", recorded=False)
    shown = screen(house, "FR2")
    assert (shown.places, shown.refused_places, shown.recorded) == ((), (), False)
    offered = {step.do for step in shown.steps}
    assert {"buyin.make", "chips.exchange", "fill.request", "table.count", "shift.count", "session.close"} <= offered
    assert not {"round.open", "bet.place", "ball.land", "round.void"} & offered
    house.ok("tables", "FR2", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=5_000))


@pytest.fixture
def bigsix() -> Iterator[None]:
    games.register(GAME)
    yield
    games.withdraw(GAME.name)


@pytest.mark.usefixtures("bigsix")
def test_a_game_without_a_screen_of_its_own_is_played_by_one(house: House) -> None:
    opened(house, "BS1", "bigsix", "bigsix")
    staff(house, "BS1")
    walk = Walk(house, "BS1", seed=6)
    shown = walk.screen()
    assert {place.place for place in shown.places} == {"one", "two", "five", "ten", "twenty", "joker", "star"}
    assert [place.place for place in shown.places] == [field.text.lower() for field in shown.panes[0].fields]
    stop = next(step for step in shown.steps if step.do == "wheel.stop")
    pads = {pad.name: pad for pad in shown.pads}
    assert [(pads[name].kind, len(pads[name].options)) for name in stop.asks] == [("text", 7), ("number", 101)]
    for _ in range(40):
        if next((step for step in walk.screen().steps if step.size == "large"), stop).do == "wheel.stop":
            walk.send("wheel.stop", {"symbol": "one", "turns": 3})
        walk.tap()
    assert walk.screen().round > 1


def test_a_place_that_is_staked_in_multiples_of_chips_is_not_grey(house: House) -> None:
    opened(house, "CB1", "craps", "craps-by")
    staff = {"dealer": "dora", "second dealer": "d2", "stickman": "s1", "inspector": "ines", "manager": "m1"}
    for post, person in staff.items():
        house.ok("tables", "CB1", "ines", house.action("staff.assign", post=post, person=person))
    house.ok("tables", "CB1", "ines", house.action("dice.put", dice=DICE_SET))
    house.ok("tables", "CB1", "dora", house.action("round.open"))
    refused = {place.place: place.refusal.message for place in screen(house, "CB1").refused_places}
    assert not {place: why for place, why in refused.items() if place.startswith(("place", "buy", "lay"))}


def test_after_zero_every_even_chance_is_asked_half_or_prison(house: House) -> None:
    house.open_table("FR1")
    act = house.action
    house.ok("tables", "FR1", "dora", act("round.open"))
    for bet, wager in (("r", "red"), ("d", "dozen")):
        about = {"which": 1} if wager == "dozen" else {}
        lay(house, "FR1", bet=bet, wager=wager, player="p", seat=1, **about)
    spin = [act("ball.launch", wheel="cw", ball="ccw"), act("bets.close"), act("ball.land", number=0)]
    house.ok("tables", "FR1", "dora", *spin)
    shown = screen(house, "FR1")
    instructions = [dict(step.data) for step in shown.steps if step.do == "bet.instruct" and step.data]
    assert instructions == [{"bet": "r"}]
    chosen = step(shown, "bet.instruct", bet="r")
    assert (chosen.refusal, chosen.size) == (None, "small")
    house.ok("tables", "FR1", "dora", act("bet.instruct", bet="r", on_zero="prison"))
