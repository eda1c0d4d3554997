"""SQLite files on network drives: detected before the first write, and refused.

SQLite trusts the locks and the shared memory of the file system. Network file systems grant both for one machine only,
or not at all. Two processes then write at once, and damage the events silently.

Linux: the type of the mount point (`/proc/self/mountinfo`), or of the file system (`statfs`) where that cannot be read.
On other systems none is detected: macOS and Windows need other methods. Two kinds are never detected. A network drive
behind a block device (iSCSI, NBD) is safe for one machine. A synchronised folder (Dropbox, OneDrive) is not safe.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

from events.error_codes import coded
from events.errors import Invalid
from events.settings.settings_from_environment import settings

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smb2", "smbfs", "smbnetfs", "ncpfs", "ncp", "afs", "coda", "9p", "ceph",
    "glusterfs", "lustre", "beegfs", "orangefs", "pvfs2", "gfs2", "ocfs2", "gpfs", "davfs", "davfs2", "vboxsf",
    "vmhgfs", "prl_fs", "osxfs", "grpcfuse", "drvfs", "acfs", "panfs", "weka", "wekafs", "juicefs",
})  # fmt: skip
# File systems in user space that are on this machine's own disk.
LOCAL_FUSE = frozenset({
    "fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.bindfs",
    "fuse.ntfs-3g", "fuse.exfat", "fuse.zfs", "fuse.lxcfs",
})  # fmt: skip
_MAGIC = {
    0x6969: "nfs", 0x517B: "smb", 0xFF534D42: "cifs", 0xFE534D42: "smb2", 0x5346414F: "afs", 0x6B414653: "afs",
    0x73757245: "coda", 0x01021997: "9p", 0x00C36400: "ceph", 0x0BD00BD0: "lustre", 0x01161970: "gfs2",
    0x7461636F: "ocfs2", 0x47504653: "gpfs", 0x19830326: "beegfs", 0x786F4256: "vboxsf", 0xBACBACBC: "vmhgfs",
    0x20030528: "orangefs", 0x564C: "ncpfs",
}  # fmt: skip


def must_be_local(path: Path, setting: str, type_of: Callable[[Path], str] | None = None) -> None:
    """Raise Invalid for a file on a network drive, with the cure."""
    if settings().network_drive == "accept":
        return
    kind = (type_of or filesystem)(path)
    if is_network(kind):
        raise Invalid(
            setting,
            coded("store-on-network-drive", path=str(path), kind_of_drive=kind),
        )


def is_network(kind: str) -> bool:
    """Return whether this type of file system is a network drive, as far as its name shows."""
    if kind.startswith("fuse."):
        return kind not in LOCAL_FUSE
    return kind in NETWORK


def filesystem(path: Path) -> str:
    """Return the type of the file system of this file, existing or not; "" where it is unknown."""
    place = _nearest_folder(path)
    try:
        return mounted(MOUNTS.read_text(errors="surrogateescape"), place) or _by_statfs(place)
    except OSError:
        return _by_statfs(place)


def mounted(mounts: str, place: Path) -> str:
    """The type of the mount point over this place, by the lines of mountinfo; "" for none.

    A later line over the same place hides an earlier one.
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(_unescaped(fields[4]))
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split(" ")[0]
    return kind


def _nearest_folder(path: Path) -> Path:
    """The file itself without links, or the nearest folder that is there."""
    place = Path(os.path.realpath(path))
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def _unescaped(text: str) -> str:
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(escape, character)
    return text


def _by_statfs(place: Path) -> str:
    """Return the type by Linux's number for it: the first word of `struct statfs`."""
    if not sys.platform.startswith("linux"):
        return ""
    buffer = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None).statfs(os.fsencode(place), buffer) != 0:
        return ""
    return _MAGIC.get(ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF, "")
