"""What a figure of a report that has changed is called."""

import pytest

from backoffice.templatetags.accounts import figure_place


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("tables/FR1/shifts/night/end_minor", "FR1, shift night, end"),
        ("tables/BJ2/day/parts/drop_minor", "BJ2, day, the difference by drop"),
        ("discrepancies/4/expected_minor", "discrepancy 4, expected"),
        ("cage/chips_minor/counted_minor", "cage, chips, counted"),
    ],
)
def test_a_figure_is_called_as_people_call_it(place: str, said: str) -> None:
    assert figure_place(place) == said
