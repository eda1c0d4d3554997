"""A killed verification leaves no files, and the next one continues from its last position."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from backoffice.integrity import last_verification
from backoffice.integrity.house_verification import SUFFIX
from backoffice.running.database_and_mail_settings import ROOT
from projections.engine.models import Reader
from tests.regressions.test_forged_history import Intruder, intruder
from tests.regressions.test_tampered import TamperedHouse, tampered

pytestmark = pytest.mark.django_db  # verify compares the log of who looked

__all__ = ["intruder", "tampered"]  # fixtures, on both databases
KILLED_S = 120


def ended(program: str, by: signal.Signals, **environment: str) -> int:
    """Return the exit code of a verification that receives this signal."""
    words = [sys.executable, "-c", _BEGIN + program, str(int(by))]
    env = {**os.environ, **environment}
    completed = subprocess.run(words, env=env, cwd=ROOT, capture_output=True, text=True, timeout=KILLED_S, check=False)
    assert completed.returncode in (-by, 128 + by), completed.stderr
    return completed.returncode


def copies(using: str) -> list[str]:
    return [name for name in connections[using].introspection.table_names() if name.endswith(SUFFIX)]


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_it_leaves_nothing_behind(tampered: TamperedHouse, by: signal.Signals) -> None:
    """A stopped verification drops its copies itself. After a kill, the next verification drops them."""
    ended(_WITH_COPIES, by, PITLEDGER_READ=tampered.reads)
    assert bool(copies(tampered.using)) == (by == signal.SIGKILL)
    assert last_verification.read_note().last is None
    assert tampered.verification_findings() == []
    assert copies(tampered.using) == []
    assert not Reader.objects.using(tampered.using).filter(projection__endswith=SUFFIX).exists()


@pytest.mark.parametrize("is_edited", [False, True], ids=["honest", "edited behind it"])
def test_it_goes_on_and_finds_what_an_unbroken_run_finds(
    intruder: Intruder, capsys: pytest.CaptureFixture[str], is_edited: bool
) -> None:
    assert ended(_WHILE_READING, signal.SIGKILL) == -signal.SIGKILL
    begun = last_verification.read_note().begun
    assert begun is not None
    assert not begun.at_work
    if is_edited:
        intruder.drop_guards()
        intruder.edit()
    unbroken = verified(capsys)
    resumed = verified(capsys, "--resume")
    assert (unbroken.pop("begun"), resumed.pop("begun")) == (0, CAME_TO)
    for report in (unbroken, resumed):
        del report["seconds"], report["left_out"]  # how fast it was; that copies were not compared
    assert resumed == unbroken
    assert bool(resumed["findings"]) == is_edited


def verified(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    """Return the report of `verify`, with any findings."""
    capsys.readouterr()
    with suppress(CommandError):
        call_command("verify", "--no-topic", "--no-read-models", "--json", *options)
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


CAME_TO = 20
_BEGIN = """
import os, sys
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "backoffice.settings"
django.setup()
from django.core.management import call_command
"""
_WITH_COPIES = """
from projections.engine import rebuild
built = rebuild.Rebuild._build
def build(self):
    built(self)
    os.kill(os.getpid(), int(sys.argv[1]))
rebuild.Rebuild._build = build
call_command("verify", "--no-topic")
"""
_WHILE_READING = f"""
from events.integrity import audit, verification_checkpoint
audit.CHUNK, verification_checkpoint.SAVE_EVERY = 5, 10
save = verification_checkpoint.Checkpoint.save
def killed(self, found):
    save(self, found)
    if found.chains.events == {CAME_TO}:
        os.kill(os.getpid(), int(sys.argv[1]))
verification_checkpoint.Checkpoint.save = killed
call_command("verify", "--no-topic", "--no-read-models", "--resume")
"""
