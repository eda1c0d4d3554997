"""Restoring a backup into an empty house: checked, loaded, migrated, its read models built again, verified.

A restore that was killed goes on when the same command is given again: `DATA/restore.json` names what is loaded.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from django.db import connections

from backoffice.environment import ROOT
from backoffice.house import loads, manifest
from backoffice.house.backups import SECRET, fingerprint
from backoffice.house.copies import urls
from backoffice.house.manifest import KeysManifest, Manifest
from backoffice.running import status
from backoffice.running.files import alone
from events.errors import Conflict, Invalid
from events.settings import CLOCK, Settings
from events.signing import keys
from events.signing.house_secret import LOGIN_KEY
from events.signing.published import publish
from events.store import open_store
from projections.engine.rebuild import Progress, Rebuild
from projections.registry import PROJECTORS

MARKER = "restore.json"
MEMORY = "last-head"  # begins the names of the files in which a signer remembers its last head
_AT_WORK = "this house is at work, or is being restored. Stop it first"
Tell = Callable[[str], object]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A backup. `keys`: the folder with its keys, where they lie apart; `without_keys`: go on without them;
    `only_keys`: put nothing but the keys here, in the container that signs."""

    folder: Path
    keys: Path | None = None
    without_keys: bool = False
    only_keys: bool = False


class Marker(msgspec.Struct, kw_only=True):
    """How far a restore has come: the backup's id, and the databases that are loaded."""

    backup: str
    loaded: list[str] = []


def restore(given: Settings, source: Source, tell: Tell) -> Manifest:
    """Restore a backup into this house, which must be empty, and return its manifest.

    Raises Invalid for a folder that does not fit this house, Conflict for a house that is not empty, a backup that is
    not what it was, or a restored house that does not hold; Retry where a database does not answer.
    """
    made = manifest.read_manifest(source.folder)
    kept = _read_keys(source, made)
    manifest.check_files(source.folder, made.files)
    tell(f"{source.folder}: {len(made.files)} files, as they were backed up")
    _must_fit(given, made)
    if not source.without_keys:
        keys.must_be_here()
    with _alone(given):
        if source.only_keys:
            _put_keys(given, source, made, kept, tell)
            return made
        marker = _begin(given, made, source.folder)
        _put_keys(given, source, made, kept, tell)
        _load(given, made, source.folder, marker, tell)
        _migrate(tell)
        _rebuild(given, tell)
        _must_go_on(given, made)
        _verify(tell)
        _marker_path(given).unlink()
    return made


@contextmanager
def _alone(given: Settings) -> Iterator[None]:
    """No `up` runs here meanwhile, and no second restore."""
    with alone(status.run_folder(given.data_folder) / "up.lock", or_else=_AT_WORK):
        yield


# --- what fits --------------------------------------------------------------------------------------------------------


def _read_keys(source: Source, made: Manifest) -> KeysManifest | None:
    """Check the folder with the keys, where they lie apart. Raises Invalid and Conflict."""
    if source.keys is None:
        if made.keys == "apart" and not source.without_keys:
            raise Invalid(
                "--keys",
                "the keys of this backup lie in a folder of their own. Name it: --keys FOLDER. Without them second "
                "factors and the signing key are lost; --without-keys goes on with the keys of this house, or new ones",
            )
        return None
    kept = manifest.read_keys_manifest(source.keys)
    if kept.backup != made.id:
        raise Invalid("--keys", f"{source.keys} holds the keys of another backup, made {kept.made}")
    manifest.check_files(source.keys, kept.files)
    return kept


def _must_fit(given: Settings, made: Manifest) -> None:
    if made.property != given.property_:
        raise Invalid(
            "PITLEDGER_PROPERTY", f"the backup is of the property {made.property}, this house is {given.property_}"
        )
    where = urls(given)
    for database in made.databases:
        loads.must_be_of_kind(database, where[database.role])
        loads.must_be_known(database)


def _begin(given: Settings, made: Manifest, folder: Path) -> Marker:
    """The marker of this restore. Raises Conflict where the house is not empty."""
    path = _marker_path(given)
    marker = Marker(backup=made.id)
    if path.exists():
        marker = msgspec.json.decode(path.read_bytes(), type=Marker)
        if marker.backup != made.id:
            raise Conflict(
                f"a restore of another backup was begun here and did not end. Finish it, or empty the house and delete "
                f"{path}"
            )
    where = urls(given)
    is_begun = path.exists()
    for database in made.databases:
        if database.role in marker.loaded:
            continue
        if is_begun and loads.is_loaded(database, where[database.role], folder):
            marker.loaded.append(database.role)
        else:
            loads.must_be_empty(database.role, where[database.role])
    _write(given, marker)
    return marker


def _marker_path(given: Settings) -> Path:
    return given.data_folder / MARKER


def _write(given: Settings, marker: Marker) -> None:
    path = _marker_path(given)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(marker))
    fresh.replace(path)


# --- keys -------------------------------------------------------------------------------------------------------------


def _put_keys(given: Settings, source: Source, made: Manifest, kept: KeysManifest | None, tell: Tell) -> None:
    """Put the keys into the data folder. What a signer here remembers stays: an older copy would let it sign anew."""
    data, folder = given.data_folder, source.keys if kept is not None else source.folder
    (data / LOGIN_KEY).unlink(missing_ok=True)  # sign-ins end
    if (source.folder / CLOCK).exists():
        shutil.copy2(source.folder / CLOCK, data / CLOCK)
    if folder is not None and (made.keys == "here" or kept is not None) and not source.without_keys:
        if (folder / SECRET).exists():
            shutil.copy2(folder / SECRET, data / SECRET)
        _put_signer(given, folder / keys.keys_folder(data).name, tell)
    if made.secret and fingerprint(given) != made.secret:
        tell("The secret key is not the one of the backup: authenticator apps and recovery codes must be set up again.")


def _put_signer(given: Settings, folder: Path, tell: Tell) -> None:
    mine = keys.keys_folder(given.data_folder)
    if not folder.is_dir():
        return
    if keys.memory(given.data_folder).last(given.property_) is not None:
        if not _is_same_key(mine, folder):
            raise Conflict(f"{mine} holds the key of another house. Restore into an empty PITLEDGER_DATA")
        tell(f"{mine} is kept: the signer here remembers its last head.")
        return
    mine.mkdir(mode=0o700, parents=True, exist_ok=True)  # in containers it is a volume, which takes no rename
    for path in sorted(folder.iterdir(), key=_is_memory):
        part = mine / f"{path.name}.{os.getpid()}"
        shutil.copy2(path, part)
        part.replace(mine / path.name)
    publish(mine)


def _is_memory(path: Path) -> bool:
    """The memory comes last: by it a restore that goes on sees that all keys are there."""
    return path.name.startswith(MEMORY)


def _is_same_key(mine: Path, folder: Path) -> bool:
    names = (keys.PUBLIC,)
    texts = [
        {path.read_text().strip() for name in names if (path := place / name).exists()} for place in (mine, folder)
    ]
    return not texts[0] or not texts[1] or texts[0] == texts[1]


# --- steps ------------------------------------------------------------------------------------------------------------


def _load(given: Settings, made: Manifest, folder: Path, marker: Marker, tell: Tell) -> None:
    where = urls(given)
    for database in sorted(made.databases, key=lambda database: ["access", "read", "events"].index(database.role)):
        if database.role in marker.loaded:
            continue
        tell(f"loading {database.role} ...")
        loads.load_database(database, where[database.role], folder)
        marker.loaded.append(database.role)
        _write(given, marker)


def _migrate(tell: Tell) -> None:
    tell("bringing the tables up to date ...")
    _run("migrate", "--no-input", "--verbosity", "0")
    connections.close_all()


def _rebuild(given: Settings, tell: Tell) -> None:
    """Every read model from the events: those of a backup may be of an older version."""

    def progress(done: Progress) -> None:
        tell(f"building read models: {done.position:,} of {done.aim:,}")

    with closing(open_store(given.store)) as store:
        Rebuild([*PROJECTORS.values()], store, given.property_, tell=progress).run(approve=True)
    connections.close_all()


def _must_go_on(given: Settings, made: Manifest) -> None:
    """Raises Conflict where the signer here has gone further than the backup: people decide what is given up."""
    last = keys.memory(given.data_folder).last(given.property_)
    if last is not None and last.number > made.head:
        raise Conflict(
            f"everything is loaded. The signer here has signed head {last.number}, the backup ends with head "
            f"{made.head}. To give up what came after it: `./manage.py heads --accept-restored {made.head}`, then give "
            "this command again"
        )


def _verify(tell: Tell) -> None:
    tell("verifying ...")
    tell(_run("verify", "--no-topic").rstrip())


def _run(*words: str) -> str:
    """A command of ours in a process of its own, which reads the keys that were just put there."""
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [*done.stdout.strip().splitlines(), *done.stderr.strip().splitlines()]
        raise Conflict(f"`{' '.join(words)}` ended with {done.returncode}:\n" + "\n".join(lines[-20:]))
    return done.stdout
