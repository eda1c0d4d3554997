"""Apps beside the product add to the houses that they choose, and to no other."""

from pathlib import Path

import pytest

from backoffice.installation import add_on_addresses_and_startup
from tools.demo import logins, tablet_pairing_link_and_badges


def test_the_demo_adds_its_address_to_its_own_house_only(tmp_path: Path) -> None:
    assert add_on_addresses_and_startup.addresses(tmp_path) == []
    (tmp_path / logins.MARK).touch()
    assert add_on_addresses_and_startup.addresses(tmp_path) == [tablet_pairing_link_and_badges.PAIR]


@pytest.mark.django_db
def test_another_house_starts_without_lines_of_the_demo(tmp_path: Path) -> None:
    assert add_on_addresses_and_startup.start_lines(tmp_path, 8000) == []
