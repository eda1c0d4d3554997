"""One seeded evening of the demo's floor, played into a house that runs while everything goes wrong with it.

The books must be those of the same evening undisturbed, and everything must hold and agree with everything.
"""

import contextlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
from django.db import DatabaseError, connections

from events.runtime import clock
from events.signing.secrets_created_at_first_use import LOGIN_KEY
from events.store import everything, open_store
from projections.engine.projection_positions_and_wait import wait_for
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.progressives.models import Hit
from projections.registry import PROJECTORS
from tests.integration.system.demo_day_without_faults import undisturbed
from tests.integration.system.running_house import Installation, installation, reading
from tests.servers import free_port
from tests.support.processes.relays_and_topic_readers import on_topic
from tests.support.processes.scratch_databases import read_models
from tools.bench import dealers_during_an_attack, hostile_http_clients
from tools.bench import house_setup_for_http as bench_findings
from tools.bench.measurement_servers import child, next_line
from tools.demo import gaming_day_play
from tools.demo.demo_house_setup import Keys
from tools.soak import house_data_copying
from tools.soak.fault_injecting_terminal import Deed, Patient
from tools.soak.faults_of_a_running_house import EARLY, UP_S, HouseUnderFaults
from tools.soak.house_data_copying import DeploymentPlace
from tools.soak.runs_by_seed import FAILED

HOURS = 0.25
KILLS, STEPS = 12, 4
SETUP = 20  # requests before the first deed: the tables open
HOSTILE_A_SECOND = 100
LOCKED_S = 180.0  # until a share is locked, while no one lives long and others use the machine
# Statuses of a killed process, of a page that is not made yet, and 422. The last one is the answer to a badge without a
# role at a table that is not open yet. Clients start before the tables open, and the table is checked before the role.
ANSWERS = {"200", "302", "401", "403", "404", "cut", "502", "422"} | dealers_during_an_attack.TOO_MUCH


def play(seed: int, hours: float = HOURS, *, servers: bool = False) -> Counter[str]:
    """Play and check the evening; return the counts of its faults. `servers`: on servers of its own. Raises
    AssertionError.
    """
    gaming_day_play.SHARE_WITHIN_SECONDS = LOCKED_S
    with (
        tempfile.TemporaryDirectory(prefix="pitledger-evening-") as name,
        house_data_copying.on_servers() if servers else house_data_copying.in_folder() as place,
    ):
        folder = Path(name)
        with read_models(f"sqlite:///{folder / 'undisturbed.sqlite3'}") as alias:
            expected = undisturbed(seed, hours, alias)
        clock.start(folder / "clock", EARLY)
        (folder / "house").mkdir()
        settings = place.settings() | {"CLOCK": str(folder / "clock"), "SWEEP_S": "0.5", "HEAD_S": "1"}
        with installation(folder / "house", free_port(), **settings) as here:
            try:
                return _played(seed, hours, here, place, expected)
            except BaseException:
                _keep_log(seed, here)
                raise


def _keep_log(seed: int, here: Installation) -> None:
    """Keep the house's log of a failed evening, from the present installation."""
    FAILED.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        shutil.copyfile(here.data / "up.log", FAILED.with_name(f"{seed}.log"))


def _played(seed: int, hours: float, here: Installation, place: DeploymentPlace, expected: str) -> Counter[str]:
    keys, random = here.set_up_house(), Random(seed)
    life = HouseUnderFaults(here, place, random)
    with _hostile(here, keys, random) as answered, reading(place.read(here)) as alias:
        terminal = _terminal(life, keys, random, alias, _requests(hours))
        with contextlib.closing(terminal):
            for _ in gaming_day_play.DemoDay(terminal, seed, hours, lambda hit: _share(hit, alias)).play():
                pass
        life.wait_until_up()
        life.done["requests"] += len(terminal.log)
        life.done["repeated"] += terminal.repeated
        life.done["events"] += _check(here, place, alias, expected)
    life.end()
    if set(answered) - ANSWERS:
        raise AssertionError(f"hostile clients were answered {dict(answered)}")
    life.done["hostile requests"] += answered.total()
    return life.done


def _requests(hours: float) -> int:
    """Return the approximate number of requests of the evening, over which its faults are spread."""
    return round(900 * hours)


def _terminal(life: HouseUnderFaults, keys: Keys, random: Random, alias: str, requests: int) -> Patient:
    span = range(SETUP, max(SETUP + 40, requests))
    terminal: list[Patient] = []

    def put_back() -> None:
        life.put_back()
        connections[alias].close()
        made_anew = (life.here.data / LOGIN_KEY).read_text()  # no backup has it: its signatures are void
        terminal[0].keys = replace(terminal[0].keys, secret=made_anew)
        terminal[0].send_all_again()

    def put_read_models_back() -> None:
        life.put_read_models_back()
        connections[alias].close()

    great = [life.copy, put_read_models_back, life.kill_up, life.copy, put_back]
    between: dict[int, Deed] = dict(zip(sorted(random.sample(span, len(great))), great, strict=True))
    servers = [_killing_server(life, name) for name in life.place.servers]
    small = [*(_killing(life, random) for _ in range(KILLS)), *[life.step_clock] * STEPS, *servers]
    during: dict[int, Deed] = dict(zip(random.sample(span, len(small)), small, strict=True))
    terminal.append(Patient(life.here.url, keys, between, during, random))
    return terminal[0]


def _killing_server(life: HouseUnderFaults, name: str) -> Deed:
    return lambda: life.kill_server(name)


def _killing(life: HouseUnderFaults, random: Random) -> Deed:
    name = random.choice(life.here.names)
    return lambda: life.kill(name)


def _share(hit: str, alias: str) -> int | None:
    try:
        locked = Hit.objects.using(alias).filter(hit=hit, status="locked").first()
    except DatabaseError:  # its server was killed; asked again
        connections[alias].close()
        return None
    return locked.share_minor if locked else None


# --- hostile clients --------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _hostile(here: Installation, keys: Keys, random: Random) -> Iterator[Counter[str]]:
    """Run one attack of `bench overload` during the whole evening; yield its answers, complete after the block."""
    nobody = keys.badges["u-901"]  # in no role to act: only the evening's own actions are stored
    badges = bench_findings.HouseKeys(keys.badges["d-101"], keys.devices, nobody, nobody)
    attack = random.choice([candidate for candidate in dealers_during_an_attack.attacks(badges) if candidate.a_second])
    job = hostile_http_clients.FloodJob(here.port, attack.connections, attack.requests, HOSTILE_A_SECOND)
    answered: Counter[str] = Counter()
    with child("tools.bench.hostile_http_clients", job) as running:
        next_line(running)
        yield answered
        assert running.stdin is not None
        running.stdin.write(b"\n")
        running.stdin.flush()
        answered.update(msgspec.json.decode(next_line(running), type=hostile_http_clients.AnswerCounts).statuses)


# --- afterwards -------------------------------------------------------------------------------------------------------


def _check(here: Installation, place: DeploymentPlace, alias: str, expected: str) -> int:
    """Everything holds and agrees, and the books are the undisturbed ones; how many events there are."""
    connections[alias].close()
    with contextlib.closing(open_store(place.store(here))) as store:
        assert wait_for(store.position(), UP_S, PROJECTORS, using=alias), "the read models do not follow"
        assert findings(alias) == []
        assert digest(books(using=alias)) == expected
        count = len(list(everything(store)))
        topic_events = list(dict.fromkeys(value for _, value, _ in on_topic(place.kafka(here), count)))
        # The worker may still add results of its tests of chance, which are on the topic a moment later.
        stored_events = [event.raw for event in everything(store)]
    assert len(topic_events) >= count, "the topic lacks events of the store"
    assert topic_events == stored_events[: len(topic_events)], "the topic is not the store"
    _says(here, "Everything holds.", "verify")
    assert house_data_copying.command_output(here, "rebuild", "all").count("equal to the live one") == len(PROJECTORS)
    _says(here, "Every invariant holds.", "books", "--check")
    return len(stored_events)


def _says(here: Installation, what: str, *command: str) -> None:
    output = house_data_copying.command_output(here, *command)
    assert output.rstrip().endswith(what), output
