"""The names of figures that differ between two reports."""

import pytest

from backoffice.days.figure_names import figure_name


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("tables/FR1/shifts/night/end_minor", "FR1, shift night, closing inventory"),
        ("tables/BJ2/day/parts/drop_minor", "BJ2, day, box difference"),
        ("discrepancies/4/expected_minor", "discrepancy 4, expected"),
        ("cage/chips_minor/counted_minor", "cage, chips, counted"),
    ],
)
def test_a_figure_is_called_as_people_call_it(place: str, name: str) -> None:
    assert figure_name(place) == name
