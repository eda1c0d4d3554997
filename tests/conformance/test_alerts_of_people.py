"""Alerts about staff, approvals and clocks, as docs/reference/alerts.md specifies them.

Each case is played through the desk, with the near misses on both sides. Each planted fault raises one alert, and
nothing else raises one.
"""

from typing import Any

import msgspec
import pytest

from tests.support.houses.alert_scenario_house import FULL, RED, AlertSummary, AtWork, wheel
from tests.support.houses.cage_house import counted
from tests.support.houses.small_house import DAY

CASH: dict[str, Any] = {"seat": 1, "player": "g-1"}


# --- staff ------------------------------------------------------------------------------------------------------------


def test_staff_without_a_post_here_once_a_person(house: AtWork) -> None:
    at = wheel(house)
    at("buyin.make", "iris", **CASH, amount_minor=1_000)
    at("round.open")
    for exempt in ("paul", "dora", "ines"):
        at("buyin.make", exempt, **CASH, amount_minor=1_000)
    assert house.new() == []
    for person in ("dan", "iris"):
        at("buyin.make", person, **CASH, amount_minor=1_000)
        at("buyin.make", person, **CASH, amount_minor=1_000)
        assert house.new() == [AlertSummary("staff", person, None, "buyin.made")]
    at.fact("bet.place", "cage", bet="a", **RED)
    assert house.new() == [AlertSummary("irregularity", "cage", None, "irregularity.recorded")], "it names who did it"
    at.spin(2)
    at("round.end")
    at("session.close", "ines", closer={**FULL, "100": 930})
    house.looked_at = len(house.alerts())
    house.clock.advance(hours=12)
    at("session.open", "ida", gaming_day="2026-11-21", opener={**FULL, "100": 930})
    at("buyin.make", "dan", **CASH, amount_minor=1_000)
    assert house.new() == []


@pytest.mark.parametrize(
    ("posts", "expected"),
    [
        ({"dealer": "sven"}, {("sven", "a post without its role"), ("dora", "no post here")}),
        ({"inspector": "dan"}, {("dan", "a post without its role")}),
        ({"dealer": "ines"}, {("ines", "dealer and inspector"), ("dora", "no post here")}),
        ({"inspector": "paul"}, set()),
        ({"assistant": "dan"}, set()),
    ],
)
@pytest.mark.parametrize("is_in_play", [False, True])
def test_staff_whose_posts_are_wrong(house: AtWork, posts: dict[str, str], expected: Any, is_in_play: bool) -> None:
    at = wheel(house)
    if is_in_play:
        at("round.open")
    for post, person in posts.items():
        at.fact("staff.assign", "paul", post=post, person=person)
    if is_in_play:
        at("bet.place", bet="a", **RED)
    else:
        assert house.new() == [], "the table is not in play"
        at("round.open")
    assert [alert.name for alert in house.new()] == ["staff"] * len(expected)
    assert {(about["person"], about["reason"]) for about in house.alert_data()} == expected


def test_staff_two_posts_that_are_no_dealer_and_inspector(house: AtWork) -> None:
    """Before the first round the fault is an irregularity. An earlier alert does not hide a later one."""
    at = wheel(house)
    at.fact("staff.assign", "ines", post="assistant", person="dora")
    assert house.new() == [AlertSummary("irregularity", "ines", None, "irregularity.recorded")]
    at("round.open")
    at.fact("staff.assign", "paul", post="dealer", person="ines")
    assert house.new() == [AlertSummary("staff", "ines", None, "staff.assigned")]
    at("staff.assign", "paul", post="dealer", person="dan")
    at.fact("staff.assign", "ines", post="assistant", person="dan")
    assert house.new() == [AlertSummary("staff", "ines", None, "irregularity.recorded")]


def test_staff_a_table_in_play_without_its_inspector(house: AtWork) -> None:
    at = wheel(house)
    at("staff.leave", "ines", post="inspector")
    at("staff.assign", "ines", post="inspector", person="ines")
    at("round.open")
    assert house.new() == []
    at.fact("staff.leave", "ines", post="inspector")
    assert house.new() == [AlertSummary("staff", "", None, "irregularity.recorded")]
    assert house.proofs() == [("staff", ["staff.left", "irregularity.recorded"])], "the leaving proves it"
    at.spin(2)
    at("round.end")
    at.fact("round.open")
    assert house.new() == []


def revoke(house: AtWork, person: str, role: str) -> None:
    house.ok("people", "", "adam", house.action("role.revoke", person=person, role=role))


@pytest.mark.parametrize(("person", "role", "post"), [("ines", "inspector", "inspector"), ("dora", "dealer", "dealer")])
def test_staff_whose_role_is_revoked_at_the_post_from_then_on_and_once(
    house: AtWork, person: str, role: str, post: str
) -> None:
    at = wheel(house)
    at("round.open")
    revoke(house, "iris", "inspector")  # who stands nowhere
    assert house.new() == []
    revoke(house, person, role)
    assert house.new() == [AlertSummary("staff", person, None, "role.revoked")]
    [alert] = house.alerts()
    assert (alert.table, alert.gaming_day, alert.person) == ("FR1", DAY, person)
    assert msgspec.json.decode(alert.data)["reason"] == "a post without its role"
    assert house.proofs() == [("staff", ["staff.assigned", "role.revoked"])]
    at("bet.place", "paul", bet="a", **RED)
    at("staff.assign", "paul", post="second dealer", person="dan")
    house.grant(person, role)
    revoke(house, person, role)
    assert house.new() == []
    house.check()


def test_staff_whose_role_is_revoked_counts_only_in_play_and_while_they_stand_there(house: AtWork) -> None:
    at = wheel(house)
    at.fact("staff.assign", "paul", post="inspector", person="iris")
    house.looked_at = len(house.alerts())
    revoke(house, "ines", "inspector")  # has gone
    revoke(house, "iris", "inspector")  # no round is open yet
    assert house.new() == []
    at.fact("round.open")
    assert [alert for alert in house.new() if alert.name == "staff"] == [
        AlertSummary("staff", "iris", None, "round.opened")
    ]
    revoke(house, "dora", "dealer")
    assert house.new() == [AlertSummary("staff", "dora", None, "role.revoked")]
    house.check()


@pytest.mark.parametrize(
    ("kind", "data", "person"),
    [
        ("table.count", {"chips": FULL, "witness": "ines"}, "ines"),
        ("table.count", {"chips": FULL, "witness": "olga"}, "ines"),
        ("chips.exchange", {"chips_out": {"500": 1}, "chips_in": {"100": 4}}, "ines"),
        (
            "limit.mark",
            {"player": "g-1", "seat": 1, "wager": "straight", "minimum_minor": 1, "maximum_minor": 2},
            "g-1",
        ),
    ],
)
def test_irregularity_names_the_player_or_who_did_it(house: AtWork, kind: str, data: Any, person: str) -> None:
    at = wheel(house)
    at.fact(kind, "ines", **data)
    assert [(alert.name, alert.person) for alert in house.new()] == [("irregularity", person)]


# --- approvals and clocks ---------------------------------------------------------------------------------------------


def test_same_hands_over_eighty_percent_of_twenty_where_two_others_acted(house: AtWork) -> None:
    at, other = wheel(house), wheel(house, "FR2")
    rounds = iter(range(1, 100))

    def voids(times: int, asks: str = "ines") -> list[AlertSummary]:
        for _ in range(times):
            at("round.open")
            house.void("FR1", next(rounds), asks)
        return [alert for alert in house.new() if alert.name != "staff"]

    assert voids(25) == [], "nobody else could have been asked"
    for inspector in ("iris", "ida"):
        other("buyin.make", inspector, **CASH, amount_minor=1_000)
    assert voids(4, "iris") == []
    assert voids(16) == [], "80 % is not over it"
    assert voids(1) == [AlertSummary("same hands", "sven", None, "approval.given")]
    about = house.alert_data()[-1]
    assert (about["partner"], about["approvals"], about["together"]) == ("ines", 21, 17)
    assert voids(5) == []


def test_same_hands_of_the_cage_though_tables_are_a_gaming_day_ahead(house: AtWork) -> None:
    for cashier in ("carla", "chris"):
        house.grant(cashier, "cage")
    at, other = wheel(house), wheel(house, "FR2")
    house.ok("cage", "", "cage", house.action("cage.open", gaming_day=DAY, **counted()))

    def void() -> list[AlertSummary]:
        request = at("fill.request", "ines", chips={"500": 1})[0].data
        [issued] = house.ok("cage", "", "cage", house.action("slip.issue", request=request.request, runner="sid"))
        void = house.action("slip.void", kind="fill", slip=issued.data.slip, reason="not needed")
        house.agreed("cage", "", ("cage", "ines"), void)
        return house.new()

    assert [void() for _ in range(20)] == [[]] * 20, "one cashier alone"
    for cashier in ("carla", "chris"):
        house.ok("cage", "", cashier, house.action("cage.cash_in", chips={"500": 1}))
    house.clock.advance(hours=12)
    other("session.close", "ines", closer=FULL)
    other("session.open", "ines", gaming_day="2026-11-21", opener=FULL)
    assert [void() for _ in range(19)] == [[]] * 19
    assert void() == [AlertSummary("same hands", "ines", None, "approval.given")]


def test_same_hands_of_nineteen_approvals_are_none(house: AtWork) -> None:
    at, other = wheel(house), wheel(house, "FR2")
    for inspector in ("iris", "ida"):
        other("buyin.make", inspector, **CASH, amount_minor=1_000)
    for number in range(1, 20):
        at("round.open")
        house.void("FR1", number, "ines")
    assert house.new() == []
    at("round.open")
    house.void("FR1", 20, "ines")
    assert house.new() == [AlertSummary("same hands", "sven", None, "approval.given")]


@pytest.mark.parametrize(
    ("says", "reasons"),
    [
        ([(-60, "ask")], []),
        ([(60, "ask")], []),
        ([(-60.001, "ask")], ["not when it was recorded"]),
        ([(60.001, "ask")], ["not when it was recorded"]),
        ([(-600, "fact")], []),
        ([(10, "ask"), (8, "ask")], []),
        ([(10, "ask"), (7.999, "ask"), (7.999, "ask")], ["before the ask before"]),
        ([(10, "ask"), (-30, "fact"), (9, "ask")], []),
        ([(10, "ask"), (-30, "fact"), (7, "ask")], ["before the ask before"]),
    ],
)
def test_clock_of_a_terminal(house: AtWork, says: Any, reasons: list[str]) -> None:
    at = wheel(house)
    house.clock.advance(hours=1)
    at("round.open")
    at.terminal("another", "bet.place", bet="another", time=house.clock.after(seconds=50), **RED)
    for number, (apart, intent) in enumerate(says):
        time = house.clock.after(seconds=apart)
        at.terminal("ours", "bet.place", time=time, intent=intent, bet=f"b{number}", **RED)
    assert [(alert.name, alert.person) for alert in house.new()] == [("clock", "dora")] * len(reasons)
    assert [about["reason"] for about in house.alert_data()] == reasons


def test_a_round_opened_without_the_role_is_irregular_in_that_round(house: AtWork) -> None:
    at = wheel(house)
    at("round.open")
    at.spin(2)
    at("round.end")
    opened, irregular = at.fact("round.open", "cage")
    assert (opened.type, opened.data.round) == ("round.opened.v1", 2)
    assert (irregular.type, irregular.data.kind, irregular.data.round) == (
        "irregularity.recorded.v1",
        "without the role",
        2,
    )
    assert irregular.correlation == opened.correlation
    at.spin(3)
    at("round.end")
    at.fact("staff.leave", "ines", post="inspector")
    opened, irregular = at.fact("round.open")
    assert (opened.data.round, irregular.data.kind, irregular.data.round) == (3, "staff", 3)
