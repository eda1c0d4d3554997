"""Counts and changes of the rooms: a table by thumb, the cage, a blind count by two, a setting of the house."""

from tests.jobs.person_at_a_screen import HouseInBrowser, Visitor
from tests.support.houses.small_house import DAY
from tests.support.pages.browser import follow

TABLE = "/pit/FR2"


def pieces(visitor: Visitor, **numbers: str) -> None:
    """Numbers into the rows of these pieces ("chips_5_00"), as the page calls them."""
    for name, number in numbers.items():
        field, _, worth = name.partition("_")
        worth = worth.replace("_", ".")
        row = visitor.page.locator(f"tr:has(input[name^='{field}-'][name$='-worth'][value='{worth}'])")
        row.locator("input[name$='-number']").fill(number)


def lead_a_table(house: HouseInBrowser) -> None:
    """By thumb: put a box, count the tray with a second person, and see the difference."""
    with house.somebody("ines", TABLE) as ines:
        ines.look()
        ines.press("Place drop box")
        ines.fill(drop_box="red 7")
        ines.act()
        assert "red 7" in ines.text
        ines.press("Interim count")
        ines.look()
        pieces(ines, chips_5_00="1000", chips_1_00="1000", chips_25_00="1000")
        assert ines.page.locator("[data-tray] [data-all]").inner_text() == "31,000.00"
        ines.page.locator("button.step[data-step='1']:visible").first.click()
        ines.page.locator("button.step[data-step='-1']:visible").first.click()
        ines.fill(witness="sid")
        ines.act(says="total 31,000.00")
        assert "differs from the expected inventory" in ines.text
        ines.look()


def work_the_cage(house: HouseInBrowser) -> None:
    """Open the cage by a count, exchange chips, and issue a slip for a table, with its number in large digits."""
    with house.somebody("cage", "/cage") as cage:
        cage.look()
        cage.press("Open cage")
        cage.look()
        cage.fill(gaming_day=DAY, cash_minor="50000.00")
        pieces(cage, chips_5_00="4000", chips_1_00="10000")
        cage.act()
        cage.press("Cash out chips")
        pieces(cage, chips_5_00="40")
        cage.act(says="total 200.00")
    with house.somebody("ines", TABLE) as ines:
        ines.press("Request fill")
        pieces(ines, chips_5_00="100")
        ines.act()
        assert "requested from the cage" in ines.text
    with house.somebody("cage", "/cage") as cage:
        cage.look()
        cage.press("Issue slip")
        cage.act(says="total 500.00")
        assert cage.page.locator(".slip .number").inner_text() == "1"
        cage.look()


def count_a_box(house: HouseInBrowser) -> None:
    """Two take it away. Counter one, blind; counter two, other figures: both are shown."""
    with house.somebody("sid", TABLE) as sid:
        sid.press("Remove drop box")
        sid.fill(witness="ines")
        sid.act(says="red 7")
    with house.somebody("cora", "/count-room") as cora:
        cora.look()
        cora.press("Enter first count")
        cora.look()
        pieces(cora, cash_50_00="30", cash_10_00="5")
        cora.act(says="total 1,550.00")
        assert "hidden" in cora.text
    with house.somebody("anna", "/count-room") as anna:
        assert "1,550" not in anna.page.content()
        anna.press("Enter verification count")
        pieces(anna, cash_50_00="31")
        anna.act()
        assert "The two counts differ" in anna.text
        anna.look()


def change_a_setting(house: HouseInBrowser) -> None:
    """Change a setting with another department's approval, and see both values."""
    with house.somebody("anna", "/house") as anna:
        anna.look()
        follow(anna.page.locator("a[href*='setting=reported_over_minor']"))
        anna.look()
        anna.fill(value="50.00")
        anna.act(says="Needs one approval")
