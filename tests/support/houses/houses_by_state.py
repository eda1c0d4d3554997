"""Houses in every state that a fact may meet: at tables of each game, in the cage, in the count room, at a progressive.

Each state is built once, and copied for each fact that is tried on it. `DATA` has the facts: the possible data of each
action. Some of the named bets, boxes, slips and rounds exist in a house, and others do not.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from events.store import everything
from events.store.in_memory_store import MemoryStore
from tests.accountant.random_jackpot_events import Winners, dealt, won
from tests.support.houses.small_house import DAY, House, reopened_house

NEXT = "2026-11-21"
OPENER = {"100": 1_000, "500": 1_000, "2500": 400}
CAGE: dict[str, Any] = {"chips": {"500": 20_000, "100": 5_000}, "cash_minor": 5_000_000, "marker_minor": 100_000}
GAMES = {"FR1": "roulette", "BJ1": "blackjack", "BA1": "baccarat", "CR1": "craps", "CO1": "counted only"}
OVERRIDDEN = ("boxes_counted", "slips_settled", "discrepancies_explained", "hits_locked", "no_rest", "cage_closed")
Build = Callable[["StagedHouse"], None]


class StagedHouse(Winners):
    """A house on its way to a state. Each step must be taken."""

    def __init__(self) -> None:
        super().__init__(1)

    def must(self, stream: str, name: str, person: str, kind: str, /, day: str | None = None, **data: Any) -> Any:
        events = self.do(stream, name, person, kind, day, **data)
        assert events, (kind, data, self.last.detail)
        return events

    def at(self, table: str, *steps: tuple[str, dict[str, Any]]) -> None:
        for kind, data in steps:
            self.must("tables", table, "ines", kind, **data)

    # --- a table ------------------------------------------------------------------------------------------------------

    def begin(self, table: str) -> None:
        self.at(table, ("session.open", {"gaming_day": DAY, "opener": OPENER}))

    def open(self, table: str) -> None:
        self.begin(table)
        self.at(table, ("limits.post", {"minimum_minor": 500, "maxima_minor": {}}))
        self.at(
            table, *(("staff.assign", {"post": p, "person": w}) for p, w in (("dealer", "dora"), ("inspector", "ines")))
        )
        self._ready(table)

    def _ready(self, table: str) -> None:
        if table == "CR1":
            posts = (("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia"))
            self.at(table, *(("staff.assign", {"post": post, "person": who}) for post, who in posts))
            self.at(table, ("dice.put", {"dice": [{"serial": "K17", "colour": "red"}] * 5}))
            self.at(table, ("shooter.appoint", {"seat": 1, "player": "g-1"}))
        elif table == "BA1":
            self.at(table, ("shoe.load", {"shoe": "s1", "packs": 8, "seal": "A-77"}), ("shoe.burn", {"card": "2C"}))
        elif table.startswith("BJ"):
            self.at(table, ("shoe.load", {"shoe": "s1", "packs": 6}))

    def put_boxes(self, table: str) -> None:
        """One that was taken away, and one that hangs."""
        self.at(table, ("drop.put", {"drop_box": "x1"}), ("buyin.make", BUYIN))
        self.at(table, ("drop.remove", {"drop_box": "x1", "witness": "sid"}), ("drop.put", {"drop_box": "x2"}))
        self.at(table, ("buyin.make", BUYIN))

    def bets(self, table: str) -> None:
        """Lay the bets b1 and b2, and take b2 back."""
        self.at(table, ("round.open", {}))
        for bet, player in (("b1", "g-1"), ("b2", "g-2")):
            laid = {**LAID[table], **({"wager": "field"} if (table, bet) == ("CR1", "b2") else {})}
            self.at(table, ("bet.place", {**laid, "bet": bet, "player": player, **_place(table, player)}))
        self.at(table, ("bet.withdraw", {"bet": "b2"}))

    def shut(self, table: str) -> None:
        self.at(table, *CLOSING[table])

    def decide(self, table: str) -> None:
        self.at(table, *DECIDING[table])

    def play(self, table: str) -> None:
        """A whole round."""
        self.bets(table)
        self.shut(table)
        self.decide(table)
        self.at(table, ("round.end", {"_intent": "fact"}))

    def close_table(self, table: str) -> None:
        state = self.state(table)
        assert state is not None
        self.must("tables", table, "ines", "session.close", closer=_pieces(state.float_minor), _intent="fact")

    def void(self, table: str) -> None:
        self.at(table, ("session.void", {"reason": "a mistake"}))

    def close_day(self, _table: str = "") -> None:
        for event in self.discrepancies:
            self.do("days", "", "anna", "discrepancy.explain", DAY, discrepancy=event.id, reason="seen")
        for item in OVERRIDDEN:
            self.do("days", "", "anna", "day.override", DAY, item=item, reason="it is so")
        self.must("days", "", "anna", "day.close", DAY)

    # --- cage and slips -----------------------------------------------------------------------------------------------

    def at_cage(self, action: str, **data: Any) -> Any:
        return self.must("cage", "", "cage", action, **data)

    def carry_slips(self, table: str) -> None:
        """Fill 1 is issued, 2 received, 3 void; credit 1 issued, 2 sent, 3 received, 4 void; one of each requested."""
        for way, count in (("fill", 3), ("credit", 4)):
            for _ in range(count):
                [request] = self.must("tables", table, "ines", f"{way}.request", chips={"500": 4})
                self.at_cage("slip.issue", request=request.data.request, runner="sid")
            self.must("tables", table, "ines", f"{way}.request", chips={"500": 4})
        self.at(table, ("fill.receive", {"slip": 2, "chips": {"500": 4}}))
        for slip in (2, 3):
            self.at(table, ("credit.send", {"slip": slip, "chips": {"500": 4}}))
        self.at_cage("credit.receive", slip=3, chips={"500": 4})
        for way, slip in (("fill", 3), ("credit", 4)):
            self.at_cage("slip.void", kind=way, slip=slip, reason="not needed")


def _place(table: str, player: str) -> dict[str, int]:
    return {"box" if table.startswith("BJ") else "seat": int(player[-1])}


def _pieces(amount: int) -> dict[str, int]:
    return {"1": amount % 100, "100": amount // 100}


BUYIN = {"seat": 1, "player": "g-1", "amount_minor": 5_000}
LAID: dict[str, dict[str, Any]] = {
    "FR1": {"wager": "red", "amount_minor": 1_000},
    "BJ1": {"wager": "main", "amount_minor": 1_000},
    "BA1": {"wager": "player", "amount_minor": 1_000},
    "CR1": {"wager": "pass", "amount_minor": 1_000},
}
CLOSING: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "FR1": (("ball.launch", {"wheel": "cw", "ball": "ccw", "_intent": "fact"}), ("bets.close", {})),
    "BJ1": (("bets.close", {}),),
    "BA1": (("bets.close", {}),),
    "CR1": (("dice.choose", {"places": [0, 3]}), ("dice.offer", {})),
}
DECIDING: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "FR1": (("ball.land", {"number": 1}),),
    "BJ1": (
        *(("card.deal", dealt(card, box)) for card, box in (("TH", 1), ("9D", 0), ("TC", 1))),
        ("deal.complete", {}),
        ("hand.stand", {"box": 1}),
        ("card.deal", dealt("TD")),
    ),
    "BA1": tuple(
        ("card.deal", {"to": to, "card": card})
        for to, card in (("player", "9C"), ("banker", "5D"), ("player", "TH"), ("banker", "2S"))
    ),
    "CR1": (("dice.roll", {"dice": [3, 4]}),),
}


# --- the states -------------------------------------------------------------------------------------------------------


# Of a table that records its bets: what a stage takes one after the other.
STEPS: dict[str, tuple[str, ...]] = {
    "open": ("open",),
    "with boxes": ("open", "put_boxes"),
    "between rounds": ("open", "play"),
    "betting": ("open", "bets"),
    "closed bets": ("open", "bets", "shut"),
    "decided": ("open", "bets", "shut", "decide"),
    "closed": ("open", "play", "close_table"),
    "closed with boxes": ("open", "put_boxes", "close_table"),
    "closed undecided": ("open", "bets", "close_table"),
    "closed in play": ("open", "bets", "shut", "close_table"),
    "day closed": ("open", "play", "close_table", "close_day"),
    "void": ("open", "void"),
}


def taking(table: str, *steps: str) -> Build:
    """Takes these steps at a table."""

    def build(stage: StagedHouse) -> None:
        for step in steps:
            getattr(stage, step)(table)

    return build


def of_table(table: str) -> Iterator[tuple[str, Build]]:
    """The states of a table that records its bets, by name."""
    for name, steps in STEPS.items():
        yield name, taking(table, *steps)


def _dealing(stage: StagedHouse) -> None:
    stage.open("BJ1")
    stage.bets("BJ1")
    stage.at("BJ1", ("bet.place", {"bet": "p1", "wager": "blazing7s", "amount_minor": 500, "player": "g-1", "box": 1}))
    stage.shut("BJ1")
    stage.at("BJ1", ("progressive.arm", {}))


def _armed(stage: StagedHouse) -> None:
    _dealing(stage)
    stage.at("BJ1", ("card.deal", dealt("7D", 1)))


def _hit(stage: StagedHouse) -> None:
    stage.open("BJ2")
    for kind, data in won("mega", "j"):
        stage.at("BJ2", (kind, data))
        if kind == "hit.declare":
            return


def _won(stage: StagedHouse) -> None:
    stage.open("BJ2")
    stage.random.seed(1)
    stage.win()


def counted_only() -> Iterator[tuple[str, Build]]:
    """The states of a table whose bets are no events."""
    yield "open", taking("CO1", "begin")
    yield "closed", taking("CO1", "begin", "close_table")


def of_cage() -> Iterator[tuple[str, Build]]:
    """The states of the cage, of slips and of boxes; FR1 is open in all but the first."""

    def opened(stage: StagedHouse, *, is_entered: bool = False) -> None:
        stage.at_cage("cage.open", gaming_day=DAY, **CAGE)
        stage.open("FR1")
        stage.carry_slips("FR1")
        stage.put_boxes("FR1")
        if is_entered:
            stage.must("days", "", "cora", "count.enter", DAY, table="FR1", drop_box="x1", cash={"100": 50})

    def closed(stage: StagedHouse) -> None:
        opened(stage)
        stage.at_cage("cage.close", **CAGE)

    def day_closed(stage: StagedHouse) -> None:
        closed(stage)
        stage.close_table("FR1")
        stage.close_day()

    yield "never opened", lambda stage: None
    yield "never opened, table open", taking("FR1", "open", "put_boxes")
    yield "open", opened
    yield "open, box entered", lambda stage: opened(stage, is_entered=True)
    yield "closed", closed
    yield "day closed", day_closed


def states() -> Iterator[tuple[str, str, Build]]:
    """Yield all states: the table or stream, the name of the state, and its builder."""
    yield "FR1", "no session", lambda stage: None
    for table in ("FR1", "BJ1", "BA1", "CR1"):
        for name, build in of_table(table):
            yield table, name, build
    for name, build in counted_only():
        yield "CO1", name, build
    yield "BJ1", "armed, no card", _dealing
    yield "BJ1", "armed, cards missing", _armed
    yield "BJ2", "hit declared", _hit
    yield "BJ2", "hit locked or paid", _won
    for name, build in of_cage():
        yield "cage", name, build
        yield "days", name, build
        if name != "never opened":
            yield "FR1", f"cage {name}", build


def built(build: Build) -> MemoryStore:
    """The store of a house in that state."""
    stage = StagedHouse()
    build(stage)
    stage.desk.close()
    assert isinstance(stage.store, MemoryStore)
    return stage.store


def forked(store: MemoryStore) -> House:
    """Return a house on a copy of the store, which leaves the original unchanged."""
    copy = MemoryStore(store.clock)
    copy._events, copy._keys = [*store._events], dict(store._keys)
    copy._streams = {name: [*events] for name, events in store._streams.items()}
    return reopened_house(copy)


# --- the facts --------------------------------------------------------------------------------------------------------

COUNT = {"chips": {"500": 3_000}, "witness": "sid"}
BOXES = ("x1", "x2", "x9")
DATA: dict[str, tuple[dict[str, Any], ...]] = {
    "session.open": ({"gaming_day": DAY, "opener": OPENER}, {"gaming_day": NEXT, "opener": OPENER}),
    "session.close": ({"closer": {"500": 3_000}},),
    "session.roll": ({"gaming_day": NEXT, "closer": {"500": 3_000}}, {"gaming_day": DAY, "closer": {"500": 1}}),
    "session.void": ({"reason": "a mistake"},),
    "limits.post": ({"minimum_minor": 1_000, "maxima_minor": {}},),
    "limit.mark": (
        {"player": "g-1", "seat": 1, "minimum_minor": 500, "maximum_minor": 9_000, "wager": "straight"},
        {"player": "g-1", "seat": 1, "minimum_minor": 500, "maximum_minor": 9_000},
    ),
    "staff.assign": ({"post": "dealer", "person": "ines"}, {"post": "stickman", "person": "stan"}),
    "staff.leave": ({"post": "dealer"}, {"post": "shuffler"}),
    "round.open": ({}, {"free": True}),
    "round.end": ({},),
    "round.void": ({"round": 1, "reason": "a misdeal"},),
    "settlement.correct": ({"bet": "b1", "settled_in": 1, "amount_minor": 2_000, "reason": "seen"},),
    "bet.place": (
        {"bet": "c1", "wager": "red", "amount_minor": 1_000, "player": "g-3", "seat": 3},
        {"bet": "c1", "wager": "player", "amount_minor": 1_000, "player": "g-3", "seat": 3},
        {"bet": "c1", "wager": "main", "amount_minor": 1_000, "player": "g-3", "box": 3},
        {"bet": "c1", "wager": "blazing7s", "amount_minor": 500, "player": "g-1", "box": 1},
        {"bet": "c1", "wager": "pass", "amount_minor": 1_000, "player": "g-3", "seat": 3},
        {"bet": "b1", "wager": "field", "amount_minor": 1_000, "player": "g-1", "seat": 1, "tender": "promotional"},
    ),
    "bet.withdraw": tuple({"bet": bet} for bet in ("b1", "b2", "b9")),
    "bet.restake": tuple({"bet": bet, "amount_minor": 2_000} for bet in ("b1", "b2", "b9")),
    "bet.instruct": (
        *({"bet": bet, "on_zero": "prison"} for bet in ("b1", "b9")),
        *({"bet": bet, "working": True} for bet in ("b1", "b9")),
    ),
    "bet.correct": tuple({"bet": bet, "amount_minor": 2_000, "reason": "seen"} for bet in ("b1", "b2", "b9")),
    "bet.press": ({"bet": "b1"}, {"bet": "b9"}),
    "bets.close": ({},),
    "bets.reduce": ({}, {"apply": True}),
    "combination.place": ({"bet": "k", "name": "across", "unit_minor": 500, "player": "g-1", "seat": 1},),
    "payment.make": (
        *({"bet": bet, "amount_minor": amount} for bet in ("b1", "b2", "b9") for amount in (1_000, -300)),
        {"bet": "b9", "amount_minor": 700, "won_in": 1},
    ),
    "payment.report": (
        *({"bet": bet, "amount_minor": 700, "won_in": 1, "reason": "found"} for bet in ("b1", "b2", "b9")),
        {"bet": "b1", "amount_minor": 700, "won_in": 9, "reason": "found"},
    ),
    "heads.count": ({"heads": 4},),
    "result.note": ({"result": "17"},),
    "colour.set": (
        {"seat": 1, "player": "g-1", "colour": 1, "value_minor": 100},
        {"seat": 2, "player": "g-2", "colour": 1, "value_minor": 77},
    ),
    "colour.return": ({"player": "g-1"},),
    "buyin.make": tuple({**BUYIN, "tender": tender} for tender in ("cash", "marker", "promotional")),
    "chips.exchange": (
        {"chips_out": {"500": 1}, "chips_in": {"100": 5}},
        {"chips_out": {"500": 1}, "chips_in": {"100": 4}},
    ),
    "shift.count": (
        {**COUNT, "next_shift": "night"},
        {**COUNT, "next_shift": "day"},
        {**COUNT, "next_shift": "night", "drop_box": "x3"},
    ),
    "table.count": (COUNT,),
    "drop.put": tuple({"drop_box": box} for box in BOXES),
    "drop.remove": tuple({"drop_box": box, "witness": "sid"} for box in BOXES),
    "drop.count": ({"drop_box": "x1", "amount_minor": 5_000}, {"drop_box": "x9", "amount_minor": 5_000}),
    "fill.request": ({"chips": {"500": 4}},),
    "credit.request": ({"chips": {"500": 4}},),
    "fill.receive": (
        *({"slip": slip, "chips": {"500": 4}} for slip in (1, 2, 3, 9)),
        {"slip": 1, "chips": {"500": 3}},
        {"slip": 1, "chips": {}},
        {"slip": 9, "chips": {}},
    ),
    "credit.send": (
        *({"slip": slip, "chips": {"500": 4}} for slip in (1, 2, 4, 9)),
        {"slip": 1, "chips": {}},
    ),
    "credit.receive": (
        *({"slip": slip, "chips": {"500": 4}} for slip in (1, 2, 3, 4, 9)),
        {"slip": 2, "chips": {}},
        {"slip": 2, "chips": {"500": 1}},
    ),
    "shoe.load": ({"shoe": "s9", "packs": 6}, {"shoe": "s9", "packs": 8, "seal": "B-1"}),
    "shoe.burn": ({"card": "3D"},),
    "shoe.count": ({"shoe": "s1", "packs": 6, "missing": {"7D": 1}},),
    "shoe.rule": ({"ruling": "go_on"},),
    "cut_card.reach": ({},),
    "card.deal": (
        {"to": "dealer", "card": "9C"},
        {"to": "box", "box": 1, "card": "8C"},
        {"to": "box", "box": 3, "card": "8C", "hand": 1},
        {"to": "player", "card": "3H"},
        {"to": "banker", "card": "4H"},
    ),
    "hand.stand": ({"box": 1}, {"box": 3}),
    "hand.double": ({"box": 1}, {"box": 3}),
    "hand.split": ({"box": 1}, {"box": 3}),
    "hand.give": ({"side": "player", "player": "g-1"},),
    "insurance.take": ({"box": 1, "amount_minor": 500}, {"box": 3, "amount_minor": 500}),
    "right.decline": ({"box": 1, "player": "g-1"}, {"box": 3, "player": "g-3"}),
    "progressive.arm": ({},),
    "deal.complete": ({},),
    "hit.declare": ({"box": 1, "level": "mega"}, {"box": 3, "level": "minor"}),
    "hit.declare_late": ({"round": 1, "box": 1, "level": "mega"},),
    "ball.launch": ({"wheel": "ccw", "ball": "cw"}, {"wheel": "cw", "ball": "cw"}),
    "ball.land": ({"number": 2}, {"number": 0}),
    "spin.call_off": ({"reason": "a chip fell"},),
    "dice.put": ({"dice": [{"serial": "K18", "colour": "red"}] * 5},),
    "dice.choose": ({"places": [0, 1]},),
    "dice.offer": ({},),
    "dice.roll": ({"dice": [3, 4]}, {"dice": [3, 3]}),
    "dice.take_away": ({"reason": "throws badly"},),
    "roll.call_off": ({"detail": "cocked"},),
    "shooter.appoint": ({"player": "g-2", "seat": 2},),
    "shooter.decline": ({"player": "g-2", "seat": 2},),
    "cage.open": ({"gaming_day": DAY, **CAGE}, {"gaming_day": NEXT, **CAGE}),
    "cage.count": (CAGE,),
    "cage.close": (CAGE,),
    "cage.cash_out": ({"chips": {"500": 10}, "player": "g-1"},),
    "cage.cash_in": ({"chips": {"500": 10}, "player": "g-1"},),
    "marker.carry": ({"marker": "m2", "player": "g-1", "amount_minor": 5_000},),
    "marker.redeem": (
        {"marker": "m1", "player": "g-1", "amount_minor": 5_000},
        {"marker": "m1", "player": "g-1", "amount_minor": 5_000, "chips": {"500": 10}},
    ),
    "slip.void": ({"kind": "fill", "slip": 1, "reason": "x"}, {"kind": "credit", "slip": 9, "reason": "x"}),
    **{
        kind: tuple({"table": "FR1", "drop_box": box, "cash": {"100": 50}} for box in BOXES)
        for kind in ("count.enter", "count.verify", "count.settle")
    },
}


def requests(house: House) -> list[str]:
    """The keys of what tables have asked the cage for."""
    types = ("fill.requested.v1", "credit.requested.v1")
    return [
        msgspec.json.decode(stored_event.raw)["data"]["request"]
        for stored_event in everything(house.store, types=types)
    ]
