"""A gaming day of mistakes, played through the desk, for the rules that reports of layout 3 introduced.

The cage opens 500.00 short. The first shift is counted without a change of box. The second shift adds buy-ins of 70.00
in cash and 20.00 in vouchers to its box. Box two holds 200.00 in markers in the place of cash, and 7,000.00 in vouchers
without a recorded buy-in or stake. A sign showed too much, and a player is paid the variance.
"""

from typing import Any

from tests.support.houses.small_house import DAY
from tests.support.houses.worked_day import CAGE, CASH, WorkedDay, chips

EVE = "2026-11-19"
SHORT = 50_000  # missing from the cage when it is opened
LATE_CASH, LATE_VOUCHERS = 7_000, 2_000  # over box one, in the second shift
SWAPPED, SURPLUS = 20_000, 700_000  # in box two: markers in the place of cash, vouchers
REASON = "the sign lagged"
VARIANCE = 2_000_00


class MistakenDay(WorkedDay):
    """The house of that day. A test may run each step alone."""

    def play(self) -> None:
        """Play the whole day, up to the counted boxes and the closed cage."""
        self.begin()
        self.first_shift()
        self.count_first()
        self.second_shift()
        self.count_boxes()
        self.pay_variance()
        self.close_cage()

    def begin(self) -> None:
        """The cage was closed as it should be the day before."""
        self.cage("cage.open", gaming_day=EVE, chips={}, cash_minor=CASH)
        issue = self.action("chips.issue", chips=CAGE, way="brought in", reason="opening of the house")
        self.agreed("house", "", ("cage", "sven"), issue)
        self.cage("cage.close", chips=CAGE, cash_minor=CASH)
        self.cage("cage.open", gaming_day=DAY, chips=CAGE, cash_minor=CASH - SHORT)
        self.lead("session.open", gaming_day=DAY, opener=chips(2_000_000))
        self.lead("limits.post", minimum_minor=500, maxima_minor={})
        self.lead("staff.assign", post="dealer", person="dora")
        self.lead("staff.assign", post="inspector", person="ines")

    def first_shift(self) -> None:
        """Buy-ins over box one."""
        self.lead("drop.put", drop_box="one")
        self.buy(300_000)
        self.buy(50_000, "marker")

    def count_first(self) -> None:
        """The box stays under the table."""
        self.lead("shift.count", chips=chips(1_650_000), next_shift="night", witness="sid")

    def second_shift(self) -> None:
        """Buy-ins over the old box, then over box two."""
        self.buy_late(LATE_CASH)
        self.buy_late(LATE_VOUCHERS, "promotional")
        self.lead("drop.remove", drop_box="one", witness="sid")
        self.lead("drop.put", drop_box="two")
        self.buy(120_000)
        left = 1_650_000 - LATE_CASH - LATE_VOUCHERS - 120_000
        self.lead("session.close", closer=chips(left))
        self.lead("drop.remove", drop_box="two", witness="sid")

    def buy_late(self, amount: int, tender: str = "cash") -> Any:
        """A buy-in that a box of the shift should have been put for: it has happened."""
        data = {"seat": 1, "player": "Ann", "amount_minor": amount, "tender": tender}
        return self.deal("buyin.make", _intent="fact", **data)

    def count_boxes(self) -> None:
        """Box one holds all that was put into it."""
        self.count_box("one", cash=300_000 + LATE_CASH, marker=50_000, promotional=LATE_VOUCHERS)
        self.count_box("two", cash=120_000 - SWAPPED, marker=SWAPPED, promotional=SURPLUS)

    def count_box(self, box: str, *, cash: int, marker: int = 0, promotional: int = 0) -> list[Any]:
        """Both counters find the same; the events of the second one's count."""
        content = {"cash": {"100": cash // 100}, "marker_minor": marker, "promotional_minor": promotional}
        self.count("count.enter", "cora", box, **content)
        return list(self.count("count.verify", "carl", box, **content))

    def pay_variance(self) -> None:
        """The sign of the minor showed more than the meter, and the difference is paid."""
        read: dict[str, Any] = {"level": "minor", "read_minor": 120_000 + VARIANCE}
        opened = self.ok("progressives", "blazing", "anna", self.action("meter.read", **read))[-1].data
        paid = {"case": opened.case, "way": "paid", "reason": REASON, "player": "Ann", "gaming_day": DAY}
        self.agreed("progressives", "blazing", ("cage", "mark"), self.action("variance.close", **paid))

    def close_cage(self) -> None:
        """Close the cage with the amounts expected from its opening count."""
        cash = CASH - SHORT + 420_000 + LATE_CASH - SWAPPED - VARIANCE
        held = {**CAGE, "500": CAGE["500"] - 2_000_000 // 500}
        self.cage("cage.close", chips=held, cash_minor=cash, marker_minor=50_000 + SWAPPED)
