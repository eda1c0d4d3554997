"""Limits for the tests of real parts, so that they do not depend on the machine's present speed."""

import pytest


@pytest.fixture(autouse=True)
def _patient_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give searches enough time on a busy machine: pages stop them after half a second.

    Tests of that limit set their own.
    """
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit.WITHIN_S", 60.0)
