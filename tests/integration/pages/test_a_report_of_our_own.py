"""A report is declared once (tests/toys/report.py): list, screen, CSV, workbook, paper and subscriptions follow."""

from collections.abc import Iterator

import pytest

from backoffice.deliveries import news_sources_for_subscribers
from backoffice.kit.reader_and_read_rule_types import Reader
from events.store import everything
from tests.integration.pages.test_four_forms import is_headed, read, says_one_thing, worked
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House, serving
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source
from tests.toys.report import PLAYERS, install

pytestmark = pytest.mark.django_db
URL = f"/days/{DAY}/reports"


@pytest.fixture
def house(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    install(monkeypatch)
    house = worked()
    with serving(house):
        evening_with_everything.project(house)
        yield house
    house.close()


def test_it_is_in_the_list_and_has_the_same_lines_in_all_four_forms(house: House) -> None:
    anna, here = at("anna"), f"{URL}/{PLAYERS.name}"
    listed = source(anna, URL)
    assert [f'href="{here}{form}"' in listed for form in ("", ".csv", "/report.xlsx", "/report.pdf")] == [True] * 4
    forms = read(anna, PLAYERS, here)
    events = {player: int(count) for player, _table, count in forms.in_sheet}
    assert events == {"Ann": sum(b'"player":"Ann"' in stored_event.raw for stored_event in everything(house.store))}
    assert is_headed(forms, PLAYERS, DAY)
    assert says_one_thing(forms, PLAYERS) == []
    assert all(f"{player} FR1" in forms.paper for player in events)
    assert "Signatures" in forms.paper
    assert at("ines").get(here).status_code == 403
    reader = Reader("anna", frozenset({"accountant"}))
    assert (PLAYERS.name, PLAYERS.title) in news_sources_for_subscribers.SOURCES["report"].choices(reader)
