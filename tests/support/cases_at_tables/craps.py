"""Craps cases played at a table by a robot dealer: first the table is brought to where the case begins."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.cases_at_tables.amounts import Case, Differences, Events, NotPlayable, minor, whole
from tests.support.tables.robot_dealer import RefusedTap, RobotDealer

SEAT = 1
LINE = ("pass", "dont_pass")
TRAVEL = ("come", "dont_come")
BEHIND_LINE = ("pass_odds", "dont_pass_odds")
EASY = {4: (1, 3), 5: (2, 3), 6: (2, 4), 8: (3, 5), 9: (4, 5), 10: (4, 6)}
NO_ROLLS = {"off table": {"off_table": True}, "slid": {"slid": True}, "cocked": {"cocked": True}}
DECISIVE = ("win", "lose", "push")


class CrapsTable:
    """A craps table under a robot dealer, with the names that the screen has given to a case's bets."""

    def __init__(self, robot: RobotDealer, events: Events) -> None:
        self.robot, self.events = robot, events
        self.names: dict[str, str] = {}
        self.bets: dict[str, Case] = {}
        self.numbers: dict[str, int] = {}  # where come bets lie

    # --- bets ---------------------------------------------------------------------------------------------------

    def lay(self, bet: Case) -> None:
        """Raises RefusedTap."""
        place = self.place_of(bet)
        amount = whole(bet["stake"])
        self.robot.records_facts = bet["type"].endswith("odds")  # a case's odds may be over the flat bet's
        try:
            self.names[bet["id"]] = self.robot.staked(place, amount, player_seat=SEAT)
        finally:
            self.robot.records_facts = False
        self.bets[bet["id"]] = bet
        for wish in ("working", "after_win"):
            if wish in bet and not (wish == "after_win" and bet[wish] == "down"):
                self.instruct(bet["id"], **{wish: bet[wish]})

    def place_of(self, bet: Case) -> str:
        """Odds on a come bet lie at its number."""
        if bet["type"] in ("come_odds", "dont_come_odds"):
            number = self.numbers.get(bet.get("base", ""))
            if number is None:
                raise RefusedTap("no such bet to go with")
            return f"{bet['type']} {number}"
        number = None if bet["type"] in TRAVEL else bet.get("number")
        return bet["type"] if number is None else f"{bet['type']} {number}"

    def instruct(self, bet: str, **wish: Any) -> None:
        self.robot.step("bet.instruct", {"bet": self.names[bet], **wish})

    def take_down(self, bet: str) -> int:
        """The amount that is handed back. Raises RefusedTap.

        A long press takes back the last bet of its place. Another one is chosen by its name.
        """
        start, place, on_table = len(self.events()), self.place_of(self.bets[bet]), self.robot.bets()
        lying = [other for other in self.names if self.names[other] in on_table]
        if bet not in lying:
            raise RefusedTap("nothing lies there any more")
        if [other for other in lying if self.place_of(self.bets[other]) == place][-1:] == [bet]:
            self.robot.take_back(place)
        else:
            self.robot.step("bet.withdraw", {"bet": self.names[bet]})
        gone = [event.data for event in self.events()[start:] if event.type == "bet.withdrawn.v1"]
        return sum(withdrawn.amount_minor + withdrawn.commission_minor for withdrawn in gone)

    # --- throws -------------------------------------------------------------------------------------------------

    def ready(self) -> None:
        """Bring the dice to the shooter. That he has no line bet is recorded as a fact: a case may have none."""
        for _turn in range(8):
            if self.robot.shows(".dock-pad [data-dice]"):
                return
            self._next()
        raise RefusedTap("the dice do not come")

    def _next(self) -> None:
        robot = self.robot
        robot.pay_all()
        if robot.phase_now in ("idle", "settled"):
            self.open()
        elif robot.may("shooter.appoint"):
            robot.step("shooter.appoint", {"seat": SEAT, "player": self.player()})
        elif robot.shows(".dock-pad [data-choice]"):
            robot.answer(".dock-pad [data-choice]")
        elif robot.may("dice.choose"):
            robot.step("dice.choose")
        else:
            robot.records_facts = True
            robot.step("dice.offer")
            robot.records_facts = False

    def player(self) -> str:
        """The player at the seat, as the screen names him."""
        return str(self.robot.page.locator(f'[data-do=player][data-seat="{SEAT}"]').get_attribute("data-player"))

    def open(self) -> None:
        """A round in which bets are taken."""
        if self.robot.phase_now == "settled":
            self.robot.pay_all()
            self.robot.step("round.end")
        if self.robot.phase_now == "idle":
            self.robot.step("round.open")

    def roll(self, first: int, second: int) -> Sequence[Any]:
        """A throw; its events."""
        self.ready()
        start = len(self.events())
        self.robot.records_facts = True
        self.robot.roll(first, second)
        self.robot.records_facts = False
        new = self.events()[start:]
        by_name = {name: bet for bet, name in self.names.items()}
        for event in new:
            if event.type == "bet.moved.v1" and event.data.bet in by_name:
                self.numbers[by_name[event.data.bet]] = event.data.number
        self.robot.pay_all()
        return new

    # --- where a case begins ------------------------------------------------------------------------------------

    def begin(self, point: int | None, bets: Sequence[Case]) -> None:
        """Bring the table to a point, with these bets. Raises NotPlayable if the table cannot reach it."""
        travelled = [bet for bet in bets if bet["type"] in TRAVEL and bet.get("number")]
        self.open()
        if travelled and point is None:
            self._travel_before_come_out(travelled)
        if point is not None:
            self._set_point(point, [bet for bet in bets if bet["type"] in LINE], travelled)
        already = {bet["id"] for bet in travelled} | set(self.names)
        for bet in bets:
            if bet["id"] not in already:
                self.lay(bet)

    def _set_point(self, point: int, line: Sequence[Case], travelled: Sequence[Case]) -> None:
        for bet in line:
            self.lay(bet)
        self.roll(*EASY[point])
        self._travel(travelled, avoid=point)

    def _travel(self, bets: Sequence[Case], avoid: int) -> None:
        for number in sorted({bet["number"] for bet in bets}):
            if number == avoid or number not in EASY:
                raise NotPlayable
            for bet in bets:
                if bet["number"] == number:
                    self.lay({name: value for name, value in bet.items() if name not in ("working", "after_win")})
            self.roll(*EASY[number])
        for bet in bets:
            for wish in ("working", "after_win"):
                if wish in bet and bet[wish] != "down":
                    self.instruct(bet["id"], **{wish: bet[wish]})

    def _travel_before_come_out(self, bets: Sequence[Case]) -> None:
        free = next((number for number in EASY if number not in {bet["number"] for bet in bets}), None)
        if free is None:
            raise NotPlayable
        self.roll(*EASY[free])
        self._travel(bets, avoid=free)
        self.roll(*EASY[free])
        self.open()


def _check(table: CrapsTable, rolled: Sequence[Any], expect: Case) -> Differences:
    """Return the differences between a throw at the table and the case."""
    thrown = next(event.data for event in rolled if event.type == "dice.rolled.v1")
    differences = []
    if thrown.point_after != expect["point_after"]:
        differences.append(f"point {thrown.point_after} and not {expect['point_after']}")
    profits: dict[str, int] = {}
    for event in rolled:
        if event.type == "bet.settled.v1":
            profits[event.data.bet] = profits.get(event.data.bet, 0) + event.data.profit_minor
    for result in expect["resolutions"]:
        profit = profits.get(table.names.get(result["bet"], ""))
        if result["outcome"] in DECISIVE and (profit is None or abs(profit - minor(result["profit"])) >= 1):
            differences.append(f"{result['bet']}: {profit} and not {minor(result['profit'])}")
        if result["outcome"] == "stands" and profit:
            differences.append(f"{result['bet']}: {profit}, and it stands")
    return differences


def play_rolls(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """Throws, with bets lying from the beginning."""
    if inputs.get("options", {}).get("bar", 12) != 12 and any(bet["type"].startswith("dont") for bet in inputs["bets"]):
        raise NotPlayable
    table = CrapsTable(robot, events)
    table.begin(inputs["point"], inputs["bets"])
    differences: Differences = []
    for dice, expected in zip(inputs["rolls"], expect.get("rolls", inputs["rolls"]), strict=False):
        rolled = table.roll(*dice)
        if "error" not in expect:
            differences += _check(table, rolled, expected)
    return differences


def play_session(robot: RobotDealer, inputs: Case, expect: Case, events: Events) -> Differences:
    """Bets laid and taken down between throws, and calls of no roll."""
    table, differences = CrapsTable(robot, events), []
    table.open()
    for event, expected in zip(inputs["events"], expect["events"], strict=True):
        ((what, about),) = event.items()
        deed = _DEEDS[what]
        if what in ("place", "remove", "working"):
            table.open()
        try:
            differences += deed(table, about, expected)
        except RefusedTap as refused:
            if expected.get("accepted", True):
                differences.append(f"{event} was refused: {refused}")
    return differences


def _place(table: CrapsTable, bet: Case, expected: Case) -> Differences:
    if bet["id"] in table.names:
        return []  # the screen names every bet anew
    table.lay(bet)
    return [] if expected["accepted"] else [f"{bet} was taken"]


def _remove(table: CrapsTable, bet: str, expected: Case) -> Differences:
    if bet not in table.names:
        raise RefusedTap("nothing lies there")
    back = table.take_down(bet)
    if not expected["accepted"]:
        return [f"{bet} was taken down"]
    return [] if back == minor(expected["returned"]) else [f"{back} back and not {expected['returned']}"]


def _switch(table: CrapsTable, wish: Mapping[str, Any], expected: Case) -> Differences:
    if wish["bet"] not in table.names:
        raise RefusedTap("nothing lies there")
    table.instruct(wish["bet"], working=wish["on"])
    return [] if expected["accepted"] else [f"{wish} was taken"]


def _offer(table: CrapsTable, _offered: Any, _wanted: Case) -> Differences:
    table.ready()
    return []


def _no_roll(table: CrapsTable, why: str, _wanted: Case) -> Differences:
    table.ready()
    start = len(table.events())
    table.robot.step("roll.call_off", {"fault": {"seen": NO_ROLLS[why]}})
    new = [event.type for event in table.events()[start:]]
    return [] if new == ["roll.called_off.v1"] else [f"no roll: {new}"]


def _roll(table: CrapsTable, dice: Sequence[int], expected: Case) -> Differences:
    return _check(table, table.roll(*dice), expected)


_DEEDS: Mapping[str, Callable[[CrapsTable, Any, Case], Differences]] = {
    "place": _place, "remove": _remove, "working": _switch, "offer_dice": _offer, "no_roll": _no_roll, "roll": _roll,
}  # fmt: skip


def clear(robot: RobotDealer, events: Events) -> None:
    """Throw until no bet is on the layout and no point is set."""
    table = CrapsTable(robot, events)
    for dice in ((3, 4), (3, 4), (1, 1), *(dice for dice in EASY.values()), (3, 4)):
        if not robot.bets() and robot.phase_now in ("idle", "settled"):
            break
        table.roll(*dice)
    if robot.phase_now == "settled":
        robot.step("round.end")
