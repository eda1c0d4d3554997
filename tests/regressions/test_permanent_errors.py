"""Permanent errors are answered as such, with their remedy, and never by "try again"."""

from email.message import Message
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError

import pytest
from django.db import connections

from backoffice.access.personal_data_access_log import SEARCH, add
from backoffice.kit.response_builders import not_shown
from events.envelope import Meta
from events.errors import Conflict, Defect, Invalid, Retry, defect_of
from events.house.setting_and_chip_structs import SettingChanged
from events.house.settings import HouseSettings, zone_of
from events.relay import witness_delivery
from events.settings import settings_from_environment as settings_module
from events.settings.settings_from_environment import read
from events.store import Append, NewEvent
from events.streams.problem_details import problem_of
from tests.support.houses.cage_house import counted
from tests.support.houses.small_house import DAY, PROPERTY, House

GONE = "Mars/Olympus"


@pytest.fixture
def house() -> House:
    """Return a house whose time zone was removed from the machine later."""
    house = House()
    name = f"{PROPERTY}/house"
    by = Meta(time=house.store.clock(), actor="anna", actorrole="accountant")
    changed = SettingChanged(setting="zone", value=GONE, before="UTC", approvals=())
    house.store.append([Append(name, house.store.head(name), [NewEvent(changed, by)])])
    return house


def test_a_zone_that_the_machine_no_longer_has(house: House) -> None:
    problem = house.no("cage", "", "cage", house.action("cage.open", gaming_day=DAY, **counted()))
    assert problem.status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert GONE in problem.detail
    assert "setting.change" in problem.detail
    assert "again" not in problem.detail.lower()
    house.close()


def test_other_settings_can_still_be_changed(house: House) -> None:
    requested = house.ok("house", "", "anna", house.action("setting.change", setting="day_begins", value="05:00"))
    assert requested
    house.close()


def test_the_zone_of_settings() -> None:
    assert str(zone_of(HouseSettings(zone="Europe/Athens"))) == "Europe/Athens"
    with pytest.raises(Defect, match="tzdata-legacy"):
        zone_of(HouseSettings(zone=GONE))


def test_a_zone_without_its_file_is_refused_as_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python may know it from elsewhere; Django wants the file, and would end with a traceback."""
    monkeypatch.setattr(settings_module, "ZONES", tmp_path)
    settings_module._read.cache_clear()
    with pytest.raises(Invalid, match="'US/Eastern' is not the name of a time zone:"):
        read({"PITLEDGER_TIME_ZONE": "US/Eastern"})


def test_what_a_connection_cannot_encode_is_permanent() -> None:
    defect = defect_of(UnicodeEncodeError("latin-1", "Ελένη", 0, 1, "ordinal not in range(256)"))
    problem = problem_of(defect)
    assert problem.status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "encoding of the database" in problem.detail
    assert "Stored data must be repaired first" in problem.title


@pytest.mark.parametrize(("error", "passes"), [(TimeoutError(), True), (MemoryError(), True), (KeyError("x"), False)])
def test_unforeseen_errors(error: Exception, passes: bool) -> None:
    assert isinstance(defect_of(error), Retry if passes else Defect)


@pytest.mark.django_db
def test_without_its_table_the_access_log_says_how_it_is_made() -> None:
    with connections["access"].cursor() as cursor:
        cursor.execute("ALTER TABLE access_look RENAME TO access_elsewhere")
    with pytest.raises(Defect, match=r"no such table.*manage\.py migrate") as error:
        add(SEARCH, "x")
    answer = not_shown(error.value)
    assert answer.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "Retry-After" not in answer.headers


@pytest.mark.parametrize(("code", "kind"), [(404, Conflict), (403, Conflict), (429, Retry), (500, Retry), (502, Retry)])
def test_a_witness_that_answers_so_for_ever(monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Exception]) -> None:
    def answer(*_: object, **__: object) -> None:
        raise HTTPError("http://witness", code, "no", Message(), None)

    monkeypatch.setattr(witness_delivery, "urlopen", answer)
    with pytest.raises(kind):
        witness_delivery._request("http://witness/")
