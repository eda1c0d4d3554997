"""`./manage.py search`: pages by cursor, the events' own bytes, and errors that name the column."""

import io
import json
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import SEARCH
from events.store import everything
from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db: None) -> Iterator[House]:
    """After an evening, everything in the read models."""
    house = House()
    with serving(house):
        evening_with_everything.play(house)
        evening_with_everything.project(house)
        yield house
    house.close()


def output_lines(*words: str, **options: object) -> tuple[list[str], str]:
    """Return the lines of the command's output, and its messages."""
    output, messages = io.StringIO(), io.StringIO()
    call_command("search", *words, stdout=output, stderr=messages, **options)
    return output.getvalue().splitlines(), messages.getvalue()


def test_search_prints_the_stores_own_bytes_page_by_page(house: House) -> None:
    stored = [event.raw.decode() for event in everything(house.store) if event.type == "bet.placed.v1"]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        *lines, last = output_lines(
            "type:bet.placed", "--oldest", "--json", "--limit=3", *(["--after", cursor] if cursor else [])
        )[0]
        seen += lines
        cursor = json.loads(last)["next"]
    assert seen == stored
    *newest, last = output_lines("type:bet.placed", "--json", "--limit=100000")[0]
    assert (newest, last) == (stored[::-1], '{"next":null}')


def test_search_is_read_by_people_too(house: House) -> None:
    lines, errors = output_lines("player:g-7 type:hit.declared")
    assert len(lines) == 2
    assert "\thit declared\tBJ1/2026-11-20/" in lines[0]
    assert errors == ""
    assert "more: --after " in output_lines("--limit=1")[1]


def test_search_explains_itself(house: House) -> None:
    lines, _ = output_lines("table:BJ1 mispay", explain=True)
    assert [line for line in lines if line.startswith("along the index of ")]
    assert not [line for line in output_lines("seat:3", explain=True)[0] if line.startswith("along")]
    assert lines[:2] == ["column 1: table:BJ1: by its index or column", "column 11: mispay: then by each event itself"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time:25:00", 'Column 6: "25:00" is not a time. Write it as 22:00, 22:00:30 or 2026-11-20T22:00.'),
        ("amount:5..1", "Column 8: this range ends before it begins. Write the smaller end first."),
    ],
)
def test_what_is_wrong_is_said_as_it_was_written(house: House, text: str, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        output_lines(text)
    assert str(caught.value).splitlines()[0] == message


def test_an_error_names_the_column_and_ends_with_2(house: House) -> None:
    with pytest.raises(CommandError, match=r'Column 12: there is no field "tabel"\. Did you mean table') as caught:
        output_lines("table:BJ1 -tabel:BJ2")
    assert caught.value.returncode == 2
    assert str(caught.value).endswith(f"\ntable:BJ1 -tabel:BJ2\n{' ' * 11}^")


def test_a_search_may_begin_with_a_dash_and_options_stand_anywhere(house: House) -> None:
    expected = output_lines("table:BJ1 -type:card.dealt -progressive", "--limit", "5", "--json")[0]
    assert len(expected) == 6
    for words in (
        ("-type:card.dealt", "table:BJ1", "--limit", "5", "-progressive", "--json"),
        ("table:BJ1", "--json", "-type:card.dealt", "--limit=5", "-progressive"),
        ("--json", "-progressive", "table:BJ1", "-type:card.dealt", "--limit", "5"),
    ):
        assert output_lines(*words)[0] == expected
    with pytest.raises(CommandError, match='Column 2: there is no field "vordict"'):
        output_lines("-vordict:x", "--limit", "5")
    with pytest.raises(CommandError, match="unrecognized arguments: --verdict"):
        output_lines("table:BJ1", "--verdict")


def test_what_cannot_be_read_is_a_line_that_says_so(house: House) -> None:
    last = EventLog.objects.filter(table="BJ1").order_by("-position").first()
    assert last is not None
    EventLog.objects.filter(position=last.position).update(raw=b"\xff{")
    assert output_lines("table:BJ1", "--limit=1")[0] == [
        f"{last.position}\tcannot be read: ./manage.py verify says what is wrong with it"
    ]


def test_it_is_written_down_how_many_were_shown(house: House) -> None:
    output_lines("table:BJ1", "--limit=3")
    looked = Look.objects.latest("number")
    assert (looked.kind, looked.what, looked.entry_count) == (SEARCH, "search table:BJ1", 3)
