"""A house on one machine, of which each part can be lost and brought back on its own."""

import io
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from kafka import KafkaProducer

from backoffice.access.access_log_end_for_heads import end_at
from backoffice.access.personal_data_access_log import SEARCH, add
from backoffice.management import error_messages
from events.errors import PitledgerError
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.relay import integrity_heads_topic as on_topic
from events.relay.event_topic_reader_and_setup import TOPIC, ensure_topic
from events.relay.gapless_event_topic_reader import TopicTail
from events.relay.leak_free_kafka_clients import connected
from events.relay.relay import Relay
from events.relay.relay_lock_by_store import LocalLock
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import EventStore, open_store
from projections.engine.batch_applier import Applier
from projections.engine.runner import Runner
from projections.registry import PROJECTORS, projectors
from tests.restores.restorable_databases import Databases, as_default
from tests.support.houses.small_house import PROPERTY, House, reopened_house
from tests.support.processes.relays_and_topic_readers import on_topic as records_of
from tests.support.processes.scratch_databases import migrate, new_access_log

Records = list[tuple[bytes, bytes, dict[str, bytes]]]


class LosableBroker(NamedTuple):
    """The broker's address, its complete loss, the check that it runs, and its setting in a house."""

    bootstrap: str
    lose: Callable[[], None]
    is_kept: Callable[[], None]
    setting: str


_COMMAND = re.compile(r"\./manage\.py ((?:[a-z]+)(?: (?:--)?[a-z0-9-]+)*)")


class LosableHouse:
    """Here runs in turn: people at a table, the relay, the projector, the signer; `goes_on` is all three of them."""

    def __init__(
        self, data: Path, databases: Databases, broker: LosableBroker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.data, self.databases, self.bootstrap, self.lose_topics = data, databases, broker.bootstrap, broker.lose
        self._broker = broker
        self.store_url, self.read_url = databases.new("events"), databases.new("read")
        settings = {"DATA": str(data), "STORE": self.store_url, "READ": self.read_url, "KAFKA": broker.setting}
        monkeypatch.delenv("PITLEDGER_HEAD_KEY", raising=False)
        for name, value in (settings | {"PROPERTY": PROPERTY}).items():
            monkeypatch.setenv(f"PITLEDGER_{name}", value)
        self.is_on_files = self.store_url.startswith("sqlite")
        migrate(self.read_url)
        new_access_log(data)
        with self.store() as made:
            made.create()

    # --- what goes on ---

    @contextmanager
    def store(self) -> Iterator[EventStore]:
        """Open the store as a new process does."""
        store = open_store(self.store_url)
        try:
            yield store
        finally:
            store.close()

    def plays(self, count: int = 7) -> int:
        """People buy in at a table; where the store ends then."""
        store = open_store(self.store_url)
        is_new = not store.position()
        house = House(store) if is_new else reopened_house(store)
        if is_new:
            house.open_table("FR1")
        for _ in range(count):
            house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100))
        end = store.position()
        house.close()
        return end

    def sends(self) -> None:
        """The relay, until all is on the topic."""
        stop = threading.Event()
        with self.store() as store:
            relay = Relay(store, self.bootstrap, PROPERTY, LocalLock(threading.Lock()), _stops(stop, store.position()))
            relay.run(stop)

    def reads(self) -> None:
        """The projector, until the read models have everything."""
        stop = threading.Event()
        with self.store() as store, as_default(self.read_url):
            tell = _stops(stop, store.position())
            applier = Applier(projectors(), PROPERTY, store=store)
            Runner(applier, TopicTail(self.bootstrap, PROPERTY, store), lambda name, /, **_: None, tell).run(stop)

    def signs(self) -> None:
        """The worker's head over all, on the topic as well."""
        heads = open_heads(self.store_url)
        with self.store() as store:
            make_head(
                store, heads, PROPERTY, house_signing_key.signer(self.data), looked=lambda: end_at(settings().access)
            )
        on_topic.publish(heads, self.bootstrap, PROPERTY, house_signing_key.memory(self.data).given_up(PROPERTY))

    def looks(self, count: int = 3) -> None:
        """Search as the auditor this number of times."""
        with as_default(self.read_url):
            for number in range(count):
                add(SEARCH, f"/events?q={number}", person="otto")

    def goes_on(self) -> None:
        self.sends()
        self.reads()
        self.signs()

    def manage(self, *words: str) -> str:
        """Run a command as a person types it, and return its output. Raises CommandError."""
        output = io.StringIO()
        with as_default(self.read_url):
            call_command(*words, stdout=output, stderr=output)
        self._broker.is_kept()
        return output.getvalue()

    # --- what is lost ---

    def keep(self) -> str:
        """Copy the event store with its heads."""
        return self.databases.keep(self.store_url)

    def restore(self, backup: str) -> None:
        self.databases.restore(self.store_url, backup)

    def keep_topic(self) -> Records:
        return records_of(self.bootstrap)

    def restore_topic(self, records: Records) -> None:
        """The same records at the same offsets, as a copy of a broker's disk brings them back."""
        self.lose_topics()
        ensure_topic(self.bootstrap)
        producer = connected(KafkaProducer, self.bootstrap, acks="all")
        for key, value, headers in records:
            producer.send(TOPIC, value, key, list(headers.items()), partition=0)
        producer.flush()
        producer.close()

    def put_on_topic_of_heads(self, raw: bytes) -> None:
        """Put a record on the topic of heads, as a stranger with access to Kafka."""
        producer = connected(KafkaProducer, self.bootstrap, acks="all")
        producer.send(on_topic.TOPIC, raw, b"theirs", partition=0)
        producer.flush()
        producer.close()

    def lose_keys(self) -> None:
        shutil.rmtree(self.data / "keys")

    # --- how it ends ---

    def is_well(self) -> None:
        """Assert that after one more evening, all parts agree."""
        self.plays()
        self.goes_on()
        output = self.manage("verify")  # builds the read models again beside the live ones, and compares them
        assert output.rstrip().endswith("Everything holds.")
        assert "not compared" not in output
        filled = self.databases.do(self.read_url, "SELECT projection FROM projections_reader WHERE position > 0")
        assert {name for (name,) in filled} >= PROJECTORS.keys()
        assert self.manage("books", "--check").rstrip().endswith("Every invariant holds.")


def _stops(stop: threading.Event, end: int) -> Callable[..., None]:
    """Return a process's progress report, which stops the process at a position."""

    def tell(*, position: int, **_: Any) -> None:
        if position >= end:
            stop.set()

    return tell


def stopped(what: Callable[[], object], *, says: str = "") -> str:
    """Return the command that is named by the one line with which a process stops, without `./manage.py`."""
    with pytest.raises((PitledgerError, CommandError, DatabaseError)) as error:
        what()
    explained = error_messages.error_line_and_code(error.value)  # as `manage.py` says it
    line = explained[0] if explained else str(error.value)
    assert "\n" not in line
    assert says in line, line
    (command,) = _COMMAND.findall(line)[-1:] or [""]
    assert command, f"no command in: {line}"
    return str(command)
