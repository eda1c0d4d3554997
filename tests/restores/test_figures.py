"""A restored store under newer read models: pages warn before they show figures, and the named commands fix it."""

import pytest
from django.core.management import CommandError
from django.test import RequestFactory

from backoffice.days import system_state_for_day_close
from backoffice.freshness.freshness import freshness
from backoffice.house.health_and_metrics_endpoints import healthz
from backoffice.installation import dependency_injection
from events.integrity import signing_stop_note
from tests.restores.conftest import place
from tests.restores.house_with_losable_parts import LosableHouse, stopped
from tests.restores.restorable_databases import as_default

__all__ = ["place"]  # the fixture, on files and on servers

SAY_IT = (["books"], ["search", "table:FR1"], ["hold"], ["cash", "2026-11-20"], ["liability"], ["alerts"])


def restored(place: LosableHouse) -> None:
    """An older copy of the store, put back under the read models and the topic of the newer one, and played on."""
    backup = place.keep()
    place.plays(20)
    place.goes_on()
    place.restore(backup)
    place.plays(5)


def failed(place: LosableHouse, *words: str) -> str:
    with pytest.raises(CommandError) as refused:
        place.manage(*words)
    assert refused.value.returncode == 1
    line = str(refused.value)
    assert "\n" not in line
    return line


def health(place: LosableHouse) -> bytes:
    dependency_injection.close()
    with as_default(place.read_url):
        return bytes(healthz(RequestFactory().get("/healthz")).content)


def test_the_whole_story(place: LosableHouse) -> None:
    restored(place)
    line = failed(place, "books", "--check")
    assert "Figures of another history" in line
    assert "./manage.py rebuild all --approve" in line
    for words in SAY_IT:
        try:
            printed = place.manage(*words)
        except CommandError:  # nothing was played, no progressive: it was said before that
            continue
        assert printed.startswith("WARNING: Figures of another history"), words
    assert b"rebuild all --approve" in health(place)
    with as_default(place.read_url):
        assert freshness().state == "astray"
        assert set((system_state_for_day_close.read_system_state().readers or {}).values()) == {0}, (
            "no day closes over figures of another history"
        )

    line = failed(place, "rebuild", "all", "--approve")
    assert line.startswith("Rebuilt. New events do not reach the figures")
    assert line.endswith("./manage.py relay --empty-topic")
    assert "relay --empty-topic" in failed(place, "books", "--check")
    assert stopped(place.sends) == "relay --empty-topic"
    place.manage("relay", "--empty-topic")
    place.sends()
    place.reads()
    assert place.manage("books", "--check").rstrip().endswith("Every invariant holds.")
    assert not place.manage("books").startswith("WARNING")
    assert b'"ok"' in health(place)
    head = stopped(place.signs)
    signing_stop_note.note_refusal(f"the heads were cut off: ./manage.py {head}")
    assert b"no gaming day can be closed" in health(place)
    signing_stop_note.note_refusal("")
    place.manage(*head.split())
    place.is_well()


def test_the_other_order(place: LosableHouse) -> None:
    restored(place)
    place.manage("relay", "--empty-topic")
    place.sends()
    assert "rebuild all --approve" in failed(place, "books", "--check")
    place.manage("rebuild", "all", "--approve")
    place.reads()
    assert place.manage("books", "--check").rstrip().endswith("Every invariant holds.")
