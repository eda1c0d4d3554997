"""Run schemathesis against the API of a house at play, without a badge and with one."""

import hashlib
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from backoffice.models import Credential, Person
from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import PEOPLE, House
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import ROOT
from tests.support.tables.generated_actions import house_at_play

CONFIG = Path(__file__).with_name("schemathesis.toml")
EVERYBODY = "wanda"  # in every role of a house: what she is refused, a rule refuses
BADGE = "badge-of-wanda"
LIMITS = {"PITLEDGER_LIMIT_BADGE": "100000", "PITLEDGER_LIMIT_ADDRESS": "100000"}
AS = {"nobody": [], "wanda": ["--header", f"Authorization: Bearer {BADGE}"]}


def fill(folder: Path) -> None:
    """Tables of every game at play, an evening in the read models, and one badge for everything."""
    with closing(House(open_store(f"sqlite:///{folder}/events.sqlite3"))) as house:
        evening_with_everything.play(house)
        house_at_play(house)
        for role in ("administrator", *PEOPLE.values()):
            house.ok("people", "", "adam", house.action("role.grant", person=EVERYBODY, role=role))
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
            evening_with_everything.project(house, alias)
            holder = Person.objects.using(alias).create(id=EVERYBODY)
            digest = hashlib.sha256(BADGE.encode()).hexdigest()
            Credential.objects.using(alias).create(digest=digest, person=holder)


def ask(address: str, who: str, folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run schemathesis on the interface at this address (`http://127.0.0.1:8000`); return its output and exit code."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"]
    arguments = [f"{address}/api/v1/openapi.json", "--phases", "examples,coverage,fuzzing", *AS[who], *options]
    env = os.environ | {"PYTHONPATH": str(ROOT)}  # where the hooks are
    return subprocess.run([*command, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False)
