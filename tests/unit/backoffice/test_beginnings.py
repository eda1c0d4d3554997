"""What lay before a round is folded once, and only so many rounds are remembered."""

from typing import Any

import pytest

from backoffice.queries.replay import beginnings
from backoffice.queries.replay.beginnings import Beginnings


def test_it_is_folded_once_and_the_rounds_that_were_asked_for_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[Any] = []

    def fold(events: Any) -> Any:
        folded.append(events)
        return f"after {events}"

    monkeypatch.setattr(beginnings, "session_after", fold)
    kept: Any = Beginnings(at_most=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.before(name, name.upper) == f"after {name.upper()}"
    assert folded == ["A", "B", "C", "B"]
