"""A foreign client that reads every event of the topic finds the same events as the search."""

import subprocess
from random import Random

import msgspec
import pytest

from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from backoffice.wording import formats
from events.relay.event_topic_reader_and_setup import TOPIC
from tests.support.houses.small_house import House
from tests.support.processes.relays_and_topic_readers import relayed, relaying
from tests.support.records.naive_search import RandomSearchParts

pytestmark = pytest.mark.django_db


def test_kcat_reads_from_apache_kafka_what_the_search_finds(
    evening_house: House, kafka_bootstrap: str, kcat_path: str
) -> None:
    with relaying(evening_house.store, kafka_bootstrap) as relay:
        relayed(relay, evening_house.store)
    command = [kcat_path, "-C", "-b", kafka_bootstrap, "-t", TOPIC, "-o", "beginning", "-e", "-q"]
    lines = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.splitlines()
    read = [(line, msgspec.json.decode(line)) for line in lines]
    parts = RandomSearchParts(lines, random := Random("topic"), formats.zone())
    finding = 0
    for _ in range(60):
        terms = [parts.some() for _ in range(random.choice((1, 1, 2)))]
        text = " ".join(part for part, _finds in terms)
        theirs = [line for line, event in read if all(finds(event) for _part, finds in terms)]
        assert sorted(event.raw for event in all_matches(search(text))) == sorted(theirs), text
        finding += bool(theirs)
    assert finding > 20
