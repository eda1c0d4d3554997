"""The whole way of a tablet: a code, four digits, a confirmation, a badge, the state, and the first entries."""

import re
from typing import Any

import pytest

from backoffice.models import TableDevice
from backoffice.people import badge_and_key_authentication
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at, done
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db


def code_of(page: Any) -> str:
    match = re.search(r"/table/FR1#([\w-]+)", page.content.decode())
    assert match is not None
    return match[1]


def test_a_tablet_is_paired_by_a_code_and_a_pit_boss(house: House) -> None:
    boss, tablet = at("paul"), Tablet()
    page = boss.post("/pit/FR1/devices/do/code", {"use": "screen"})
    assert b"data:image/svg+xml;base64," in page.content
    secret = code_of(page)
    answer = tablet.pair(secret).json()
    assert answer["state"] == "waiting"
    device = TableDevice.objects.get()
    assert answer["digits"] == tablet.digits == device.digits
    assert tablet.state().status_code == 403
    waiting = boss.get(f"/pit/FR1/devices/{device.pk}/waiting").content.decode()
    assert f'<strong id="digits">{device.digits}</strong>' in waiting
    link = re.search(r'href="(/pit/FR1/devices/do/device.pair[^"]*)"', waiting)
    assert link is not None
    answered, _sent = done(boss, link[1].replace("&amp;", "&"))
    assert answered.status_code == 302, answered.content.decode()
    assert tablet.client.get(f"/table/pairings/{device.pk}").json()["state"] == "confirmed"
    assert tablet.state().json()["layout"] is None
    assert b"paired" in boss.get("/pit/FR1/devices").content


def test_a_spin_is_recorded_through_the_queue(house: House) -> None:
    tablet = paired(house)
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).json()["person"] == "dora"
    state = tablet.state().json()
    assert [person["person"] for person in state["me"]] == ["dora"]
    assert state["layout"]["table"] == "FR1"
    stake = act("bet.place", bet="a", wager="straight", numbers=[17], amount_minor=500, player="p1")
    first = tablet.entry(act("round.open"))
    answer = tablet.send([first, tablet.entry(stake)]).json()
    assert [entry["status"] for entry in answer["answers"]] == [200, 200], answer
    assert (answer["last_seq"], answer["last_digest"]) == (2, tablet.prev)
    event = house.store.after(0, 10_000)[-1].raw.decode()
    assert f'"actordevice":"{tablet.device}"' in event
    assert f'"causation":"{tablet.device}:2:0"' in event
    assert "queued" not in event
    again = tablet.send([first]).json()
    assert again["answers"][0] == answer["answers"][0]
