"""Restoring a backup into an empty house: checked, loaded, migrated, its read models built again, verified.

A killed restore continues when the same command is given again: `DATA/restore.json` names the loaded parts.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from django.db import connections

from backoffice.house import backup_manifest, database_restore
from backoffice.house.backup_manifest import KeysManifest, Manifest
from backoffice.house.complete_backup_folder_creation import SECRET, fingerprint
from backoffice.house.databases_in_backup_with_extent import urls
from backoffice.house.destroyed_keys_from_witness import destroyed_by, doubtful, heads_of_file, heads_of_witness
from backoffice.running import status_files
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from events.cases.case_key_and_file_vault import destroy_again, vault
from events.errors import Conflict, Invalid
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import in_order, open_heads
from events.settings.setting_declarations import CLOCK, Settings
from events.signing import house_signing_key
from events.signing.public_key_copy_for_containers import publish
from events.signing.secrets_created_at_first_use import LOGIN_KEY
from events.store import open_store
from projections.engine.rebuild import Rebuild, RebuildProgress
from projections.registry import PROJECTORS

MARKER = "restore.json"
MEMORY = "last-head"  # begins the names of the files in which a signer remembers its last head
_AT_WORK = "this house is at work, or is being restored. Stop it first"
Tell = Callable[[str], object]


class RestoreSource(msgspec.Struct, frozen=True, kw_only=True):
    """A backup. `keys`: the separate folder of its keys, if any; `without_keys`: continue without them; `only_keys`:
    put only the keys here, in the container that signs. `witness`: a copy of the witness's file; without one the heads
    are read from PITLEDGER_WITNESS, unless `without_witness`.
    """

    folder: Path
    keys: Path | None = None
    without_keys: bool = False
    only_keys: bool = False
    witness: Path | None = None
    without_witness: bool = False


class RestoreProgress(msgspec.Struct, kw_only=True):
    """The progress of a restore: the backup's id, and the databases that are loaded."""

    backup: str
    loaded: list[str] = []


def restore(settings: Settings, source: RestoreSource, tell: Tell) -> Manifest:
    """Restore a backup into this house, which must be empty, and return its manifest.

    Raises Invalid for a folder that does not fit this house. Raises Conflict for a house that is not empty, a changed
    backup, or a restored house that fails verification. Raises Retry where a database does not answer.
    """
    backup = backup_manifest.read_manifest(source.folder)
    keys_manifest = _read_keys(source, backup)
    backup_manifest.check_files(source.folder, backup.files)
    tell(f"{source.folder}: {len(backup.files)} files, as they were backed up")
    _must_fit(settings, backup)
    if not source.without_keys:
        house_signing_key.must_be_here()
    heads = _witnessed(settings, source, backup)
    with _lock_house(settings):
        if source.only_keys:
            _put_keys(settings, source, backup, keys_manifest, tell)
            return backup
        marker = _begin(settings, backup, source.folder)
        _put_keys(settings, source, backup, keys_manifest, tell)
        _load(settings, backup, source.folder, marker, tell)
        _migrate(tell)
        _destroy_keys(settings, heads, tell)
        _rebuild(settings, tell)
        _must_go_on(settings, backup)
        _verify(tell)
        _marker_path(settings).unlink()
    return backup


@contextmanager
def _lock_house(settings: Settings) -> Iterator[None]:
    """No `up` runs here meanwhile, and no second restore."""
    with hold_file_lock(status_files.run_folder(settings.data_folder) / "up.lock", or_else=_AT_WORK):
        yield


# --- checks -----------------------------------------------------------------------------------------------------------


def _read_keys(source: RestoreSource, backup: Manifest) -> KeysManifest | None:
    """Check the separate folder of the keys, if any. Raises Invalid and Conflict."""
    if source.keys is None:
        if backup.keys == "apart" and not source.without_keys:
            raise Invalid(
                "--keys",
                "the keys of this backup lie in a folder of their own. Name it: --keys FOLDER. Without them second "
                "factors and the signing key are lost; --without-keys goes on with the keys of this house, or new ones",
            )
        return None
    keys_manifest = backup_manifest.read_keys_manifest(source.keys)
    if keys_manifest.backup != backup.id:
        raise Invalid("--keys", f"{source.keys} holds the keys of another backup, made {keys_manifest.made}")
    backup_manifest.check_files(source.keys, keys_manifest.files)
    return keys_manifest


def _must_fit(settings: Settings, backup: Manifest) -> None:
    if backup.property != settings.property_:
        raise Invalid(
            "PITLEDGER_PROPERTY", f"the backup is of the property {backup.property}, this house is {settings.property_}"
        )
    where = urls(settings)
    for database in backup.databases:
        database_restore.must_be_of_kind(database, where[database.role])
        database_restore.must_be_known(database)


def _begin(settings: Settings, backup: Manifest, folder: Path) -> RestoreProgress:
    """The marker of this restore. Raises Conflict where the house is not empty."""
    path = _marker_path(settings)
    marker = RestoreProgress(backup=backup.id)
    if path.exists():
        marker = msgspec.json.decode(path.read_bytes(), type=RestoreProgress)
        if marker.backup != backup.id:
            raise Conflict(
                f"a restore of another backup was begun here and did not end. Finish it, or empty the house and delete "
                f"{path}"
            )
    database_urls = urls(settings)
    is_begun = path.exists()
    for database in backup.databases:
        if database.role in marker.loaded:
            continue
        if is_begun and database_restore.is_loaded(database, database_urls[database.role], folder):
            marker.loaded.append(database.role)
        else:
            database_restore.must_be_empty(database.role, database_urls[database.role])
    _write(settings, marker)
    return marker


def _marker_path(settings: Settings) -> Path:
    return settings.data_folder / MARKER


def _write(settings: Settings, marker: RestoreProgress) -> None:
    path = _marker_path(settings)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(marker))
    fresh.replace(path)


# --- keys -------------------------------------------------------------------------------------------------------------


def _put_keys(
    settings: Settings, source: RestoreSource, backup: Manifest, keys_manifest: KeysManifest | None, tell: Tell
) -> None:
    """Put the keys into the data folder. The memory of a signer here stays: an older copy would let it sign again."""
    data, folder = settings.data_folder, source.keys if keys_manifest is not None else source.folder
    (data / LOGIN_KEY).unlink(missing_ok=True)  # sign-ins end
    if (source.folder / CLOCK).exists():
        shutil.copy2(source.folder / CLOCK, data / CLOCK)
    if folder is not None and (backup.keys == "here" or keys_manifest is not None) and not source.without_keys:
        if (folder / SECRET).exists():
            shutil.copy2(folder / SECRET, data / SECRET)
        _put_signer(settings, folder / house_signing_key.keys_folder(data).name, tell)
    if backup.secret and fingerprint(settings) != backup.secret:
        tell("The secret key is not the one of the backup: authenticator apps and recovery codes must be set up again.")


def _put_signer(settings: Settings, folder: Path, tell: Tell) -> None:
    own_keys = house_signing_key.keys_folder(settings.data_folder)
    if not folder.is_dir():
        return
    if house_signing_key.memory(settings.data_folder).last(settings.property_) is not None:
        if not _is_same_key(own_keys, folder):
            raise Conflict(f"{own_keys} holds the key of another house. Restore into an empty PITLEDGER_DATA")
        tell(f"{own_keys} is kept: the signer here remembers its last head.")
        return
    own_keys.mkdir(mode=0o700, parents=True, exist_ok=True)  # in containers it is a volume, which takes no rename
    for path in sorted(folder.iterdir(), key=_is_memory):
        part = own_keys / f"{path.name}.{os.getpid()}"
        shutil.copy2(path, part)
        part.replace(own_keys / path.name)
    publish(own_keys)


def _is_memory(path: Path) -> bool:
    """Return whether a file is the signer's memory. It comes last: with it, a continued restore knows that all keys are
    there.
    """
    return path.name.startswith(MEMORY)


def _is_same_key(own_keys: Path, folder: Path) -> bool:
    names = (house_signing_key.PUBLIC,)
    texts = [
        {path.read_text().strip() for name in names if (path := place / name).exists()} for place in (own_keys, folder)
    ]
    return not texts[0] or not texts[1] or texts[0] == texts[1]


# --- steps ------------------------------------------------------------------------------------------------------------


def _load(settings: Settings, backup: Manifest, folder: Path, marker: RestoreProgress, tell: Tell) -> None:
    where = urls(settings)
    for database in sorted(backup.databases, key=lambda database: ["access", "read", "events"].index(database.role)):
        if database.role in marker.loaded:
            continue
        tell(f"loading {database.role} ...")
        database_restore.load_database(database, where[database.role], folder)
        marker.loaded.append(database.role)
        _write(settings, marker)


def _migrate(tell: Tell) -> None:
    tell("bringing the tables up to date ...")
    _run("migrate", "--no-input", "--verbosity", "0")
    connections.close_all()


def _witnessed(settings: Settings, source: RestoreSource, backup: Manifest) -> tuple[bytes, ...]:
    """Return the heads that the witness has. They are read before anything is loaded. Raises PitledgerError."""
    if source.only_keys or source.without_witness:
        return ()
    if source.witness is not None:
        return heads_of_file(source.witness, settings.property_)
    if not settings.witness:
        return ()
    return heads_of_witness(settings.witness, settings.property_, may_be_empty=not backup.head)


def _destroy_keys(settings: Settings, heads: Collection[bytes], tell: Tell) -> None:
    """Destroy again the keys of cases that were destroyed after the backup, by the events and the witness.

    Raises Conflict where only heads of an unknown key name a case: people decide whose key it is.
    """
    signers = {decode(raw).key for batch in in_order(open_heads(settings.store), 0) for raw in batch}
    trusted = house_signing_key.trusted(settings.data_folder) | signers
    with closing(open_store(settings.store)) as store:
        cases = destroy_again(store, destroyed_by(heads, settings.property_, trusted))
    if cases:
        tell(f"destroyed again: the keys of {len(cases)} cases")
    stored = vault().stored()
    doubts = {case: key for case, key in doubtful(heads, settings.property_, trusted).items() if case in stored}
    if doubts:
        folder, signers_named = (
            house_signing_key.keys_folder(settings.data_folder),
            ", ".join(sorted({*doubts.values()})),
        )
        raise Conflict(
            f"everything is loaded. Heads of the witness destroy the keys of {len(doubts)} cases more, and this house "
            f"does not know the key that signed them: {signers_named}. If it is a key of this house, write it to a "
            f"file {folder}/NAME.pub, and give this command again. If it is not, name a copy of the witness's file "
            "without these heads: --witness FILE"
        )


def _rebuild(settings: Settings, tell: Tell) -> None:
    """Every read model from the events: those of a backup may be of an older version."""

    def progress(state: RebuildProgress) -> None:
        tell(f"building read models: {state.position:,} of {state.aim:,}")

    with closing(open_store(settings.store)) as store:
        Rebuild([*PROJECTORS.values()], store, settings.property_, tell=progress).run(approve=True)
    connections.close_all()


def _must_go_on(settings: Settings, backup: Manifest) -> None:
    """Raise Conflict where the signer here is ahead of the backup: people decide which heads are given up."""
    last = house_signing_key.memory(settings.data_folder).last(settings.property_)
    if last is not None and last.number > backup.head:
        raise Conflict(
            f"everything is loaded. The signer here has signed head {last.number}, the backup ends with head "
            f"{backup.head}. To give up the later heads: `./manage.py heads --accept-restored {backup.head}`, then "
            "give this command again"
        )


def _verify(tell: Tell) -> None:
    tell("verifying ...")
    tell(_run("verify", "--no-topic").rstrip())


def _run(*words: str) -> str:
    """Run a command of the house in a separate process, which reads the new keys."""
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        lines = [*result.stdout.strip().splitlines(), *result.stderr.strip().splitlines()]
        raise Conflict(f"`{' '.join(words)}` ended with {result.returncode}:\n" + "\n".join(lines[-20:]))
    return result.stdout
