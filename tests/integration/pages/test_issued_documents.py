"""The list of issued documents. It tells whether a held copy is genuine and still agrees with the events."""

import hashlib
import itertools
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.db import Error
from django.test import Client

from backoffice.access.issued_documents import OF_A_HIT, SLIP, IssuedDocument
from backoffice.access.models import GivenOut
from backoffice.integrity.issued_documents_page import SHOWN
from events.integrity.day_proof import proof
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.progressives.award_report import award
from events.signing import house_signing_key
from events.store import open_store
from tests.integration.commands.test_integrity import IntegrityDataFolder, files
from tests.support.houses.progressive_house import DAY, PROPERTY, Casino
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words, written
from tests.support.pages.sign_in import signed_in
from tools import verify_day

__all__ = ["files"]  # a house with a hit that was paid and one that is locked
pytestmark = pytest.mark.django_db
MEGA = "/progressives/blazing/hits/BJ1-2026-11-20-1-1"


def row(number: int = -1) -> GivenOut:
    return list(GivenOut.objects.order_by("id"))[number]


def test_what_is_saved_of_a_hit_stands_on_the_list(client: Client, evening_house: House) -> None:
    anna = signed_in(Client(), "anna")
    saved = anna.get(f"{MEGA}/json").content
    assert anna.get(f"{MEGA}/pdf").status_code == 200
    first, second = GivenOut.objects.order_by("id")
    assert (first.person, first.kind, first.about) == ("anna", "hit, as JSON", "BJ1-2026-11-20-1-1")
    assert first.digest == hashlib.sha256(saved).hexdigest() == second.digest
    assert second.kind == "hit, on paper"
    assert 0 < first.position <= evening_house.store.position()
    page = words(client, "/integrity/given-out")
    assert first.digest in page
    assert "BJ1-2026-11-20-1-1" in page
    answer = client.get("/api/v1/given-out?about=BJ1-2026-11-20-1-1").json()
    assert [copy["kind"] for copy in answer["given"]] == ["hit, on paper", "hit, as JSON"]
    assert client.get("/api/v1/given-out?about=another").json() == {"given": [], "older": None}
    assert client.get("/api/v1/given-out?before=x").status_code == 400


def test_what_is_printed_again_says_reprint_and_which_copy_it_is(client: Client, evening_house: House) -> None:
    papers = [written(client.get(f"{MEGA}/pdf").content) for _time in range(3)]
    assert ["REPRINT" in paper for paper in papers] == [False, True, True]
    assert "REPRINT, copy 2" in papers[1]
    assert "REPRINT, copy 3, printed by olga" in papers[2]
    assert client.get(f"{MEGA}/json").content == client.get(f"{MEGA}/json").content
    assert [copy["copy"] for copy in client.get("/api/v1/given-out").json()["given"]] == [2, 1, 3, 2, 1]
    assert "hit, on paper BJ1-2026-11-20-1-1 REPRINT, copy 3" in words(client, "/integrity/given-out")


def test_a_long_list_is_read_in_pages(client: Client, evening_house: House) -> None:
    assert "No issued documents" in words(client, "/integrity/given-out")
    for number in range(SHOWN + 5):
        IssuedDocument("hit, as JSON", f"h-{number}", 1, f"{number:064}").record("anna")
    answer = client.get("/api/v1/given-out").json()
    rest = client.get(f"/api/v1/given-out?before={answer['older']}").json()
    assert (len(answer["given"]), len(rest["given"]), rest["older"]) == (SHOWN, 5, None)
    assert "Older" in words(client, "/integrity/given-out")


def test_slips_have_a_list_of_their_own(client: Client, evening_house: House) -> None:
    """Every fill has one: certificates and reports would be lost among them."""
    IssuedDocument(SLIP, "fill-2026-7", 1, "a" * 64).record("cage")
    IssuedDocument("hit, as JSON", "h-1", 1, "b" * 64).record("anna")
    papers, slips = (words(client, f"/integrity/given-out{of}") for of in ("", "?of=slips"))
    assert ("h-1" in papers, "fill-2026-7" in papers) == (True, False)
    assert ("h-1" in slips, "fill-2026-7" in slips) == (False, True)
    for of, about in (("", "h-1"), ("?of=slips", "fill-2026-7")):
        assert [copy["about"] for copy in client.get(f"/api/v1/given-out{of}").json()["given"]] == [about]
    assert client.get("/api/v1/given-out?of=x").status_code == 400


def test_what_cannot_be_written_down_is_not_given_out(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise Error("disk full")

    monkeypatch.setattr(GivenOut.objects, "create", full)
    answer = client.get(f"{MEGA}/pdf")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert b"%PDF" not in answer.content


def test_verify_says_of_a_certificate_when_it_was_given_out_and_that_it_is_still_so(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "award.json"
    call_command("explain", files.paid, "--export", str(path), "--by", "anna")
    made = json.loads(path.read_text())
    assert (row().kind, row().person, row().about) == ("certificate", "anna", files.paid)
    assert (row().position, row().key) == (
        made["heads"]["after"]["position"],
        house_signing_key.signer(tmp_path).public,
    )
    with closing(goes_on(files)) as casino:
        casino.authorise(files.locked)
        make_head(casino.store, open_heads(files.url), PROPERTY, house_signing_key.signer(files.folder))
    capsys.readouterr()
    for name in (str(path), row().digest):
        call_command("verify", "--no-read-models", "--no-topic", "--given", name)
        output = capsys.readouterr()
        assert f"certificate of {files.paid} as of event {row().position:,}, given to anna" in output.err
        assert "the events say the same" in output.err
        assert output.out.endswith("Everything holds.\n")


def test_the_proof_of_a_day_stands_on_the_list_and_is_read_without_us(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "day.jsonl"
    call_command("report", DAY, "--export", str(path), "--by", "anna")
    assert "verified" in capsys.readouterr().out
    assert (row().kind, row().person, row().about) == ("proof of a day", "anna", f"{DAY} as of {row().position}")
    assert row().digest == hashlib.sha256(path.read_bytes()).hexdigest()
    script, key = [sys.executable, "-I", verify_day.__file__], house_signing_key.signer(tmp_path).public
    read = subprocess.run([*script, str(path), "--key", key], capture_output=True, text=True, check=True)
    assert read.stderr == "EQUAL\n"
    path.write_bytes(path.read_bytes().replace(b'"issued_minor":1', b'"issued_minor":11', 1))
    read = subprocess.run([*script, str(path)], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stdout) == (1, "")
    assert read.stderr.startswith("NOT EQUAL: figures: slips/envy 2/issued_minor: the file says 1100000")
    call_command("verify", "--no-read-models", "--no-topic", "--given", row().digest)
    assert f"proof of a day of {DAY} as of" in capsys.readouterr().err


def test_the_report_is_printed_beside_its_proof(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "day.jsonl"
    call_command("report", DAY, "--json", "--export", str(path))
    printed = capsys.readouterr()
    assert (json.loads(printed.out)["day"], "verified" in printed.err) == (DAY, True)
    assert row().digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_proof_of_a_day_is_made_again_in_the_form_in_which_it_was_given_out(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("report", DAY, "--export", str(tmp_path / "day.jsonl"), "--whole", "--by", "anna")
    assert row().about == f"{DAY} as of {row().position}, whole"
    with closing(open_store(files.url)) as store, closing(open_heads(files.url)) as heads:
        before = proof(store, heads, PROPERTY, DAY, row().position, form=1)
        digest = hashlib.sha256(b"".join(before.lines(store))).hexdigest()
        position = before.after.position
    paper = IssuedDocument("proof of a day", f"{DAY} as of {before.position}", position, digest, before.after.key)
    paper.record("anna")
    for document_digest in (digest, hashlib.sha256((tmp_path / "day.jsonl").read_bytes()).hexdigest()):
        capsys.readouterr()
        call_command("verify", "--no-read-models", "--no-topic", "--given", document_digest)
        assert "the events say the same" in capsys.readouterr().err


def test_verify_makes_a_paper_again_as_it_was_then(
    files: IntegrityDataFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the paper and today the hit was authorised and paid."""
    with closing(goes_on(files)) as casino:
        paper = IssuedDocument(
            f"{OF_A_HIT}on paper", files.locked, casino.store.position(), digest_of(casino, files.locked)
        )
        paper.record("anna")
        casino.authorise(files.locked)
        casino.pay(files.locked)
        assert digest_of(casino, files.locked) != paper.digest
        make_head(casino.store, open_heads(files.url), PROPERTY, house_signing_key.signer(files.folder))
    call_command("verify", "--no-read-models", "--no-topic", "--given", paper.digest)
    assert "the events say the same" in capsys.readouterr().err


def goes_on(files: IntegrityDataFolder) -> Casino:
    """The same house on another day."""
    casino = Casino(open_store(files.url), is_open=False)
    casino._keys = itertools.count(1_000_000)
    return casino


def digest_of(casino: Casino, hit: str) -> str:
    return hashlib.sha256(msgspec.json.encode(award(casino.store, PROPERTY, hit))).hexdigest()


def test_a_file_that_the_house_never_gave_out_is_a_finding(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "award.json"
    call_command("explain", files.paid, "--export", str(path))
    forged = tmp_path / "forged.json"
    forged.write_text(path.read_text().replace("50", "51", 1))
    with pytest.raises(CommandError) as ended:
        call_command("verify", "--no-read-models", "--no-topic", "--given", str(forged))
    assert ended.value.returncode == 1
    assert "this house has given out nothing with the SHA-256" in capsys.readouterr().out


def test_history_that_says_otherwise_now_is_a_finding(
    files: IntegrityDataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "award.json"
    call_command("explain", files.paid, "--export", str(path))
    edit = "UPDATE pitledger_events SET state = replace(state, '\"stake_minor\":500', '\"stake_minor\":900')"
    files.sql(
        "DROP TRIGGER pitledger_events_refuse_update",
        f"{edit} WHERE rowid = (SELECT min(rowid) FROM pitledger_events WHERE topic = 'progressive.armed.v1')",
    )
    with pytest.raises(CommandError):
        call_command("verify", "--no-read-models", "--no-topic", "--given", str(path))
    assert f"given out: certificate of {files.paid}" in capsys.readouterr().out
