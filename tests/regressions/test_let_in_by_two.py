"""One administrator alone cannot add a key holder. Surveillance approves the role, and sign-in links of its holders."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.desk.command_and_answer_structs import Command
from events.desk.desk import Desk
from events.envelope import AnyEnvelope, Who
from events.people.role_grant_decider import People
from events.store import open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import PROPERTY, House, events_of, types_of


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house_ = House(open_store(url))
    yield house_
    house_.close()


def people(house: House) -> People:
    people_: People = house.desk.streams.cache.property_state("people")
    return people_


def ask(house: House, kind: str, /, **data: str) -> AnyEnvelope:
    [event] = house.ok("people", "", "adam", house.action(kind, **data))
    return event


def agree(house: House, person: str, envelope: AnyEnvelope) -> list[AnyEnvelope]:
    give = house.action("approval.give", request=envelope.data.request, content=envelope.data.content)
    return house.ok("people", "", person, give)


def disagree(house: House, person: str, envelope: AnyEnvelope) -> Problem:
    give = house.action("approval.give", request=envelope.data.request, content=envelope.data.content)
    return house.no("people", "", person, give)


def test_two_ghosts_of_one_administrator_approve_nothing(house: House) -> None:
    """Roles that one administrator grants alone to two invented people give them no right to approve."""
    for ghost, role in (("g-1", "progressive manager"), ("g-2", "accountant")):
        assert ask(house, "role.grant", person=ghost, role=role).type == "approval.requested.v1"
    new = house.action("parameters.change", level="mega", cap_minor=9_000_000)
    assert house.no("progressives", "blazing", "g-1", new).status == 403
    assert not people(house).turns_keys("g-1")


def test_the_role_is_in_force_from_the_agreement_on(house: House) -> None:
    requested = ask(house, "role.grant", person="nina", role="cage")
    assert types_of(agree(house, "sven", requested)) == ["approval.given.v1", "role.granted.v1"]
    assert people(house).roles["nina"] == {"cage"}


@pytest.mark.parametrize(("person", "status"), [("paul", 403), ("anna", 403), ("adam", 422), ("dora", 403)])
def test_nobody_but_surveillance_agrees(house: House, person: str, status: int) -> None:
    requested = ask(house, "role.grant", person="nina", role="cage")
    assert disagree(house, person, requested).status == status


def test_a_second_administrator_agrees_in_vain(house: House) -> None:
    house.grant("eve", "administrator")
    requested = ask(house, "role.grant", person="nina", role="cage")
    assert types_of(agree(house, "eve", requested)) == ["approval.given.v1"]
    assert types_of(agree(house, "sven", requested))[-1] == "role.granted.v1"


def test_an_administrator_in_surveillance_is_nobody_s_second_person(house: House) -> None:
    for role in ("administrator", "surveillance"):
        house.grant("eve", role)
    requested = ask(house, "role.grant", person="nina", role="cage")
    assert types_of(agree(house, "eve", requested)) == ["approval.given.v1"]
    assert types_of(agree(house, "sven", requested))[-1] == "role.granted.v1"


def test_surveillance_gives_itself_nothing(house: House) -> None:
    requested = ask(house, "role.grant", person="sven", role="cage")
    assert "No one grants a role to himself or herself." in disagree(house, "sven", requested).detail


def test_a_role_that_turns_no_key_is_granted_by_one(house: House) -> None:
    assert ask(house, "role.grant", person="nina", role="dealer").type == "role.granted.v1"


def test_an_auditor_who_is_asked_about_a_rest_is_made_by_two(house: House) -> None:
    assert ask(house, "role.grant", person="nina", role="auditor").type == "approval.requested.v1"


def test_the_last_of_surveillance_stays(house: House) -> None:
    """Otherwise an administrator could remove the last person who must approve, and act alone."""
    revoke = {"person": "sven", "role": "surveillance"}
    assert "the last" in house.no("people", "", "adam", house.action("role.revoke", **revoke)).detail
    house.grant("will", "surveillance")
    house.ok("people", "", "adam", house.action("role.revoke", **revoke))
    last = house.action("role.revoke", person="will", role="surveillance")
    assert "the last" in house.no("people", "", "adam", last).detail


def test_the_last_of_surveillance_is_made_no_administrator_who_watches_himself(house: House) -> None:
    requested = ask(house, "role.grant", person="sven", role="administrator")
    assert disagree(house, "sven", requested).status == 422


def test_a_new_house_grants_alone_until_somebody_can_agree(house: House) -> None:
    desk = Desk(house.store, "sparta")
    try:
        for person, role, done in (
            ("ada", "administrator", "role.granted.v1"),
            ("paul", "pit boss", "role.granted.v1"),
            ("sven", "surveillance", "role.granted.v1"),
            ("anna", "accountant", "approval.requested.v1"),
        ):
            action = house.action("role.grant", person=person, role=role)
            who = Who(person="ada", roles=frozenset(), factor_s=0)
            [reply] = desk.do(Command(Target("people"), (action,), who))
            assert not isinstance(reply, Problem), reply
            assert types_of(events_of([reply])) == [done]
    finally:
        desk.close()


def test_a_link_for_who_turns_keys_is_agreed_to(house: House) -> None:
    assert (
        "is in no role that approves, so a link needs no approval."
        in house.no("people", "", "adam", house.action("person.admit", person="dora")).detail
    )
    requested = ask(house, "person.admit", person="paul")
    himself = house.action("person.admit", person="adam")
    assert "No one requests or approves their own sign-in link." in house.no("people", "", "adam", himself).detail
    assert disagree(house, "paul", requested).status == 403
    assert "paul" not in people(house).admitted
    assert types_of(agree(house, "sven", requested)) == ["approval.given.v1", "person.admitted.v1"]
    admission = people(house).admitted["paul"]
    assert (admission.action, admission.request) == ("person.admit", requested.data.request)


def test_of_two_desks_that_hear_the_last_agreement_one_grants(house: House) -> None:
    requested = ask(house, "role.grant", person="nina", role="cage")
    other = Desk(house.store, PROPERTY)
    try:
        give = house.action("approval.give", request=requested.data.request, content=requested.data.content)
        assert disagree(house, "adam", requested).status == 422  # both know the request
        who = Who(person="sven", roles=frozenset(), factor_s=0)
        [reply] = other.do(Command(Target("people"), (give,), who))
        assert not isinstance(reply, Problem)
        assert "decided already" in disagree(house, "sven", requested).detail
    finally:
        other.close()
