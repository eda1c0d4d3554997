"""The settings of the house and its chips from the pages: before and after, by two departments."""

from collections.abc import Iterator

import pytest

from tests.support.houses import evening_with_everything
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import serving
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
HOUSE = "/house"


@pytest.fixture
def door(db: None) -> Iterator[InProcessDoor]:
    house = Cashiers()
    evening_with_everything.project(house)
    with serving(house), open_door(house) as opened_door:
        yield opened_door
    house.close()


def change(setting: str) -> str:
    """The address of the form that changes it."""
    urls = forms(source(at("anna"), HOUSE), "setting.change")
    return next(url for url in urls if f"setting={setting}" in url)


def test_settings_stand_with_what_is_in_force_and_who_may_change_them(door: InProcessDoor) -> None:
    page = words(at("anna"), HOUSE)
    assert "a discrepancy above this amount is reported to Surveillance and Security (NJ 1.21) 25.00" in page
    assert forms(source(at("olga"), HOUSE), "setting.change") == []
    assert at("ines").get(HOUSE).status_code == 403


def test_an_amount_is_written_as_one_and_shown_before_and_after(door: InProcessDoor) -> None:
    looked, _sent = preview_of(at("anna"), change("reported_over_minor"), value="50.00")
    page = looked.content.decode().replace("\N{NO-BREAK SPACE}", " ")
    assert "<td>25.00 EUR</td><td>50.00 EUR</td>" in page
    assert "Needs one approval" in page


def test_a_setting_is_changed_by_two_departments(door: InProcessDoor) -> None:
    answer, _sent = done(at("anna"), change("reported_over_minor"), value="50.00")
    assert answer["Location"] == HOUSE, complaints(answer)
    [url] = forms(source(at("sid"), "/inbox"), "approval.give")
    answer, _sent = done(at("sid"), url)
    assert answer.status_code == 302, complaints(answer)
    assert "(NJ 1.21) 50.00 EUR 25.00 EUR" in words(at("anna"), HOUSE).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("setting", "value", "why"),
    [
        ("day_begins", "25:00", "day_begins is"),
        ("reported_over_minor", "much", "Enter a number"),
        ("zone", "Mars", "no time zone"),
    ],
)
def test_what_a_setting_cannot_be_stands_at_its_field(door: InProcessDoor, setting: str, value: str, why: str) -> None:
    looked, _sent = preview_of(at("anna"), change(setting), value=value)
    assert looked.status_code == 422
    assert why in complaints(looked)


def test_chips_are_issued_by_cage_and_security_and_the_house_s_are_shown_before_and_after(door: InProcessDoor) -> None:
    url = f"{HOUSE}/do/chips.issue"
    looked, _sent = preview_of(at("cage"), url, chips="500: 20", way="brought in", reason="opening")
    assert "20 × 5.00, total 100.00" in looked.content.decode()
    done(at("cage"), url, chips="500: 20", way="brought in", reason="opening")
    [give] = forms(source(at("sid"), "/inbox"), "approval.give")
    done(at("sid"), give)
    assert "5.00 EUR 20 100.00" in words(at("cage"), HOUSE)
