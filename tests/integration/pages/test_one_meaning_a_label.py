"""A label has one meaning: figures under equal labels are equal on the floor, the gaming day, a table, and the hold."""

import re
from collections import defaultdict
from html.parser import HTMLParser

import pytest
from django.test import Client

from projections.eventlog.models import EventLog
from projections.tables.models import TableDay
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source

pytestmark = pytest.mark.django_db

Figures = dict[str, int]  # by label, in minor units


class LabelledFigures(HTMLParser):
    """The first figure of every labelled place: of tiles, of ledgers, and of the cells of a table by its heads."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles: Figures = {}
        self.ledgers: Figures = {}
        self.rows: dict[str, Figures] = {}
        self._heads: list[str] = []
        self._place, self._text = "", ""
        self._row, self._cell = "", 0
        self._is_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "table":
            self._heads = []
        elif tag == "thead":
            self._is_head = True
        elif tag == "tr":
            self._row, self._cell = "", 0
        elif tag in ("dt", "th"):
            self._place, self._text = tag, ""
        elif tag == "td":
            self._place, self._cell = "td", self._cell + 1
        elif tag == "data" and "money" in (attributes.get("class") or "") and attributes.get("value"):
            self._note(int(attributes["value"] or 0))

    def handle_endtag(self, tag: str) -> None:
        if tag == "thead":
            self._is_head = False
        elif tag == "th" and self._is_head:
            self._heads.append(" ".join(self._text.split()))
        elif tag == "th":
            self._row = next(iter(self._text.split("\n")), "").strip() or " ".join(self._text.split())
        if tag in ("dt", "th"):
            self._place = "dd" if tag == "dt" else ""

    def handle_data(self, data: str) -> None:
        if self._place in ("dt", "th"):
            self._text += data if self._text.strip() else data.lstrip()

    def _note(self, amount: int) -> None:
        if self._place == "dd":
            self.tiles.setdefault(" ".join(self._text.split()), amount)
        elif self._place == "td" and self._heads and self._cell < len(self._heads):
            self.rows.setdefault(self._row, {}).setdefault(self._heads[self._cell], amount)
        elif self._place == "td":
            self.ledgers.setdefault(self._row, amount)


def labelled_figures(client: Client, url: str) -> LabelledFigures:
    shown_ = LabelledFigures()
    shown_.feed(source(client, url))
    return shown_


def test_figures_of_equal_labels_are_equal_on_every_page(client: Client, evening_house: House) -> None:
    """FR1 has vouchers in its box, and a mispay."""
    row = TableDay.objects.get(table="FR1")
    assert row.drop_promotional_minor, "a drop with and without vouchers is another figure"
    floor, day = labelled_figures(client, "/"), labelled_figures(client, f"/days/{DAY}")
    table = labelled_figures(client, f"/tables/FR1/{DAY}")
    amounts: dict[str, dict[str, int]] = defaultdict(dict)
    for page, figures in (("floor", floor.rows["FR1"]), ("day", day.rows["FR1"]), ("table", table.ledgers)):
        for label, amount in figures.items():
            amounts[label][page] = abs(amount)
    shared = {label: by_page for label, by_page in amounts.items() if len(by_page) > 1}
    assert {"Drop", "Difference"} <= set(shared)
    assert [(label, by_page) for label, by_page in shared.items() if len(set(by_page.values())) > 1] == []
    assert amounts["Drop"]["floor"] == (row.drop_minor or 0) - row.drop_promotional_minor


def test_the_headline_says_what_is_unexplained_and_what_has_a_cause(client: Client, evening_house: House) -> None:
    page, figures = source(client, "/"), labelled_figures(client, "/")
    assert figures.tiles["Unexplained"] == 0
    assert figures.tiles["Difference"] == 5_500, "short, vouchers of 50.00 and a mispay of 5.00"
    totals = client.get("/api/v1/tables").json()["totals"]
    assert totals["unexplained_minor"] == 0
    assert {cause["label"]: cause["amount_minor"] for cause in totals["causes"]} == {"mispay": -500, "vouchers": -5_000}
    assert f'<a href="/days/{DAY}">' in page, "the badge leads to the gaming day"
    assert "short or unexplained" not in page


def test_a_drop_that_is_not_counted_is_called_an_estimate(client: Client, evening_house: House) -> None:
    """FR1 is counted, BJ1 and FR2 are in play."""
    floor, day = labelled_figures(client, "/"), labelled_figures(client, f"/days/{DAY}")
    assert "Drop" not in floor.tiles, "the house's drop is an estimate until every box is counted"
    assert floor.tiles["Estimated drop"] == sum(floor.rows[table]["Drop"] for table in ("BJ1", "FR1", "FR2"))
    for table in ("BJ1", "FR2"):
        ledgers = labelled_figures(client, f"/tables/{table}/{DAY}").ledgers
        assert "Drop" not in ledgers
        assert ledgers["Estimated drop"] == floor.rows[table]["Drop"] == day.rows[table]["Drop"]


def test_tiles_of_equal_labels_are_equal_on_the_floor_and_the_day(client: Client, evening_house: House) -> None:
    floor, day = labelled_figures(client, "/").tiles, labelled_figures(client, f"/days/{DAY}").tiles
    shared = floor.keys() & day.keys()
    assert "Recorded win" in shared
    assert {label: floor[label] for label in shared} == {label: day[label] for label in shared}


# Pages with rows of tables. The page of a hit is not one of them: its heading says that it ends at the hit.
TABLE_PAGES = (
    "/",
    f"/days/{DAY}",
    f"/days/{DAY}/wins",
    f"/days/{DAY}/boxes",
    f"/days/{DAY}/discrepancies",
    f"/days/{DAY}/tables/FR1",
    f"/hold?day={DAY}",
    f"/days/{DAY}/luck",
    "/progressives/blazing",
    "/inspections",
)


def test_rows_of_a_table_are_equal_on_all_pages_with_figures(client: Client, evening_house: House) -> None:
    values: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for url in TABLE_PAGES:
        for row, figures in labelled_figures(client, url).rows.items():
            for label, amount in figures.items():
                values[row.partition(" ")[0], label][url] = abs(amount)
    tables = {key: by_page for key, by_page in values.items() if key[0] in ("BJ1", "FR1", "FR2")}
    assert len({url for by_page in tables.values() for url in by_page}) >= 5
    assert {key: by_page for key, by_page in tables.items() if len(set(by_page.values())) > 1} == {}


def test_a_table_s_day_and_its_shifts_have_equal_figures_under_equal_labels(
    client: Client, evening_house: House
) -> None:
    """The table page calls its figures as the sheet by shift does: no label has a twin."""
    for table in ("FR1", "BJ1"):
        figures = labelled_figures(client, f"/tables/{table}/{DAY}").ledgers
        ledgers = {label.lstrip("+− "): amount for label, amount in figures.items()}
        shifts = {
            label: row["Day"] for label, row in labelled_figures(client, f"/days/{DAY}/tables/{table}").rows.items()
        }
        shared = {"Opener", "Fills", "Credits", "Stakes lost", "Winnings due", "Commissions"}
        assert shared <= ledgers.keys() & shifts.keys()
        for label in ledgers.keys() & shifts.keys():
            assert abs(ledgers[label]) == abs(shifts[label]), (table, label)


def test_called_off_rolls_are_counted_and_do_not_bury_a_mispay(client: Client, evening_house: House) -> None:
    row = EventLog.objects.filter(type="round.opened.v1", gaming_day=DAY).earliest("position")
    last = EventLog.objects.latest("position").position
    for number in range(1, 49):
        row.position, row.type = last + number, "roll.called_off.v1"
        row.save(force_insert=True)
    lines = re.findall(r"<tr>.*?</tr>", source(client, f"/days/{DAY}/exceptions").partition("<tbody>")[2], re.DOTALL)
    assert len(lines) == 2
    assert "Mispay" in lines[0]
    assert re.search(r"Rolls called off:\s+48", lines[1])
    assert "49 exceptions" in source(client, f"/days/{DAY}")


def test_the_list_of_discrepancies_has_as_many_lines_as_its_tab_counts(client: Client, evening_house: House) -> None:
    page = client.get(f"/days/{DAY}/discrepancies")
    [part] = [part for part in page.context["parts"] if part.name == "discrepancies"]
    assert part.count == len(page.context["day"].discrepancies)
