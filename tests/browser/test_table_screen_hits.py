"""Hits of a progressive with fingers only: two in one round, their shares, and the same round by the interface."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events import catalogue
from events.progressives import due_lock_and_lapse_appending
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.browser import violations
from tests.support.pages.second_people import agree_on_phone, one_time_code_of
from tests.support.tables.api_dealer import ApiDealer, comparable
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MAIN, SIDE = 2_500, 500
CARDS = (("7D", 1), ("7H", 2), ("9C", 3), ("7D", 0), ("7D", 1), ("7D", 2), ("TD", 3))  # box, 0: the dealer
LEVELS = {1: "mega", 2: "minor"}


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        opened.night.do(lambda house: house.open_table("BJ2"))
        yield opened


def await_that(robot: RobotDealer, holds: Callable[[], bool]) -> None:
    """Wait until something holds, 15 seconds at most."""
    for _ in range(150):
        if holds():
            return
        robot.page.wait_for_timeout(100)
    raise AssertionError("it never held")


def is_authorised(house: Screens, hit: str) -> bool:
    """Return whether the hit's share is authorised."""
    return any(event.type == "hit.authorised.v1" and event.data.hit == hit for event in hits(house))


def lock_shares(house: Screens) -> None:
    """Do the work of the worker: lock the shares of the hits."""
    house.night.do(lambda opened: due_lock_and_lapse_appending.reconcile(opened.store, PROPERTY, "blazing"))


def hits(house: Screens) -> list[Any]:
    """The events of the progressive in their order."""
    events: list[Any] = []

    def read(opened: House) -> None:
        stored = opened.store.stream(f"{PROPERTY}/progressives/blazing")
        events.extend(catalogue.decode(event.type, event.raw) for event in stored)

    house.night.do(read)
    return events


def bet_and_arm(robot: RobotDealer) -> None:
    robot.step("round.open")
    for box in (1, 2, 3):
        robot.stake("main", MAIN, seat=box)
    for box in (1, 2):
        robot.stake("blazing7s", SIDE, seat=box)
    robot.step("right.decline", box=3)
    robot.step("bets.close")
    robot.step("progressive.arm")


def deal(robot: RobotDealer) -> None:
    for card, box in CARDS:
        robot.card(card, **({"to": "box", "box": box} if box else {"to": "dealer"}))


def finish(robot: RobotDealer) -> None:
    robot.step("deal.complete")
    for box in (1, 2, 3):
        robot.step("hand.stand", box=box)
    robot.card("TC", to="dealer")
    robot.pay_all()
    robot.step("round.end")


def authorise(house: Screens, robot: RobotDealer, hit: str) -> None:
    """A pit boss authorises on a phone, surveillance above its limit by a one-time code at the screen."""
    robot.tap(do="hit.authorise", hit=hit)
    phone = agree_on_phone(house, robot, "paul")
    assert "hit" in phone.locator("main").inner_text().lower()
    code_field = robot.page.locator("[data-code]")
    await_that(robot, lambda: code_field.count() > 0 or is_authorised(house, hit))
    if not is_authorised(house, hit):
        robot.page.locator("[data-field=person]").fill("sven")
        robot.page.locator("[data-field=one_time_code]").fill(one_time_code_of(house, "sven"))
        robot.tap(do="agree")
        await_that(robot, lambda: is_authorised(house, hit))


def test_two_hits_in_one_round_are_declared_and_authorised_with_fingers(house: Screens) -> None:
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    bet_and_arm(robot)
    deal(robot)
    for box, level in LEVELS.items():
        robot.step("hit.declare", box=box, level=level)
    finish(robot)
    by_fingers = comparable(house.night.events("BJ1")[begun:], "BJ1")
    lock_shares(house)
    locks = [event.data for event in hits(house) if event.type == "shares.locked.v1"]
    locked = {share.hit: share for lock in locks for share in lock.shares}
    assert len(locked) == 2
    for hit, lock in locked.items():
        button = robot.page.locator(f"[data-hit='{hit}']")
        button.wait_for()
        assert f"{lock.share_minor // 100:,}" in button.inner_text()
    assert violations(robot.page) == []
    codes: list[str] = []
    robot.page.on("request", lambda sent: codes.append(sent.url) if sent.url.endswith("/second") else None)
    authorise(house, robot, next(iter(locked)))
    assert len(codes) == 2, "one code for the pit boss, one for surveillance"
    assert robot.page.locator(".sheet").count() == 0
    authorised = [event for event in hits(house) if event.type == "hit.authorised.v1"]
    assert [(event.data.hit, event.data.amount_minor) for event in authorised] == [
        (hit, lock.share_minor) for hit, lock in list(locked.items())[:1]
    ]
    pay(house, robot, next(iter(locked)))
    assert by_fingers == by_interface(house)


def pay(house: Screens, robot: RobotDealer, hit: str) -> None:
    """The cage pays the share of the mega hit, and envy to the other player of the round."""
    house.night.do(
        lambda opened: opened.ok(
            "progressives", "blazing", "cage", opened.action("jackpot.pay", hit=hit, gaming_day=DAY)
        )
    )
    robot.page.locator(f"[data-hit='{hit}']").wait_for(state="detached")
    events = hits(house)
    share = next(event.data.amount_minor for event in events if event.type == "hit.authorised.v1")
    assert [event.data.amount_minor for event in events if event.type == "jackpot.paid.v1"] == [share]
    envy = [event.data for event in events if event.type == "envy.paid.v1"]
    assert [(bonus.box, bonus.amount_minor) for bonus in envy] == [(1, 50_000)], "of the low stake"
    assert envy[0].winner != envy[0].player


def by_interface(house: Screens) -> list[dict[str, Any]]:
    """The events of the same round at the other table, recorded by the action interface."""
    api, begun = ApiDealer(house, "BJ2"), len(house.night.events("BJ2"))
    api.act("round.open", {})
    api.repeat(
        (("stake", {"place": "main", "minor": MAIN, "seat": box, "name": f"m{box}"}) for box in (1, 2, 3)), "BJ1"
    )
    api.repeat(
        (("stake", {"place": "blazing7s", "minor": SIDE, "seat": box, "name": f"s{box}"}) for box in (1, 2)), "BJ1"
    )
    seats = {seat["seat"]: seat["player"] for seat in api.layout()["seats"]}
    api.act("right.decline", {"box": 3, "player": seats[3]})
    api.act("bets.close", {})
    api.act("progressive.arm", {})
    for card, box in CARDS:
        api.act("card.deal", {"card": card, **({"to": "box", "box": box} if box else {"to": "dealer"})})
    for box, level in LEVELS.items():
        api.act("hit.declare", {"box": box, "level": level})
    api.act("deal.complete", {})
    for box in (1, 2, 3):
        api.act("hand.stand", {"box": box})
    api.act("card.deal", {"card": "TC", "to": "dealer"})
    api.repeat([("pay", {})], "BJ1")
    api.act("round.end", {})
    return comparable(house.night.events("BJ2")[begun:], "BJ2")


@pytest.mark.parametrize(("moment", "suit", "level"), [("dealt", "S", "major"), ("declared", "H", "major")])
def test_a_lost_connection_after_arming_loses_no_hit(house: Screens, moment: str, suit: str, level: str) -> None:
    """The round stays armed; the hit is queued with its time, and the store has it once, in its place."""
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    cut = robot.page.context.set_offline
    robot.step("round.open")
    robot.stake("main", MAIN, seat=1)
    robot.stake("blazing7s", SIDE, seat=1)
    robot.step("bets.close")
    robot.step("progressive.arm")
    for _card in range(3):
        robot.card(f"7{suit}")
    if moment == "declared":
        robot.step("hit.declare", box=1, level=level)
    cut(True)
    robot.page.locator(".offline").wait_for()
    if moment != "declared":
        robot.page.locator(f"""[data-do="hit.declare"][data-of*='"{level}"']""").first.tap()
    robot.tap(do="deal.complete")
    cut(False)
    robot.page.locator('.bar[data-state="live"][data-pending="0"]').wait_for()
    types = [event.type for event in house.night.events("BJ1")[begun:]]
    assert types.count("progressive.armed.v1") == 1
    assert types.count("hit.declared.v1") == 1, types
    assert types.index("hit.declared.v1") > types.index("progressive.armed.v1")
    robot.step("hand.stand", box=1)
    robot.card("TC", to="dealer")
    robot.pay_all()
    robot.step("round.end")


def test_a_round_that_could_not_be_armed_is_dealt_without_the_progressive(house: Screens) -> None:
    """Offline, the next steps lead on to the cards, and the progressive's stake is returned."""
    robot = RobotDealer(house.at_work("BJ1"))
    begun = len(house.night.events("BJ1"))
    robot.step("round.open")
    robot.stake("main", MAIN, seat=1)
    robot.stake("main", MAIN, seat=2)
    robot.stake("blazing7s", SIDE, seat=1)
    robot.step("bets.close")
    robot.page.context.set_offline(True)
    robot.page.locator(".offline").wait_for()
    robot.page.locator("[data-do='progressive.arm']").tap(force=True)  # grey, and says why
    robot.page.locator(".toast").wait_for()
    robot.tap(do="dismiss")
    for card in ("TC", "9H", "KD", "9C", "8C"):
        robot.tap_at(f'.dock-pad [data-card="{card}"]')
    robot.tap(do="deal.complete")
    for box in (1, 2):
        robot.tap_at(f"""[data-do="hand.stand"][data-of='{{"box":{box}}}']""")
    robot.tap_at('.dock-pad [data-card="QS"]')
    robot.tap(do="round.end")
    robot.page.context.set_offline(False)
    robot.page.locator('.bar[data-state="live"][data-pending="0"]').wait_for()
    events = house.night.events("BJ1")[begun:]
    types = [event.type for event in events]
    assert "progressive.armed.v1" not in types
    dealt = [(event.data.box, event.data.card) for event in events if event.type == "card.dealt.v1"]
    assert dealt == [(1, "TC"), (2, "9H"), (None, "KD"), (1, "9C"), (2, "8C"), (None, "QS")]
    settled = {(event.data.box, event.data.wager): event.data for event in events if event.type == "bet.settled.v1"}
    assert (settled[1, "blazing7s"].outcome, settled[1, "blazing7s"].returned_minor) == ("void", SIDE)
    assert [settled[box, "main"].outcome for box in (1, 2)] == ["lose", "lose"]
    assert types.count("round.ended.v1") == 1
    marks = [event.data.code for event in events if event.type == "irregularity.recorded.v1"]
    assert marks.count("round-not-armed") == 1
