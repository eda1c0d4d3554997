"""A backup becomes a house again by one command; what does not fit is refused before anything is written."""

from pathlib import Path

from tests.integration.backups.conftest import Place, copy_of


def test_a_house_comes_back_by_one_command(house: Place, tmp_path: Path) -> None:
    night = copy_of(house, tmp_path / "night")
    other = house.new("other")
    output = other.ok("restore", str(night), "--keys", f"{night}-keys")
    assert "Everything holds." in output
    assert "heads --accept-restored" in output
    assert other.position() == house.position()
    assert other.digest() == house.digest()
    assert not (other.data / "restore.json").exists()
    assert (other.data / "secret-key").read_text() == (house.data / "secret-key").read_text()
    assert other.ok("people", "list") == house.ok("people", "list")
