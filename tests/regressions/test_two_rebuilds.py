"""Two rebuilds at once filled the same copies: the second emptied the tables of the first."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from backoffice.running import status_files
from backoffice.running.open_files_locks_full_disk import hold_file_lock


def test_the_second_of_two_rebuilds_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path}/events.sqlite3")
    with (
        hold_file_lock(status_files.run_folder() / "rebuild.lock"),
        pytest.raises(CommandError, match=r"another rebuild is at work here, .* wait until it has ended"),
    ):
        call_command("rebuild", "all")
