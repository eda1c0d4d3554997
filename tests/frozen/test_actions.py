"""What was asked once makes the same events again, byte for byte but for the fields named here."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from events import catalogue
from events.commands import Answer, Command
from events.desk import Desk
from events.envelope import AnyEnvelope, Meta, Who
from events.kinds import Target
from events.progressives import service
from events.store import Append, EventStore, New, Stored, open_store
from tests.frozen import houses
from tests.frozen.houses import Line

# Fields that events have had since, by type: all that may differ, with the chain's digests behind them.
SINCE: dict[str, frozenset[str]] = {
    "approval.requested.v1": frozenset({"until"}),  # when a request lapses by itself
    # what the bet was recorded as
    "bet.corrected.v1": frozenset({"wager_before", "stake_before_minor", "commission_before_minor"}),
    "session.opened.v1": frozenset({"stakes_minor", "basis"}),  # a linked table's, from its progressive
}
# Actions judged otherwise, or in other words, since, by key: what they made then is taken as stored. All stake a
# place bet that is no whole number of the table's chips, which were not counted then (003 5.6).
JUDGED_OTHERWISE = frozenset(
    {
        *("T67-957", "T69-992", "T69-995", "T71-1032", "T73-1065"),
        *("T105-1415", "T106-1434", "T107-1454", "T107-1457"),
    }
)


class Replay:
    """A house played again under a clock that says what it said then."""

    def __init__(self, house: str, url: str, frozen: EventStore) -> None:
        self.at = ""
        self.store = open_store(url, lambda: self.at)
        self.store.create()
        self.desk = Desk(self.store, houses.PROPERTY)
        self.frozen = frozen
        for line in houses.lines(house):
            self.at = line.at
            self._do(line)

    def close(self) -> None:
        self.desk.close()
        self.store.close()

    def _do(self, line: Line) -> None:
        if line.stored is not None:
            self._take(self.frozen.after(line.stored[0] - 1, 1_000, until=line.stored[1]))
        elif any(action.key in JUDGED_OTHERWISE for action in line.actions):
            self._take(self.frozen.after(self.store.position(), 1_000, until=line.until))
        elif line.reconcile is not None:
            service.reconcile(self.store, houses.PROPERTY, line.reconcile)
        else:
            self._ask(line)
        assert self.store.position() == max(line.until, (line.stored or (0, 0))[1]), line

    def _take(self, events: list[Stored]) -> None:
        for stored in events:
            envelope = catalogue.decode(stored.type, stored.raw)
            new = New(envelope.data, _meta(envelope))
            self.store.append([Append(stored.stream, self.store.head(stored.stream), [new])])

    def _ask(self, line: Line) -> None:
        assert line.kind is not None
        who = Who(person=line.person, roles=frozenset(), device=line.device, table=line.table)
        command = Command(Target(line.kind, line.name, line.gaming_day), line.actions, who, line.mode)
        replies = self.desk.do(command)
        assert all(isinstance(reply, Answer) for reply in replies), (line, replies)


def _meta(envelope: AnyEnvelope) -> Meta:
    return Meta(
        time=envelope.time,
        actor=envelope.actor,
        actorrole=envelope.actorrole,
        actordevice=envelope.actordevice,
        causation=envelope.causation,
        correlation=envelope.correlation,
    )


@pytest.fixture
def replay(house: str, store: EventStore) -> Iterator[Replay]:
    replay = Replay(house, "memory://", store)
    yield replay
    replay.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_same_actions_make_the_same_events(replay: Replay, store: EventStore) -> None:
    then, now = store.after(0, 1_000_000), replay.store.after(0, 1_000_000)
    assert len(now) == len(then)
    for one, other in zip(then, now, strict=True):
        assert (other.position, other.stream, other.type) == (one.position, one.stream, one.type)
        if other.raw != one.raw:
            assert _comparable(other) == _comparable(one)


def _comparable(stored: Stored) -> dict[str, Any]:
    """The event without the fields named, and without the digest of what came before where some are named."""
    event: dict[str, Any] = json.loads(stored.raw)
    if SINCE:
        del event["prev"]
    for name in SINCE.get(stored.type, ()):
        event["data"].pop(name, None)
    return event
