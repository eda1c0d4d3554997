"""A person decides held entries at the screen, as their own act. Refused entries become facts and alerts."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import QueueEntry, RefusedEntry, TableDevice
from backoffice.people import badge_and_key_authentication
from backoffice.table_screen import device_authentication, received_entry_processing
from events.floor.device_and_entry_decider import REFUSED_MAX
from events.store import open_store
from projections.alerts.models import Alert
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import at, open_door
from tests.support.pages.page_text_and_queries import words
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db
STAKE = {"wager": "red", "amount_minor": 500, "player": "p1"}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(
    request: pytest.FixtureRequest, db: None, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[House]:
    """A house with an open table: events and read models in SQLite, or each in a PostgreSQL database."""
    monkeypatch.setattr(device_authentication, "REMEMBERED_S", -1.0)
    with ExitStack() as stack:
        if request.param == "postgres":
            new: Callable[[], str] = request.getfixturevalue("new_database")
            stack.enter_context(django_db_blocker.unblock())
            alias = stack.enter_context(read_models(new()))
            stack.enter_context(as_default(alias))
            house = House(open_store(new()))
        else:
            alias, house = "default", House()
        stack.callback(house.close)
        house.open_table("FR1")
        stack.enter_context(serving(house))
        stack.enter_context(open_door(house))
        evening_with_everything.project(house, alias)
        monkeypatch.setattr(ReadModelDatabase, "alias", alias)
        yield house


class ReadModelDatabase:
    """The database of the read models of the test that runs."""

    alias = "default"


def dealing(house: House) -> Tablet:
    tablet = paired(house)
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).status_code == 200
    return tablet


def with_held_entries(house: House) -> tuple[Tablet, Tablet, list[dict[str, Any]]]:
    """Return a revoked tablet that sent three entries, another with dealer and inspector, and the held entries."""
    revoked = dealing(house)
    entries = [revoked.entry(act("round.open"), queued=True)]
    entries += [revoked.entry(act("bet.place", bet=name, **STAKE), queued=True) for name in ("a", "b")]
    house.ok("devices", "", "ines", house.action("device.revoke", device=revoked.device))
    revoked.send(entries)
    other = dealing(house)
    assert other.come(badge_and_key_authentication.issue_badge("ines"), "inspector").status_code == 200
    return revoked, other, other.state().json()["waits"]


def decided(tablet: Tablet, entry: dict[str, Any], decision: str, role: str = "inspector", **fields: Any) -> Any:
    about = {"device": entry["device"], "entry": entry["seq"], "digest": entry["digest"]}
    session = tablet.sessions.get(role, "")
    return tablet.post(f"/table/{tablet.table}/entries", {"session": session, "decision": decision, **about, **fields})


def since(house: House, position: int) -> list[dict[str, Any]]:
    return [json.loads(stored_event.raw) for stored_event in house.store.after(position, 1_000)]


def test_an_inspector_decides_entry_by_entry_at_the_screen(house: House) -> None:
    lost, other, waits = with_held_entries(house)
    assert [wait["seq"] for wait in waits] == [1, 2, 3]
    assert waits[1]["content"] == ["Place bet. bet: a, kind of bet: red, amount: 5.00\xa0EUR, player: p1"]
    before = house.store.position()
    for _twice in range(2):
        assert decided(other, waits[0], "accept").status_code in (200, 404)
    assert decided(other, waits[1], "reject", reason="never happened").json()["state"] == "rejected"
    for decision in ("accept", "reject"):
        assert decided(other, waits[1], decision, reason="again").status_code == 404
    made = since(house, before)
    assert [(event["type"], event["actor"]) for event in made] == [
        ("device.entry_accepted.v1", "ines"), ("round.opened.v1", "ines"), ("device.reconnected.v1", "ines"),
        ("device.entry_rejected.v1", "ines"),
    ]  # fmt: skip
    assert made[1]["queued"] is True
    assert [wait["seq"] for wait in other.state().json()["waits"]] == [3]
    assert lost.send([]).status_code == 400


def test_only_who_leads_the_table_decides_and_only_on_what_waits(house: House) -> None:
    lost, other, waits = with_held_entries(house)
    before = house.store.position()
    assert decided(other, waits[0], "accept", role="dealer").status_code == 403
    assert decided(other, waits[0], "accept", session="guessed").status_code == 403
    assert decided(lost, waits[0], "accept", session=other.sessions["inspector"]).status_code == 403
    assert decided(other, {**waits[0], "digest": "0" * 64}, "accept").status_code == 400
    assert decided(other, {**waits[0], "seq": 9}, "accept").status_code == 404
    assert decided(other, {**waits[0], "device": other.device}, "accept").status_code == 404
    assert decided(other, waits[0], "reject").json()["status"] == 400  # without a reason
    assert Tablet().post("/table/FR1/entries", {}).status_code == 403
    assert house.store.position() == before
    assert len(other.state().json()["waits"]) == 3


def test_an_accepted_entry_is_carried_out_after_a_kill(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    _lost, other, waits = with_held_entries(house)
    real = received_entry_processing.carry_out_as

    def killed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(received_entry_processing, "carry_out_as", killed)
    with pytest.raises(KeyboardInterrupt):
        decided(other, waits[0], "accept")
    monkeypatch.setattr(received_entry_processing, "carry_out_as", real)
    assert decided(other, waits[0], "reject", reason="no").json()["problem"]["code"] == "entry-accepted-already"
    house.grant("iris", "inspector")
    other.come(badge_and_key_authentication.issue_badge("iris"), "inspector")
    before = house.store.position()
    assert decided(other, waits[0], "accept").json()["status"] == 200
    assert next((event["type"], event["actor"]) for event in since(house, before)) == ("round.opened.v1", "ines")


def test_an_unverified_relief_is_shown_and_cleared_at_the_screen(house: House) -> None:
    tablet = dealing(house)
    tablet.come(badge_and_key_authentication.issue_badge("ines"), "inspector")
    sent = [tablet.entry(act("round.open"), queued=True, session=f"relief-{number}") for number in (1, 2)]
    tablet.send(sent)
    waits = tablet.state().json()["waits"]
    assert [(wait["seq"], wait["state"]) for wait in waits] == [(1, "unverified"), (2, "unverified")]
    assert decided(tablet, waits[0], "accept").json()["status"] == 200
    assert decided(tablet, waits[1], "reject", reason="twice").json()["status"] == 200
    assert tablet.state().json()["waits"] == []
    house.grant("dino", "dealer")
    before = house.store.position()
    tablet.come(badge_and_key_authentication.issue_badge("dino"), relief="relief-2")  # a rejected entry stays so
    assert since(house, before) == []
    assert [(row.seq, row.state) for row in QueueEntry.objects.order_by("seq")] == [(1, "done"), (2, "unverified")]


def test_a_refused_entry_is_a_fact_and_an_alert(house: House) -> None:
    tablet = dealing(house)
    before = house.store.position()
    first, second = tablet.entry(act("round.open")), tablet.entry(act("bets.close"))
    edited = {**first, "body": first["body"].replace("round.open", "round.void")}
    for _twice in range(2):
        assert tablet.send([second]).status_code == 409
        assert tablet.send([edited]).status_code == 409
    tablet.client.cookies.pop("pitledger_badges")
    assert tablet.send([second, first]).status_code == 409  # no one is signed in: recorded all the same
    made = since(house, before)
    assert [(event["data"]["entry"], event["data"]["fault"]) for event in made] == [
        (1, "queue-entry-missing"), (1, "queue-entry-changed"), (1, "queue-entry-reordered")
    ]  # fmt: skip
    assert {(event["actor"], event["actorrole"], event["data"]["table"]) for event in made} == {
        ("reconciler", "system", "FR1")
    }
    evening_with_everything.project(house, ReadModelDatabase.alias)
    alerts = [json.loads(alert.data) for alert in Alert.objects.filter(name="refused entry")]
    assert {(alert["device"], alert["entry"]) for alert in alerts} == {(tablet.device, 1)}
    assert len(alerts) == 3
    assert b"Refused entry" in at("sven").get("/alerts").content


def test_a_flood_of_refused_entries_is_bounded(house: House) -> None:
    tablet = dealing(house)
    before = house.store.position()
    for number in range(1, REFUSED_MAX + 10):
        entry = tablet.entry(act("round.open"))
        forged = {**entry, "body": entry["body"].replace('"seq": ', '"seq": 9')}
        assert tablet.send([forged]).status_code == 409, number
    assert len(since(house, before)) == REFUSED_MAX
    assert RefusedEntry.objects.count() == REFUSED_MAX + 9


@pytest.mark.parametrize(
    "change", [{"seq": 2**70}, {"seq": 0}, {"seq": -1}, {"session": "a\u0000b"}, {"session": "x" * 65}]
)
def test_a_value_that_no_device_sends_is_refused_and_breaks_nothing(house: House, change: dict[str, Any]) -> None:
    tablet = dealing(house)
    body = {**json.loads(tablet.entry(act("round.open"))["body"]), **change}
    signed = tablet.sign(json.dumps(body))
    assert tablet.send([signed]).status_code == 400
    assert tablet.send([{**signed, "signature": "AA"}]).status_code == 409
    assert not QueueEntry.objects.exists()
    assert device_authentication.read_devices().refused == {(tablet.device, 1, "queue-entry-changed")}


def test_the_page_of_devices_names_the_device_of_an_entry_and_calls_its_id_an_id(house: House) -> None:
    revoked, _other, _held = with_held_entries(house)
    TableDevice.objects.filter(id=revoked.device).update(name="")
    shown = words(at("paul"), "/pit/FR1/devices")
    assert f"device {revoked.device}" in shown, "a device without a name"
    TableDevice.objects.filter(id=revoked.device).update(name="Left tablet")
    shown = words(at("paul"), "/pit/FR1/devices")
    assert f"Left tablet Id: {revoked.device}" in shown
    assert "device Left tablet" in shown
    assert f"device {revoked.device}" not in shown
