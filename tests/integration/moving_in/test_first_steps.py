"""The page First steps: the missing parts of an empty house, and a preview of a file before its import."""

from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from backoffice.house.opening.csv_columns import BY_NAME, template
from events.store import everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import open_door
from tests.support.pages.sign_in import signed_in

TABLES = "table;pit;game;ruleset\nR1;A;roulette;roulette-french\nR2;A;roulette;roulette-french\n"


class Empty(House):
    """People alone: no table, no progressive, no setting."""

    def install(self, table: str, game: str, ruleset: str, progressive: str | None = None) -> None:
        """Install nothing."""

    def open_progressive(self) -> None:
        """Open no progressive."""


@pytest.fixture
def house(db: None) -> Iterator[House]:
    house = Empty()
    with serving(house), open_door(house):
        yield house
    house.close()


def at(person: str) -> Client:
    return signed_in(Client(), person)


def uploaded(client: Client, sheet: str, text: str) -> str:
    file = SimpleUploadedFile(f"{sheet}.csv", text.encode("utf-8-sig"))
    return words(client.post(f"/first-steps/do/{sheet}", {"file": file}).content)


def imported(client: Client, sheet: str, text: str) -> str:
    return words(client.post(f"/first-steps/do/{sheet}", {"step": "import", "text": text}).content)


def words(content: bytes) -> str:
    return " ".join(content.decode().split())


def test_an_administrator_of_an_empty_house_comes_to_its_first_steps(house: House) -> None:
    assert at("adam").get("/start").headers["Location"] == "/first-steps"
    page = words(at("adam").get("/first-steps").content)
    assert "1 of 5 required steps are done" in page
    assert "Next: Property" in page
    assert "No tables installed." in page
    assert "/first-steps/do/tables" in page
    assert "/first-steps/do/markers" not in page, "only the cage carries markers over"


def test_a_preview_writes_nothing_and_an_import_asks_what_another_agrees_to(house: House) -> None:
    settings = "setting,value\ncurrency,EUR\n"
    before = house.store.position()
    page = uploaded(at("anna"), "property", settings)
    assert "1 line without errors: 1 new, 0 already there. Nothing is saved yet." in page
    assert house.store.position() == before

    page = imported(at("anna"), "property", settings)
    assert "It waits in the inbox of" in page
    page = imported(at("cage"), "property", settings)
    assert "1 imported, 0 already there, 0 open." in page

    assert "2 lines without errors: 2 new" in uploaded(at("adam"), "tables", TABLES)
    assert "0 imported, 0 already there, 2 open." in imported(at("adam"), "tables", TABLES)
    assert "2 imported, 0 already there, 0 open." in imported(at("paul"), "tables", TABLES)
    done = [event.type for event in everything(house.store)]
    assert done.count("table.installed.v1") == 2
    assert "2 tables, 2 counted only" in words(at("adam").get("/first-steps").content)
    position = house.store.position()
    assert "0 imported, 2 already there, 0 open." in imported(at("adam"), "tables", TABLES)
    assert house.store.position() == position


def test_faults_are_shown_with_their_line_and_nothing_is_done(house: House) -> None:
    before = house.store.position()
    page = uploaded(at("adam"), "staff", "id,roles\nd-1,dealer\nd-2,deeler\n")
    assert "staff.csv, line 3, column roles: There is no role deeler" in page
    page = uploaded(at("adam"), "tables", TABLES)
    assert "property.csv, column setting: The currency is missing" in page
    client = at("adam")
    assert client.post("/first-steps/do/tables", {"step": "import", "text": "rubbish"}).status_code == 422
    assert house.store.position() == before


def test_staff_of_the_file_are_in_the_directory_by_name(house: House) -> None:
    staff = "id,roles,name\nd-7,dealer,Eleni Markou\n"
    assert "1 imported" in imported(at("adam"), "staff", staff)
    assert "Eleni Markou" in at("adam").get("/people").content.decode()


def test_who_may_not_is_led_back(house: House) -> None:
    assert at("dora").get("/first-steps").status_code == 403
    assert at("cage").get("/first-steps/do/staff").headers["Location"] == "/first-steps"


def test_an_example_of_each_file_is_handed_out(house: House) -> None:
    for sheet in BY_NAME.values():
        answer = at("adam").get(f"/first-steps/example/{sheet.name}.csv")
        assert answer.content.decode("utf-8-sig") == template(sheet)


def test_the_steps_fold_when_the_house_can_play(house: House) -> None:
    chips = "denomination,pieces\n5.00,100\n"
    balances = "place,tender,denomination,pieces,amount\ncage,cash,,,100.00\nR1,chips,5.00,40,\n"
    for people, sheet, text in (
        (("anna", "cage"), "property", "setting,value\ncurrency,EUR\n"),
        (("adam", "paul"), "tables", TABLES),
        (("cage", "anna"), "chips", chips),
        (("paul", "cage"), "opening-balances", balances),
    ):
        for person in people:
            page = imported(at(person), sheet, text)
        assert ", 0 open." in page, (sheet, page)
    page = words(at("adam").get("/first-steps").content)
    assert "5 of 5 required steps are done" in page
    assert "Setup is complete." in page
    assert "<details><summary>Show all steps" in page
    assert at("adam").get("/start").headers["Location"] != "/first-steps"
