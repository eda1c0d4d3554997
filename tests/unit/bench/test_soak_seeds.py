"""Seeds of the soak: the bound in time, those that fail, and what a terminal does when the house is an older one."""

from collections import Counter
from pathlib import Path

import pytest

from tools.soak import runs_by_seed


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_by_seed, "FAILED", tmp_path / "soak" / "failed-seeds")


def test_a_seed_that_fails_is_told_and_kept_and_the_others_are_played(capfd: pytest.CaptureFixture[str]) -> None:
    def play(seed: int, *, servers: bool) -> Counter[str]:
        assert not servers
        assert seed != 7, "the books differ"
        return Counter({"kills": seed})

    done, failed = runs_by_seed.run([5, 7, 9], play, 60)
    assert failed == [7]
    assert done == Counter({"kills": 14, "evenings": 3})
    assert (7, False) in runs_by_seed.failed_seeds()
    printed = capfd.readouterr()
    assert "the books differ" in printed.err
    assert "again by: ./manage.py soak --running --seed 7" in printed.err
    assert "seed 9: held, 9 kills" in printed.out


def test_a_seed_that_failed_on_servers_is_played_on_servers_again(capfd: pytest.CaptureFixture[str]) -> None:
    runs_by_seed.keep(8, servers=True)
    assert (8, True) in runs_by_seed.failed_seeds()
    assert "again by: ./manage.py soak --running --seed 8 --servers" in capfd.readouterr().err


def test_no_evening_begins_after_the_time_is_over() -> None:
    done, failed = runs_by_seed.run(range(100), lambda seed, *, servers: Counter(), 0)
    assert (done["evenings"], failed) == (1, [])
