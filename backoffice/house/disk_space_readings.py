"""Disks of the house, as this process sees them."""

import shutil
from pathlib import Path

import msgspec
from django.utils.translation import gettext as _

from backoffice.house.databases_in_backup_with_extent import file_of
from events.settings.settings_from_environment import settings

LOW_PART = 0.05  # of a disk that is free, or
LOW_BYTES = 2 * 1024**3  # so much of a large one: less than the smaller of both is nearly full


class Disk(msgspec.Struct, frozen=True):
    """A disk, named by its content: `data`, `store`, `read`, `access`, `backup`."""

    name: str
    free_bytes: int
    size_bytes: int

    @property
    def is_low(self) -> bool:
        """Return whether the disk is nearly full."""
        return self.free_bytes < min(self.size_bytes * LOW_PART, LOW_BYTES)

    @property
    def words(self) -> str:
        """Return the free space in words."""
        sizes = {"free": f"{self.free_bytes / 1024**3:,.1f}", "size": f"{self.size_bytes / 1024**3:,.1f}"}
        return _("%(free)s of %(size)s GiB are free") % sizes


def disks() -> tuple[Disk, ...]:
    """Return the disks of the data folder, of databases that are files, and of scheduled backups."""
    house_settings = settings()
    places = {"data": house_settings.data_folder}
    for name, url in (
        ("store", house_settings.store),
        ("read", house_settings.read),
        ("access", house_settings.access),
    ):
        if (file := file_of(url)) is not None:
            places[name] = file.parent
    if house_settings.backup:
        places["backup"] = Path(house_settings.backup)
    return tuple(disk for name, place in places.items() if (disk := _disk(name, place)) is not None)


def _disk(name: str, place: Path) -> Disk | None:
    try:
        usage = shutil.disk_usage(place)
    except OSError:  # it is not there yet, or not reachable from here
        return None
    return Disk(name, usage.free, usage.total)
