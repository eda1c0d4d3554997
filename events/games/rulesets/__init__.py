"""Rulesets: the numbers of each game as versioned data (`NAME.json` beside this file).

A casino adds its own by putting `NAME.json` into the folder that PITLEDGER_RULESETS names; a file there
wins over ours. `name` and `version` inside the file are stamped on every event as "name@version".
"""

import os
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from events.errors import Invalid, Unknown

T = TypeVar("T")
_HERE = Path(__file__).parent


@cache
def load(name: str, shape: type[T]) -> T:
    """The ruleset `name`, checked against `shape` (a frozen msgspec Struct). Raises Unknown or Invalid."""
    try:
        return msgspec.json.decode(_find(name).read_bytes(), type=shape)
    except msgspec.ValidationError as error:
        raise Invalid(f"ruleset {name}", str(error)) from error


def names() -> list[str]:
    """Every ruleset there is, the casino's own included."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.json")})


def _folders() -> list[Path]:
    own = os.environ.get("PITLEDGER_RULESETS")
    return [Path(own), _HERE] if own else [_HERE]


def _find(name: str) -> Path:
    if name.replace("-", "").replace("_", "").isalnum():
        for folder in _folders():
            if (path := folder / f"{name}.json").is_file():
                return path
    raise Unknown(f"there is no ruleset {name!r}; there are: {', '.join(names())}")
