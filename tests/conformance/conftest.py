"""Fixtures of the conformance tests."""

from collections.abc import Iterator

import pytest

from tests.support.working_house import AtWork


@pytest.fixture
def house() -> Iterator[AtWork]:
    """A house at work, whose alerts are made again event by event at the end."""
    made = AtWork()
    yield made
    made.check()
    made.close()
