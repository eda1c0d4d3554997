"""A gaming day calculated by hand, played through the desk: one roulette table in two shifts, a cage, two counters.

The opener is 20,000.00. The first shift pays 20.00 too much, 25.00 are missing at the close, and the counters of the
second box differ by 10.00.
"""

from typing import Any

from events.store import EventStore
from tests.support.houses.small_house import DAY, House

CAGE = {"100": 10_000, "500": 20_000, "2500": 1_000}
CASH = 5_000_000


def chips(amount: int) -> dict[str, int]:
    """An amount in chips of 5.00."""
    assert amount % 500 == 0
    return {"500": amount // 500}


class WorkedDay(House):
    """The house of that day. A test may run each step alone, and look between the steps."""

    def __init__(self, store: EventStore | None = None) -> None:
        super().__init__(store)
        self.grant("carl", "count")
        self.wheel = "ccw"

    def play(self) -> None:
        """Play the whole day, up to the counted boxes and the closed cage."""
        self.begin()
        self.first_shift()
        self.count_first()
        self.second_shift()
        self.count_boxes()
        self.close_cage()

    # --- steps --------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Chips are issued, the cage and the table opened."""
        self.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
        issue = self.action("chips.issue", chips=CAGE, way="brought in", reason="opening of the house")
        self.agreed("house", "", ("cage", "sven"), issue)
        self.lead("session.open", gaming_day=DAY, opener=chips(2_000_000))
        self.lead("limits.post", minimum_minor=500, maxima_minor={})
        self.lead("staff.assign", post="dealer", person="dora")
        self.lead("staff.assign", post="inspector", person="ines")

    def first_shift(self) -> None:
        """Play the first shift up to its count, with an unsettled stake of 50.00 on the layout."""
        self.lead("drop.put", drop_box="one")
        for amount, tender in ((300_000, "cash"), (50_000, "marker"), (10_000, "promotional")):
            self.buy(amount, tender)
        self.fill(100_000)
        self.deal("round.open")
        self.bet("a", "black", 245_000)
        self.bet("b", "red", 130_000)
        self.red_falls()
        self.deal("payment.make", bet="b", amount_minor=132_000, _intent="fact")
        self.deal("round.end")
        self.deal("round.open")
        self.bet("c", "black", 5_000)

    def count_first(self) -> None:
        """The shift's count, with the change of the box."""
        self.lead("shift.count", chips=chips(1_853_000), next_shift="night", witness="sid", drop_box="two")

    def second_shift(self) -> None:
        """Play until the table is closed and its box is taken away."""
        self.buy(120_000)
        self.credit(50_000)
        self.red_falls()
        self.deal("round.end")
        self.deal("round.open")
        self.bet("d", "black", 85_000)
        self.bet("e", "red", 140_000)
        self.red_falls()
        self.deal("payment.make", bet="e", amount_minor=140_000)
        self.deal("round.end")
        self.lead("session.close", closer=chips(1_630_500))
        self.lead("drop.remove", drop_box="two", witness="sid")

    def count_boxes(self) -> None:
        """The first is counted alike by both; of the second the counters have other figures, and it is recounted."""
        first: dict[str, Any] = {"cash": {"5000": 60}, "marker_minor": 50_000, "promotional_minor": 10_000}
        self.count("count.enter", "cora", "one", **first)
        self.count("count.verify", "carl", "one", **first)
        self.count("count.enter", "cora", "two", cash={"1000": 121})
        self.count("count.verify", "carl", "two", cash={"1000": 120})
        recount = self.action("count.settle", table="FR1", drop_box="two", cash={"1000": 120})
        self.agreed("days", "", ("cora", "carl"), recount)

    def close_cage(self) -> None:
        """Close the cage with the expected amounts."""
        held = {"100": 10_000, "500": 16_000 - 200 + 100, "2500": 1_000}
        self.cage("cage.close", chips=held, cash_minor=CASH + 420_000, marker_minor=50_000)

    # --- what people do -----------------------------------------------------------------------------------------------

    def lead(self, kind: str, /, **data: Any) -> Any:
        """Do an action as the inspector at the table."""
        return self.ok("tables", "FR1", "ines", self.action(kind, **data))

    def deal(self, kind: str, /, **data: Any) -> Any:
        """Do an action as the dealer at the table."""
        return self.ok("tables", "FR1", "dora", self.action(kind, **data))

    def cage(self, kind: str, /, **data: Any) -> Any:
        """Do an action as the cashier."""
        return self.ok("cage", "", "cage", self.action(kind, **data))

    def count(self, kind: str, person: str, box: str, **content: Any) -> Any:
        """Record a count of a box by a counter."""
        return self.ok("days", "", person, self.action(kind, table="FR1", drop_box=box, **content))

    def buy(self, amount: int, tender: str = "cash") -> None:
        self.deal("buyin.make", seat=1, player="Ann", amount_minor=amount, tender=tender)

    def bet(self, name: str, wager: str, amount: int) -> None:
        self.deal("bet.place", bet=name, wager=wager, amount_minor=amount, player="Ann", seat=1)

    def red_falls(self) -> None:
        self.wheel, ball = ("cw", "ccw") if self.wheel == "ccw" else ("ccw", "cw")
        self.deal("ball.launch", wheel=self.wheel, ball=ball)
        self.deal("bets.close")
        self.deal("ball.land", number=1)

    def fill(self, amount: int) -> None:
        slip = self.slip("fill", amount)
        self.lead("fill.receive", slip=slip, chips=chips(amount))

    def credit(self, amount: int) -> None:
        slip = self.slip("credit", amount)
        self.lead("credit.send", slip=slip, chips=chips(amount))
        self.cage("credit.receive", slip=slip, chips=chips(amount))

    def slip(self, kind: str, amount: int) -> int:
        """Asked for at the table, issued in the cage: its number."""
        request = self.lead(f"{kind}.request", chips=chips(amount))[0].data
        return int(self.cage("slip.issue", request=request.request, runner="sid")[0].data.slip)
