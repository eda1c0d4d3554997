"""Log lines: one line for each event in both forms, without secrets, and without floods of one error."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from backoffice.running import logging_configuration
from backoffice.running.logging_configuration import JsonStream, NoFloods, Repeats, formatter, without_secrets
from backoffice.running.part_names_and_own_part import part_of
from events.runtime import metric_counters
from tests.support.clocks.settable_clocks import SettableSeconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SettableSeconds:
    clock = SettableSeconds()
    monkeypatch.setattr(logging_configuration, "repeats", Repeats(clock))
    return clock


@pytest.fixture
def lines() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger and its output."""
    output, logger = io.StringIO(), logging.getLogger("tests.logging_configuration")
    handler = logging.StreamHandler(output)
    handler.addFilter(NoFloods())
    handler.setFormatter(formatter("json", ""))
    logger.propagate, logger.handlers = False, [handler]
    yield logger, output
    logger.propagate, logger.handlers = True, []


def test_an_outage_of_ten_minutes_with_ten_errors_a_second_is_a_handful_of_lines(
    clock: SettableSeconds, lines: tuple[logging.Logger, io.StringIO]
) -> None:
    logger, output = lines
    metric_counters.take_counts()
    for number in range(6_000):
        logger.warning("Kafka at 127.0.0.1:9092 does not answer, attempt %d", number)
        clock.now += 0.1
    records = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [line.get("repeated", 0) for line in records] == pytest.approx([0, 100, 600], abs=2)
    assert "attempt 0" in records[0]["message"]
    counted = metric_counters.take_counts()
    assert counted[metric_counters.ERRORS.name, (metric_counters.own_part, "kafka"), ""] == 6_000, (
        "those left out count as well"
    )


def test_numbers_in_a_message_make_it_no_other_one(clock: SettableSeconds) -> None:
    repeats = Repeats(clock)
    assert repeats.admit("kafka.conn", logging.ERROR, "connection 0x7f2 to node 1 failed") == 0
    assert repeats.admit("kafka.conn", logging.ERROR, "connection 0x8aa to node 2 failed") is None
    assert repeats.admit("kafka.conn", logging.ERROR, "no such topic") == 0, "another error is said at once"


def test_what_ends_is_news_when_it_comes_again(clock: SettableSeconds) -> None:
    repeats = Repeats(clock)
    assert repeats.admit("beat", logging.WARNING, "the task broker does not answer") == 0
    assert repeats.admit("beat", logging.WARNING, "the task broker does not answer") is None
    assert repeats.admit("beat", logging.INFO, "the task broker answers again") == 0
    assert repeats.admit("beat", logging.WARNING, "the task broker does not answer") == 0
    clock.now += 61
    assert repeats.admit("beat", logging.WARNING, "the task broker does not answer") == 0, "a minute of quiet"


def test_a_traceback_is_one_line_of_json(clock: SettableSeconds, lines: tuple[logging.Logger, io.StringIO]) -> None:
    logger, output = lines
    try:
        raise ValueError("in two\nlines")
    except ValueError:
        logger.exception("it broke", extra={"position": 7})
    [line] = [json.loads(line) for line in output.getvalue().splitlines()]
    assert (line["level"], line["message"], line["position"]) == ("error", "it broke", 7)
    assert line["part"]
    assert line["time"].endswith("Z")
    assert "ValueError: in two\nlines" in line["exception"]


def test_structlog_writes_the_same_lines(clock: SettableSeconds, capsys: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    try:
        logging_configuration.configure_structlog("json")
        log = structlog.get_logger("events.relay")
        for _ in range(50):
            log.warning("the relay starts again", why="the broker is away", in_s=0.1)
        log.info("relayed", position=9)
    finally:
        structlog.configure(**before)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["level"], line["message"], line["logger"]) for line in lines] == [
        ("warning", "the relay starts again", "events.relay"),
        ("info", "relayed", "events.relay"),
    ]
    assert (lines[0]["why"], lines[1]["position"]) == ("the broker is away", 9)


def test_no_line_holds_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_WEBHOOK_KEY", "w" * 32)
    logging_configuration._secrets.cache_clear()
    text = f"cannot connect to postgresql://pit:pa55word@db:5432/read, signed with {'w' * 32}"
    assert without_secrets(text) == "cannot connect to postgresql://pit:***@db:5432/read, signed with ***"
    logging_configuration._secrets.cache_clear()


def test_what_is_printed_comes_out_as_json_a_line_each() -> None:
    output = io.StringIO()
    stream = JsonStream(output, "info")
    stream.write("first ")
    stream.write('line\nsecond\n\n{"time": "x"}\nhalf')
    lines = output.getvalue().splitlines()
    assert [json.loads(line).get("message") for line in lines[:2]] == ["first line", "second"]
    assert len(lines) == 3, "an empty line is none, and half a line waits"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["manage.py", "project"], "projector"),
        (["./manage.py", "relay"], "relay"),
        (["manage.py", "books", "--json"], "command"),
        (
            [
                "/x/celery/__main__.py",
                "--quiet",
                "--app",
                "backoffice.house.celery_worker_wiring",
                "worker",
                "--pool",
                "solo",
            ],
            "worker",
        ),
        (["/x/celery/__main__.py", "--quiet", "--app", "backoffice.house.celery_worker_wiring", "beat"], "beat"),
        (["/x/granian/__main__.py", "--interface", "wsgi", "backoffice.wsgi:application"], "pages"),
        (["/x/granian/__main__.py", "--interface", "rsgi", "backoffice.door.granian_entry_point:door"], "web"),
        (["/x/backoffice/live/__main__.py"], "live"),
        ([], "command"),
    ],
)
def test_a_process_knows_its_part_by_how_it_was_started(arguments: list[str], part: str) -> None:
    assert part_of(arguments) == part
