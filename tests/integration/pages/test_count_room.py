"""The count room from the pages: boxes that wait, a blind count by two, a recount where they differ, a lost key."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from events.store import blind_count_keys
from tests.support.houses import evening_with_everything
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
ROOM = "/count-room"
BOUGHT = 120_000


@pytest.fixture
def door(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessDoor]:
    """Two boxes of FR1: one was taken away, the other is under the table."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    house = Cashiers()
    house.grant("carl", "count")
    house.at_table("drop.put", drop_box="b-1")
    house.at_table("buyin.make", seat=1, player="p-1", amount_minor=BOUGHT)
    house.at_table("shift.count", chips=house_chips(), next_shift="night", witness="sid", drop_box="b-2")
    evening_with_everything.project(house)
    with serving(house), open_door(house) as opened_door:
        yield opened_door
    house.close()


def house_chips() -> dict[str, int]:
    return {"100": 1_000, "500": 1_000, "2500": 952}


def form(client: Client, kind: str, page: str = ROOM) -> str:
    [url] = forms(source(client, page), kind)
    return url


def entered(person: str, kind: str, **figures: str) -> Any:
    client = at(person)
    answer, _sent = done(client, form(client, kind), **figures)
    assert answer.status_code == 302, complaints(answer)
    return client


def test_boxes_wait_by_table_and_shift_and_tell_nothing_of_what_was_bought_in(door: InProcessDoor) -> None:
    page = words(at("cora"), ROOM)
    assert "b-1 2026-11-20 FR1 day to be counted" in page
    assert "b-2 2026-11-20 FR1 night at the table" in page
    assert "1,200" not in page


def test_who_counts_sees_it_and_nobody_of_the_pit(door: InProcessDoor) -> None:
    for person in ("ines", "paul", "sven", "cage"):
        assert at(person).get(ROOM).status_code == 403
        assert at(person).get(f"{ROOM}/{DAY}/do/count.enter").status_code == 403
    assert at("anna").get(ROOM).status_code == 200


def test_a_count_is_shown_before_it_is_sent_and_the_desk_is_not_asked(door: InProcessDoor) -> None:
    client = at("cora")
    looked, _sent = preview_of(client, form(client, "count.enter"), cash="5000: 24", marker_minor="10.00")
    page = looked.content.decode()
    assert "24 × 50.00, total 1,200.00" in page
    assert 'value="b-1"' in page
    assert door.sent == 0


def test_equal_counts_of_two_settle_a_box_and_show_it_against_the_record(door: InProcessDoor) -> None:
    entered("cora", "count.enter", cash="5000: 24")
    assert "first count entered" in words(at("carl"), ROOM)
    carl = entered("carl", "count.verify", cash="5000: 24")
    page = words(carl, f"{ROOM}/{DAY}")
    assert "Box counted." in page
    assert "cash 1,200.00" in page


def without_hashes(page: bytes) -> bytes:
    """Return the page without hashes and encrypted texts, which can have any figure by chance."""
    return re.sub(rb"[\w+/=-]{24,}", b"", page)


def test_nothing_of_the_first_figures_is_anywhere_before_the_second_are_in(door: InProcessDoor) -> None:
    entered("cora", "count.enter", cash="5000: 23\n1: 999983", marker_minor="9876543.21")
    assert door.house.store.position()
    for person in ("carl", "cora", "anna", "olga"):
        client = at(person)
        for url in (
            ROOM,
            f"{ROOM}/live",
            f"{ROOM}/{DAY}",
            "/events",
            "/api/v1/events",
            "/api/v1/search",
            f"/events?table=FR1&gaming_day={DAY}",
        ):
            page = client.get(url).content
            # So long that no hash or position has them by chance.
            assert not [text for text in (b"31374159", b"987654321", b"6543.21", b"6,543.21") if text in page], (
                person,
                url,
            )


def test_who_entered_the_first_count_is_not_offered_the_second(door: InProcessDoor) -> None:
    cora = entered("cora", "count.enter", cash="5000: 24")
    page = source(cora, ROOM)
    assert forms(page, "count.verify") == []
    assert "A second person must enter the verification count." in page
    answer, _sent = done(cora, f"{ROOM}/{DAY}/do/count.verify?table=FR1&drop_box=b-1", cash="5000: 24")
    assert answer.status_code == 422
    assert "A second person must verify it" in complaints(answer)


def test_counts_that_differ_are_both_shown_and_both_enter_a_recount(door: InProcessDoor) -> None:
    entered("cora", "count.enter", cash="5000: 23\n1000: 5")
    carl = entered("carl", "count.verify", cash="5000: 24")
    page = words(carl, ROOM)
    assert "The two counts differ" in page
    assert re.search(r"cash 50\.00 EUR differs 23 24", page)
    assert "First count cora Verification count carl" in page
    assert forms(source(at("anna"), ROOM), "count.settle") == []
    assert "Counters disagree on box FR1 b-1" in words(at("cora"), "/inbox")
    entered("cora", "count.settle", cash="5000: 24")
    assert "recount entered" in words(carl, ROOM)
    assert len(forms(source(carl, ROOM), "approval.give")) == 1
    answer, _sent = done(carl, f"{ROOM}/{DAY}/do/count.settle?table=FR1&drop_box=b-1", cash="5000: 24")
    assert answer.status_code == 302, complaints(answer)
    assert "cash 1,200.00" in words(carl, ROOM)


def test_a_lost_key_says_so_and_leads_to_another_count(door: InProcessDoor) -> None:
    entered("cora", "count.enter", cash="5000: 1")
    blind_count_keys.forget([f"{PROPERTY}/tables/FR1/{DAY}#b-1"])
    carl = at("carl")
    assert "the first count cannot be read; count again" in words(carl, ROOM)
    entered("carl", "count.enter", cash="5000: 24")
    entered("cora", "count.verify", cash="5000: 24")
    assert "b-1 2026-11-20 FR1 day counted cash 1,200.00" in words(at("cora"), ROOM)


def test_a_difference_to_the_record_is_shown_by_tender_when_both_are_in(door: InProcessDoor) -> None:
    for person, kind in (("cora", "count.enter"), ("carl", "count.verify")):
        entered(person, kind, cash="5000: 23", promotional_minor="5.00")
    page = words(at("carl"), ROOM)
    assert "cash 1,150.00" in page
    assert "50.00 short" in page.replace("\N{NO-BREAK SPACE}", " ").replace(" EUR", "")


def test_a_day_without_boxes_says_what_would_be_here(door: InProcessDoor) -> None:
    assert "No drop boxes" in words(at("cora"), f"{ROOM}/2026-11-19")
    assert at("cora").get(f"{ROOM}/yesterday").status_code == 404
