"""Creation of a backup: all data that cannot be computed again, in one folder that is complete or absent.

It is written next to its place, read back and synchronised. The manifest is written last; then the folder is renamed. A
killed backup leaves a folder `NAME.part` without a manifest, which the next one deletes.
"""

import hashlib
import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from backoffice.house import backup_manifest, databases_in_backup_with_extent, snapshot_copies_of_databases
from backoffice.house.backup_manifest import KeysManifest, Manifest
from backoffice.running.version import version
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.errors import Conflict, Unknown
from events.integrity.signed_head_stores import open_heads
from events.settings.setting_declarations import CLOCK, Settings
from events.signing import house_signing_key

SECRET = "secret-key"  # noqa: S105 - a file's name
PART = ".part"
SPARE_BYTES = 16 << 20  # that a disk must have beyond the copies
COMPRESSION = 2  # tables on PostgreSQL shrink at least to this part


class BackupPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of a backup. `keys`: a separate folder for the keys; `without_keys`: they are left out."""

    folder: Path
    keys: Path | None = None
    without_keys: bool = False


def make_backup(settings: Settings, plan: BackupPlan) -> Manifest:
    """Make a backup and return its manifest.

    Raises Unknown without a house to copy, Conflict for an unusable folder or disk, and Retry where a database does not
    answer or is damaged. Raises OSError and sqlite3.Error.
    """
    _must_be_free(plan)
    _must_be_a_house(settings, plan)
    part, keys_part = _part(plan.folder), (_part(plan.keys) if plan.keys else None)
    parts = {part: plan.folder} if keys_part is None or plan.keys is None else {keys_part: plan.keys, part: plan.folder}
    try:
        for folder in parts:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, mode=0o700)
        backup = _fill(settings, plan, part, keys_part)
        for folder, target in parts.items():  # the databases last: keys alone are no backup
            _sync(folder)
            folder.replace(target)
            _sync_folder(target.parent)
    except BaseException:  # a full disk does not stay full by it
        for folder in parts:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return backup


def _part(folder: Path) -> Path:
    """The folder in which a backup is made."""
    return folder.with_name(f"{folder.name}{PART}")


def _fill(settings: Settings, plan: BackupPlan, part: Path, keys_part: Path | None) -> Manifest:
    """Fill the folder, keys first: the signer's memory is then never ahead of the copied heads."""
    if not plan.without_keys:
        copy_keys(settings.data_folder, keys_part or part)
    _copy_small(settings.data_folder, part, [CLOCK])
    copied = {
        role: snapshot_copies_of_databases.copy_database(role, url, part)
        for role, url in databases_in_backup_with_extent.urls(settings).items()
    }
    events = copied["events"].extent
    if not events.events:
        raise Unknown("the event store holds no events, so there is nothing to back up")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    key_place = "none" if plan.without_keys else ("apart" if keys_part else "here")
    content = Manifest(
        format=backup_manifest.FORMAT,
        id=backup_manifest.new_id(),
        software=version(),
        property=settings.property_,
        house=events.house,
        made=now,
        position=events.position,
        events=events.events,
        head=events.head,
        access_lines=copied["access"].extent.access_lines,
        databases=tuple(copied[role].database for role in ("events", "read", "access")),
        keys=key_place,  # type: ignore[arg-type]  # one of the three
        files=backup_manifest.describe_files(part),
        secret=fingerprint(settings),
    )
    if keys_part is not None:
        files = backup_manifest.describe_files(keys_part)
        backup_manifest.write_manifest(keys_part, struct_from(content, KeysManifest, backup=content.id, files=files))
    backup_manifest.write_manifest(part, content)
    return content


def fingerprint(settings: Settings) -> str:
    """Return a fingerprint of the secret key, by which a restore sees whether it has the right one; "" without one."""
    path = settings.data_folder / SECRET
    secret = settings.secret_key or (path.read_text() if path.exists() else "")
    return hashlib.sha256(f"pitledger.backup.v1 {secret}".encode()).hexdigest()[:16] if secret else ""


def copy_keys(data: Path, to: Path) -> None:
    """Copy the keys and the signer's memory."""
    folder = house_signing_key.keys_folder(data)
    if folder.is_dir():
        shutil.copytree(folder, to / folder.name, ignore=_half_written)
    _copy_small(data, to, [SECRET])


def _copy_small(data: Path, to: Path, names: list[str]) -> None:
    for name in names:
        if (data / name).exists():
            shutil.copy2(data / name, to / name)


def _half_written(_folder: str, names: list[str]) -> list[str]:
    """Files under the number of the process that writes them: they have their names when they are whole."""
    return [name for name in names if name.rpartition(".")[2].isdecimal() or name.endswith(".lock")]


# --- refusals ---------------------------------------------------------------------------------------------------------


def _must_be_free(plan: BackupPlan) -> None:
    for folder in filter(None, (plan.folder, plan.keys)):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Conflict(f"{folder} is not empty: name another folder for each backup")
    if plan.keys is not None and (plan.keys.is_relative_to(plan.folder) or plan.folder.is_relative_to(plan.keys)):
        raise Conflict(f"{plan.keys} lies in the folder of the backup. Name a folder that its readers cannot read")


def _must_be_a_house(settings: Settings, plan: BackupPlan) -> None:
    """Refuse an empty or partial backup before anything is written."""
    need = 0
    for role, url in databases_in_backup_with_extent.urls(settings).items():
        size = snapshot_copies_of_databases.size_of(role, url)
        need += size if databases_in_backup_with_extent.file_of(url) else size // COMPRESSION
    _must_hold_signer(settings, plan)
    place = next(folder for folder in (plan.folder, *plan.folder.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    if free < need + SPARE_BYTES:
        raise Conflict(
            f"the disk of {place} has {free:,} bytes free, the backup needs about {need + SPARE_BYTES:,}. "
            "Make room, or name a folder on another disk"
        )


def _must_hold_signer(settings: Settings, plan: BackupPlan) -> None:
    """A house whose heads were signed elsewhere: another container, another machine."""
    if plan.without_keys:
        return
    house_signing_key.must_be_here()
    if house_signing_key.memory(settings.data_folder).last(settings.property_) is not None:
        return
    with closing(open_heads(settings.store)) as heads:
        has_heads = heads.last() is not None
    if has_heads and not (house_signing_key.keys_folder(settings.data_folder) / house_signing_key.PRIVATE).exists():
        raise Conflict(
            "the integrity heads are signed elsewhere: what the signer remembers is not in PITLEDGER_DATA. Run the "
            "backup where the worker runs (in containers: in the one that signs), or leave the keys out: --without-keys"
        )


# --- durable ----------------------------------------------------------------------------------------------------------


def _sync(folder: Path) -> None:
    """Write files and folders through to the disk: a backup survives a power cut."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        else:
            _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
