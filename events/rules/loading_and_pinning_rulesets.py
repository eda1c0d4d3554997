"""Rulesets: the numbers of each game as versioned data (`rulesets/NAME.json` in its package).

A casino adds its own by putting `NAME.json` into the folder that PITLEDGER_RULESETS names; a file there overrides the
built-in one. The name begins with the game's ("roulette-lounge"), which assigns the numbers to it.

A file is read when a table or a progressive takes the ruleset. Its data is then recorded as an event under
"name@version" (`events/rules/ruleset_adoption_and_recording.py`), and later decisions use the recorded data. A digest
identifies its data everywhere, so data once read is cached for every house in this process.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.rules.game_declaration_and_registry import game_of, installed
from events.rules.taken_ruleset_version_struct import Numbers, TakenRuleset
from events.settings.settings_from_environment import settings
from events.text.repeated_json_name_refusal import require_unique_names

DATA_MAX = 100_000  # bytes of a ruleset: it must go into one event

T = TypeVar("T")
Data: TypeAlias = dict[str, Any]
_contents: dict[str, bytes] = {}  # canonical JSON by digest


@cache
def load(ruleset: Numbers, shape: type[T]) -> T:
    """A ruleset's data, checked against `shape` (a frozen msgspec Struct). Raises Unknown or Invalid.

    By its name alone (settling cases, par sheets) it is the file of today.
    """
    name = ruleset.partition("@")[0] if isinstance(ruleset, str) else ruleset.name
    try:
        raw = _bytes_of(ruleset)
        require_unique_names(raw, f"ruleset {name}")
        numbers = msgspec.json.decode(raw, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"ruleset {name}", coded("ruleset-file-invalid", why=str(error))) from error
    if getattr(numbers, "name", name) != name:  # a copy with an unchanged name would be stamped on its events
        raise Invalid(f"ruleset {name}", coded("ruleset-name-differs", name=name))
    return numbers


def _bytes_of(ruleset: Numbers) -> bytes:
    numbers = _asked_for(ruleset) if isinstance(ruleset, str) else ruleset
    if not numbers.digest:
        return _canonical(released(numbers.stamp)) if numbers.version else _find(numbers.name).read_bytes()
    if numbers.digest not in _contents and (data := _released(numbers.stamp)) is not None:
        cache_ruleset(data)
    if numbers.digest not in _contents:
        raise Unknown(coded("ruleset-data-missing", ruleset=numbers.stamp, digest=numbers.digest))
    return _contents[numbers.digest]


def _asked_for(ruleset: str) -> TakenRuleset:
    """Return the present file for a name, or that version for "name@version"."""
    name, _, version = ruleset.partition("@")
    return TakenRuleset(name, version, cache_ruleset(of_today(ruleset)) if version else "")


# --- data and digests -----------------------------------------------------------------------------------------------


def cache_ruleset(data: Data) -> str:
    """Cache a ruleset's data; return its digest, the SHA-256 of its canonical JSON (keys sorted, no white space)."""
    raw = _canonical(data)
    digest = hashlib.sha256(raw).hexdigest()
    _contents[digest] = raw
    return digest


def _canonical(data: Data) -> bytes:
    return msgspec.json.encode(data, order="sorted")


def pinned(numbers: TakenRuleset) -> TakenRuleset:
    """Return the same, with its digest. Raises Unknown for data that was never recorded and was never released."""
    if numbers.digest:
        return numbers
    return msgspec.structs.replace(numbers, digest=cache_ruleset(released(numbers.stamp)))


def of_today(ruleset: str) -> Data:
    """The data of a ruleset by its file; by "name@version" of the file if it is of that version, or of our release.

    Raises Unknown, Invalid.
    """
    name, _, version = ruleset.partition("@")
    try:
        data = _read(_find(name))
    except Unknown:
        if not version:
            raise
        data = {}
    return data if not version or data.get("version") == version else released(ruleset)


@cache
def title_of(stamp: str) -> str:
    """Return the title of a ruleset, "Baccarat with commission"; "" for an unavailable one."""
    try:
        return str(of_today(stamp).get("title", ""))
    except (Unknown, Invalid):
        return ""


def released(stamp: str) -> Data:
    """Return the data with which a released version was published, after any change of the file. Raises Unknown."""
    if (data := _released(stamp)) is None:
        raise Unknown(coded("ruleset-unknown", ruleset=stamp))
    return data


@cache
def _released(stamp: str) -> Data | None:
    game = installed().get(game_of(stamp))
    if game is None or not is_plain(stamp.replace("@", "", 1)):
        return None
    path = game.folder / "rulesets" / "released" / f"{stamp}.json"
    return _read(path) if path.is_file() else None


def _read(path: Path) -> Data:
    raw = path.read_bytes()
    if len(raw) > DATA_MAX:
        raise Invalid(f"ruleset {path.stem}", coded("ruleset-too-large", size=len(raw), most=DATA_MAX))
    try:
        data = msgspec.json.decode(raw, type=Data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"ruleset {path.stem}", coded("ruleset-file-invalid", why=str(error))) from error
    require_unique_names(raw, f"ruleset {path.stem}")
    return data


# --- files ----------------------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Every ruleset there is, the casino's own included."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.json")})


def shipped() -> dict[str, Path]:
    """Return the files of the rulesets that come with the games, without a casino's own."""
    return {path.stem: path for folder in _own_files() for path in sorted(folder.glob("*.json"))}


def of_game(game: str) -> list[str]:
    """Every ruleset of a game."""
    return [name for name in names() if game_of(name) == game]


def _folders() -> list[Path]:
    own = settings().rulesets
    return [Path(own), *_own_files()] if own else _own_files()


def _own_files() -> list[Path]:
    return [game.folder / "rulesets" for game in installed().values()]


def _find(name: str) -> Path:
    if is_plain(name):
        for folder in _folders():
            if (path := folder / f"{name}.json").is_file():
                return path
    raise Unknown(coded("ruleset-unknown-use", ruleset=name, rulesets=list(names())))


def is_plain(name: str) -> bool:
    """Return whether it has letters, digits and plain separators only, so that it cannot lead out of a folder."""
    return name.replace("-", "").replace("_", "").replace(".", "").isalnum()
