"""A new kind of stream needs one registration: address, documents, decider, approval, checks, store, read model."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from django.test import Client

from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.people import badge_and_key_authentication
from events import catalogue
from events.desk import locked_decisions
from events.desk.command_and_answer_structs import Answer, Checked, Command
from events.desk.desk import Desk
from events.envelope import Who
from events.errors import Unknown
from events.store.stream_chain_verification import verify
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from projections.engine.batch_applier import Applier
from projections.eventlog.models import EventLog
from projections.registry import projectors
from tests.support.houses.small_house import PROPERTY, House, serving, types_of
from tests.toys import stream as toy
from tools.documents import event_and_action_pages, reference_pages

pytestmark = pytest.mark.django_db
WATCH = {"item": "watch", "table": "FR1", "worth_minor": 5_000}
RING = {"item": "ring", "table": "FR1", "worth_minor": 250_000}


@pytest.fixture(params=["on cached state", "at its own position"])
def house(request: pytest.FixtureRequest) -> Iterator[House]:
    """A house with one kind of stream more, judged in one of the two ways."""
    is_followed = request.param == "at its own position"
    decisions = toy.LOST.decisions
    if is_followed:
        decisions = msgspec.structs.replace(decisions, follow=locked_decisions.own_stream)
    stream_kind_declaration.register(msgspec.structs.replace(toy.LOST, decisions=decisions))
    stream_kind_declaration.register(toy.VAULT)
    house = House()
    with serving(house):
        yield house
    house.close()
    stream_kind_declaration.withdraw("lost")
    stream_kind_declaration.withdraw("vault")


def find(house: House, **data: Any) -> Any:
    return house.ok("lost", "", "dora", house.action("item.find", **data))


def test_it_is_addressed_by_http(client: Client, house: House) -> None:
    headers = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('dora', 'Dora Samara')}"}
    body = json.dumps({"type": "item.find", "key": "k1", "data": WATCH})
    response = client.post("/api/v1/lost/actions", body, content_type="application/json", headers=headers)
    assert response.status_code == 200, response.content
    event = response.json()["events"][0]["event"]
    assert (event["type"], event["subject"], event["actorrole"]) == ("item.found.v1", f"{PROPERTY}/lost", "dealer")
    assert (event["correlation"], event["causation"], event["data"]) == ("watch", "k1", WATCH)
    for other in ("lost/x/actions", "floors/actions", "tables/actions"):
        assert client.post(f"/api/v1/{other}", body, content_type="application/json").status_code == 404


def test_it_is_in_the_documents(house: House) -> None:
    document = openapi.build()
    assert document["paths"]["/lost/actions"]["post"]["summary"] == toy.LOST.summary
    taken = {schema["$ref"].rpartition("/")[2] for schema in document["components"]["schemas"]["lost.action"]["oneOf"]}
    assert taken == {"item.find", "item.return", "approval.give", "approval.decline", "approval.withdraw"}
    assert "## `PROPERTY/lost`" in event_and_action_pages.actions_page()
    assert "[`item.returned.v1`]" in event_and_action_pages.events_page()
    assert "## Of lost property" in reference_pages.pages()["reference/roles.md"]


def test_a_second_person_must_agree(house: House) -> None:
    find(house, **WATCH)
    [request] = house.ok("lost", "", "ines", house.action("item.return", item="watch", player="p"))
    assert (request.type, request.data.action) == ("approval.requested.v1", "item.return")
    give = {"request": request.data.request, "content": request.data.content}
    assert house.no("lost", "", "ines", house.action("approval.give", **give)).status == 422
    approval_events = house.ok("lost", "", "sven", house.action("approval.give", **give))
    assert types_of(approval_events) == ["approval.given.v1", "item.returned.v1"]
    assert [event.actorrole for event in approval_events] == ["surveillance"] * 2


def test_roles_and_rules_refuse(house: House) -> None:
    find(house, **WATCH)
    assert house.no("lost", "", "cora", house.action("item.find", **WATCH)).status == 403
    again = house.no("lost", "", "dora", house.action("item.find", **WATCH))
    assert (again.status, again.clause) == (422, toy.CLAUSE)
    assert house.no("lost", "", "dora", house.action("round.open")).status == 422


def test_a_repeated_key_gets_the_first_answer_and_a_check_writes_nothing(house: House) -> None:
    check = house.action("item.find", _intent="check", **RING)
    before = house.store.position()
    [checked] = house.send("lost", "", "dora", check)
    assert isinstance(checked, Checked)
    assert [(event.subject, event.type) for event in checked.events] == [
        (f"{PROPERTY}/lost", "item.found.v1"),
        (toy.VAULT_STREAM, "item.stored.v1"),
    ]
    assert house.store.position() == before
    action = house.action("item.find", **RING)
    first, again = (house.send("lost", "", "dora", action)[0] for _ in range(2))
    assert isinstance(first, Answer)
    assert isinstance(again, Answer)
    assert (again.events, again.position, again.repeated) == (first.events, house.store.position(), True)
    assert len(first.events) == 2


def test_what_happens_elsewhere_is_in_the_same_append(house: House) -> None:
    """One decision appends to two streams, each with its own chain. If one part is refused, nothing is stored."""
    events = find(house, **RING)
    assert [event.subject for event in events] == [f"{PROPERTY}/lost", toy.VAULT_STREAM]
    assert {event.causation for event in events} == {events[0].causation}
    house.no("lost", "", "dora", house.action("item.find", **RING))
    assert house.store.head(toy.VAULT_STREAM).version == 1
    find(house, **{**RING, "item": "pearls"})
    assert house.store.head(toy.VAULT_STREAM).version == 2
    assert verify(house.store).findings == []


def test_a_program_of_several_is_answered_one_by_one_or_as_one(house: House) -> None:
    both = [house.action("item.find", **WATCH), house.action("item.find", **RING)]
    replies = house.send("lost", "", "dora", *both, mode="each")
    assert all(isinstance(reply, Answer) for reply in replies)
    further = [house.action("item.find", **{**WATCH, "item": name}) for name in ("hat", "stick")]
    replies = house.send("lost", "", "dora", *further)
    if stream_kind_declaration.kind_by_name("lost").decisions.follow is None:
        assert all(isinstance(reply, Answer) for reply in replies)
    else:
        assert [reply.field for reply in replies if isinstance(reply, Problem)] == ["mode"]


def test_two_desks_agree(house: House) -> None:
    other = Desk(house.store, PROPERTY)
    who = Who(person="dora", roles=frozenset())
    try:
        for number in range(6):
            desk = (house.desk, other)[number % 2]
            find = house.action("item.find", **{**RING, "item": f"ring {number}"})
            [reply] = desk.do(Command(stream_kind_declaration.Target("lost"), (find,), who))
            assert isinstance(reply, Answer), reply
    finally:
        other.close()
    assert (house.store.head(f"{PROPERTY}/lost").version, house.store.head(toy.VAULT_STREAM).version) == (6, 6)
    assert verify(house.store).findings == []


def test_it_is_projected_into_the_log(house: House) -> None:
    find(house, **RING)
    applier = Applier(projectors(["eventlog"]), PROPERTY)
    applier.load()
    assert applier.apply(house.store.after(0, 1_000)).poisoned == 0
    logged = EventLog._default_manager.filter(type__in=["item.found.v1", "item.stored.v1"]).order_by("position")
    assert [(event.stream, event.correlation) for event in logged] == [
        (f"{PROPERTY}/lost", "ring"),
        (toy.VAULT_STREAM, None),
    ]


# --- on cached state only ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("house", ["on cached state"], indirect=True)
def test_a_refusal_rests_on_what_the_kind_reads(house: House) -> None:
    """The floor was known here before another desk put the table there."""
    lost = {**WATCH, "table": "FR9"}
    assert house.no("lost", "", "dora", house.action("item.find", **lost)).status == 404
    mine, house.desk = house.desk, Desk(house.store, PROPERTY)
    house.install("FR9", "roulette", "roulette-french")
    house.desk.close()
    house.desk = mine
    assert types_of(find(house, **lost)) == ["item.found.v1"]


def test_without_the_registration_there_is_nothing_of_it(client: Client) -> None:
    assert "lost" not in stream_kind_declaration.declared()
    assert "item.find" not in catalogue.action_types()
    assert client.post("/api/v1/lost/actions", "{}", content_type="application/json").status_code == 404
    with pytest.raises(Unknown):
        stream_kind_declaration.kind_by_name("lost")


@pytest.mark.parametrize(
    ("streams", "address", "stream"),
    [
        ("PROPERTY/lost", "/lost/actions", "athens/lost"),
        ("PROPERTY/shops/NAME", "/shops/{name}/actions", "athens/shops/bar"),
        ("PROPERTY/cloakroom/GAMING-DAY", "/cloakroom/actions", "athens/cloakroom/2026-11-20"),
        ("PROPERTY/doors/DOOR/GAMING-DAY", "/doors/{name}/actions", "athens/doors/bar/2026-11-20"),
    ],
)
def test_the_address_follows_from_the_name_of_the_streams(streams: str, address: str, stream: str) -> None:
    kind = msgspec.structs.replace(toy.LOST, streams=streams)
    assert kind.address == address
    assert (
        stream_kind_declaration.addressed(
            kind, PROPERTY, stream_kind_declaration.Target(kind.name, "bar", "2026-11-20")
        )
        == stream
    )
