"""A demo begins in a folder that holds nothing but the keys which the settings have just made there."""

from pathlib import Path

import pytest
from django.core.management import CommandError

from events.signing.secrets_created_at_first_use import LOGIN_KEY
from tools.demo import logins
from tools.demo.management.commands.demo import _empty


def test_keys_alone_are_no_house(tmp_path: Path) -> None:
    for name in ("secret-key", LOGIN_KEY):
        (tmp_path / name).touch()
    _empty(tmp_path)
    assert logins.is_demo(tmp_path)


def test_anything_else_is_somebodys(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(CommandError, match="is not empty and has no demo"):
        _empty(tmp_path)
    assert (tmp_path / "notes.txt").exists()
