"""Second people at a table screen: one agrees on a phone, one by a one-time code at the screen."""

from typing import TYPE_CHECKING

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.conf import settings

from backoffice.models import Person
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import code
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Screens

if TYPE_CHECKING:
    from playwright.sync_api import Page


def one_time_code_of(house: Screens, person: str) -> str:
    """Give a person an authenticator app; return its code."""
    secret = "JBSWY3DPEHPK3PXP"

    def enrol(_house: House) -> None:
        rows = Person.objects.using(house.night.alias)
        user, _new = rows.get_or_create(id=person)
        rows.filter(pk=person).update(is_active=True, turns_keys=True)
        apps = Authenticator.objects.using(house.night.alias)
        apps.filter(user=user).delete()
        apps.create(user=user, type=Authenticator.Type.TOTP, data={"secret": get_adapter().encrypt(secret)})

    house.night.do(enrol)
    return code(secret)


def agree_on_phone(house: Screens, robot: RobotDealer, person: str) -> "Page":
    """A person agrees on a phone to what the screen shows; the page after that."""
    shown = robot.page.locator("[data-code]")
    shown.wait_for()
    first = str(shown.get_attribute("data-code"))
    context = house.device()
    session = {"name": settings.SESSION_COOKIE_NAME, "value": house.web.let_in(person), "url": house.url}
    context.add_cookies([session])  # type: ignore[list-item]
    phone = context.new_page()
    phone.goto(f"{house.url}/table/confirm/{first}")
    phone.locator("main form button").first.click()
    robot.page.locator(f"[data-code='{first}']").wait_for(state="detached")
    return phone


def agree_here(house: Screens, robot: RobotDealer, person: str) -> None:
    """A person agrees at the screen by a one-time code."""
    robot.page.locator("[data-code]").wait_for()
    robot.page.locator("[data-field=person]").fill(person)
    robot.page.locator("[data-field=one_time_code]").fill(one_time_code_of(house, person))
    robot.tap(do="agree")
    robot.page.locator("[data-do=agree]").wait_for(state="detached")


def agree_by_two(house: Screens, robot: RobotDealer, first: str, second: str) -> None:
    """The first person agrees on a phone, which asks for the second, who agrees at the screen."""
    agree_on_phone(house, robot, first)
    agree_here(house, robot, second)
