"""The version of this software."""

import tomllib
from functools import cache

from backoffice.running.database_and_mail_settings import ROOT


@cache
def version() -> str:
    """The version as pyproject.toml has it."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
