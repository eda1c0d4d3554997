"""The anchor of the access log: its last line as this machine wrote it, in a file of the data folder.

A signed head covers the log at the moment of the head. The anchor covers the lines written since then: a person who can
delete rows of the database cannot change this file. It moves only if the log still holds its line, so that lines
written after a loss do not hide the loss.

Every process that writes lines moves it, so it is not in the folder of the keys, which only the signer writes.
"""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec

from events.errors import Invalid
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key

log = logging.getLogger(__name__)


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The last line that was written from this machine: its number, its digest, and when (UTC)."""

    lines: int
    digest: str
    at: str


def read() -> Anchor | None:
    """Return the anchor of this house; None where no line was written from this machine. Raises Invalid."""
    path = _path()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Anchor)
    except FileNotFoundError:
        return _former_anchor()
    except (OSError, msgspec.MsgspecError) as error:
        raise Invalid(str(path), f"cannot be read ({error}). Delete it, then run `./manage.py verify`") from error


def move(line: Anchor, digest_at: Callable[[int], str | None]) -> None:
    """Move the anchor to a line that was committed. `digest_at(number)` gives the digest of a stored line.

    A folder that cannot be written to is logged: the line itself is stored, and the next head covers it.
    """
    try:
        with _lock_anchor():
            before = read()
            if before is not None and before.lines >= line.lines:
                return
            if before is not None and digest_at(before.lines) != before.digest:
                log.critical("the access log lost line %d, which was written here: run `verify`", before.lines)
                return
            _write(line)
    except (Invalid, OSError) as error:
        log.warning("the anchor of the access log was not written: %s", error)


def set_to(line: Anchor | None) -> None:
    """Put the anchor at the log's present end, after people accepted a restored log. Raises Invalid."""
    try:
        with _lock_anchor():
            if line is None:
                for folder in (_folder(), house_signing_key.keys_folder()):
                    (folder / _path().name).unlink(missing_ok=True)
            else:
                _write(line)
    except OSError as error:
        raise Invalid("PITLEDGER_DATA", f"the anchor of the access log cannot be written: {error}") from error


def _former_anchor() -> Anchor | None:
    """The anchor where an earlier version kept it, until the first line is written here."""
    try:
        return msgspec.json.decode((house_signing_key.keys_folder() / _path().name).read_bytes(), type=Anchor)
    except (OSError, msgspec.MsgspecError):
        return None


def _folder() -> Path:
    return settings().data_folder / "anchor"


def _path() -> Path:
    return _folder() / f"access-log.{quote(settings().property_, safe='')}.json"


def _write(line: Anchor) -> None:
    """Replace the file as a whole, also in a power cut."""
    path = _path()
    fresh = path.with_suffix(f".{os.getpid()}")
    with fresh.open("wb") as file:
        file.write(msgspec.json.encode(line))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


@contextmanager
def _lock_anchor() -> Iterator[None]:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "access-log.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
