"""A house is verified while it works: heads made during the verification are no finding."""

from collections.abc import Callable
from typing import Any

import pytest

from backoffice.integrity import house_verification
from backoffice.integrity.house_verification import VerificationOptions, VerificationRun
from tests.restores.conftest import place
from tests.restores.house_with_losable_parts import LosableHouse
from tests.restores.restorable_databases import as_default

__all__ = ["place"]  # the fixture, on files and on servers


@pytest.mark.parametrize("where", ["topic", "house"])
def test_a_head_that_is_made_between_two_readings_is_no_finding(
    place: LosableHouse, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def then_one_is_made(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*arguments: Any) -> Any:
            heads = read(*arguments)
            place.plays(1)
            place.goes_on()
            return heads

        return reading

    about, name = {"topic": (VerificationRun, "_topic"), "house": (house_verification, "_house")}[where]
    monkeypatch.setattr(about, name, then_one_is_made(getattr(about, name)))
    with as_default(place.read_url):
        run = VerificationRun(VerificationOptions(read_models=False), lambda line: None).run()
    assert [finding.message for finding in run.findings] == []
