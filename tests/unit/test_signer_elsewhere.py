"""A process whose signer is in another container: it reads what the signer publishes, and signs and writes nothing."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.errors import Conflict
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.signing.public_key_copy_for_containers import publish
from events.store import open_store
from tests.support.houses.small_house import PROPERTY
from tests.unit.integrity.test_heads import say

SEAL = "s" * 64


@pytest.fixture
def signers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the signing container, which publishes. A head is signed."""
    folder = tmp_path / "worker"
    (folder / "published").mkdir(parents=True)
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.setenv("PITLEDGER_HEAD_KEY", "11" * 32)
    monkeypatch.setenv("PITLEDGER_DATA", str(folder))
    with closing(open_store()) as store:
        store.create()
        say(store, 3)
        with closing(open_heads(f"sqlite:///{tmp_path / 'events.sqlite3'}")) as heads:
            make_head(store, heads, PROPERTY, house_signing_key.signer())
    return folder


@pytest.fixture
def elsewhere(signers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process is in another container, where the signer's copy is mounted as the folder of the keys."""
    folder = tmp_path / "web"
    shutil.copytree(signers / "published", folder / "keys")
    monkeypatch.setenv("PITLEDGER_DATA", str(folder))
    monkeypatch.setenv("PITLEDGER_SIGNER_AT", "worker")
    monkeypatch.delenv("PITLEDGER_HEAD_KEY")
    return folder


def test_the_signer_publishes_its_public_key_and_memory_alone(signers: Path) -> None:
    assert sorted(path.name for path in (signers / "published").iterdir()) == [
        "heads.pub",
        f"last-head.{PROPERTY}.json",
    ]
    signers.joinpath("keys", "heads.pem").write_text("a private key")
    publish(signers / "keys")
    assert not (signers / "published" / "heads.pem").exists()


def test_a_lost_memory_is_taken_from_the_copy_that_was_published(signers: Path) -> None:
    before = house_signing_key.memory().last(PROPERTY)
    shutil.rmtree(signers / "keys")
    assert house_signing_key.memory().last(PROPERTY) == before is not None


def test_other_containers_know_what_the_signer_remembers_and_which_key_is_trusted(elsewhere: Path) -> None:
    last = house_signing_key.memory().last(PROPERTY)
    assert last is not None
    assert last.number == 1
    assert len(house_signing_key.trusted()) == 1
    assert not house_signing_key.is_there()


def test_a_decision_about_heads_says_in_which_container_to_run_it(elsewhere: Path) -> None:
    before = {path.name: path.read_bytes() for path in (elsewhere / "keys").iterdir()}
    for option in ("--accept-restored", "--new-key"):
        with pytest.raises(CommandError, match=r"docker compose exec worker python manage\.py") as raised:
            call_command("heads", option, "1")
        assert raised.value.returncode == 1
    with pytest.raises(Conflict, match="The signer works in worker, and its key and memory are only there"):
        house_signing_key.signer()
    assert {path.name: path.read_bytes() for path in (elsewhere / "keys").iterdir()} == before
    call_command("heads")  # looking is possible everywhere


def test_the_key_of_the_seals_may_be_one_of_its_own(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house_signing_key.snapshot_key() is None
    monkeypatch.setenv("PITLEDGER_SEAL_KEY", SEAL)
    sealing = house_signing_key.snapshot_key()
    assert sealing is not None
    monkeypatch.delenv("PITLEDGER_SIGNER_AT")
    monkeypatch.setenv("PITLEDGER_HEAD_KEY", "22" * 32)
    assert house_signing_key.snapshot_key() == sealing, "the signer seals by the same key as the others"
    monkeypatch.delenv("PITLEDGER_SEAL_KEY")
    assert house_signing_key.snapshot_key() != sealing
