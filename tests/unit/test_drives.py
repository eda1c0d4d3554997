"""SQLite files on network drives are refused before anything is written there."""

from pathlib import Path

import pytest

from backoffice.running import database_and_mail_settings
from events.errors import Invalid
from events.store import network_drive_refusal, open_store

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:40 / /mnt/house rw,relatime shared:1 - {} server:/house rw
41 27 0:41 / /mnt/my\\040house rw,relatime - {} server:/house rw
42 40 0:42 / /mnt/house/disk rw - xfs /dev/vdb rw
43 27 0:43 / /mnt/twice rw - {} server:/house rw
44 27 0:44 / /mnt/twice rw - ext4 /dev/vdc rw
"""
NETWORK = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs"]
LOCAL = ["ext4", "xfs", "btrfs", "zfs", "overlay", "tmpfs", "fuseblk", "fuse.fuse-overlayfs", "virtiofs"]


@pytest.mark.parametrize("kind", NETWORK + LOCAL)
@pytest.mark.parametrize(
    ("place", "lies_there"),
    [
        ("/mnt/house/events.sqlite3", True),
        ("/mnt/my house/deep/events.sqlite3", True),
        ("/mnt/house/disk/events.sqlite3", False),
        ("/mnt/household/events.sqlite3", False),
        ("/mnt/twice/events.sqlite3", False),
        ("/var/events.sqlite3", False),
    ],
)
def test_the_mount_point_over_a_file_tells(kind: str, place: str, lies_there: bool) -> None:
    mount = network_drive_refusal.mounted(MOUNTS.replace("{}", kind), Path(place))
    assert network_drive_refusal.is_network(mount) == (lies_there and kind in NETWORK)


@pytest.fixture
def over_nfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is mounted over the network."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"27 1 254:0 / / rw - ext4 /dev/vda rw\n40 27 0:40 / {tmp_path}/drive rw - nfs4 server:/x rw\n")
    (tmp_path / "drive").mkdir()
    monkeypatch.setattr(network_drive_refusal, "MOUNTS", mounts)
    return tmp_path / "drive"


@pytest.mark.parametrize("way", ["", "link/"])
def test_every_file_of_a_house_is_refused_there(over_nfs: Path, tmp_path: Path, way: str) -> None:
    (tmp_path / "link").symlink_to(over_nfs)
    folder = tmp_path / "link" if way else over_nfs
    with pytest.raises(Invalid, match=r"PITLEDGER_STORE: .* is on a network drive \(nfs4\).*postgresql://"):
        open_store(f"sqlite:///{folder}/new/events.sqlite3")
    for setting in ("PITLEDGER_READ", "PITLEDGER_ACCESS"):
        with pytest.raises(Invalid, match=rf"{setting}: .* is on a network drive \(nfs4\)"):
            database_and_mail_settings.database(f"sqlite:///{folder}/new/read.sqlite3", setting)
    assert list(over_nfs.iterdir()) == [], "nothing was written"


def test_who_knows_better_says_so(over_nfs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_NETWORK_DRIVE", "accept")
    open_store(f"sqlite:///{over_nfs}/events.sqlite3").close()


def test_where_no_mounts_can_be_read_the_file_system_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_drive_refusal, "MOUNTS", tmp_path / "none")
    open_store(f"sqlite:///{tmp_path}/events.sqlite3").close()
    monkeypatch.setattr(network_drive_refusal, "_by_statfs", lambda _place: "cifs")
    with pytest.raises(Invalid, match="cifs"):
        open_store(f"sqlite:///{tmp_path}/events.sqlite3")
