"""A draw with a real witness, and a house that is killed in the middle of each step, on every server."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from events import catalogue
from events.desk.command_and_answer_structs import Command
from events.envelope import Action, Who
from events.inspection_draws import draw_proof
from events.inspection_draws import stream_declaration as kind
from events.inspection_draws.decider import Draws, evolve, stream_of
from events.inspection_draws.due_draw_publication import publish_due
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import Heads, open_heads
from events.relay import witness_delivery as relay
from events.signing import house_signing_key
from events.store import open_store
from events.streams.stream_kind_declaration import Target
from tests.servers.ports import free_port
from tests.support.houses.small_house import PROPERTY, House
from tests.support.processes.killed_process import before_it_commits, done_and_died
from tests.support.processes.relays_and_topic_readers import within
from tools import verify_draw, witness

TERMS: dict[str, Any] = {"draw": "night", "tables": [{"table": "BJ1"}, {"table": "FR1", "weight": 2}], "number": 2}


@contextmanager
def witness_process(file: Path, key: str) -> Iterator[str]:
    """The witness as another party runs it; its address."""
    port = free_port()
    command = [sys.executable, witness.__file__, str(file), "--key", key, "serve", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    try:
        within(lambda: _answers(port), "the witness does not answer")
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
    except (URLError, ConnectionError, TimeoutError):
        return False
    return True


class WitnessedHouse(House):
    """A house that stores its heads with its events, and has a witness outside."""

    def __init__(self, url: str, folder: Path, address: str) -> None:
        super().__init__(open_store(url))
        self.url, self.address = url, address
        self.heads, self.signer = open_heads(url), house_signing_key.signer(folder)
        self.store.process_cache.get((Heads,), lambda: self.heads)
        self.now = datetime.fromisoformat(self.store.clock())

    def sign(self, after: timedelta) -> None:
        """Sign a head at so long after the beginning."""
        self.store.clock = lambda: text(self.now + after)
        make_head(self.store, self.heads, PROPERTY, self.signer)

    def hand_over(self) -> None:
        """Send the heads to the witness, and note it, as the worker does."""
        last = relay.hand_over(self.heads, self.address, PROPERTY)
        relay.note(relay.Standing(where=self.address, last=last))

    def killed_and_repeated(self, person: str, kind_of: str, **data: Any) -> Any:
        """Send an action to a process that dies while it writes, then twice more; return its only event."""
        action = self.action(kind_of, **data)
        done_and_died(self.url, PROPERTY, self.command(person, action), before_it_commits)
        first, again = (self.ok("draws", "", person, action)[-1] for _time in range(2))
        assert first.id == again.id
        return first.data

    @staticmethod
    def command(person: str, action: Action) -> Command:
        return Command(Target("draws", ""), (action,), Who(person=person, roles=frozenset(), factor_s=0))

    def types(self) -> list[str]:
        return [stored_event.type for stored_event in self.store.stream(stream_of(PROPERTY))]

    def draws(self) -> Draws:
        draws = Draws()
        for stored_event in self.store.stream(stream_of(PROPERTY)):
            draws = evolve(draws, catalogue.decode(stored_event.type, stored_event.raw).data)
        return draws


def text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_witnessed_draw_survives_a_kill_at_every_step(
    shared_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "heads.jsonl"
    monkeypatch.setenv("PITLEDGER_STORE", shared_url)
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    with witness_process(file, house_signing_key.signer(tmp_path).public) as address:
        monkeypatch.setenv("PITLEDGER_WITNESS", address)
        store = open_store(shared_url)
        store.create()
        store.close()
        house = WitnessedHouse(shared_url, tmp_path, address)
        try:
            _draw(house, file)
        finally:
            house.close()


def _draw(house: WitnessedHouse, file: Path) -> None:
    minute, now = timedelta(minutes=1), house.now
    ends = {"since": text(now + 30 * minute), "until": text(now + 150 * minute), "draw_at": text(now + 15 * minute)}
    committed = house.killed_and_repeated("sven", "draw.commit", **TERMS, **ends)
    house.sign(minute)
    house.hand_over()
    house.ok("devices", "", "paul", house.action("device.pair", device="d1", table="FR1", use="screen", key="0" * 64))
    house.sign(16 * minute)
    refused = house.no("draws", "", "sven", house.action("draw.reveal", draw="night"))
    assert refused.code == "draw-head-not-witnessed"
    house.hand_over()
    revealed = house.killed_and_repeated("sven", "draw.reveal", draw="night")
    assert revealed.head == 2
    drawn = kind.drawn(house.store, house.draws().draws["night"])
    about = {"draw": "night", "way": "live", "looked_at": "cards", "finding": "in order"}
    house.killed_and_repeated("sven", "inspection.record", entry=drawn[0], **about)
    house.ok("draws", "", "sven", house.action("inspection.record", entry=drawn[1], **about))
    assert house.types() == ["draw.committed.v1", "draw.revealed.v1", *["inspection.recorded.v1"] * 2]
    assert [publish_due(house.store, PROPERTY) for _time in range(2)] == [1, 0]
    house.sign(20 * minute)
    house.hand_over()
    draw = house.draws().draws["night"]
    assert draw.terms.commitment == committed.commitment, "a repeated commitment keeps its secret"
    proof = file.with_name("proof.json")
    proof.write_bytes(draw_proof.proof(house.store, house.heads, PROPERTY, draw))
    command = [sys.executable, "-I", verify_draw.__file__, str(proof), "--key", house.signer.public]
    completed = subprocess.run([*command, "--witness", str(file)], capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert "The witness saw this head at" in completed.stdout
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[:1]), "utf-8")
    completed = subprocess.run([*command, "--witness", str(file)], capture_output=True, text=True, check=False)
    assert (completed.returncode, "head 2 is not the witness's" in completed.stderr) == (1, True)
