"""Liability and what-if as pages: the command's own figures, for whom they are for, bounded in time."""

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from backoffice.installation import installation
from backoffice.queries.back_room import BackRoom, Piece, back_room
from backoffice.queries.funds import report
from backoffice.queries.supposing import supposed
from events.progressives.whatif import Change, LevelChange
from projections.tables.models import TableDay
from tests import evening
from tests.acting import at
from tests.house import DAY, PROPERTY, House
from tests.pages import source, words

pytestmark = pytest.mark.django_db

LIABILITY, WHAT_IF = "/progressives/blazing/liability", "/progressives/blazing/what-if"


@pytest.fixture
def room(evening_house: House) -> Iterator[BackRoom]:
    """A room in which whoever asks waits until it is worked out."""
    found = BackRoom()
    with installation().replaced(back_room, found):
        yield found
    found.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine needs its time."""
    monkeypatch.setattr(BackRoom.ask, "__defaults__", (*(BackRoom.ask.__defaults__ or ())[:-1], 20.0))


def test_what_is_owed_and_funded_is_what_the_command_says(room: BackRoom, evening_house: House) -> None:
    page = words(at("anna"), LIABILITY)
    found = report(evening_house.store, PROPERTY, "blazing")
    for level in found.liability:
        assert f"{level.owed // 1_000_000 // 100:,}" in page
    assert "SHORT" not in page
    assert ("Deposit what is missing" in page) == found.is_short
    assert f"up to {evening_house.store.position()}" in page
    assert "usual" in page


def test_it_is_worked_out_anew_where_something_has_happened(room: BackRoom, evening_house: House) -> None:
    client = at("mark")
    assert re.search(r"waiting minor ?: tables/BJ1", words(client, LIABILITY))
    evening.finish_blackjack(evening_house)
    evening.project(evening_house)
    page = words(client, LIABILITY)
    assert "waiting minor" not in page
    assert "1,200.75" in page


def test_a_day_again_under_other_parameters_in_words_and_in_figures(room: BackRoom, evening_house: House) -> None:
    evening.finish_blackjack(evening_house)
    evening.project(evening_house)
    client = at("mark")
    page = words(client, f"{WHAT_IF}?day={DAY}&minor-seed=400.00&minor-feed=5&mega-none=on&policy=")
    change = Change(levels={"minor": LevelChange(feed=Fraction(1, 20), seed=40_000)})
    found = supposed(evening_house.store, "blazing", DAY, change, lambda facts: facts)
    assert found.players is not None
    assert "minor.feed 2.5 % → 5 %" in page
    assert "minor.seed 500.00 → 400.00" in page
    assert "The winners would have got" in page
    assert "more" in page
    assert f"BJ1-{DAY}-2-1" in page
    same = words(client, f"{WHAT_IF}?day={DAY}&minor-feed=2.5&policy=")
    assert "Nothing would have been different" in same


def test_a_day_of_long_ago_can_be_asked_for(room: BackRoom, evening_house: House) -> None:
    """More than two months of days were played since, as many as are offered elsewhere."""
    row, client = TableDay.objects.filter(gaming_day=DAY)[0], at("anna")
    for number in range(61):
        row.id, row.gaming_day = (
            f"{PROPERTY}/tables/FR1/later-{number}",
            f"2027-{1 + number // 28:02}-{1 + number % 28:02}",
        )
        row.save(force_insert=True)
    assert f'min="{DAY}" max="2027-03-05"' in source(client, WHAT_IF)
    assert "would" in words(client, f"{WHAT_IF}?day={DAY}&minor-feed=5")


def test_it_says_what_cannot_be_understood(room: BackRoom) -> None:
    client = at("anna")
    assert "Work it out" in words(client, WHAT_IF)
    assert "Say what is to be different" in words(client, f"{WHAT_IF}?day={DAY}", 422)
    assert "a cap, or none" in words(client, f"{WHAT_IF}?day={DAY}&mega-cap=9&mega-none=on", 422)
    assert "Enter a number" in words(client, f"{WHAT_IF}?day={DAY}&mega-feed=x", 422)
    for day in ("1999-01-01", "yesterday"):
        assert "Nothing was played on this" in words(client, f"{WHAT_IF}?day={day}&mega-feed=1", 422)
    assert "Null characters" in words(client, f"{WHAT_IF}?day=%00&mega-feed=1", 422)
    refused = words(client, f"{WHAT_IF}?day={DAY}&mega-feed=99&major-feed=99")
    assert re.search(r"contribution|more than|stake", refused)
    assert "There is no progressive" in words(client, "/progressives/nope/what-if", 404)
    assert "There is no progressive" in words(client, "/progressives/nope/liability", 404)
    assert "There is no progressive" in words(client, "/progressives/nope/liability/part", 404)


def test_who_waits_is_shown_how_far_it_is(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BackRoom, "_work", lambda self: None)
    monkeypatch.setattr(BackRoom.ask, "__defaults__", (*(BackRoom.ask.__defaults__ or ())[:-1], 0.0))
    with installation().replaced(back_room, BackRoom()):
        client = at("anna")
        page = source(client, LIABILITY)
        assert f'hx-get="{LIABILITY}/part"' in page
        assert "Read up to event 0 of" in page
        assert "<progress" in source(client, f"{LIABILITY}/part")
        asked = f"{WHAT_IF}?day={DAY}&mega-feed=9&policy="
        assert f'hx-get="{WHAT_IF}/part?day={DAY}&amp;mega-feed=9&amp;policy="' in source(client, asked)
        monkeypatch.setattr(Piece, "is_done", True)  # it was done while the page was being written
        assert "Read up to event 0 of" in source(client, LIABILITY)
        crowd = [source(client, f"{WHAT_IF}?day={DAY}&mega-feed={n}") for n in range(1, 12)]
        assert "Too much is being worked out just now" in crowd[-1]


def test_one_that_takes_too_long_names_the_command(evening_house: House) -> None:
    room = BackRoom(longest_s=0.0)
    with installation().replaced(back_room, room):
        page = words(at("anna"), LIABILITY)
        assert "not done within 0 s" in page
        assert "./manage.py liability --progressive blazing" in page
    room.close()


def test_the_way_there_is_shown_to_whoever_may_go(evening_house: House) -> None:
    assert f'href="{LIABILITY}"' in source(at("mark"), "/progressives/blazing")
    assert f'href="{WHAT_IF}"' in source(at("anna"), "/progressives/blazing")
    for person in ("ines", "cage", "sven"):
        assert LIABILITY not in source(at(person), "/progressives/blazing")
        assert at(person).get(LIABILITY).status_code == 403
        assert at(person).get(WHAT_IF).status_code == 403
