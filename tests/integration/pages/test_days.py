"""The accountant's gaming day: its checklist and figures, blind counts, its close and later events."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from backoffice.access.models import GivenOut
from backoffice.days import system_state_for_day_close
from backoffice.days.pages import _PARTS
from backoffice.integrity.remade_document_comparison import handed_out
from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.store import everything
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import CASH, WorkedDay
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import figures, queries, source, words

pytestmark = pytest.mark.django_db

URL = f"/days/{DAY}"
PARTS = ("", *(f"/{name}" for name in _PARTS))


@pytest.fixture
def house(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    house = WorkedDay()
    well = SystemState(readers={}, head=10**9, aside={})
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: well)
    checklist_system_state_source.register_source(house.store, lambda: well)
    with serving(house):
        yield house
    house.close()


@pytest.fixture
def played(house: WorkedDay) -> WorkedDay:
    house.play()
    evening_with_everything.project(house)
    return house


@pytest.fixture
def door(played: WorkedDay) -> Iterator[InProcessDoor]:
    with open_door(played) as opened_door:
        yield opened_door


def read(house: WorkedDay, person: str = "anna", url: str = URL) -> str:
    evening_with_everything.project(house)
    return words(at(person), url).replace("\u00a0", " ")


def recount(house: WorkedDay) -> Any:
    """After the close a box is counted once more."""
    asking = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    [_, settled, discrepancy] = house.agreed("days", "", ("cora", "carl"), asking)
    evening_with_everything.project(house)
    return settled, discrepancy


def test_the_day_reads_as_it_was_worked_out_by_hand(played: WorkedDay) -> None:
    anna = at("anna")
    figures_ = figures(anna, URL)
    wins = [figures_[f"{name}-house"][1] for name in ("event-win", "drop", "inventory_win")]
    assert wins == [65_000, 470_000, 50_500]
    assert {name: figures_[f"{name}"][1] for name in ("mispay-house", "promotional-chips-house")} == {
        "mispay-house": 2_000,
        "promotional-chips-house": 10_000,
    }
    page = read(played, url=f"{URL}/wins")
    for words_ in ("505.00 won", "650.00 won", "145.00 short", "1,030.00 won", "525.00 lost", "25.00 short"):
        assert words_ in page, words_
    assert words(anna, f"{figures_['event-win-house'][0]}").count("650.00") >= 1


def test_every_figure_of_a_table_stands_by_shift(played: WorkedDay) -> None:
    figures_ = figures(at("anna"), f"{URL}/tables/FR1")
    assert (figures_["lost-day"][1], figures_["lost-night"][1], figures_["paid-day"][1]) == (335_000, 90_000, 272_000)
    page = read(played, url=f"{URL}/tables/FR1")
    assert "Expected inventory" in page
    assert "Unsettled bets on the layout" in page


def test_what_stands_in_the_way_leads_to_where_it_is_put_right(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    slip = house.slip("fill", 5_000)
    page = read(house)
    assert "items block the close" in page
    text = source(at("anna"), URL)
    assert f'href="/tables/FR1/{DAY}"' in text
    assert f'href="/count-room/{DAY}"' in text
    assert f'href="/cage/slips/fill/2026/{slip}"' in text
    assert forms(text, "day.override")
    assert not forms(source(at("sven"), URL), "day.override")


def test_a_missing_chip_is_called_missing_until_somebody_has_explained_it(door: InProcessDoor) -> None:
    page = read(door.house)  # type: ignore[arg-type]  # a worked day
    assert "25.00 EUR Tray short" in page
    assert "rounds since the count at" in page
    assert "not explained" in page
    row = re.findall(r'id="(found-\d+)"', source(at("anna"), URL))[0]
    url = forms(source(at("anna"), URL), "discrepancy.explain")[0]
    looked, _sent = preview_of(at("anna"), url, reason="a chip fell under the table")
    assert "25.00" in looked.content.decode()
    answer, _sent = done(at("anna"), url, reason="a chip fell under the table")
    assert answer["Location"] == f"{URL}#{row}", complaints(answer)
    assert f'id="{row}"' in source(at("anna"), f"{URL}/discrepancies")
    assert "a chip fell under the table" in words(at("anna"), f"{URL}/discrepancies")


def test_the_day_is_closed_from_the_page_and_says_so(door: InProcessDoor) -> None:
    anna = at("anna")
    looked, _sent = preview_of(anna, f"{URL}/do/day.close")
    assert "505.00" in looked.content.decode()
    answer, _sent = done(anna, f"{URL}/do/day.close")
    assert answer["Location"] == URL, complaints(answer)
    page = words(anna, URL)
    assert "Closed – the figures no longer change" in page
    report = day_reports.make(door.house.store, PROPERTY, DAY, door.house.store.position())
    assert report.digest in page
    assert not forms(source(anna, URL), "day.close")


def test_a_close_that_is_refused_says_which_item_and_by_which_clause(house: WorkedDay) -> None:
    house.begin()
    evening_with_everything.project(house)
    with open_door(house):
        answer, _sent = preview_of(at("anna"), f"{URL}/do/day.close")
    assert answer.status_code == 422
    assert "FR1: still open" in answer.content.decode()
    assert "house close" in answer.content.decode()


def test_what_came_later_is_named_and_shown_beside_the_old_figures(door: InProcessDoor) -> None:
    house: Any = door.house
    done(at("anna"), f"{URL}/do/day.close")
    settled, discrepancy = recount(house)
    assert "not restated yet" in read(house, url=f"{URL}/history")
    assert "505.00 won" in read(house), "the closed report stays"
    late = f"events of {DAY} were recorded after its close"
    assert late in words(at("anna"), "/inbox")
    assert late not in words(at("sid"), "/inbox"), "who may not restate a day"
    url = f"{URL}/do/day.amend"
    looked, _sent = preview_of(at("anna"), url, events=[settled.id, discrepancy.id], reason="counted again")  # type: ignore[arg-type]
    assert "495.00" in looked.content.decode(), complaints(looked)
    answer, _sent = done(at("anna"), url, events=[settled.id, discrepancy.id], reason="counted again")  # type: ignore[arg-type]
    assert answer["Location"] == URL, complaints(answer)
    (give,) = forms(source(at("sid"), "/inbox"), "approval.give")
    answer, _sent = done(at("sid"), give)
    assert answer["Location"] == "/inbox", complaints(answer)
    assert late not in words(at("anna"), "/inbox")
    page = read(house)
    assert "restatement 1" in page
    assert "495.00 won" in page
    page = read(house, url=f"{URL}/history")
    assert "FR1, shift night, drop, cash 1,200.00 1,190.00 box counted" in page


def test_what_is_in_a_box_is_sealed_to_who_may_count_it(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    assert "hidden until counted" in read(house, "anna")
    assert "Hidden until counted." in read(house, "anna", f"{URL}/boxes")
    for part in PARTS:
        assert "3,000.00" not in read(house, "anna", f"{URL}{part}"), part
    assert "3,000.00" in read(house, "olga", f"{URL}/boxes")
    house.count("count.enter", "cora", "one", cash={"5000": 60}, marker_minor=50_000, promotional_minor=10_000)
    for person in ("anna", "olga", "sven"):
        assert not [part for part in PARTS if "3,000.00" in read(house, person, f"{URL}{part}")], person
        assert "3,000.00" not in read(house, person, f"{URL}/tables/FR1"), person
    house.count("count.verify", "carl", "one", cash={"5000": 60}, marker_minor=50_000, promotional_minor=10_000)
    assert "3,000.00" in read(house, "anna", f"{URL}/boxes")


def test_who_closes_no_days_reads_none(played: WorkedDay) -> None:
    for person in ("dora", "cora", "cage", "ines"):
        assert at(person).get(URL).status_code == 403, person


def test_the_first_screen_leads_to_the_day_that_is_open(played: WorkedDay) -> None:
    assert at("anna").get("/days")["Location"] == URL
    assert at("anna").get("/days/1999-01-01").status_code == 404
    assert at("anna").get("/days/nothing").status_code == 404


def test_where_no_day_was_opened_it_is_said_how_one_comes(house: WorkedDay) -> None:
    assert "No gaming day yet" in read(house, url="/days")


def test_the_lines_are_a_sheet(played: WorkedDay) -> None:
    text = source(at("anna"), f"{URL}.csv")
    assert "house,,,True,470000,50500,65000,-14500" in text
    assert "closer,FR1,night,,1633000,1630500,-2500,recorded" in source(at("anna"), f"{URL}/reports/discrepancies.csv")


def test_a_closed_day_is_given_out_on_paper_and_as_a_workbook(played: WorkedDay) -> None:
    client, paper, workbook = at("anna"), f"{URL}/report.pdf", f"{URL}/report.xlsx"
    assert [client.get(url).status_code for url in (paper, workbook)] == [404, 404]
    assert "report.pdf" not in source(client, URL)
    [closed] = played.ok("days", "", "anna", played.action("day.close"))
    evening_with_everything.project(played)
    assert "report.xlsx" in source(client, URL)
    first, second = (on_paper(client.get(paper).content) for _ in range(2))
    for words_of in (
        "Drop",
        "Box",
        "Tray",
        "difference",
        "closed; amounts in EUR",
        "505.00",
        "−25.00",
        "two counters:",
        "Verification",
        "Progressives and journal are not included",
        closed.data.digest,
    ):
        assert words_of in first
    assert "Net drop" not in first, "the words of the screen"
    assert "REPRINT" not in first
    assert "REPRINT, copy 2" in second
    with zipfile.ZipFile(io.BytesIO(client.get(workbook).content)) as book:
        assert closed.data.digest in book.read("xl/sharedStrings.xml").decode()
        assert "<v>505.00</v>" in book.read("xl/worksheets/sheet3.xml").decode(), "the tables' table win, in euros"
    listed = GivenOut.objects.order_by("id").values_list("kind", "person", "about", "digest")
    kinds = ["report, on paper", "report, on paper", "report, as a workbook"]
    assert [*listed] == [(kind, "anna", DAY, closed.data.digest) for kind in kinds]
    lines: list[str] = []
    assert [*handed_out([closed.data.digest], played.store, lines.append)] == []
    assert "the events say the same" in lines[0]


def on_paper(content: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def test_a_day_is_read_at_once(played: WorkedDay, client: Client) -> None:
    assert queries(client, URL) <= 22


def test_who_counts_a_tray_is_told_nothing_before(house: WorkedDay) -> None:
    """Expected figures stay hidden while the table is open. After the close, its count is known."""
    house.begin()
    house.first_shift()
    table = f"/tables/FR1/{DAY}"
    assert "Buy-ins, cash" not in read(house, "ines", table)
    assert "Buy-ins, cash" not in read(house, "anna", table), "a box of it is to be counted"
    assert "Buy-ins, cash" in read(house, "sven", table)
    house.count_first()
    house.second_shift()
    assert "Buy-ins, cash" in read(house, "ines", table)


def test_what_waits_of_the_day_stands_in_the_inbox(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()
    assert "Count box FR1 one" in read(house, "cora", "/inbox")
    house.count("count.enter", "cora", "two", cash={"1000": 121})
    assert "Enter verification count of box FR1 two" in read(house, "carl", "/inbox")
    assert "Enter verification count" not in read(house, "cora", "/inbox")
    house.count("count.verify", "carl", "two", cash={"1000": 120})
    assert "Counters disagree on box FR1 two" in read(house, "carl", "/inbox")
    house.cage("cage.close", chips={"100": 10_000, "500": 15_900, "2500": 1_000}, cash_minor=CASH - 5_000)
    page = read(house, "anna", "/inbox")
    assert "Discrepancy: cage count" in page
    assert f"Close gaming day {DAY} – blocked by: uncounted boxes, unexplained discrepancies" in page


def test_a_box_is_one_line_with_its_tenders(house: WorkedDay) -> None:
    """The line shows the tenders also if their differences cancel out."""
    house.begin()
    house.first_shift()
    house.count_first()
    first: dict[str, Any] = {"cash": {"5000": 62}, "marker_minor": 40_000, "promotional_minor": 10_000}
    house.count("count.enter", "cora", "one", **first)
    house.count("count.verify", "carl", "one", **first)
    page = read(house, "anna", f"{URL}/discrepancies").replace(" )", ")")
    assert "Tenders differ" in page
    assert "Cash: 3,100.00 (expected 3,000.00)" in page
    assert "Marker: 400.00 (expected 500.00)" in page


def test_the_inbox_says_what_blocks_a_day_and_what_is_unexplained(house: WorkedDay) -> None:
    """The inbox shows a running day too, and discrepancies that need no explanation before the close."""
    house.begin()
    house.first_shift()
    assert f"{DAY} – blocked by: open tables, uncounted boxes, open cage" in read(house, "anna", "/inbox")
    house.count_first()
    house.second_shift()
    page = read(house, "anna", "/inbox")
    assert "Discrepancy: closer FR1" in page, "25.00 short: of the lowest band"
    assert f"{DAY} – blocked by: uncounted boxes, open cage" in page
    assert "No open items." not in page
    assert "blocked by" not in read(house, "cora", "/inbox"), "the close is accounting's"


def test_the_report_as_it_was_said_and_what_changed(played: WorkedDay) -> None:
    counted = played.store.after(0, 1, ["shift.counted.v1"])[0].position
    last = played.store.position()
    assert wait_for_words(f"{URL}/past?at={counted}", "As of event")
    assert wait_for_words(f"{URL}/past?at={counted}&until={last}", "Event by event")
    assert at("anna").get(f"{URL}/past?at=soon").status_code == 404


def test_the_journal_and_the_progressives_stand_in_the_report_as_it_was_said(played: WorkedDay) -> None:
    last = played.store.position()
    assert f"/days/{DAY}/past?at={last}" in at("anna").get(URL).content.decode()
    page = answer("anna", f"{URL}/past?at={last}")
    made_ = day_reports.make(played.store, PROPERTY, DAY, last).figures
    [tray] = [name for name in made_["journal"] if name.startswith("Assets:Chips:Tables:")]
    assert made_["journal"][tray] == "16305.00"
    assert f"{tray} 0.00" in page
    assert "16,305.00" in page
    assert "Income:Tables" in page
    assert [progressive["progressive"] for progressive in made_["progressives"]] == ["blazing"]
    assert "blazing, reserve" in page
    assert "blazing, unpaid jackpots 0.00" in page


def test_what_tells_of_sealed_boxes_is_sealed_wherever_it_stands(house: WorkedDay) -> None:
    """Hour by hour, chips at the tables and with players, the journal, and their changes."""
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()
    evening_with_everything.project(house)
    first, last = house.store.after(0, 1, ["shift.counted.v1"])[0].position, house.store.position()
    bought = "4,700.00"  # cash and marker of both shifts
    boxes = "Assets:DropBoxes"
    assert bought in read(house, "sven", f"{URL}/hours")
    assert boxes in answer("sven", f"{URL}/past?at={last}")
    assert "DropBoxes" in answer("sven", f"{URL}/past?at={first}&until={last}")
    for part in PARTS:
        assert bought not in read(house, "anna", f"{URL}{part}"), part
    page = read(house, "anna", f"{URL}/cage")
    assert "At the tables hidden" in page
    assert "With players hidden" in page
    assert ",470000," not in source(at("anna"), f"{URL}/reports/hours.csv")
    page_ = answer("anna", f"{URL}/past?at={last}")
    assert boxes not in page_
    assert "it is hidden until every box is counted" in page_
    changed = answer("anna", f"{URL}/past?at={first}&until={last}")
    assert "DropBoxes" not in changed
    assert "tables minor" not in changed
    house.count_boxes()
    evening_with_everything.project(house)
    assert bought in read(house, "anna", f"{URL}/hours")
    assert boxes in answer("anna", f"{URL}/past?at={house.store.position()}")


def answer(person: str, url: str) -> str:
    """Return the finished text of a page that calculates in the background."""
    client = at(person)
    attempts = (words(client, url).replace("\u00a0", " ") for _ in range(200))
    return next(text for text in attempts if "As of event" in text or "From event" in text)


def wait_for_words(url: str, expected_words: str) -> bool:
    """Tell whether a page that calculates in the background comes to show these words."""
    client = at("anna")
    return any(expected_words in words(client, url) for _ in range(100))


def test_another_box_than_was_put_is_a_discrepancy_by_both_names(house: WorkedDay) -> None:
    house.begin()
    house.lead("drop.put", drop_box="one")
    house.lead("drop.remove", drop_box="three", witness="sid", _intent="fact")
    page = read(house)
    assert "Placed box one, removed box three" in page
    [discrepancy] = day_reports.make(house.store, PROPERTY, DAY, house.store.position()).figures["discrepancies"]
    assert (discrepancy["kind"], discrepancy["expected_minor"], discrepancy["found_minor"], discrepancy["band"]) == (
        "box",
        0,
        0,
        "recorded",
    )


def test_an_item_is_overridden_from_the_page_by_two_departments_and_the_day_is_closed(house: WorkedDay) -> None:
    for step in (house.begin, house.first_shift, house.count_first, house.second_shift, house.count_boxes):
        step()
    evening_with_everything.project(house)
    with open_door(house):
        (url,) = forms(source(at("anna"), URL), "day.override")
        answer, _sent = done(at("anna"), url, reason="the cashier fell ill")
        assert answer["Location"] == f"{URL}#checklist", complaints(answer)
        assert "overridden" not in words(at("anna"), URL), "one department alone overrides nothing"
        (give,) = forms(source(at("sid"), "/inbox"), "approval.give")
        answer, _sent = done(at("sid"), give)
        assert answer["Location"] == "/inbox", complaints(answer)
        page = words(at("anna"), URL)
        assert "Cage is closed Overridden" in page
        assert "the cashier fell ill" in words(at("anna"), f"{URL}/exceptions")
        assert not forms(source(at("anna"), URL), "day.override")
        answer, _sent = done(at("anna"), f"{URL}/do/day.close")
        assert answer["Location"] == URL, complaints(answer)
    [closed] = everything(house.store, types=("day.closed.v1",))
    assert json.loads(closed.raw)["data"]["overridden"] == ["cage_closed"]
