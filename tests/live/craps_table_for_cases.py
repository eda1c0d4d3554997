"""A craps table for cases: throws bring the bets to the state of the case, then the throw of the case follows.

`settle` answers each throw as a case of its own, with all bets on the layout and the shooter's bet. So every throw at
the table is checked, even if the case asks about something else.
"""

from contextlib import suppress
from fractions import Fraction
from itertools import cycle
from typing import Any

from events.games.cases import answer
from events.games.craps.ruleset import rules
from tests.live.live_table import DICE, Different, Event, Given, LiveTable, NotAllowed, TableRefusal, Unreachable

POINTS = (4, 5, 6, 8, 9, 10)
DICE_OF = {4: [1, 3], 5: [1, 4], 6: [1, 5], 8: [2, 6], 9: [3, 6], 10: [4, 6], 7: [3, 4]}  # none of them hard
LINE, COME = ("pass", "dont_pass"), ("come", "dont_come")
FLAT = {"pass_odds": "pass", "dont_pass_odds": "dont_pass", "come_odds": "come", "dont_come_odds": "dont_come"}
SHOOTER = "shooter"


class Layout:
    """A craps table as its events show it, in the words of the cases. A round is always open."""

    def __init__(self, table: LiveTable) -> None:
        self.table = table
        self.ruleset = table.setting.ruleset
        self.point: int | None = None
        self.bets: dict[str, Given] = {}  # by their names at the table
        self.names: dict[str, str] = {}  # of the case's bets
        table.do("dice.put", dice=DICE)
        self.line = table.setting.unit  # the shooter's stake
        self.chosen = self.has_dice = self.resting = False

    # --- the order of a round -----------------------------------------------------------------------------------

    def begin(self) -> None:
        """A round is open, and the shooter has his dice and a bet on the line."""
        if self.table.phase == "idle":
            self.table.do("round.open")
        if not self.has_dice:
            self.table.do("shooter.appoint", seat=1, player=SHOOTER)
            self.has_dice = True
        if self.point is None and SHOOTER not in {bet["player"] for bet in self.bets.values()}:
            self.see(self.table.do("bet.place", **self._shooters_bet()))
        if not self.chosen:
            self.table.do("dice.choose", places=[0, 3])
            self.chosen = True

    def _shooters_bet(self) -> Given:
        about = {"bet": self.table.new_name("line"), "wager": "pass", "amount_minor": self.line}
        return {**about, "player": SHOOTER, "seat": 1}

    def offer(self) -> None:
        if self.table.phase != "dice_offered":
            self.table.do("dice.offer")

    def throw(self, dice: Any) -> Given:
        """One throw, paid and followed by the next round where it decides: the answer of `settle` in minor units."""
        self.begin()
        self.offer()
        point, before = self.point, dict(self.bets)
        events = self.table.do("dice.roll", dice=dice)
        thrown = self._thrown(events, before)
        self._hold(point, before, dice, thrown)
        self.see(events)
        self.table.pay()
        if self.table.phase == "settled":
            self.table.do("round.end")
            if not self.resting:
                self.begin()
        return {**thrown, "resolutions": [self._of_case(done) for done in thrown["resolutions"] if self._is_ours(done)]}

    def _thrown(self, events: list[Event], before: dict[str, Given]) -> Given:
        [rolled] = [event["data"] for event in events if event["type"] == "dice.rolled.v1"]
        results = {
            event["data"]["bet"]: event for event in events if event["type"] in ("bet.settled.v1", "bet.moved.v1")
        }
        return {
            "total": rolled["total"],
            "come_out": rolled.get("point") is None,
            "point_after": rolled.get("point_after"),
            "seven_out": rolled.get("seven_out", False),
            "resolutions": [_resolution(name, bet, results.get(name)) for name, bet in before.items()],
        }

    def _hold(self, point: int | None, before: dict[str, Given], dice: Any, thrown: Given) -> None:
        """The throw beside `settle`'s answer for all that lay there."""
        lay = [{**bet, "id": name} for name, bet in before.items()]
        case = {"ruleset": self.ruleset, "given": {"kind": "rolls", "point": point, "bets": lay, "rolls": [dice]}}
        stated = answer(case)
        if "error" in stated:
            raise Different(f"{case}: the table took it, settle says {stated}")
        unit = self.table.setting.unit
        expected = dict(stated["rolls"][0])
        for done in expected["resolutions"]:
            done["profit"] = (Fraction(done["profit"]) * unit).__floor__()
            commission = (Fraction(done.pop("commission", 0)) * unit).__floor__()
            self.table.gain += commission - done["profit"]
        if expected | {"resolutions": _by_bet(expected)} != thrown | {"resolutions": _by_bet(thrown)}:
            raise Different(f"{case}: settle says {expected}, the table {thrown}")

    def _is_ours(self, done: Given) -> bool:
        return done["bet"] in self.names.values()

    def _of_case(self, done: Given) -> Given:
        return {**done, "bet": next(id_ for id_, name in self.names.items() if name == done["bet"])}

    def see(self, events: list[Event]) -> None:
        """The layout after these events."""
        for event in events:
            kind, data = event["type"], event["data"]
            if kind == "bet.placed.v1":
                self.bets[data["bet"]] = self._bet(data)
                self.table.gain += data.get("commission_minor", 0)
            elif kind == "bet.withdrawn.v1":
                del self.bets[data["bet"]]
                self.table.gain -= data.get("commission_minor", 0)
            elif kind == "bet.moved.v1":
                self.bets[data["bet"]]["number"] = data["number"]
            elif kind == "bet.instructed.v1":
                self.bets[data["bet"]]["working"] = data["working"]
            elif kind == "bet.settled.v1" and not data.get("remaining_minor"):
                self.bets.pop(data["bet"], None)
            elif kind == "dice.rolled.v1":
                self.point = data.get("point_after")
                if data.get("seven_out"):
                    self.chosen = self.has_dice = False
            elif kind == "roll.called_off.v1" and data.get("mixed"):
                self.chosen = False

    def _bet(self, data: Event) -> Given:
        bet = {
            "type": data["wager"],
            "stake": data["amount_minor"] // self.table.setting.unit,
            "player": data["player"],
        }
        return bet | {name: data[name] for name in ("number", "base", "working", "after_win") if name in data}

    # --- bets of a case -----------------------------------------------------------------------------------------

    def lies(self, id_: str) -> bool:
        return self.names.get(id_) in self.bets

    def place(self, bet: Given) -> int | None:
        """Lay a case's bet: the commission, or None where it is refused. A size that the rules forbid is a fact."""
        self.begin()
        name = self.names[bet["id"]] if self.lies(bet["id"]) else self.table.new_name(bet["id"])
        data = self._data(bet, name)
        try:
            events = self.table.do("bet.place", **data)
            if not self.size_is_lawful(bet):
                raise Different(f"{bet} was taken, against the sizes of {self.ruleset}")
        except TableRefusal:
            if self.size_is_lawful(bet):
                return None
            try:
                events = self.table.fact("bet.place", **data)
            except TableRefusal:
                return None
            if any(event["type"] == "bet.settled.v1" for event in events):  # too late, and handed back
                return None
        self.names[bet["id"]] = name
        self.see(events)
        commission: int = events[0]["data"].get("commission_minor", 0)
        return commission

    def _data(self, bet: Given, name: str) -> Given:
        """Return the action's data. Wishes that do not apply to the bet are left out."""
        shape = rules(self.ruleset).data.bets.get(bet["type"])
        base = self.names.get(bet["base"], bet["base"]) if bet.get("base") else None
        player = self.bets[base]["player"] if base in self.bets else f"p-{name}"
        wishes = {
            "working": bet.get("working") if shape and shape.player_decides else None,
            "after_win": bet.get("after_win") if shape and shape.may_stay else None,
        }
        about = {"bet": name, "wager": bet["type"], "amount_minor": self.table.minor(bet["stake"]), "player": player}
        return {**about, "number": bet.get("number"), "base": base, **wishes}

    def size_is_lawful(self, bet: Given) -> bool:
        """Return whether `settle` accepts the size: odds by their flat bet, place bets of craps-by in whole chips."""
        flat = FLAT.get(bet["type"])
        if flat is not None:
            return self._odds_are_lawful(bet, flat)
        if self.ruleset.startswith("craps-by") and bet["type"] == "place":
            chips: int = 6 if bet.get("number") in (6, 8) else 5
            return bool(bet["stake"] % chips == 0)
        return True

    def _odds_are_lawful(self, bet: Given, flat: str) -> bool:
        base = self.bets.get(self.names.get(bet.get("base", ""), ""))
        number = self.point if flat in LINE else (base or {}).get("number")
        if base is None or base["type"] != flat or number is None:
            return True  # refused for another reason
        side = "wrong" if flat.startswith("dont") else "right"
        question = {"kind": "odds_max", "side": side, "flat": base["stake"], "number": number}
        most = answer({"ruleset": self.ruleset, "given": question})
        lying = sum(other["stake"] for other in self.bets.values() if other.get("base") == self.names[bet["base"]])
        return bool(lying + bet["stake"] <= Fraction(most.get("odds_max", most.get("odds", 0))))

    def remove(self, id_: str) -> int | None:
        """Take a case's bet down. Return the amount returned with it, or None."""
        try:
            events = self.table.do("bet.withdraw", bet=self.names.get(id_, "none"))
        except TableRefusal:
            return None
        self.see(events)
        returned: int = sum(
            event["data"]["amount_minor"] + event["data"].get("commission_minor", 0) for event in events
        )
        return returned

    def lay_out(self, point: int | None, bets: list[Given]) -> None:
        """Bring the table to this point with these bets on it. Raises TableRefusal, or Unreachable."""
        self.begin()
        travelled = [bet for bet in bets if bet["type"] in COME and bet.get("number") is not None]
        if strange := [bet for bet in travelled if bet["number"] not in POINTS]:
            self._must(strange[0])
        numbers = list(dict.fromkeys(bet["number"] for bet in travelled))
        if point is not None and point in numbers:
            raise Unreachable(f"with the point {point} no come bet can lie on {point}: that throw decides both")
        line = [bet for bet in bets if bet["type"] in LINE]
        if point is None:
            self._travel_and_make_the_point(travelled, numbers)
            self._lay_all(line)
        else:
            self._lay_all(line)
            self.throw(DICE_OF.get(point, [point - 6, 6]))
            if self.point != point:
                raise NotAllowed(f"{point} is no point")
            self._travel(travelled, numbers)
        others = [bet for bet in bets if bet not in line and bet not in travelled]
        self._lay_all([bet for bet in others if bet["type"] in COME])
        self._lay_all([bet for bet in others if bet["type"] not in COME])

    def _lay_all(self, bets: list[Given]) -> None:
        for bet in bets:
            self._must(bet)

    def _must(self, bet: Given) -> None:
        if self.lies(bet["id"]) or self.place(bet) is None:
            raise NotAllowed(f"{bet} is refused")

    def _travel(self, bets: list[Given], numbers: list[int]) -> None:
        """Come bets to their numbers, a throw for each number."""
        for number in numbers:
            self._lay_all([{**bet, "number": None} for bet in bets if bet["number"] == number])
            self.throw(DICE_OF[number])

    def _travel_and_make_the_point(self, bets: list[Given], numbers: list[int]) -> None:
        """The last number is the point of the round in which they travel, so that the next throw is a come-out."""
        if not bets:
            return
        point = next((number for number in POINTS if number not in numbers), numbers[-1])
        self.throw(DICE_OF[point])
        self._travel(bets, [number for number in numbers if number != point])
        self._travel(bets, [point])

    def clear(self) -> None:
        """Take down all possible bets, and throw until only the shooter's bet is on the layout, on a come-out."""
        if self.table.phase == "dice_offered":
            self.see(self.table.do("roll.call_off", detail="the case is over"))
        for name in [name for name, bet in self.bets.items() if bet["player"] != SHOOTER]:
            if name in self.bets:
                with suppress(TableRefusal):
                    self.see(self.table.do("bet.withdraw", bet=name))
        throws = cycle(([3, 4], [1, 1]))  # what stays after a win, the next one takes
        while self.point is not None or any(bet["player"] != SHOOTER for bet in self.bets.values()):
            self.throw(next(throws))
        self.names = {}
        self.table.ready = True

    def rest(self) -> None:
        """Decide the shooter's bet, and open no new round: limits may be posted."""
        self.resting = True
        self.clear()
        if self.bets:
            self.throw([3, 4])
        self.resting = False


def layout_of(table: LiveTable) -> Layout:
    """The table's layout, with a come-out before it."""
    if table.play is None:
        table.play = Layout(table)
    layout: Layout = table.play
    table.ready = False
    layout.begin()
    return layout


def _resolution(name: str, bet: Given, event: Event | None) -> Given:
    """Return the effect of a throw on a bet, from the table's event. Without an event the bet stands."""
    done: Given = {"bet": name, "outcome": "stands", "profit": 0}
    if event is not None and event["type"] == "bet.settled.v1":
        return done | {"outcome": event["data"]["outcome"], "profit": event["data"]["profit_minor"]}
    number = event["data"]["number"] if event else bet.get("number")
    return done | ({"number": number} if bet["type"] in COME else {})


def _by_bet(thrown: Given) -> list[Given]:
    return sorted(thrown["resolutions"], key=lambda done: str(done["bet"]))
