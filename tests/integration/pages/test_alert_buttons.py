"""Alerts are assigned and cleared in their row of the list."""

from collections.abc import Iterator

import pytest
from django.test import Client

from projections.alerts.models import Alert
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import InProcessDoor, at, open_door
from tests.support.pages.page_text_and_queries import source

pytestmark = pytest.mark.django_db


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def send(client: Client, alert: str, action: str, **data: str) -> None:
    """Press a button of the row; it leads back to the list."""
    back = {"form-step": "send", "form-back": "/alerts?status=open"}
    answer = client.post(f"/alerts/{alert}/do/{action}", {**data, **back})
    assert (answer.status_code, answer.headers.get("Location")) == (302, "/alerts?status=open"), answer.content


def test_an_alert_is_assigned_and_cleared_in_its_row(door: InProcessDoor) -> None:
    alert, watch = Alert.objects.get(name="mispay").id, at("sven")
    assert f'action="/alerts/{alert}/do/alert.assign"' in source(watch, "/alerts")
    send(watch, alert, "alert.assign", person="sven")
    evening_with_everything.project(door.house)
    assert Alert.objects.filter(id=alert, status="assigned", assigned="sven").exists()
    send(watch, alert, "alert.clear", disposition="put right", reason="the player gave it back")
    evening_with_everything.project(door.house)
    assert Alert.objects.filter(id=alert, status="cleared", disposition="put right").exists()


def test_who_only_reads_has_no_buttons_in_the_rows(door: InProcessDoor) -> None:
    page = source(at("olga"), "/alerts")
    assert "data-alert" in page
    assert "/do/alert." not in page
