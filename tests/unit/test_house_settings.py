"""The settings on which figures depend: declared once, changed by two people, in force from their position."""

from collections.abc import Iterator
from typing import Any

import pytest

from events.controls.discrepancy_event_and_severity import band, differing
from events.house import setting_and_chip_issue_decider, settings
from events.house.settings import DEFAULTS, HouseSettings
from events.streams.problem_details import Problem
from tests.support.houses.small_house import House


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    yield made
    made.close()


def in_force(house: House) -> HouseSettings:
    settings_: HouseSettings = house.desk.streams.cache.property_state("house").settings
    return settings_


def change(house: House, setting: str, value: Any, *people: str) -> None:
    house.agreed("house", "", people or ("anna", "cage"), house.action("setting.change", setting=setting, value=value))


def refused(house: House, setting: str, value: Any) -> Problem:
    return house.no("house", "", "anna", house.action("setting.change", setting=setting, value=value))


def test_a_house_that_has_set_nothing_has_the_defaults(house: House) -> None:
    assert in_force(house) == DEFAULTS
    assert (DEFAULTS.reported_over_minor, DEFAULTS.regulator_from_minor) == (2_500, 10_000)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("zone", "Europe/Athens"),
        ("day_begins", "07:30"),
        ("shifts", "early 06:00, late 18:00"),
        ("reported_over_minor", 5_000),
        ("business_year_begins", 7),
        ("tax_millionths", 200_000),
    ],
)
def test_a_setting_is_changed_by_two_people(house: House, setting: str, value: Any) -> None:
    change(house, setting, value)
    assert getattr(in_force(house), setting) == value
    assert getattr(in_force(house), "zone" if setting != "zone" else "day_begins") in ("UTC", "06:00")


@pytest.mark.parametrize(
    ("setting", "value", "why"),
    [
        ("colour", "green", "There is no setting"),
        ("zone", "Europe/Sparta", "There is no time zone"),
        ("zone", "../etc/passwd", "There is no time zone"),
        ("day_begins", "25:00", "day_begins is start of the gaming day"),
        ("shifts", "early", "shifts is the shifts of a day"),
        ("shifts", "late 06:00, late 18:00", "a name of its own"),
        ("business_year_begins", 13, "the first month"),
        ("reported_over_minor", "25", "a discrepancy above this amount"),
        ("reported_over_minor", 10_001, "reported within the house before"),
        ("cash_warning_minor", 1_000_001, "The warning comes before the report. Lower the amount of the warning."),
    ],
)
def test_what_a_setting_cannot_be_is_said(house: House, setting: str, value: Any, why: str) -> None:
    problem = refused(house, setting, value)
    assert problem.status == 400
    assert why in problem.detail


def test_what_is_so_already_is_no_change(house: House) -> None:
    assert "has this value already." in refused(house, "zone", "UTC").detail


@pytest.mark.parametrize("second", ["ines", "paul", "cora"])
def test_the_second_key_is_no_department_of_the_pit_nor_accounting_again(house: House, second: str) -> None:
    request = house.ok("house", "", "anna", house.action("setting.change", setting="zone", value="Europe/Athens"))[
        0
    ].data
    give = house.action("approval.give", request=request.request, content=request.content)
    assert house.no("house", "", second, give).status == 403
    assert in_force(house).zone == "UTC"


def test_shifts_are_read_by_name() -> None:
    assert HouseSettings(shifts="early bird 06:00, late 18:00").shift_begins == {"early bird": "06:00", "late": "18:00"}


def test_a_setting_that_there_is_no_more_is_passed_over() -> None:
    assert settings.settings_from({"of_old": 3, "zone": "Europe/Athens"}) == HouseSettings(zone="Europe/Athens")


# --- chips ------------------------------------------------------------------------------------------------------------


def issue(house: House, chips: dict[str, int], way: str = "brought in") -> Any:
    return house.action("chips.issue", chips=chips, way=way, reason="new series")


def test_chips_are_issued_and_destroyed_by_two_people(house: House) -> None:
    house.agreed("house", "", ("cage", "sven"), issue(house, {"500": 100, "2500": 40}))
    event = house.agreed("house", "", ("cage", "anna"), issue(house, {"500": 30}, "destroyed"))[-1]
    assert event.data.amount_minor == 15_000
    state: setting_and_chip_issue_decider.House = house.desk.streams.cache.property_state("house")
    assert state.chips == {500: 70, 2_500: 40}


def test_only_chips_that_were_issued_are_destroyed(house: House) -> None:
    house.agreed("house", "", ("cage", "sven"), issue(house, {"500": 100}))
    assert "only 100 were issued" in house.no("house", "", "cage", issue(house, {"500": 101}, "destroyed")).detail


# --- bands ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(0, "recorded"), (-2_500, "recorded"), (2_501, "reported"), (-9_999, "reported"), (10_000, "regulator")],
)
def test_nj_1_21_bands_of_discrepancies(difference: int, expected: str) -> None:
    assert band(difference, DEFAULTS) == expected


def test_pieces_that_differ_are_named_on_both_sides() -> None:
    assert differing({100: 5, 500: 2}, {500: 2, 100: 0, 2_500: 1}) == ({100: 5, 2_500: 0}, {100: 0, 2_500: 1})
