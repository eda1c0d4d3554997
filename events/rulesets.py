"""Rulesets: the numbers of each game as versioned data (`rulesets/NAME.json` in its package).

A casino adds its own by putting `NAME.json` into the folder that PITLEDGER_RULESETS names; a file there
wins over ours. The name begins with the game's ("roulette-lounge"), which says whose numbers they are. `name` and
`version` inside the file are stamped on every event as "name@version".
"""

from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from events.errors import Invalid, Unknown
from events.game import game_of, installed
from events.settings import settings

T = TypeVar("T")


@cache
def load(name: str, shape: type[T]) -> T:
    """The ruleset `name`, checked against `shape` (a frozen msgspec Struct). Raises Unknown or Invalid."""
    path = _find(name)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"ruleset {name}", str(error)) from error
    if getattr(found, "name", name) != name:  # a copy whose name was left as it was would be stamped on its events
        raise Invalid(f"ruleset {name}", f"`name` must be {name!r}, as the file")
    return found


def names() -> list[str]:
    """Every ruleset there is, the casino's own included."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.json")})


def shipped() -> dict[str, Path]:
    """The rulesets that come with the games, without a casino's own: where each stands."""
    return {path.stem: path for folder in _ours() for path in sorted(folder.glob("*.json"))}


def of_game(game: str) -> list[str]:
    """Every ruleset of a game."""
    return [name for name in names() if game_of(name) == game]


def _folders() -> list[Path]:
    own = settings().rulesets
    return [Path(own), *_ours()] if own else _ours()


def _ours() -> list[Path]:
    return [game.folder / "rulesets" for game in installed().values()]


def _find(name: str) -> Path:
    if name.replace("-", "").replace("_", "").isalnum():
        for folder in _folders():
            if (path := folder / f"{name}.json").is_file():
                return path
    raise Unknown(f"there is no ruleset {name!r:.60}; there are: {', '.join(names())}")
