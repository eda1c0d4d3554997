"""Random gaming days: tables of every game, shifts, boxes, slips, a cage and counters, with mistakes everywhere.

Every action goes through the desk. The accounts must include all taken actions and no refused action.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from events.accounting.event_types.day_close import Item
from events.store import EventStore
from events.streams.stream_kind_declaration import Target
from events.tables.table_session_state_structs import Session
from tests.accountant.random_jackpot_events import DAYS, HITS, Winners
from tests.property.test_tables import TABLES, a_bet, onward, some_step
from tests.support.houses.small_house import PROPERTY

PLAYS = {"FR1": "roulette", "BA1": "baccarat", "CR1": "craps-gr", "BJ1": "blackjack", "CO1": "roulette"}
CHIPS = {"1": 5_000, "100": 9_000, "500": 9_000, "2500": 900}
OVERRIDABLE: tuple[Item, ...] = (
    *("sessions_closed", "boxes_counted", "slips_settled", "discrepancies_explained"),
    *("hits_locked", "variances_closed", "no_rest", "cage_closed"),
)


class Seat:
    """The state of a table, for the steps of the games."""

    def __init__(self, state: Session) -> None:
        self.state = state


class RandomFloor(Winners):
    """All of it, step by step. `plays` are the rulesets that are played, by table."""

    plays: ClassVar[Mapping[str, str]] = PLAYS

    def __init__(self, seed: int, store: EventStore | None = None) -> None:
        super().__init__(seed, store)
        if self.random.random() < 0.8:
            self._count_cage("open", DAYS[0])
            self.do("house", "", "cage", "chips.issue", chips=CHIPS, way="brought in", reason="x")
        for table in (*self.plays, HITS):
            self._open(table, DAYS[0], None)

    # --- steps --------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Something happens, anywhere in the house."""
        ways = {
            self.at_table: 12,
            self.buy: 3,
            self.count: 1.5,
            self.box: 1.2,
            self.slip: 3,
            self.exchange: 0.4,
            self.in_cage: 2,
            self.count_boxes: 1.2,
            self.explain: 0.5,
            self.house_changes: 0.15,
            self.session: 1.2,
            self.pay_late: 1,
            self.put_right: 0.8,
            self.close_day: 0.2,
            self.amend: 0.25,
            self.jackpot: 0.6,
            self.read_sign: 0.4,
        }
        self.random.choices([*ways], [*ways.values()])[0]()

    def table(self) -> str:
        return self.random.choice((*self.plays, "FR1"))

    def lead(self, table: str, kind: str, /, **data: Any) -> Any:
        """Send an action of a supervisor or a dealer."""
        return self.do("tables", table, "ines", kind, **data)

    def at_table(self) -> None:
        """Play a few random steps of the game."""
        table = self.table()
        for _ in range(self.random.randint(1, 8)):
            state = self.state(table)
            if state is None or state.status != "open" or not state.recorded:
                return
            self._play(table, state)

    def _play(self, table: str, state: Session) -> None:
        self.number += 1
        seat: Any = Seat(state)  # a table's state is all that they look at
        choose, luck = TABLES[self.plays[table]][1], self.random.random()
        if luck < 0.4:
            kind, data = onward(self.random, seat)
        elif state.phase == "open" and luck < 0.7:
            kind, data = a_bet(self.random, seat, choose, self.number)
            data |= {"amount_minor": self.random.choice((500, 1_000, 2_000))}
        else:
            kind, data = some_step(self.random, seat, choose, self.number)
        self._act(table, state, kind, data)

    def _act(self, table: str, state: Session, kind: str, data: dict[str, Any]) -> None:
        if kind == "void":
            self.lead(table, "round.void", round=state.round or 1, reason="a misdeal")
        elif kind == "correct":
            self._correct(table, state, {**data, "reason": "x"})
        else:
            if kind == "bet.place" and self.random.random() < 0.15:
                data = {**data, "tender": "promotional"}
            if kind == "payment.make" and self.random.random() < 0.1:  # it is forgotten, and found later
                kind, data = "round.end", {"_intent": "fact"}
            self.lead(table, kind, **{"_intent": "fact" if self.random.random() < 0.2 else "ask", **data})

    def _until_idle(self, table: str) -> None:
        """Play to the end of the round."""
        for _ in range(40):
            state = self.state(table)
            if state is None or state.status != "open" or state.phase == "idle":
                return
            self._act(table, state, *onward(self.random, Seat(state)))  # type: ignore[arg-type]  # as above

    def _correct(self, table: str, state: Session, data: dict[str, Any]) -> None:
        action = self.action("bet.correct", **data)
        corrected = type(action)(
            **{**{name: getattr(action, name) for name in action.__struct_fields__}, "corrects": f"{state.stream}@1"}
        )
        events = self._sent(Target("tables", table), "ines", corrected)
        self.done[f"bet.correct {'done' if events else 'refused'}"] += 1

    def buy(self) -> None:
        tender = self.random.choice(("cash", "cash", "marker", "promotional"))
        data = {"seat": 1, "player": "Ann", "amount_minor": self.random.randint(1, 40) * 500, "tender": tender}
        self.lead(self.table(), "buyin.make", _intent=self.random.choice(("ask", "ask", "fact")), **data)

    def count(self) -> None:
        """Make a count at the end of a shift, or an interim count."""
        table = self.table()
        if (state := self.state(table)) is None:
            return
        colours = self.random.choice((0, 0, 0, 1_500)) if state.game == "roulette" else 0
        counted = max(0, state.float_minor + self.off())
        data: dict[str, Any] = {"chips": self.some(counted + colours), "witness": "sid"}
        data |= {"colours_minor": colours} if colours else {}
        if self.random.random() < 0.4:
            self.lead(table, "table.count", **data)
            return
        self.number += 1
        if state.has_boxes and self.random.random() < 0.7:
            data["drop_box"] = f"x{self.number}"
        if self.lead(table, "shift.count", next_shift=f"s{self.number}", **data) and "drop_box" not in data:
            self._goes_on_over(table, state)

    def _goes_on_over(self, table: str, state: Session) -> None:
        """The box is not changed with the shift: people buy in over it, and it is taken away later, or at once."""
        if state.box is None:
            return
        for _ in range(self.random.randint(0, 3)):
            tender = self.random.choice(("cash", "marker", "promotional"))
            data = {"seat": 1, "player": "Ann", "amount_minor": 500 * self.random.randint(1, 9), "tender": tender}
            self.lead(table, "buyin.make", _intent="fact", **data)
        if self.random.random() < 0.8 and self.lead(table, "drop.remove", drop_box=state.box, witness="sid"):
            self._count_box(table, state.gaming_day, state.box)

    def box(self) -> None:
        table = self.table()
        self.number += 1
        if (state := self.state(table)) is None:
            return
        if state.box is None or self.random.random() < 0.2:
            self.lead(table, "drop.put", drop_box=f"x{self.number}")
        else:
            name = state.box if self.random.random() < 0.9 else f"y{self.number}"
            intent = "ask" if name == state.box else "fact"
            self.lead(table, "drop.remove", drop_box=name, witness="sid", _intent=intent)
            if name != state.box:
                self.boxes.append((table, state.gaming_day, name))

    def exchange(self) -> None:
        out = self.random.choice((500, 1_000))
        came = {"2500": 1} if self.random.random() < 0.3 else {"500": out // 500}
        data = {"chips_out": {"100": out // 100}, "chips_in": came}
        self.lead(self.table(), "chips.exchange", _intent="fact", **data)

    # --- slips --------------------------------------------------------------------------------------------------------

    def slip(self) -> None:
        """Request a slip and mostly carry it through, or continue an open one."""
        if self.slips and self.random.random() < 0.5:
            self._carry(*self.random.choice(self.slips[-6:]))
            return
        table, kind = self.table(), self.random.choice(("fill", "credit"))
        requested = self.lead(table, f"{kind}.request", chips=self.some(self.random.randint(1, 30) * 500))
        if requested and self.random.random() < 0.9:
            issued = self.do("cage", "", "cage", "slip.issue", request=requested[0].data.request, runner="sid")
            if issued and self.random.random() < 0.7:
                self._carry(*self.slips[-1])

    def _carry(self, kind: str, slip: int, table: str, chips: dict[str, int]) -> None:
        luck = self.random.random()
        if luck < 0.12:
            self.do("cage", "", "cage", "slip.void", kind=kind, slip=slip, reason="not needed")
            return
        moved = chips if luck < 0.85 else {**chips, "500": self.random.randint(1, 20)}
        if luck > 0.96:
            slip, table = slip + self.random.choice((0, 70)), self.table()
        intent = "ask" if luck < 0.96 else "fact"
        if kind == "fill":
            self.lead(table, "fill.receive", slip=slip, chips=moved, _intent=intent)
            return
        self.lead(table, "credit.send", slip=slip, chips=moved, _intent=intent)
        if self.random.random() < 0.8:
            got = moved if self.random.random() < 0.85 else {**moved, "100": 3}
            self.do("cage", "", "cage", "credit.receive", slip=slip, chips=got)

    def jackpot(self) -> None:
        """A round with a winner; sometimes of the table's next day."""
        state = self.state(HITS)
        assert state is not None, "it is never closed for long"
        if state.gaming_day < DAYS[-1] and self.random.random() < 0.3:
            self._end(HITS, DAYS[DAYS.index(state.gaming_day) + 1])
        self.win()

    # --- the cage -----------------------------------------------------------------------------------------------------

    def in_cage(self) -> None:
        cage = self.books.cage
        kind = self.random.choices(
            ("open", "close", "count", "cash_out", "cash_in", "redeem", "issue", "fund"), (3, 0.5, 1, 3, 2, 1, 1, 0.3)
        )[0]
        amount = self.random.randint(1, 50) * 500
        if kind in ("open", "close", "count"):
            self._count_cage(kind)
        elif kind in ("cash_out", "cash_in"):
            self.do("cage", "", "cage", f"cage.{kind}", chips=self.some(amount), player="Ann")
        elif kind == "redeem":
            self.number += 1
            paid: dict[str, Any] = {"chips": self.some(amount)} if self.random.random() < 0.5 else {}
            data: dict[str, Any] = {
                "marker": f"m{self.number}",
                "player": "Ann",
                "amount_minor": min(amount, cage.expected.marker),
            }
            self.do("cage", "", "cage", "marker.redeem", **data, **paid)
        elif kind == "issue":
            way = self.random.choice(("brought in", "brought in", "destroyed"))
            chips = CHIPS if way == "brought in" else {"500": 10}
            self.do("house", "", "cage", "chips.issue", chips=chips, way=way, reason="x")
        else:
            self.number += 1
            data = {"level": "minor", "amount_minor": 5_000, "document": f"d{self.number}"}
            self.do("progressives", "blazing", "cage", self.random.choice(("fund.deposit", "fund.withdraw")), **data)

    def _count_cage(self, kind: str, day: str | None = None) -> None:
        held = self.books.cage.expected
        chips = {str(value): count for value, count in held.chips.items() if count > 0}
        if self.random.random() < 0.1:
            chips["500"] = chips.get("500", 0) + 1
        if self.random.random() < 0.1 and chips.get("500", 0) > 0:  # other pieces of the same money
            chips["500"], chips["100"] = chips["500"] - 1, chips.get("100", 0) + 5
        cash = max(0, held.cash + self.off()) if self.books.cage.is_known else 5_000_000
        data: dict[str, Any] = {"chips": chips, "cash_minor": cash, "marker_minor": max(0, held.marker)}
        if kind == "open":
            data["gaming_day"] = day or self.random.choice(DAYS)
        self.do("cage", "", "cage", f"cage.{kind}", **data)

    # --- the count room -----------------------------------------------------------------------------------------------

    def count_boxes(self) -> None:
        if not self.boxes:
            return
        self._count_box(*self.random.choice(self.boxes[-8:]))

    def _count_box(self, table: str, day: str, box: str) -> None:
        right = self._content(f"{PROPERTY}/tables/{table}/{day}", box)
        first = self._counted(right)
        second = first if self.random.random() < 0.8 else self._counted(right)
        about = {"table": table, "drop_box": box}
        self.do("days", "", "cora", "count.enter", day, **about, **first)
        self.do("days", "", "carl", "count.verify", day, **about, **second)
        if self.random.random() < 0.4:
            self.do("days", "", "cora", "count.settle", day, **about, **self._counted(right))

    def _content(self, stream: str, name: str) -> tuple[int, int, int]:
        day = self.books.counting.days.get(stream)
        shifts = day.shifts if day is not None else ()
        put_ins = [box.put_in for shift in shifts for box in shift.boxes if box.name == name]
        return (put_ins[0].cash, put_ins[0].marker, put_ins[0].promotional) if put_ins else (0, 0, 0)

    def _counted(self, right: tuple[int, int, int]) -> dict[str, Any]:
        """Return a count with faults: markers instead of cash, more vouchers than were used, or chips."""
        cash, marker, promotional = right
        cash = max(0, cash + self.off())
        if cash >= 10_000 and self.random.random() < 0.15:
            cash, marker = cash - 10_000, marker + 10_000
        data = {"cash": {"100": cash // 100}, "marker_minor": marker}
        vouchers = promotional + self.random.choice((0, 0, 500, 2_000, 700_000))
        chips = {"chips": {"500": 2}} if self.random.random() < 0.1 else {}
        return {**data, **({"promotional_minor": vouchers} if vouchers else {}), **chips}

    # --- people who decide --------------------------------------------------------------------------------------------

    def explain(self) -> None:
        if self.discrepancies:
            event = self.random.choice(self.discrepancies)
            day = event.data.gaming_day
            self.do("days", "", "anna", "discrepancy.explain", day, discrepancy=event.id, reason="looked into")

    def house_changes(self) -> None:
        setting, values = self.random.choice(
            (
                ("reported_over_minor", (500, 2_500)),
                ("regulator_from_minor", (5_000, 10_000)),
                ("business_year_begins", (1, 7, 12)),
                ("tax_millionths", (0, 200_000)),
            )
        )
        self.do("house", "", "anna", "setting.change", setting=setting, value=self.random.choice(values))

    def session(self) -> None:
        """A table opens, closes, rolls into the next day, or was opened by mistake."""
        table = self.table()
        state = self.state(table)
        later = [day for day in DAYS if state is None or day > state.gaming_day or state.status == "void"]
        if state is None or state.status in ("closed", "void"):
            if later:
                self._open(table, later[0], state)
            return
        luck = self.random.random()
        if state.round == 0 or luck < 0.02:
            self.lead(table, "session.void", reason="opened by mistake")
        elif luck < 0.5 and state.gaming_day < DAYS[-1]:
            self._until_idle(table)
            self._end(table, later[0] if later and self.random.random() < 0.5 else None)

    def _end(self, table: str, into: str | None) -> None:
        state = self.state(table)
        assert state is not None, "it was open"
        closer = self.some(max(0, state.float_minor + self.off()))
        if into is None:
            self.lead(table, "session.close", closer=closer)
            self._take_its_box(table, state)
            return
        self.number += 1
        box: dict[str, Any] = {"drop_box": f"x{self.number}", "witness": "sid"} if state.has_boxes else {}
        if state.game == "roulette" and self.random.random() < 0.3:  # players keep colours
            box["colours_minor"] = min(1_500, sum(int(value) * count for value, count in closer.items()))
        self.lead(table, "session.roll", gaming_day=into, closer=closer, shift="rolled", **box)

    def _take_its_box(self, table: str, state: Session) -> None:
        """Remove the one box of a day without box names."""
        if not state.has_boxes and self.lead(table, "drop.remove", drop_box=f"z{self.number}"):
            self.boxes.append((table, state.gaming_day, f"z{self.number}"))

    def _open(self, table: str, day: str, last: Session | None) -> None:
        opener = {"100": 1_000, "500": 1_000, "2500": 100}
        if last is not None and last.status == "closed" and last.closer and self.random.random() < 0.7:
            opener = {str(value): count for value, count in last.closer.items()}
        if not self.lead(table, "session.open", gaming_day=day, opener=opener):
            return
        self.lead(table, "limits.post", minimum_minor=500, maxima_minor={})
        for post, person in (("dealer", "dora"), ("inspector", "ines")):
            self.lead(table, "staff.assign", post=post, person=person)
        self._ready(table)
        if self.random.random() < 0.7:
            self.number += 1
            self.lead(table, "drop.put", drop_box=f"x{self.number}")

    def _ready(self, table: str) -> None:
        self.number += 1
        if self.plays.get(table, "").startswith("craps"):
            for post, person in (("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia")):
                self.lead(table, "staff.assign", post=post, person=person)
            self.lead(table, "dice.put", dice=[{"serial": "K17", "colour": "red"}] * 5)
            self.lead(table, "shooter.appoint", seat=1, player="Ann")
        elif table in ("BJ1", "BA1", HITS):
            packs = {"packs": 8, "seal": "A-77"} if table == "BA1" else {"packs": 6}
            self.lead(table, "shoe.load", shoe=f"shoe{self.number}", **packs)
            if table == "BA1":
                self.lead(table, "shoe.burn", card="2C")

    def pay_late(self) -> None:
        """Pay a bet of an ended round, or of a closed day."""
        table = self.table()
        state = self.state(table)
        if state is not None and state.unpaid:
            late = self.random.choice(state.unpaid)
            data = {"bet": late.bet.id, "amount_minor": late.amount, "won_in": late.won_in, "reason": "found later"}
            self.do("tables", table, "paul", "payment.report", state.gaming_day, _intent="fact", **data)

    def put_right(self) -> None:
        """Correct a bet of a round or day that may be over: its stake, and sometimes its result."""
        if not self.decided:
            return
        settlement = (event := self.random.choice(self.decided)).data
        stake = self.random.choice(
            (0, settlement.amount_minor * 2, settlement.amount_minor + 500, settlement.amount_minor)
        )
        data = {"bet": settlement.bet, "settled_in": settlement.round, "amount_minor": stake, "reason": "by the camera"}
        if self.random.random() < 0.4:
            data["profit_minor"] = self.random.choice((-stake, 0, stake))
        if self.random.random() < 0.3:
            data["commission_minor"] = self.random.choice((-100, 50))
        day = event.subject.rpartition("/")[2]
        self.do("tables", settlement.table, "paul", "settlement.correct", day, **data)

    def close_day(self) -> None:
        """Override every item of the checklist that people can override, and close the day."""
        day = self.random.choice(DAYS)
        for item in OVERRIDABLE:
            self.do("days", "", "anna", "day.override", day, item=item, reason="it is so")
        self.do("days", "", "anna", "day.close", day)

    def amend(self) -> None:
        """Amend the day with some of the events that came after its close."""
        if not self.late:
            return
        day = self.random.choice(self.late)[0]
        mine = [event for day_of, event in self.late if day_of == day]
        named_events = [event for event in mine if self.random.random() < 0.5] if self.random.random() < 0.5 else mine
        if named_events:
            self.do("days", "", "anna", "day.amend", day, events=named_events[:100], reason="found later")
