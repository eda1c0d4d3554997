"""Hundreds of seeded days of linked tables; `./manage.py soak --seeds N` plays more of them."""

from pathlib import Path

import pytest

from tests.simulation.progressives import soak

pytestmark = pytest.mark.simulation
BATCH = 20


@pytest.mark.parametrize("first", range(0, 200, BATCH))
def test_days_in_memory(first: int) -> None:
    for seed in range(first, first + BATCH):
        soak.play(seed)


@pytest.mark.parametrize("seed", range(1_000, 1_012))
def test_days_in_sqlite(seed: int, tmp_path: Path) -> None:
    soak.play(seed, tmp_path)


@pytest.mark.parametrize("seed", [2, 5, 11, 17])
def test_every_award_of_a_day_can_be_certified(seed: int, tmp_path: Path) -> None:
    soak.play(seed, certify=tmp_path)


def test_seeds_that_failed_once_are_played_for_ever() -> None:
    for seed in soak.failed_seeds():
        soak.play(seed)


def test_a_failing_seed_is_printed_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(day: object) -> None:
        raise AssertionError("a meter is wrong")

    monkeypatch.setattr(soak, "FAILED", tmp_path / "failed-seeds")
    monkeypatch.setattr(soak, "check", fail)
    for_ever = soak.failed_seeds()
    for _ in range(2):
        with pytest.raises(AssertionError, match="a meter is wrong"):
            soak.play(3)
    assert "soak --seed 3" in capsys.readouterr().err
    assert soak.failed_seeds() == sorted([3, *for_ever])
