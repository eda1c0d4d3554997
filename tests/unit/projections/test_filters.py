"""One vocabulary of filters: the page, the command and the API offer the same filters under the same names."""

import msgspec
import pytest

from backoffice.event_log import filters as pages
from backoffice.management.commands.events import Command
from projections.eventlog.models import EventLog
from projections.eventlog.search_filter_vocabulary import EXACT, OF_DATA, RANGES, VOCABULARY

COLUMNS = {field.name for field in EventLog._meta.concrete_fields}


def test_every_filter_with_a_column_asks_one_that_is_there() -> None:
    assert {filter_.lookup.partition("__")[0] for filter_ in (*EXACT, *RANGES)} <= COLUMNS


def test_every_column_that_is_searched_has_a_filter() -> None:
    apart = {"position", "version", "time", "recordedat", "due_minor", "raw"}
    assert {filter_.column for filter_ in EXACT} == COLUMNS - apart


def test_the_page_offers_the_whole_vocabulary() -> None:
    fields = {name.removesuffix("_minor") for name in pages.Filters.__struct_fields__} - {"currency", "hidden_streams"}
    assert {"type" if name == "types" else name for name in fields} == pages.OFFERED.keys()
    assert all(pages.label(name) for name in pages.OFFERED)


@pytest.mark.parametrize("name", sorted(VOCABULARY))
def test_each_has_a_sentence_and_a_label(name: str) -> None:
    filter_ = VOCABULARY[name]
    assert filter_.sentence
    assert str(filter_.label)


def test_the_command_takes_every_exact_filter() -> None:
    options = Command().create_parser("manage.py", "events")._option_string_actions
    assert {f"--{filter_.name.replace('_', '-')}" for filter_ in EXACT} <= options.keys()


def test_an_event_says_what_a_filter_asks() -> None:
    event = msgspec.json.decode(b'{"subject":"athens/tables/R1/d","data":{"table":"R1","amount_minor":5}}')
    assert VOCABULARY["stream"].value_in(event) == "athens/tables/R1/d"
    assert (VOCABULARY["table"].value_in(event), VOCABULARY["player"].value_in(event)) == ("R1", None)
    assert [filter_.name for filter_ in OF_DATA if filter_.value_in(event) is not None] == ["table", "amount_minor"]
