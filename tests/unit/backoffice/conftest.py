"""A house that a command finds."""

from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.processes.scratch_databases import migrate, new_access_log


@pytest.fixture
def migrated(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Path:
    """The folder of a house with its tables and without people."""
    with django_db_blocker.unblock():
        migrate(f"sqlite:///{tmp_path}/read.sqlite3")
        new_access_log(tmp_path)
    return tmp_path
