"""An intruder with the database *and* the key signs another history from its first head. The witness shows it."""

import json
import shutil
from contextlib import closing, suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.errors import Conflict
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.store import open_store
from tests.regressions.test_forged_history import Intruder, intruder
from tests.support.houses.small_house import PROPERTY
from tests.unit.integrity.test_heads import say
from tools import witness

pytestmark = pytest.mark.django_db  # verify compares the log of who looked

__all__ = ["intruder"]  # a fixture, on both databases


def verification_findings(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    capsys.readouterr()
    with suppress(CommandError):
        call_command("verify", "--no-topic", "--no-read-models", "--json", *arguments)
    findings: list[dict[str, object]] = json.loads(capsys.readouterr().out)["findings"]
    return findings


def witnessed(intruder: Intruder, folder: Path) -> Path:
    """Return the file of a witness that has copied all heads."""
    path = folder / "witness.jsonl"
    opened = witness.WitnessStore(path)
    with opened._file:
        witness.take_all(opened, open_heads(intruder.url).after(0))
    return path


def test_a_history_told_anew_holds_but_for_the_witness(
    intruder: Intruder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = witnessed(intruder, tmp_path)
    assert verification_findings(capsys, "--witness", str(path)) == []
    first = json.loads(open_heads(intruder.url).after(0, 1)[0])
    intruder.drop_guards()
    intruder.edit()
    intruder.do("DELETE FROM pitledger_heads", "DELETE FROM pitledger_snapshots")
    for remembered in (intruder.data / "keys").glob("last-head.*.json"):
        remembered.unlink()
    with closing(open_store(intruder.url)) as store:
        make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(intruder.data))
        store.create()
    assert verification_findings(capsys) == [], "who has everything of the house is believed by the house"
    findings = verification_findings(capsys, "--witness", str(path))
    assert findings[0]["position"] == first["position"]
    assert "the witness" in str(findings[0]["message"])
    assert {"two heads", "rewritten"} <= {finding["kind"] for finding in findings}


def test_a_log_cut_off_with_all_that_the_house_remembers_is_missed_by_the_witness(
    intruder: Intruder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = witnessed(intruder, tmp_path)
    intruder.drop_guards()
    intruder.cut_off(2)
    for remembered in (intruder.data / "keys").glob("last-head.*.json"):
        remembered.unlink()
    with closing(open_store(intruder.url)) as store:
        store.create()
    assert verification_findings(capsys) == []
    assert any(
        "are missing" in str(finding["message"]) for finding in verification_findings(capsys, "--witness", str(path))
    )


def test_a_house_that_lost_its_key_does_not_go_on_unnoticed(
    intruder: Intruder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Removing the keys stops the signer. If the house continues with a new key, the witness refuses its heads."""
    path = witnessed(intruder, tmp_path)
    shutil.rmtree(intruder.data / "keys")
    with closing(open_store(intruder.url)) as store:
        say(store, 3)
        with pytest.raises(Conflict, match=r"Head 4 was signed by another key .* `./manage.py heads --new-key 4`"):
            make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(intruder.data))
        (finding,) = verification_findings(capsys, "--witness", str(path))
        assert finding["kind"] == "signature"
        assert "head 1 of store is signed by" in str(finding["message"])
        call_command("heads", "--new-key", "4")
        make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(intruder.data))
    assert verification_findings(capsys, "--witness", str(path)) == [], "what the former key signed stays signed"
    opened = witness.WitnessStore(path)
    with opened._file:
        taken = witness.take_all(opened, open_heads(intruder.url).after(4))
    assert "not the house's key" in taken["refused"][0]
    assert taken["last"] == 4


def test_a_key_that_was_lost_and_found_signs_nothing_behind_its_last_head(
    intruder: Intruder, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finder of the key also has the database, rewrites the last events and signs them with the old key."""
    found_by = intruder.data / "found"
    shutil.copytree(intruder.data / "keys", found_by / "keys")
    for name in ("heads.pem", "heads.pub"):
        (intruder.data / "keys" / name).unlink()
    with closing(open_store(intruder.url)) as store:
        with pytest.raises(Conflict, match="--new-key 4"):
            make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(intruder.data))
        call_command("heads", "--new-key", "4")
        say(store, 3)
        make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(intruder.data))
        assert verification_findings(capsys) == []
    intruder.drop_guards()
    intruder.do("DELETE FROM pitledger_heads WHERE number > 4")
    for remembered in (intruder.data / "keys").glob("last-head.*.json"):
        remembered.unlink()
    with closing(open_store(intruder.url)) as store:
        make_head(store, open_heads(intruder.url), PROPERTY, house_signing_key.signer(found_by))
        store.create()
    (finding,) = verification_findings(capsys)
    assert finding["kind"] == "signature"
    assert "head 5 of store is signed by" in str(finding["message"])
    assert "signs nothing any more behind head 4" in str(finding["message"])
