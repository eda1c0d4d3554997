"""Evenings in a running house of which every process is killed, parts are put back and the clock is stepped."""

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tools.soak import runs_by_seed, seeded_evening


@pytest.mark.parametrize(("seed", "servers"), runs_by_seed.failed_seeds())
def test_an_evening_of_harm_ends_with_the_books_of_an_undisturbed_one(
    seed: int, servers: bool, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        done = seeded_evening.play(seed, servers=servers)
    assert done["kills"] > 0
    assert (done["houses put back"], done["read models put back"]) == (1, 1)
