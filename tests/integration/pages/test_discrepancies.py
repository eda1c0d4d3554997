"""One discrepancy on one screen: the time between the counts, chip movements, people on duty, the replay."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from backoffice.days.discrepancy_window_content import candidate_types
from events.tables.event_types.rounds import BetSettled, SettlementVoided
from events.tables.event_types.session import LayoutCarried, SessionRolled
from events.tables.moved_amount_declarations import TRAY, type_names
from projections.accounts.models import FoundAccount
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from tests.integration.pages.test_figures_of_any_day import opened
from tests.integration.pages.test_one_meaning_a_label import labelled_figures
from tests.integration.pages.test_play_of_players import logged, split_and_doubled
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import CASH, WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import figures, queries, source, words
from tests.unit.tables.test_craps import bet, on_six

pytestmark = pytest.mark.django_db

URL = f"/days/{DAY}"


@pytest.fixture
def house(on_each_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    house = WorkedDay()
    with serving(house):
        yield house
    house.close()


def short(house: WorkedDay) -> str:
    """The address of the 25.00 that are missing from the tray."""
    evening_with_everything.project(house)
    return f"{URL}/discrepancies/{FoundAccount.objects.get(kind='closer').position}"


def test_a_short_tray_opens_one_screen(house: WorkedDay) -> None:
    house.play()
    url = short(house)
    page = words(at("anna"), url).replace("\u00a0", " ")
    for text in ("25.00 EUR Tray short", "16,330.00", "16,305.00", "table FR1", "shift night", "open"):
        assert text in page, text
    assert re.search(r"buy-in made cash \S+ 1,200.00", page), "only those of the second shift"
    assert "3,000.00" not in page
    assert re.search(r"credit sent \S+ 500.00", page)
    assert "fill received" not in page, "that was before the count"
    assert "dora dealer" in page
    assert "ines inspector" in page
    text = source(at("anna"), url)
    assert f'href="/tables/FR1/{DAY}"' in text
    assert re.findall(rf'href="/tables/FR1/{DAY}/rounds/(\d+)"', text) == ["3", "2"]
    assert f"first={FoundAccount.objects.get(kind='closer').since + 1}" in text.replace("&amp;", "&")
    assert queries(at("anna"), url) <= 24


def test_a_round_shows_every_change_of_its_stakes(house: WorkedDay) -> None:
    """A bet of 10.00, split and doubled; then one of 20.00, insured with 10.00, in a round that is void."""
    table = logged(split_and_doubled().lead("table.count", chips={"500": 7}, witness="carl"))
    row = FoundAccount.objects.get(kind="table_count")
    url = f"/days/{row.gaming_day}/discrepancies/{row.position}"
    stakes = figures(at("anna"), url)
    assert {number: stakes[f"stakes-{number}"][1] for number in (1, 2)} == {1: 3_000, 2: 3_000}
    for number in (1, 2):
        address, staked = stakes[f"stakes-{number}"]
        played = PlayedRound.objects.get(stream=table.state.stream, round=number)
        assert opened(address) == staked == played.stakes_minor


def test_a_doubled_hand_of_exactly_the_difference_could_explain_it(house: WorkedDay) -> None:
    table = split_and_doubled()
    logged(table.lead("table.count", chips={"100": (table.state.float_minor - 1_000) // 100}, witness="carl"))
    row = FoundAccount.objects.get(kind="table_count")
    page = words(at("anna"), f"/days/{row.gaming_day}/discrepancies/{row.position}").replace("\u00a0", " ")
    explains = page[page.index("Possible explanations") : page.index("On duty")]
    assert re.search(r"hand doubled \S+ 10.00", explains)
    assert re.search(r"hand split \S+ 10.00", explains)


def test_a_stake_lowered_by_exactly_the_difference_could_explain_it(house: WorkedDay) -> None:
    table = on_six("craps-by").ask("bet.place", **bet("low", "place", 3_000, number=4))
    logged(table.ask("bet.restake", bet="low", amount_minor=2_000))
    logged(table.lead("table.count", chips={"100": (table.state.float_minor - 1_000) // 100}, witness="carl"))
    row = FoundAccount.objects.get(kind="table_count")
    page = words(at("anna"), f"/days/{row.gaming_day}/discrepancies/{row.position}").replace("\u00a0", " ")
    explains = page[page.index("Possible explanations") : page.index("On duty")]
    assert re.search(r"bet raised or lowered \S+ .10.00", explains), explains


def test_every_type_that_moves_chips_could_explain_it() -> None:
    """Settlements repeat stakes. An event that carries the layout moves no chips of the tray."""
    unlike = {kind.TYPE for kind in (BetSettled, SettlementVoided, LayoutCarried, SessionRolled)}
    assert candidate_types() == (type_names((*TRAY, "staked")) - unlike) | {"chips.exchanged.v1"}


def test_floor_and_gaming_day_show_the_same_unexplained_difference(house: WorkedDay) -> None:
    house.play()
    short(house)
    floor, day = labelled_figures(at("anna"), f"/?gaming_day={DAY}").tiles, labelled_figures(at("anna"), URL).tiles
    assert floor["Unexplained"] == day["Unexplained"] != 0


def test_what_could_explain_it_is_named(house: WorkedDay) -> None:
    """A buy-in of exactly the difference, and a payment that differs from the winnings due."""
    house.begin()
    house.first_shift()
    house.count_first()
    house.fill(2_500)
    house.buy(2_500)
    house.second_shift()
    house.count_boxes()
    evening_with_everything.project(house)
    page = words(at("anna"), short(house)).replace("\u00a0", " ")
    explains = page[page.index("Possible explanations") : page.index("On duty")]
    assert re.search(r"buy-in made cash \S+ 25.00", explains)
    assert re.search(r"fill received \S+ 25.00", explains)


def test_buy_ins_are_hidden_until_every_box_is_counted(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()
    url = short(house)
    assert "1,200.00" not in words(at("anna"), url)
    assert "Hidden until every box is counted." in words(at("anna"), url)
    assert "1,200.00" in words(at("sven"), url)


def test_every_place_that_shows_it_leads_there(house: WorkedDay) -> None:
    house.play()
    url = short(house)
    position = url.rpartition("/")[2]
    for place in (URL, f"{URL}/discrepancies", f"/events/{position}"):
        assert f'href="{url}"' in source(at("anna"), place), place


def test_two_counters_have_a_first_and_a_verification_count(house: WorkedDay) -> None:
    """None of the two figures was expected: by the page, the list, the report, the explanation and the alert."""
    house.play()
    evening_with_everything.project(house)
    row = FoundAccount.objects.get(kind="counters")
    url, anna = f"{URL}/discrepancies/{row.position}", at("anna")
    page = words(anna, url)
    assert "First count 1,210.00" in page
    assert "Verification count 1,200.00" in page
    assert "Expected" not in page
    [listed] = re.findall(rf'(?s)<tr id="found-{row.position}">.*?</tr>', source(anna, f"{URL}/discrepancies"))
    assert [re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r'(?s)<td class="r".*?</td>', listed)] == [
        ["1,210.00", "First", "count"],
        ["1,200.00", "Verification", "count"],
    ]
    assert "Expected" not in listed
    form = words(anna, f"{URL}/do/discrepancy.explain?discrepancy={row.id}")
    assert "First count 1,210.00" in form
    event = EventLog.objects.get(position=row.position)
    data = {"kind": "counters", "expected": 121_000, "found": 120_000, "sum": -1_000}
    alert = Alert.objects.create(
        id="a" * 64,
        name="discrepancy",
        severity="medium",
        raised_at_position=row.position,
        raised=row.time,
        stream=f"{PROPERTY}/days/{DAY}",
        gaming_day=DAY,
        events=msgspec.json.encode([f"{event.stream}@{event.version}"]).decode(),
        data=msgspec.json.encode(data).decode(),
    )
    for place in (f"/alerts/{alert.id}", "/alerts"):
        text = words(at("sven"), place)
        assert re.search(r"First count:? 1,210.00", text), place
        assert re.search(r"Verification count:? 1,200.00", text), place


def test_what_is_missing_from_a_box_leads_to_the_boxes(house: WorkedDay) -> None:
    house.play()
    evening_with_everything.project(house)
    counters = FoundAccount.objects.get(kind="counters").position
    assert f'href="{URL}/boxes"' in source(at("anna"), f"{URL}/discrepancies/{counters}")
    assert at("anna").get(f"{URL}/discrepancies/1").status_code == 404
    assert at("dora").get(f"{URL}/discrepancies/{counters}").status_code == 403


def test_a_difference_of_the_cage_on_a_day_without_tables_is_in_the_currency_of_the_house(house: WorkedDay) -> None:
    house.play()
    held = {"100": 10_000, "500": 16_000 - 200 + 100, "2500": 1_000}
    cash = CASH + 420_000
    house.cage("cage.open", gaming_day="2026-11-21", chips=held, cash_minor=cash - 700, marker_minor=50_000)
    evening_with_everything.project(house)
    row = FoundAccount.objects.get(gaming_day="2026-11-21", kind="cage")
    page = words(at("anna"), f"/days/2026-11-21/discrepancies/{row.position}").replace("\u00a0", " ")
    assert "7.00 EUR Cage short" in page
