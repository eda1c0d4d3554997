"""Work at a table screen by taps: buy-ins of every tender, fills and credits, a shift, a new day, irregularities."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses import evening_with_everything
from tests.support.houses.cage_house import counted
from tests.support.houses.small_house import DAY
from tests.support.pages.browser import violations
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NEXT_DAY = "2026-11-21"
REQUESTED = ("fill.requested.v1", "credit.requested.v1")
TRAY = {"100": 1_000, "500": 1_000, "2500": 1_000}


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        opened.night.do(lambda cage: cage.ok("cage", "", "cage", cage.action("cage.open", gaming_day=DAY, **counted())))
        opened.night.do(lambda night: night.grant("dina", "dealer"))
        yield opened


def data_of(house: Screens, table: str, *kinds: str) -> list[Any]:
    return [event.data for event in house.night.events(table) if event.type in kinds]


def issue_slip(house: Screens, table: str) -> int:
    """The cage issues the slip for the last request of a table; its number."""
    request = data_of(house, table, *REQUESTED)[-1].request
    issued: list[Any] = []
    house.night.do(
        lambda cage: issued.extend(
            cage.ok("cage", "", "cage", cage.action("slip.issue", request=request, runner="sid"))
        )
    )
    return next(int(event.data.slip) for event in issued if event.type == "slip.issued.v1")


@pytest.mark.parametrize("tender", ["cash", "marker", "promotional"])
def test_a_player_buys_in_by_every_tender(house: Screens, tender: str) -> None:
    """A voucher has the tender "promotional"."""
    robot = RobotDealer(house.at_work("FR1"))
    robot.step("buyin.make", {"amount_minor": 25_000, "seat": 3, "player": f"g-{tender}", "tender": tender})
    buyin = data_of(house, "FR1", "buyin.made.v1")[-1]
    assert (buyin.amount_minor, buyin.seat, buyin.player, buyin.tender) == (25_000, 3, f"g-{tender}", tender)
    assert robot.page.locator(".sheet").count() == 0


def test_fills_and_credits_are_received_and_sent_against_their_slips(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR2"))
    robot.step("fill.request", {"chips": {"500": 40}})
    robot.step("fill.receive", {"slip": issue_slip(house, "FR2"), "chips": {"500": 39}})
    robot.step("credit.request", {"chips": {"100": 200}})
    robot.step("credit.send", {"slip": issue_slip(house, "FR2"), "chips": {"100": 200}})
    [fill] = data_of(house, "FR2", "fill.received.v1")
    [credit] = data_of(house, "FR2", "credit.sent.v1")
    assert (dict(fill.chips), dict(credit.chips)) == ({500: 39}, {100: 200})


def test_the_inspector_sees_what_is_irregular_and_who_clears_it(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR5"))
    for step in ("round.open", "ball.launch", "bets.close"):
        robot.step(step)
    robot.step("bet.place", {"place": {"wager": "red"}, "amount_minor": 500, "player": "g-1", "seat": 1})
    house.night.do(lambda night: evening_with_everything.project(night, house.night.alias))
    robot.page.reload()
    robot.tap_at('[data-do="notices"]')
    shown = robot.page.locator("[data-irregularity]")
    shown.first.wait_for()
    assert [mark.kind for mark in data_of(house, "FR5", "irregularity.recorded.v1")] == ["late bet"]
    assert "Late bet" in shown.inner_text()
    assert "To be cleared by: " in shown.inner_text()
    assert violations(robot.page) == []


def test_a_day_ends_and_the_next_one_is_opened(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR3"))
    robot.step("drop.put", {"drop_box": "b-1"})
    robot.step("shift.count", {"chips": TRAY, "next_shift": "night", "witness": "sid", "drop_box": "b-2"})
    robot.step("session.close", {"closer": TRAY, "witness": "paul"})
    robot.step("session.open", {"gaming_day": NEXT_DAY, "opener": TRAY, "witness": "paul", "shift": "day"})
    robot.step("limits.post", {"minimum_minor": 1_000, "maxima_minor": {"straight": 20_000}})
    boxes = [event.drop_box for event in data_of(house, "FR3", "drop.put.v1", "drop.removed.v1")]
    assert boxes == ["b-1", "b-1", "b-2"], "put, taken away at the count, and the next one put"
    assert len(data_of(house, "FR3", "shift.counted.v1")) == 1
    opened = data_of(house, "FR3", "session.opened.v1")[-1]
    assert (opened.gaming_day, {str(chip): count for chip, count in opened.opener.items()}) == (NEXT_DAY, TRAY)
    posted = data_of(house, "FR3", "limits.posted.v1")[-1]
    assert (posted.minimum_minor, dict(posted.maxima_minor)) == (1_000, {"straight": 20_000})


def test_a_relief_takes_two_taps_and_a_badge(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR4"))
    badge, taps = house.night.badge("dina"), robot.taps
    robot.tap(do="leave", role="dealer")
    robot.tap(do="relief")
    assert robot.taps == taps + 2
    robot.page.locator("[name=badge]").press_sequentially(badge)
    robot.page.keyboard.press("Enter")
    robot.page.locator("[name=badge]").wait_for(state="detached")
    robot.step("round.open")
    opened = [event.actor for event in house.night.events("FR4") if event.type == "round.opened.v1"]
    assert opened == ["dina"]
