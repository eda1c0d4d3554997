"""The systemd units as the tests read them: sections and keys, a drop-in for all of them read last."""

import re
import shlex
from pathlib import Path

from backoffice.running import database_and_mail_settings

FOLDER = database_and_mail_settings.ROOT / "tools" / "deploy" / "systemd"
COMMON = FOLDER / "pitledger-.service.d" / "common.conf"
PYTHON = "/opt/pitledger/.venv/bin/python"


def values(path: Path, key: str) -> list[str]:
    """Return the values of a key in a file, in order."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def unit(name: str) -> Path:
    """Return the file of a service."""
    return FOLDER / f"pitledger-{name}.service"


def services() -> dict[str, Path]:
    """Return the file of every service, by the name of its part."""
    return {path.stem.removeprefix("pitledger-"): path for path in sorted(FOLDER.glob("*.service"))}


def command(name: str) -> list[str]:
    """Return what a service runs."""
    [line] = values(unit(name), "ExecStart")
    return shlex.split(line)


def secrets(name: str) -> set[str]:
    """Return the names of the credentials of a service."""
    loaded = values(unit(name), "LoadCredential") + values(COMMON, "LoadCredential")
    return {value.partition(":")[0] for value in loaded}


def variables(name: str) -> dict[str, str]:
    """Return the variables of a service that stand in its own file or in that of all."""
    lines = values(unit(name), "Environment") + values(COMMON, "Environment")
    pairs = [word.partition("=") for line in lines for word in shlex.split(line)]
    return {key: value for key, _, value in pairs}


def settings(file: str = "settings.env") -> dict[str, str]:
    """Return the settings in a file of variables."""
    return settings_of((FOLDER / file).read_text(encoding="utf-8"))


def settings_of(text: str) -> dict[str, str]:
    """Return the variables of such a text."""
    return dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))
