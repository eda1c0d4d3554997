"""No form offers a person whom the deciders refuse because of the acting person.

The forms and their readers come from the resolver: every form is opened by a person of every role that may send it. The
choices at a count, a removal and a slip are then tried at the desk, each one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.test import Client

from events.desk.command_and_answer_structs import Command
from events.envelope import Who
from events.roles import DEPARTMENT
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses import evening_with_everything
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, House
from tests.support.pages.addresses import READS
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

FORMS = [(address, rule) for address, rule in READS if "/do/" in address]
# Tried below: the desk accepts them.
ONESELF = {("staff.assign", "person"), ("alert.assign", "person"), ("draw.commit", "inspectors")}
TABLE = "FR9"
CHIPS = {"100": 1_000, "500": 1_000, "2500": 1_000}
# What is sent to the desk for each choice, with its field: to an open table with a box.
TRIED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "session.close": ("tables", "witness", {"closer": CHIPS}),
    "table.count": ("tables", "witness", {"chips": CHIPS}),
    "shift.count": ("tables", "witness", {"chips": CHIPS, "next_shift": "night"}),
    "drop.remove": ("tables", "witness", {"drop_box": "one"}),
    "cage.open": ("cage", "witness", {"gaming_day": DAY, "chips": {}, "cash_minor": 0}),
}


@pytest.fixture
def house(evening_house: House) -> House:
    """Give the house a person of each role, and two of surveillance."""
    for role in DEPARTMENT:
        evening_house.grant(f"of-{role.replace(' ', '-')}", role)
    evening_house.install(TABLE, "roulette", "roulette-french")
    evening_house.open_table(TABLE)
    evening_house.ok("tables", TABLE, "ines", evening_house.action("drop.put", drop_box="one"))
    evening_with_everything.project(evening_house)
    return evening_house


def offered(client: Client, address: str) -> Iterator[tuple[str, str, list[str]]]:
    """The action of a form, each of its fields with choices, and those."""
    page = client.get(address)
    if page.status_code != 200 or "form" not in (page.context or {}):
        return
    for name, field in page.context["form"].fields.items():
        choices = list(flat(getattr(field.widget, "choices", ())))
        if choices:
            yield page.context["act"].type, name, choices


def flat(choices: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """The values of choices, also of those below a heading."""
    for value, words in choices:
        yield from flat(words) if isinstance(words, list | tuple) else [str(value)]


def below(client: Client, action: str, heading: str) -> list[str]:
    """The witnesses below a heading of the form of an action at the table."""
    page = client.get(f"/tables/{TABLE}/{DAY}/do/{action}")
    groups = dict(page.context["form"].fields["witness"].widget.choices)
    return [person for person, _words in groups[heading]]


@pytest.mark.parametrize("action", ["shift.count", "session.roll"])
def test_a_witness_to_a_new_box_stands_below_security(house: House, action: str) -> None:
    client = signed_in(Client(), "of-inspector")
    security = below(client, action, "Security: the drop box may be replaced")
    others = below(client, action, "Others: the drop box stays")
    assert security == ["of-security", "sid"]
    for person in security:
        assert not isinstance(check(house, "of-inspector", "shift.count", person, drop_box="two"), Problem)
    for person in others:
        assert not isinstance(check(house, "of-inspector", "shift.count", person), Problem)
        reply = check(house, "of-inspector", "shift.count", person, drop_box="two")
        assert isinstance(reply, Problem)
        assert reply.code == "security-needed"


def test_every_person_who_is_offered_is_accepted(house: House) -> None:
    opened, tried = 0, 0
    clients = {role: signed_in(Client(), f"of-{role.replace(' ', '-')}") for role in DEPARTMENT}
    for address, rule in FORMS:
        for role in sorted(rule.roles & DEPARTMENT.keys()):
            person = f"of-{role.replace(' ', '-')}"
            for action, name, choices in offered(clients[role], address):
                opened += 1
                assert person not in choices or (action, name) in ONESELF, (address, name)
                for choice in filter(None, choices) if action in TRIED and name == TRIED[action][1] else ():
                    reply = check(house, person, action, choice)
                    assert not isinstance(reply, Problem) or reply.field != f"data.{name}", (role, action, reply)
                    tried += 1
    print(f"{len(FORMS)} forms, {opened} fields with choices, {tried} people tried at the desk")
    assert opened > 60
    assert tried > 100


def check(house: House, person: str, kind: str, choice: str, **rest: Any) -> Any:
    target, field, data = TRIED[kind]
    action = house.action(kind, _intent="check", **data, **{field: choice}, **rest)
    who = Who(person=person, roles=frozenset(), factor_s=0)
    name = TABLE if target == "tables" else ""
    [reply] = house.desk.do(Command(Target(target, name, DAY if name else None), (action,), who))
    return reply


def test_one_may_take_a_post_and_an_alert_oneself(house: House) -> None:
    house.ok("tables", TABLE, "ines", house.action("staff.leave", post="inspector"))
    post = house.action("staff.assign", post="inspector", person="of-inspector")
    assert house.ok("tables", TABLE, "of-inspector", post)
    assigned = house.action("alert.assign", person="of-surveillance")
    assert house.ok("alerts", MISPAY_ALERT, "of-surveillance", assigned)


def test_nobody_is_assigned_an_own_alert(house: House) -> None:
    """The alert is about Ines, who later also joins surveillance."""
    house.grant("ines", "surveillance")
    evening_with_everything.project(house)
    other, own = signed_in(Client(), "of-surveillance"), signed_in(Client(), "ines")
    address = f"/alerts/{MISPAY_ALERT}/do/alert.assign"
    assert "ines" not in {name: choices for _, name, choices in offered(other, address)}["person"]
    wall = other.get("/alerts").content.decode()
    form = wall[wall.index(f'action="{address}"') :].partition("</form>")[0]
    assert '<option value="of-surveillance"' in form
    assert '<option value="ines"' not in form
    about_me = own.get("/alerts").content.decode()
    assert "About you: another person decides." in about_me
    assert f"/alerts/{MISPAY_ALERT}/do/" not in own.get(f"/alerts/{MISPAY_ALERT}").content.decode()
