"""Pictures of the table screen for the how-tos."""

from collections.abc import Callable
from pathlib import Path

from tests.support.tables.table_screens import Fingers, Screens

NAMES = ("pairing", "badge", "stakes", "number", "due", "offline", "menu")


STAKES = (
    (1, 500, ("straight 17", "split 14-17", "red", "dozen 2")),
    (2, 2_500, ("straight 20", "black")),
    (3, 500, ("street 25-26-27", "straight 17")),
)


def take(house: Screens, table: str, folder: Path) -> None:
    """Play a spin at a table, and save the pictures into the folder."""
    page = house.device().new_page()

    def save(name: str) -> None:
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"table-{name}.png")

    secret = house.night.code(table)
    page.goto(f"{house.url}/table/{table}#{secret}")
    page.locator("[data-digits]").wait_for()
    save("pairing")
    house.night.confirm(secret)
    page.locator("[name=badge]").wait_for()
    save("badge")
    for role, person in (("dealer", "dora"), ("inspector", "ines")):
        house.come(page, role, person)
    fingers = Fingers(page)
    _spin(fingers, save)
    fingers.tap(do="menu")
    save("menu")
    fingers.tap(do="close")
    _without_connection(fingers, save)


def _spin(fingers: Fingers, save: Callable[[str], None]) -> None:
    fingers.tap(do="round.open")
    fingers.phase("open")
    for seat, chip, places in STAKES:
        fingers.tap(do="player", seat=seat)
        fingers.tap(chip=chip)
        for place in places:
            fingers.tap(place=place)
    fingers.settled()
    save("stakes")
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.phase("no_more_bets")
    save("number")
    fingers.tap(do="ball.land", number=17)
    fingers.phase("settled")
    save("due")
    fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")


def _without_connection(fingers: Fingers, save: Callable[[str], None]) -> None:
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.page.context.set_offline(True)
    fingers.page.locator(".offline").wait_for()
    for number in (1, 2, 3):
        fingers.tap(place=f"straight {number}")
    fingers.page.locator('.bar[data-queued="3"]').wait_for()
    save("offline")
