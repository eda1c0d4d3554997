"""Readers: only the actions of their kind at their table, in the dealer's name; and the bridge with its simulator."""

import io
import itertools
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client
from django.utils import timezone

from backoffice.models import BadgeSession, QueueEntry
from backoffice.people import badge_and_key_authentication
from backoffice.table_screen import pairing
from tests.support.houses.small_house import House
from tests.support.tables.table_device import Tablet, act, paired
from tools.readers import reader_line_simulator, serial_port_bridge
from tools.readers.reader_line_parsing import action_of
from tools.readers.signed_reader_queue import ReaderFolder

pytestmark = pytest.mark.django_db
STAKE = {"bet": "a", "wager": "straight", "numbers": [17], "amount_minor": 500, "player": "p1"}


class HouseTransport(httpx.BaseTransport):
    """The house's pages behind the bridge's client. While offline, no request gets through."""

    def __init__(self) -> None:
        self.client, self.has_signal = Client(), True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self.has_signal:
            raise httpx.ConnectError("no signal")
        kind = request.headers.get("content-type", "")
        sent = self.client.generic(request.method, request.url.path, request.read(), kind)
        return httpx.Response(sent.status_code, content=sent.content)


def spinning(house: House) -> Tablet:
    """A screen at which dora deals, with the ball in the wheel."""
    tablet = paired(house)
    tablet.come(badge_and_key_authentication.issue_badge("dora"))
    launch = act("ball.launch", wheel="cw", ball="ccw")
    sent = [act("round.open"), act("bet.place", **STAKE), launch, act("bets.close")]
    assert [entry["status"] for entry in tablet.send([tablet.entry(action) for action in sent]).json()["answers"]] == [
        200
    ] * 4
    return tablet


def bridged(
    house: House, folder: Path, use: str, table: str = "FR1"
) -> tuple[ReaderFolder, httpx.Client, HouseTransport]:
    """A reader that is paired through the bridge."""
    transport = HouseTransport()
    http, reader = httpx.Client(transport=transport), ReaderFolder(folder)
    device, secret = pairing.invite(table, use, "paul")

    def state(_http: httpx.Client, _house: str, name: str) -> str:
        device.refresh_from_db()
        if transport.client.get(f"/table/pairings/{name}").json()["state"] == "waiting":
            about = {"device": device.pk, "table": table, "use": use, "key": device.fingerprint}
            house.ok("devices", "", "paul", house.action("device.pair", **about))
        return str(transport.client.get(f"/table/pairings/{name}").json()["state"])

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as output:
        patch.setattr(serial_port_bridge, "_state", state)
        assert serial_port_bridge.pair(reader, f"http://localhost/table/{table}#{secret}", "wheel", http) == device.pk
    assert f"digits: {device.digits}\n" in output.getvalue()
    return reader, http, transport


def made_by(house: House, device: str) -> list[dict[str, Any]]:
    stored = [json.loads(event.raw) for event in house.store.after(0, 10_000)]
    return [event for event in stored if event.get("actordevice") == device]


def test_a_wheel_s_number_is_recorded_in_the_dealer_s_name(house: House, tmp_path: Path) -> None:
    tablet = spinning(house)
    assert tablet.state().json()["readings"] == []
    reader, http, _transport = bridged(house, tmp_path, "wheel reader")
    assert serial_port_bridge.serve(reader, iter(["number 17\n", "\n", "noise\n"]), http) == 1
    [reading] = tablet.state().json()["readings"]
    assert (reading["device"], reading["use"]) == (reader.paired["device"], "Wheel reader")
    assert "17" in reading["content"][0]
    events = made_by(house, reader.paired["device"])
    assert events[0]["type"] == "ball.landed.v1"
    assert {event["actor"] for event in events} == {"dora"}
    assert events[0]["data"]["number"] == 17
    assert reader.waiting() == []
    BadgeSession.objects.update(ended_at=timezone.now())
    assert tablet.state().json()["readings"] == [], "a locked screen shows no results"


def test_what_was_read_without_signal_comes_later_and_once(house: House, tmp_path: Path) -> None:
    spinning(house)
    reader, http, transport = bridged(house, tmp_path, "wheel reader")
    transport.has_signal = False
    assert not serial_port_bridge.send(reader, http) or not reader.waiting()
    reader.add(action_of("number 4"), queued=True)
    assert not serial_port_bridge.send(reader, http)
    reader.close()
    again = ReaderFolder(tmp_path)  # after a kill
    assert len(again.waiting()) == 1
    transport.has_signal = True
    assert serial_port_bridge.send(again, http)
    assert serial_port_bridge.send(again, http)
    landed = [event for event in made_by(house, again.paired["device"]) if event["type"] == "ball.landed.v1"]
    assert [(event["data"]["number"], event["queued"]) for event in landed] == [(4, True)]


def test_a_reader_sends_nothing_else_and_nothing_elsewhere(house: House, tmp_path: Path) -> None:
    spinning(house)
    reader, http, _transport = bridged(house, tmp_path, "wheel reader")
    before = house.store.position()
    reader.add(act("payment.make", bet="a", amount_minor=1), queued=False)
    with pytest.raises(serial_port_bridge.ReaderRejection, match="sends only these actions: ball"):
        serial_port_bridge.send(reader, http)
    reader.keep(reader.paired["device"], "BJ1", "http://localhost")
    with pytest.raises(serial_port_bridge.ReaderRejection, match="not paired with the table BJ1"):
        serial_port_bridge.send(reader, http)
    assert house.store.position() == before


def test_without_a_dealer_it_waits_for_an_inspector(house: House, tmp_path: Path) -> None:
    tablet = spinning(house)
    reader, http, _transport = bridged(house, tmp_path, "wheel reader")
    tablet.client.delete("/table/FR1/session")
    reader.add(action_of("number 17"), queued=False)
    serial_port_bridge.send(reader, http)
    assert QueueEntry.objects.get(device_id=reader.paired["device"]).state == "held"


def test_a_screen_is_no_reader_and_a_reader_no_screen(house: House, tmp_path: Path) -> None:
    tablet = spinning(house)
    entry = tablet.entry(act("ball.land", number=1))
    assert tablet.post("/table/FR1/reader", {"entries": [entry]}).status_code == 403
    wheel = paired(house, use="wheel reader")
    assert wheel.come(badge_and_key_authentication.issue_badge("dora")).status_code == 403


def test_lines_are_actions_and_noise_is_none() -> None:
    assert action_of("card 7d\n") == {"type": "card.deal", "data": {"card": "7D"}}
    assert action_of("CARD 10S player")["data"] == {"card": "TS", "to": "player"}
    assert action_of("card AC box 3")["data"] == {"card": "AC", "to": "box", "box": 3}
    assert action_of("dice 3 5")["data"] == {"dice": [3, 5]}
    for noise in ("card 1D", "number 37", "dice 0 7", "", "number", "number 17 x"):
        with pytest.raises(ValueError, match="no line"):
            action_of(noise)


@pytest.mark.parametrize("kind", ["card", "number", "dice"])
def test_the_simulator_makes_lines_that_the_bridge_reads(kind: str) -> None:
    lines = list(itertools.islice(reader_line_simulator.lines(kind, 7), 400))
    assert [action_of(line) for line in lines]
    assert lines == list(itertools.islice(reader_line_simulator.lines(kind, 7), 400))
    assert len(set(lines)) > 30


def test_a_shoe_s_cards_go_where_the_procedure_says(house: House, tmp_path: Path) -> None:
    house.open_table("BJ1")
    tablet = paired(house, "BJ1")
    tablet.come(badge_and_key_authentication.issue_badge("dora"))
    stakes = [act("bet.place", bet=f"m{box}", wager="main", box=box, amount_minor=500, player="p") for box in (2, 5)]
    sent = [tablet.entry(action) for action in (act("round.open"), *stakes, act("bets.close"))]
    assert [entry["status"] for entry in tablet.send(sent).json()["answers"]] == [200] * 4
    reader, http, _transport = bridged(house, tmp_path, "card reader", "BJ1")
    assert serial_port_bridge.serve(reader, iter(["card 7D", "card KS", "card 9C"]), http) == 0
    dealt = [event["data"] for event in made_by(house, reader.paired["device"]) if event["type"] == "card.dealt.v1"]
    assert [(event["card"], event["to"], event.get("box")) for event in dealt] == [
        ("7D", "box", 2), ("KS", "box", 5), ("9C", "dealer", None)
    ]  # fmt: skip
