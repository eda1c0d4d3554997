"""Every address and action, asked as everyone, with and without the case. It prints how many cells were tried."""

from pathlib import Path

import pytest

from tests.secrecy.compared_questions import cells, compare

pytestmark = pytest.mark.django_db(databases="__all__")


@pytest.mark.parametrize("is_later", [False, True], ids=["from the start", "added later"])
def test_every_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_later: bool) -> None:
    every = cells()
    leaks = compare(every, tmp_path, monkeypatch, is_later=is_later)
    print(f"{len(every):,} cells tried, {len(leaks)} answered otherwise")
    assert not leaks, "\n\n".join(map(str, leaks[:40]))
