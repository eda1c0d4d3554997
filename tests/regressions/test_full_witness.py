"""The witness reports a full disk, keeps no partial line, and continues when there is space."""

import errno
import io
from pathlib import Path

import pytest

from events.errors import Retry
from events.relay.witness_delivery import hand_over
from tests.unit.integrity.test_witness import HouseWithWitness, served
from tools import witness


class FullDiskFile(io.FileIO):
    """A file on a disk with a limited number of free bytes, which it fills."""

    room = 0

    def write(self, line: object) -> int:
        assert isinstance(line, bytes)
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = super().write(line[: self.room])
        self.room -= taken
        return taken


def on_a_disk(opened: witness.WitnessStore, room: int) -> FullDiskFile:
    """Put the witness's file on such a disk."""
    disk = FullDiskFile(str(opened.path), "r+b")
    disk.room = room
    opened._file.close()
    opened._file = disk
    return disk


def test_a_head_for_which_there_is_half_the_room_is_not_taken(tmp_path: Path) -> None:
    witnessed = HouseWithWitness(tmp_path)
    first, second, third = witnessed.heads.after(0)
    witnessed.taken(first)
    before = witnessed.path.read_bytes()
    with witnessed.witness() as opened, on_a_disk(opened, 100) as disk:
        for _ in range(2):  # there is a little room, then none
            with pytest.raises(witness.NoRoom, match="takes nothing"):
                opened.take(second)
            assert (witnessed.path.read_bytes(), opened.last_state()["last"]) == (before, 1)
        disk.room = 1_000_000
        assert witness.take_all(opened, [second, third])["taken"] == 2
    assert witnessed.read().heads == [first, second, third]


def test_what_follows_a_topic_waits_for_room(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    witnessed = HouseWithWitness(tmp_path)
    with witnessed.witness() as opened, on_a_disk(opened, 0) as disk:

        def cleared(_: float) -> None:
            disk.room = 1_000_000

        assert [witness.patiently(opened, raw, cleared) for raw in witnessed.heads.after(0)] == [0, 0, 0]
    assert "tried again in 5 s" in capsys.readouterr().err
    assert witnessed.read().heads == witnessed.heads.after(0)


def test_the_house_is_told_and_hands_over_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witnessed, room = HouseWithWitness(tmp_path), [0]

    def full(opened: witness.WitnessStore, **fields: object) -> None:
        if not room[0]:
            raise witness.NoRoom("the disk takes nothing")
        write(opened, **fields)

    write = witness.WitnessStore.write
    monkeypatch.setattr(witness.WitnessStore, "write", full)
    with served(witnessed) as url:
        with pytest.raises(Retry, match="has no room: the disk takes nothing"):
            hand_over(witnessed.heads, url, "athens")
        room[0] = 1
        assert hand_over(witnessed.heads, url, "athens") == 3
    assert witnessed.read().heads == witnessed.heads.after(0)


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null"])
def test_a_device_is_no_file_and_is_not_read_for_ever(device: str) -> None:
    with pytest.raises(ValueError, match="is no file"):
        witness.WitnessStore(Path(device))


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "witness.jsonl"
    with path.open("wb") as file:
        file.truncate(2 * witness.LINE_MAX)  # of zeros, without one of them on the disk
    with pytest.raises(ValueError, match="line 1 is longer"):
        witness.WitnessStore(path)
