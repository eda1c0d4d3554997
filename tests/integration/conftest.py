"""Limits for the tests of real parts, so that they do not depend on the machine's present speed."""

import pytest


@pytest.fixture(autouse=True)
def _patient_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search on a page tells after half a second how far it came, which on a busy machine is not far. Those that test
    this say for how long themselves."""
    monkeypatch.setattr("backoffice.surveillance.search.result_pages.WITHIN_S", 60.0)
