"""Forms show the present and the new values: limits, posts, roles."""

import re
from collections.abc import Iterator

import pytest

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, open_door, preview_of

pytestmark = pytest.mark.django_db

BJ2 = f"/tables/BJ2/{DAY}"


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    evening_house.open_table("BJ2")
    evening_with_everything.project(evening_house)
    with open_door(evening_house) as opened_door:
        yield opened_door


def rows(who: str, url: str, /, **form: str) -> dict[str, tuple[str, str]]:
    """Return the present and the new value of each row of a form."""
    answer, _sent = preview_of(at(who), url, **form)
    assert answer.status_code == 200, complaints(answer)
    page = answer.content.decode().partition('id="would"')[2].partition("</table>")[0]
    cells = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', page, re.DOTALL)
    plain = [[re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]
    return {label: (now, then) for label, now, then in plain}


def test_who_takes_a_post_is_shown_beside_who_has_it(door: InProcessDoor) -> None:
    assert rows("paul", f"{BJ2}/do/staff.assign", post="dealer", person="nina") == {"Dealer": ("dora", "nina")}
    assert rows("paul", f"{BJ2}/do/staff.leave", post="inspector") == {"Inspector": ("ines", "no one")}


def test_limits_stand_beside_those_that_are_posted(door: InProcessDoor) -> None:
    rows_ = rows("paul", f"{BJ2}/do/limits.post", minimum_minor="10.00", maxima_minor="main: 300.00")
    (now, then) = rows_["Minimum"]
    assert then == "10.00 EUR"
    assert now not in ("", then)
    (now, then) = rows_["Maxima"]
    assert then == "main: 300.00 EUR"
    assert now == "none"


def test_a_role_stands_among_all_of_somebody(door: InProcessDoor) -> None:
    assert rows("adam", "/people/do/role.grant", person="dora", role="inspector")["Roles"] == (
        "dealer",
        "dealer, inspector",
    )
    assert rows("adam", "/people/do/role.revoke", person="dora", role="dealer")["Roles"] == ("dealer", "no roles")
