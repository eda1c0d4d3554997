"""Random gaming days of a house with a cage, by seed.

They have short, void and unknown slips, wrong counts, recounted boxes, vouchers and mispays. They also have void
sessions, closed days and events after the close.

`python -m tests.simulation.random_cage_days [--first N] [--seeds N]` compares the journal with the accounts at every
position.
"""

import argparse
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from events.accounting.cage_and_count_state_fold import Books as Accounts
from events.accounting.cage_inventory import Holding
from events.accounting.live_books_for_decisions import cached_books
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.command_and_answer_structs import Command
from events.envelope import Who
from events.store import EventStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay, chips

NEXT = "2026-11-21"
STEPS = 60
OFF = (0, 0, 0, -2_500, 500)


class Books(WorkedDay):
    """Two gaming days of a house. Refused actions are skipped, and `done` counts the others by type."""

    def __init__(self, seed: int, store: EventStore | None = None) -> None:
        super().__init__(store)
        self.chance = Random(seed)
        self.bets = self.boxes = self.slips = 0
        self.done: dict[str, int] = {}
        checklist_system_state_source.register_source(self.store, lambda: SystemState(readers={}, head=10**9, aside={}))

    def two_days(self) -> None:
        """Play both days with random steps and faults."""
        self.begin()
        self.lead("drop.put", drop_box=self.box())
        for day in (DAY, NEXT):
            for _ in range(STEPS):
                self.chance.choice(self.steps())()
            self.end(day)
        for _ in range(6):
            self.chance.choice((self.recount, self.late_payment, self.more_chips))()

    def steps(self) -> list[Callable[[], object]]:
        """Return the possible next steps."""
        return [
            *(self.round, self.round, self.buy_some, self.fill_some, self.credit_some, self.window, self.tray),
            *(self.shift, self.cage_count, self.count_box, self.late_payment, self.redeem, self.exchange),
        ]

    # --- acting -------------------------------------------------------------------------------------------------------

    def tries(self, kind: str, person: str, type_: str, /, **data: Any) -> Any:
        """Return the answer to an action, or None if it is refused."""
        name = "FR1" if kind == "tables" else ""
        reply = self.send(kind, name, person, self.action(type_, **data))[0]
        if isinstance(reply, Problem):
            return None
        self.done[type_] = self.done.get(type_, 0) + 1
        return reply

    def agree(self, kind: str, people: tuple[str, str], type_: str, /, day: str | None = None, **data: Any) -> None:
        """Send an action, and approve it as a second person if it needs an approval."""
        who = Who(person=people[0], roles=frozenset(), factor_s=0)
        target = Target(kind, "FR1" if kind == "tables" else "", day)
        reply = self.desk.do(Command(target, (self.action(type_, **data),), who))[0]
        if isinstance(reply, Problem):
            return
        request = self._request_data(reply)
        if "request" not in request:
            self.done[type_] = self.done.get(type_, 0) + 1
            return
        give = self.action("approval.give", request=request["request"], content=request["content"])
        other = Who(person=people[1], roles=frozenset(), factor_s=0)
        if not isinstance(self.desk.do(Command(target, (give,), other))[0], Problem):
            self.done[type_] = self.done.get(type_, 0) + 1

    def _request_data(self, reply: Any) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.json.decode(bytes(reply.events[-1].event))["data"]
        return data

    @property
    def tray_minor(self) -> int:
        """Return the expected value of the tray, as the table calculates it."""
        return int(self.state.float_minor)

    @property
    def state(self) -> Any:
        """The table's session as its desk knows it."""
        stream = self.store.last_stream(f"{PROPERTY}/tables/FR1/") or ""
        return self.desk.streams.cache.read_stream(stream).state

    @property
    def books(self) -> Accounts:
        """Return the accounts of cage and count room."""
        accounts = cached_books(self.store, PROPERTY)
        with accounts.guard:
            accounts.catch_up(self.store)
            return accounts.books

    @property
    def holds(self) -> Holding:
        return self.books.cage.expected

    def box(self) -> str:
        self.boxes += 1
        return f"b{self.boxes}"

    def some(self, least: int = 1, most: int = 60) -> int:
        return self.chance.randint(least, most) * 500

    # --- what happens -------------------------------------------------------------------------------------------------

    def round(self) -> None:
        """Bets with chips and vouchers; some are paid too much, too little, or not at all."""
        self.tries("tables", "dora", "round.open")
        for _ in range(self.chance.randint(1, 3)):
            self.bets += 1
            wager, tender = self.chance.choice(("red", "black")), self.chance.choice(("chips", "chips", "promotional"))
            self.tries("tables", "dora", "bet.place", bet=f"x{self.bets}", wager=wager, amount_minor=self.some(),
                       player="Ann", seat=1, tender=tender)  # fmt: skip
        if self.chance.random() < 0.1:
            self.agree("tables", ("ines", "sven"), "round.void", round=self.state.round, reason="a chip fell")
            return
        if self.state.phase != "idle":
            self.red_falls()
        for bet, due in [(bet, due.amount) for bet, due in self.state.due.items()]:
            amount = due + self.chance.choice((0, 0, 0, 500, -500))
            if self.chance.random() < 0.75 and amount > 0:
                self.tries("tables", "dora", "payment.make", bet=bet, amount_minor=amount, _intent="fact")
        self.tries("tables", "dora", "round.end", _intent="fact")

    def buy_some(self) -> None:
        self.tries("tables", "dora", "buyin.make", seat=1, player="Ann", amount_minor=self.some(),
                   tender=self.chance.choice(("cash", "cash", "marker", "promotional")))  # fmt: skip

    def fill_some(self) -> None:
        """Receive a fill in full, short or not at all, void it, or receive one by an unknown slip."""
        amount = self.some()
        if self.chance.random() < 0.1:
            self.tries("tables", "ines", "fill.receive", slip=900 + self.bets, chips=chips(amount), _intent="fact")
            return
        slip = self.slip("fill", amount)
        if self.chance.random() < 0.2:
            return self.agree("cage", ("cage", "ines"), "slip.void", kind="fill", slip=slip, reason="not needed")
        received = max(500, amount + self.chance.choice(OFF))
        self.tries("tables", "ines", "fill.receive", slip=slip, chips=chips(received), _intent="fact")

    def credit_some(self) -> None:
        """Send another amount than the slip's, receive another than the sent one, or void the slip."""
        slip = self.slip("credit", amount := self.some())
        void: dict[str, Any] = {"kind": "credit", "slip": slip, "reason": "not needed"}
        if self.chance.random() < 0.2:
            return self.agree("cage", ("cage", "ines"), "slip.void", **void)
        sent = max(500, amount + self.chance.choice(OFF))
        self.tries("tables", "ines", "credit.send", slip=slip, chips=chips(sent), _intent="fact")
        if self.chance.random() < 0.3:
            return self.agree("cage", ("cage", "ines"), "slip.void", **void)
        self.tries("cage", "cage", "credit.receive", slip=slip, chips=chips(max(500, sent + self.chance.choice(OFF))))

    def window(self) -> None:
        kind = self.chance.choice(("cage.cash_out", "cage.cash_in"))
        self.tries("cage", "cage", kind, chips=chips(self.some()), player="Ann")

    def redeem(self) -> None:
        amount = self.some()
        data: dict[str, Any] = {"marker": f"m{next(self.numbers)}", "player": "Ann", "amount_minor": amount}
        data |= {"chips": chips(amount)} if self.chance.random() < 0.5 else {}
        self.tries("cage", "cage", "marker.redeem", **data)

    def exchange(self) -> None:
        chips_out = chips(500)
        self.tries("tables", "dora", "chips.exchange", chips_out=chips_out, chips_in={"100": 4}, _intent="fact")

    def tray(self) -> None:
        """Make an interim count with a possible difference."""
        counted_chips = chips_of(self.tray_minor + self.chance.choice(OFF))
        self.tries("tables", "ines", "table.count", chips=counted_chips, witness="sid")

    def shift(self) -> None:
        if self.chance.random() < 0.3:
            closer = chips_of(self.tray_minor + self.chance.choice(OFF))
            self.tries("tables", "ines", "shift.count", chips=closer, next_shift=f"s{self.bets}", witness="sid",
                       drop_box=self.box())  # fmt: skip

    def cage_count(self) -> None:
        self.tries("cage", "cage", "cage.count", **self.in_cage())

    def in_cage(self) -> dict[str, Any]:
        held = self.holds
        off = self.chance.choice(OFF)
        cash = max(0, held.cash + self.chance.choice(OFF))
        pieces = {str(denomination): max(0, count) for denomination, count in held.chips.items()}
        pieces["500"] = max(0, held.chips.get(500, 0) + off // 500)
        return {"chips": pieces, "cash_minor": cash, "marker_minor": max(0, held.marker)}

    def count_box(self, day: str = DAY, box: str = "") -> None:
        """Count a removed box, correctly or not. The counters agree or differ."""
        content: dict[str, Any] = {
            "cash": {"500": self.chance.randint(0, 80)},
            "marker_minor": self.some(0),
            "table": "FR1",
        }
        content |= {"drop_box": box or f"b{self.chance.randint(1, self.boxes)}", "chips": chips(self.some(0, 2))}
        other = content | {"cash": {"500": 3}} if self.chance.random() < 0.3 else content
        self.for_day(day, "cora", "count.enter", **content)
        self.for_day(day, "carl", "count.verify", **other)
        self.agree("days", ("cora", "carl"), "count.settle", day=day, **content)

    def recount(self) -> None:
        self.count_box(self.chance.choice((DAY, NEXT)))

    def for_day(self, day: str, person: str, kind: str, **data: Any) -> Any:
        who = Who(person=person, roles=frozenset(), factor_s=0)
        return self.desk.do(Command(Target("days", "", day), (self.action(kind, **data),), who))

    def late_payment(self) -> None:
        """Pay a bet of an earlier round, in a later round or after the close."""
        for late in self.state.unpaid[:1]:
            data = {"bet": late.bet.id, "won_in": late.won_in, "amount_minor": late.amount}
            if self.state.status == "open":
                self.tries("tables", "dora", "payment.make", _intent="fact", **data)
            else:
                report = data | {"_intent": "fact", "reason": "found later"}
                self.agree("tables", ("paul", "sven"), "payment.report", **report)

    def more_chips(self) -> None:
        way = self.chance.choice(("brought in", "destroyed"))
        self.agree("house", ("cage", "sven"), "chips.issue", chips={"500": 3}, way=way, reason="worn")

    def end(self, day: str) -> None:
        """Everything closed, the boxes counted, the day closed, and the next one opened."""
        if self.state.phase != "idle":
            self.agree("tables", ("ines", "sven"), "round.void", round=self.state.round, reason="closing time")
        closer = chips_of(self.tray_minor + self.chance.choice(OFF))
        self.tries("tables", "ines", "session.close", closer=closer)
        self.tries("tables", "ines", "drop.remove", drop_box=self.state.box or "", witness="sid")
        self.late_payment()
        self.settle(day)
        self.tries("cage", "cage", "cage.close", **self.in_cage())
        self.explain(day)
        if not isinstance(self.for_day(day, "anna", "day.close")[0], Problem):
            self.done["day.close"] = self.done.get("day.close", 0) + 1
        self.late_payment()
        if day == DAY:
            self.next_day(closer)

    def settle(self, day: str) -> None:
        """Every slip is received or void, every box counted."""
        for slip in [*self.books.slips.open.values()]:
            if slip.sent is None:
                void: dict[str, Any] = {"kind": slip.kind, "slip": slip.number, "reason": "too late"}
                self.agree("cage", ("cage", "ines"), "slip.void", **void)
            else:
                self.tries("cage", "cage", "credit.receive", slip=slip.number, chips=slip.sent)
        for number in range(1, self.boxes + 1):
            self.count_box(day, f"b{number}")

    def explain(self, day: str) -> None:
        for id_, discrepancy in self.books.discrepancies.items():
            if discrepancy.gaming_day == day and discrepancy.reason is None:
                self.for_day(day, "anna", "discrepancy.explain", discrepancy=id_, reason="looked at")

    def next_day(self, closer: dict[str, int]) -> None:
        self.tries("cage", "cage", "cage.open", gaming_day=NEXT, **self.in_cage())
        if self.chance.random() < 0.3:
            self.tries("tables", "ines", "session.open", gaming_day=NEXT, opener=chips(1_000_000))
            self.agree("tables", ("ines", "sven"), "session.void", reason="the wrong opener")
        self.tries("tables", "ines", "session.open", gaming_day=NEXT, opener=closer)
        for kind, data in (("limits.post", {"minimum_minor": 500, "maxima_minor": {}}),
                           ("staff.assign", {"post": "dealer", "person": "dora"}),
                           ("staff.assign", {"post": "inspector", "person": "ines"}),
                           ("drop.put", {"drop_box": self.box()})):  # fmt: skip
            self.tries("tables", "ines", kind, **data)


def chips_of(amount: int) -> dict[str, int]:
    """Return any amount in chips, with the smallest ones for the remainder."""
    return {value: count for value, count in (("500", amount // 500), ("1", amount % 500)) if count}


def main(arguments: list[str] | None = None) -> int:
    """Play the seeds; every identity at every position."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.random_cage_days", description="The journal over days of a cage."
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args(arguments)
    for seed in range(options.first, options.first + options.seeds):
        print(seed, played(seed))
    return 0


def played(seed: int) -> dict[str, int]:
    """Play one run, check its journal at every position, and return the numbers of taken actions."""
    from tests.support.records.journals import holds, positions

    books = Books(seed)
    books.two_days()
    for kind, going in positions(books.store):
        holds(going, (seed, kind))
    books.close()
    return books.done


if __name__ == "__main__":
    raise SystemExit(main())
