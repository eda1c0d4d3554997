"""Fixtures for all tests: real servers, started when the first test asks for them.

A test that uses one of these fixtures gets its marker (`postgres`, `redis`, `kafka`, `kcat`, `browser`). If the machine
lacks the requirements of a marker, its tests are skipped and the end of the run lists them. With CI=true they fail.
"""

import contextlib
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import servers
from tests.servers import chromium, kafka, postgres, reused_databases, suite_requirements
from tests.tls.network import unchanged_networks

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LEFT_OUT = "left out: "
DATABASE_FIXTURES = {"db", "transactional_db"}

# The same examples in every run; `--hypothesis-profile=explore` looks for new ones. No deadlines: machines differ.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    versions = [str(version) for version in postgres.SUPPORTED]
    parser.addoption("--postgres", choices=versions, help="the version of PostgreSQL that all tests run on")


def pytest_configure(config: pytest.Config) -> None:
    """Have SIGTERM end the run as Ctrl-C does: fixtures are torn down. (The servers stop even after SIGKILL.)

    A shell makes its background processes and their children ignore Ctrl-C. This run restores the usual handler.
    """
    if chosen := config.getoption("--postgres"):
        postgres.choose(int(chosen))
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, before `-m` chooses among them."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            for marker in suite_requirements.MARKERS_OF_FIXTURES.get(fixture, ()):
                item.add_marker(marker)
        _give_all_databases(item)


def _give_all_databases(item: pytest.Item) -> None:
    """Give a test that uses the database the access log's database as well: each refusal writes a line to it."""
    mark = item.get_closest_marker("django_db")
    if mark is None and not DATABASE_FIXTURES & {*getattr(item, "fixturenames", ())}:
        return
    databases = {"databases": ["default", "access"]} | (dict(mark.kwargs) if mark is not None else {})
    item.add_marker(pytest.mark.django_db(**databases), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    _forget_anchors()
    marks = {mark.name for mark in item.iter_markers()}
    for marker in suite_requirements.NEEDS:
        if marker in marks:
            _require(marker)


def _forget_anchors() -> None:
    """Each test has an access log of its own, in the data folder of all: the last test's lines are not missed."""
    for path in Path(os.environ["PITLEDGER_DATA"]).glob("anchor/access-log.*.json"):
        path.unlink(missing_ok=True)


def _require(marker: str) -> None:
    """Skip the test, or with CI=true fail it, where this machine lacks what the marker stands for."""
    need = suite_requirements.NEEDS[marker]
    if need.is_installed():
        return
    if suite_requirements.in_ci() and not need.is_optional:
        pytest.fail(f"{need.what} is missing: {suite_requirements.how_to_have(need)}", pytrace=False)
    pytest.skip(f"{LEFT_OUT}{marker}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which suites were left out, a line each, and how to have them."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", []) if report.longrepr]
    counts = Counter(reason.partition(LEFT_OUT)[2].partition(" ")[0] for reason in reasons if LEFT_OUT in reason)
    if not counts:
        return
    terminalreporter.section("left out")
    for marker, count in sorted(counts.items()):
        need = suite_requirements.NEEDS[marker]
        terminalreporter.write_line(
            f"{count} tests need {need.what} (-m {marker}): {suite_requirements.how_to_have(need)}"
        )


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """A function that gives a free loopback port below 32768, another one each time."""
    return servers.free_port


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[servers.PostgreSQL]:
    """The PostgreSQL server itself, for tests that need more than a database."""
    _require("postgres")
    with servers.PostgreSQL() as server:
        yield server


@pytest.fixture
def postgres_versions() -> Iterator[list[servers.PostgreSQL]]:
    """A cluster of each supported version, the oldest first."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(servers.PostgreSQL(version=version)) for version in postgres.SUPPORTED]


@pytest.fixture
def new_database(postgres_server: servers.PostgreSQL) -> Iterator[Callable[[], str]]:
    """A function that gives the URL of an empty PostgreSQL database; they are the next ones' after the test."""
    made: list[str] = []

    def make() -> str:
        made.append(reused_databases.take(postgres_server.url()) or postgres_server.new_database())
        return made[-1]

    yield make
    for url in made:
        reused_databases.give_back(url)


@pytest.fixture
def postgres_url(new_database: Callable[[], str]) -> str:
    """The URL of an empty PostgreSQL database of the test's own."""
    return new_database()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[servers.Redis]:
    """The Redis server itself, for tests that stop or kill it."""
    _require("redis")
    with servers.Redis() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: servers.Redis) -> str:
    """The URL of an empty Redis."""
    redis_server.flush()
    return redis_server.url


@pytest.fixture(scope="session")
def kafka_server() -> Iterator[servers.ApacheKafka]:
    """The Apache Kafka node itself, for tests that stop or kill it."""
    _require("kafka")
    with servers.ApacheKafka() as server:
        yield server


@pytest.fixture
def kafka_bootstrap(kafka_server: servers.ApacheKafka) -> str:
    """The address of an Apache Kafka node without topics."""
    kafka_server.empty()
    return kafka_server.bootstrap


@pytest.fixture(scope="session")
def kcat_path() -> str:
    """The foreign Kafka client's program."""
    _require("kcat")
    path = kafka.find_kcat()
    assert path is not None
    return path


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser's program, for Playwright's `executable_path`; flags are in `tests.servers.chromium.flags()`."""
    _require("browser")
    path = chromium.find()
    assert path is not None
    return path


@pytest.fixture(autouse=True)
def _networks_stay(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep the machine's networks unchanged during a browser test."""
    with unchanged_networks() if "browser" in request.fixturenames else contextlib.nullcontext():
        yield


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator["Browser"]:
    """A headless browser for the tests of a module (which must not use Django's ORM: see `Chromium`)."""
    with servers.Chromium() as running:
        yield running
