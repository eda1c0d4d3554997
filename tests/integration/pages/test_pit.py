"""The pit from the pages: its leader opens, counts, fills and closes a table.

No figure shows a counter the expected amount.
"""

from collections.abc import Iterator

import pytest

from tests.support.houses import evening_with_everything
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import DAY, serving
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
FR1, BJ1 = "/pit/FR1", "/pit/BJ1"
RIGHT = "100: 1000\n500: 1000\n2500: 1000"


@pytest.fixture
def door(db: None) -> Iterator[InProcessDoor]:
    """FR1 plays, BJ1 was never opened; the cage is open."""
    house = Cashiers()
    evening_with_everything.project(house)
    with serving(house), open_door(house) as opened_door:
        yield opened_door
    house.close()


def lead(kind: str, at_page: str = FR1, by: str = "ines", **fields: str) -> str:
    """Use a button of the table's page as a person, and return the text of the next page."""
    client = at(by)
    [url] = forms(source(client, at_page), kind)
    answer, _sent = done(client, url, **fields)
    assert answer.status_code == 302, complaints(answer)
    assert answer["Location"] == at_page
    return words(client, at_page)


def test_who_leads_tables_finds_them_and_each_has_a_page(door: InProcessDoor) -> None:
    page = words(at("ines"), "/pit")
    assert "FR1 open pit A" in page
    assert "BJ1 new pit A" in page
    for person in ("cage", "sven", "anna"):
        assert at(person).get(FR1).status_code == 403
    assert at("ines").get("/pit/nowhere").status_code == 404


def test_a_table_is_opened_with_its_opener_by_denomination(door: InProcessDoor) -> None:
    page = source(at("ines"), BJ1)
    assert forms(page, "shift.count") == []
    lead("session.open", BJ1, gaming_day=DAY, shift="day", opener="500: 40")
    assert "table opened" in words(at("ines"), BJ1)
    lead("staff.assign", BJ1, post="dealer", person="dora")
    assert "Dealer dora" in words(at("ines"), BJ1)
    lead("limits.post", BJ1, minimum_minor="5.00", maxima_minor="main: 500.00")
    assert "Minimum 5.00" in words(at("ines"), BJ1)


def test_nobody_who_counts_is_told_what_he_should_find_before(door: InProcessDoor) -> None:
    buyin = door.house.action("buyin.make", seat=1, player="p-1", amount_minor=30_000)
    door.house.ok("tables", "FR1", "ines", buyin)
    evening_with_everything.project(door.house)
    for person in ("ines", "sid", "cora"):
        page = words(at(person), FR1)
        assert not [text for text in ("30,700.00", "300.00", "won") if text in page.partition("Counts")[0]]
    [url] = forms(source(at("ines"), FR1), "table.count")
    looked, _sent = preview_of(at("ines"), url, chips=RIGHT, witness="sid")
    assert "31,000.00" in looked.content.decode()
    assert "30,700.00" not in looked.content.decode()
    page = lead("table.count", chips=RIGHT, witness="sid")
    assert "differs from the expected inventory" in page
    assert "300.00 over" in page


def test_a_shift_ends_with_a_count_and_the_change_of_the_box(door: InProcessDoor) -> None:
    lead("drop.put", drop_box="b-1")
    assert "Drop box b-1" in words(at("ines"), FR1)
    lead("shift.count", chips=RIGHT, next_shift="night", witness="sid", drop_box="b-2")
    page = words(at("ines"), FR1)
    assert "Shift night" in page
    assert "Drop box b-2" in page


def test_two_people_take_the_box_away_one_of_security(door: InProcessDoor) -> None:
    lead("drop.put", drop_box="b-1")
    page = source(at("sid"), FR1)
    [url] = forms(page, "drop.remove")
    assert "drop_box=b-1" in url
    alone, _sent = preview_of(at("sid"), url)
    assert alone.status_code == 422
    assert "Two people" in complaints(alone)
    lead("drop.remove", by="sid", witness="ines")
    assert "no drop box" in words(at("sid"), FR1)


def test_a_fill_is_asked_for_received_and_compared_with_its_slip(door: InProcessDoor) -> None:
    lead("fill.request", chips="500: 100")
    assert "requested from the cage" in words(at("ines"), FR1)
    [url] = forms(source(at("cage"), "/cage"), "slip.issue")
    done(at("cage"), url)
    page = words(at("ines"), FR1)
    assert "fill 1 in transit to the table" in page
    page = lead("fill.receive", chips="500: 99")
    assert "differs from the slip" in page
    assert "No fills or credits pending" in page


def test_a_credit_is_sent_and_leaves_the_table(door: InProcessDoor) -> None:
    lead("credit.request", chips="500: 100")
    [url] = forms(source(at("cage"), "/cage"), "slip.issue")
    done(at("cage"), url)
    lead("credit.send", chips="500: 100")
    assert "credit 1 in transit to the cage" in words(at("ines"), FR1)


def test_chips_are_exchanged_for_others_of_the_same_value(door: InProcessDoor) -> None:
    [url] = forms(source(at("ines"), FR1), "chips.exchange")
    unequal, _sent = preview_of(at("ines"), url, chips_out="500: 2", chips_in="100: 9")
    assert unequal.status_code == 422
    assert "The chips out are worth 10.00 EUR, the chips in 9.00 EUR. Exchange equal amounts" in complaints(unequal)
    lead("chips.exchange", chips_out="500: 2", chips_in="100: 10")


def test_a_table_is_closed_with_its_closer_and_opened_again_the_next_day(door: InProcessDoor) -> None:
    lead("session.close", closer=RIGHT)
    page = source(at("ines"), FR1)
    assert forms(page, "session.close") == []
    assert len(forms(page, "session.open")) == 1
    assert forms(page, "drop.remove") == [], "No box is under the table. Place a drop box first."


def test_opening_a_table_is_proposed_from_its_last_closer_and_the_shifts_of_the_house(door: InProcessDoor) -> None:
    """The form has gaming day, shift and opener. It proposes only known shifts, and people are chosen by name."""
    lead("session.close", closer=RIGHT)
    client = at("ines")
    (url,) = forms(source(client, FR1), "session.open")
    form = client.get(url).context["form"]
    assert form["opener"].value(), "the last closer"
    assert str(form["gaming_day"].value()) >= DAY
    shifts = [value for value, _label in form.fields["shift"].widget.choices]
    if len(shifts) > 1:
        assert form["shift"].value() in shifts
        assert form.fields["shift"].required
    labels = dict(form.fields["witness"].widget.choices)
    assert labels["sid"].startswith("sid, ") or "(sid), " in labels["sid"]


def test_who_is_assigned_is_chosen_from_people_who_are_fit(door: InProcessDoor) -> None:
    client = at("ines")
    (url,) = forms(source(client, FR1), "staff.assign")
    chosen = dict(client.get(url).context["form"].fields["person"].widget.choices)
    assert {"dora", "ines"} <= set(chosen)
    assert not {"cora", "cage", "anna"} & set(chosen), "who counts, keeps the cage or the books has no post"
