"""Timelines played into one running house, fact by fact in turns, each as a progressive of its own.

Table facts are appended to the event store, and people ask and approve at a desk. Every award waits for the worker's
process. After relay, broker and projector, the read models must be as the timelines expect.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_django.plugin import DjangoDbBlocker

from events import catalogue
from events.envelope import ActionData, AnyEnvelope, EventData
from events.errors import NotYet, Refused
from events.people import authority
from events.people.role_grant_decider import RoleGranted
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.decider import decide, due_locks
from events.progressives.event_types import HitVoided, LockWithdrawn, SharesLocked
from events.progressives.fact_structs import ApprovingPerson
from events.progressives.fold import Fold
from events.store import EventStore, everything, open_store
from events.streams.problem_details import problem_of
from events.tables.event_types.rounds import RoundOpened
from projections.engine.projection_positions_and_wait import wait_for
from projections.invariants import findings
from projections.registry import PROJECTORS
from tests.integration.system.running_house import Installation, Up, installation, reading
from tests.servers import free_port
from tests.support.houses.progressive_house import NAME, PEOPLE, PROPERTY, Casino, DeskRefusal
from tests.support.processes.relays_and_topic_readers import within
from tests.support.records import progressive_timeline_recorder, timeline_answers

OWN = Path(__file__).parents[2] / "data" / "timelines" / "system.jsonl"
CAUGHT_UP_S = 60.0
REFUSALS = (403, 404, 422)  # and "Not yet"; anything else is no answer to a fact that may not be
TRIES = 5  # of an action that a store under load did not take, each as long as the store's own patience
SAMPLES = (
    "timeline-sample-12",  # split over two tables, the first winner void after the second was authorised
    "timeline-sample-13",  # adjustments, a void and a misdeal that would leave a meter below nothing
    "timeline-sample-18",  # sequential, misdeals
    "timeline-sample-20",  # sequential over two tables, void, shares that changed since they were authorised
    "timeline-sample-22",  # hits of all three levels in one round
    "timeline-sample-28",  # full-each, of which one is void
    "timeline-sample-40",  # caps, parameters and adjustments between six tables' rounds; half of it is refused
)


def _cases() -> list[dict[str, Any]]:
    """The samples, and two of our own: a hit of a group that is paid is void, under a cap and out of the reserve."""
    samples = {case["id"]: case for case in progressive_timeline_recorder.cases()}
    return [samples[name] for name in SAMPLES] + [msgspec.json.decode(line) for line in OWN.read_bytes().splitlines()]


CASES = _cases()


class Patient(Casino):
    """Sends an action again, with the same key, while the store is too busy."""

    def send(self, person: str, data: ActionData, key: str | None = None, of: str = NAME) -> list[AnyEnvelope]:
        key = key or f"patient-{next(self._keys)}"
        for _ in range(TRIES - 1):
            try:
                return super().send(person, data, key, of)
            except DeskRefusal as denied:
                if denied.problem.status != 503 or _is_not_yet(denied):
                    raise
        return super().send(person, data, key, of)


def _is_not_yet(denied: DeskRefusal) -> bool:
    return denied.problem.title == problem_of(NotYet("")).title


class RunningHousePlayer(progressive_timeline_recorder.Player):
    """Plays a timeline into a running house. Before a person acts, the worker has made every due award."""

    def __init__(self, casino: Casino, case: dict[str, Any]) -> None:
        super().__init__(PROPERTY, case["id"], prefix=f"{case['id']}-")
        self.casino = casino
        self._live = progressive_state_following_store.ProgressiveFollower(PROPERTY, self.name)
        self._opened: dict[str, int] = {}  # the last round, by the table's stream
        casino.ask(progressive_timeline_recorder.opening(case["given"], self.name), "mark", "anna", of=self.name)

    @property
    def fold(self) -> Fold:
        self._live.catch_up(self.casino.store)
        assert self._live.fold is not None
        return self._live.fold

    def say(self, stream: str, event: EventData) -> int:
        """Open all earlier rounds first, as the fold finds a round by its opening."""
        number = getattr(event, "round", None) or 0
        for opened in range(self._opened.get(stream, 0) + 1, number + 1):
            where = {name: getattr(event, name) for name in ("pit", "table", "gaming_day", "shift", "ruleset")}
            self.casino.say(stream, RoundOpened(**where, round=opened))
            self._opened[stream] = opened
        return self.casino.say(stream, event)

    def do(self, action: ActionData, people: tuple[ApprovingPerson, ...]) -> None:
        """Send an action to the desk.

        Actions that only the fold accepts are appended directly, as it knows departments only.
        """
        self.wait_for_locks()
        able = {*authority.roles_that_ask(action.TYPE), *authority.agreeing(action.TYPE)}
        if not all(person.role in able for person in people):
            self.casino.say(f"progressives/{self.name}", *decide(self.fold, action, people))
            return
        try:
            events = self.casino.ask(action, *(person.name for person in people), of=self.name)
        except DeskRefusal as denied:
            if denied.problem.status not in REFUSALS and not _is_not_yet(denied):
                raise
            raise Refused(denied.problem.clause or "", denied.problem.detail) from denied
        if all(event.type.startswith("approval.") for event in events):
            raise Refused("house approval", "nobody else approves it")

    def wait_for_locks(self) -> None:
        """Wait until no award is due. The test itself makes none."""
        within(lambda: not due_locks(self.fold), f"nobody locks {self.name}", CAUGHT_UP_S)


@dataclass(frozen=True)
class RunningTimelines:
    """The played timelines, the store, the alias of the current read models, and the running processes."""

    players: dict[str, RunningHousePlayer]
    store: EventStore
    using: str
    up: Up

    def wait_for_task(self, name: str) -> None:
        """Wait until the worker reports a task of this name."""
        received = re.compile(rf"Task pitledger\.{name}\S* received")
        within(lambda: received.search(self.up.output()) is not None, f"the worker received no {name}", CAUGHT_UP_S)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation for all timelines; its worker is woken by the projector, and sweeps every half second."""
    with installation(tmp_path_factory.mktemp("house"), free_port(), SWEEP_S="0.5", LOG_TASKS="yes") as installed:
        yield installed


@pytest.fixture(scope="module")
def evening(here: Installation, django_db_blocker: DjangoDbBlocker) -> Iterator[RunningTimelines]:
    """Play all timelines. After the tests, no process of the house runs."""
    up = Up(here, "--without", "web", "live").wait_until_up()
    casino = Patient(open_store(f"sqlite:///{here.data / 'events.sqlite3'}"), is_open=False)
    try:
        with django_db_blocker.unblock(), reading(f"sqlite:///{here.data / 'read.sqlite3'}") as alias:
            players = _play(casino)
            assert wait_for(casino.store.position(), CAUGHT_UP_S, PROJECTORS, using=alias), up.output()[-3_000:]
            yield RunningTimelines(players, casino.store, alias, up)
    finally:
        casino.close()
        stopped = up.stop()
    assert stopped == 0, up.output()[-3_000:]
    assert here.left() == {}


def _play(casino: Casino) -> dict[str, RunningHousePlayer]:
    people = {(who["name"], who["role"]) for case in CASES for who in _people(case)} | {
        (person.name, person.role) for person in progressive_timeline_recorder.CAGE
    }
    assert len({name for name, _ in people}) == len(people), "a person with two roles would approve in both"
    assert not {name for name, _ in people} & set(PEOPLE)
    casino.say("people", *(RoleGranted(person=name, role=role) for name, role in sorted(people)))
    players = [RunningHousePlayer(casino, case) for case in CASES]
    for turn in zip_longest(*(progressive_timeline_recorder.facts(case["given"]) for case in CASES)):
        for player, fact in zip(players, turn, strict=True):
            if fact is not None:
                player.play(fact)
    for player in players:
        player.wait_for_locks()
    return {player.name: player for player in players}


def _people(case: dict[str, Any]) -> Iterator[dict[str, str]]:
    for fact in case["given"]["facts"]:
        for value in fact.values():
            yield from value.get("by", ()) if isinstance(value, dict) else ()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_house_answers_as_the_timeline_expects(case: dict[str, Any], evening: RunningTimelines) -> None:
    player = evening.players[case["id"]]
    assert timeline_answers.read_model_figures(player, evening.using) == timeline_answers.expected(case)
    assert player.refused == case["expect"]["refused"]
    assert due_lock_and_lapse_appending.refused_facts(evening.store, PROPERTY, player.name) == []


def test_the_worker_made_every_lock_that_no_void_brought_about(evening: RunningTimelines) -> None:
    """A void also makes the award changes that follow from it. The worker alone makes all other awards."""
    types = (SharesLocked.TYPE, LockWithdrawn.TYPE, HitVoided.TYPE)
    events: list[AnyEnvelope] = [
        catalogue.decode(event.type, event.raw) for event in everything(evening.store, types=types)
    ]
    voids = {event.causation for event in events if event.type == HitVoided.TYPE}
    locks = [event for event in events if event.type != HitVoided.TYPE]
    by_worker = [event for event in locks if event.actor == "reconciler"]
    assert [event for event in locks if event not in by_worker and event.causation not in voids] == []
    first = {event.data.progressive for event in by_worker}
    assert first == {name for name, player in evening.players.items() if _was_locked(player, locks)}
    evening.wait_for_task("reconcile")
    evening.wait_for_task("sweep")


def _was_locked(player: RunningHousePlayer, locks: list[AnyEnvelope]) -> bool:
    return any(lock.data.progressive == player.name for lock in locks)


def test_the_books_balance(evening: RunningTimelines) -> None:
    assert findings(evening.using) == []
