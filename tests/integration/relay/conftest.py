"""Every test of this folder runs on the embedded broker, and again on Apache Kafka."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.store import EventStore
from events.store.in_memory_store import MemoryStore
from tests.servers.ports import free_port
from tests.support.processes.child_broker import EmbeddedBroker


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    """An embedded broker of the test's own."""
    with EmbeddedBroker(tmp_path, free_port()) as broker:
        yield broker


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def bootstrap(request: pytest.FixtureRequest) -> str:
    """The address of a broker without records."""
    if request.param == "embedded":
        address: str = request.getfixturevalue("embedded").bootstrap
    else:
        address = request.getfixturevalue("kafka_bootstrap")
    return address


@pytest.fixture
def store() -> EventStore:
    """An empty store in memory."""
    return MemoryStore()
