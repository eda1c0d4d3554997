"""The directory: the people of the house, the administrator's actions, and erasable names for permitted readers."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from backoffice.access.models import Access
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import Person
from backoffice.people import staff_list_and_name_lookup
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, filled_in, forms, open_door
from tests.support.pages.page_actors import preview_of as shown_form
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def door(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessDoor]:
    monkeypatch.setattr(
        "backoffice.people.current_roles.REMEMBERED_S", 3_600.0
    )  # what was granted is seen all the same
    with open_door(evening_house) as opened_door:
        yield opened_door


def deed(person: str, name: str, /, **fields: str) -> str:
    """Return the page after an administrator's action."""
    answer = at(person).post(f"/people/do/{name}", fields, follow=True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def agree(person: str, about: str) -> None:
    """Approve a request about a person by the button in the inbox."""
    inbox = source(at(person), "/inbox")
    assert about in inbox
    [form] = forms(inbox, "approval.give")
    shown = at(person).get(form)
    answer = at(person).post(form.partition("?")[0], filled_in(shown) | {"form-step": "send"})
    assert answer.status_code == 302, complaints(answer)


def test_people_stand_there_with_their_roles_and_names_for_those_who_may_know_them(door: InProcessDoor) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara"})
    assert "dora Dora Samara dealer" in words(at("paul"), "/people")
    assert "Dora Samara" not in source(at("olga"), "/people")
    assert "dora dealer" in words(at("olga"), "/people")
    assert at("dora").get("/people").status_code == 403


def test_an_administrator_adds_somebody_gives_a_role_a_link_and_a_badge(door: InProcessDoor) -> None:
    assert "Done" in deed("adam", "add", person="nina", name="Nina K.")
    answer, _sent = done(at("adam"), "/people/do/role.grant", person="nina", role="inspector")
    assert answer["Location"] == "/people", complaints(answer)
    assert "nina Nina K. –" in words(at("adam"), "/people")
    agree("sven", "nina")
    assert "nina Nina K. inspector" in words(at("adam"), "/people")
    assert re.search(r"/enrol#\S{20}", deed("adam", "enrol", person="nina"))
    assert "shown only once" in deed("adam", "badge", person="nina")
    assert "nina Nina K. inspector yes" in words(at("adam"), "/people")
    assert Access.objects.filter(person="adam", what="people badge nina").count() == 1


def test_a_name_is_erased_and_events_never_had_it(door: InProcessDoor) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara", "email": "d@example.org"})
    deed("adam", "name", person="dora", name="")
    row = Person.objects.get(id="dora")
    assert (row.name, row.email) == ("", "")
    assert all(b"Samara" not in event.raw for event in door.house.store.after(0, 100_000))


def test_a_search_by_name_becomes_ids_before_it_is_in_an_address(door: InProcessDoor) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara"})
    answer = at("sven").post("/people/find", {"name": "samar"})
    assert answer["Location"] == "/people?ids=dora"
    assert at("olga").post("/people/find", {"name": "samar"})["Location"] == "/people"


def test_nobody_else_changes_anything(door: InProcessDoor) -> None:
    for person in ("paul", "olga"):
        assert at(person).post("/people/do/badge", {"person": "dora"}).status_code == 403
        assert "/do/" not in source(at(person), "/people")


def test_an_old_second_factor_lets_nobody_hand_out_keys(door: InProcessDoor) -> None:
    client = at("adam")
    session = client.session
    session["account_authentication_methods"] = [
        {**method, "at": method["at"] - 10_000} for method in session["account_authentication_methods"]
    ]
    session.save()
    answer = client.post("/people/do/badge", {"person": "dora"})
    assert answer["Location"].startswith("/account/factors/reauthenticate/")


def test_who_turns_keys_is_let_in_anew_by_two(door: InProcessDoor) -> None:
    """A link for paul would be paul: after a loss surveillance agrees to it, and it is one link."""
    Person.objects.update_or_create(id="paul", defaults={"password": "scrypt$x"})
    assert "Surveillance must approve the sign-in link first" in deed("adam", "enrol", person="paul")
    answer, _sent = done(at("adam"), "/people/do/person.admit", person="paul")
    assert answer.status_code == 302, complaints(answer)
    assert "Surveillance must approve the sign-in link first" in deed("adam", "enrol", person="paul")
    agree("sven", "paul")
    assert re.search(r"/enrol#\S{20}", deed("adam", "enrol", person="paul"))
    assert "Surveillance must approve a new one" in deed("adam", "enrol", person="paul")


def test_an_agreement_to_a_further_role_opens_no_login_that_is_there(door: InProcessDoor) -> None:
    Person.objects.update_or_create(id="paul", defaults={"password": "scrypt$x"})
    door.house.grant("paul", "cage")
    assert "Surveillance must approve the sign-in link first" in deed("adam", "enrol", person="paul")


def test_a_login_that_one_person_opened_turns_no_key_whatever_roles_come(
    door: InProcessDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an administrator could open the login first, and have the colleague's role approved later."""
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)  # she may do at once what she may do
    assert "Done" in deed("adam", "add", person="nina", name="")
    link = re.search(r"/enrol#(\S{20,})", deed("adam", "enrol", person="nina"))
    assert link is not None
    assert Client().post("/enrol", {"code": link[1], "password": PASSWORD, "again": PASSWORD}).status_code == 302
    door.house.grant("nina", "progressive manager")
    shown, _sent = shown_form(at("nina"), "/progressives/blazing/do/parameters.change", level="mega", cap_minor="90000")
    assert "such a login approves nothing" in complaints(shown)
    assert "such a login approves nothing" not in complaints(
        shown_form(at("mark"), "/progressives/blazing/do/parameters.change", level="mega", cap_minor="90000")[0]
    )


def test_nor_does_an_administrator_whom_one_let_in_hand_out_keys(door: InProcessDoor) -> None:
    door.house.grant("eve", "administrator")
    client = at("eve")
    Person.objects.filter(id="eve").update(turns_keys=False)
    answer = client.post("/people/do/badge", {"person": "dora"})
    assert (answer.status_code, "such a login approves nothing" in answer.content.decode()) == (422, True)


def test_a_row_of_the_directory_lets_somebody_in_without_typing_their_id(door: InProcessDoor) -> None:
    """The link that lets them in, the role and the badge: each is a button of the row, filled in."""
    admin = at("adam")
    text = source(admin, "/people")
    row = text.partition('id="person-dora"')[2].partition("</tr>")[0]
    for address in ("/people/do/enrol?person=dora", "/people/do/badge?person=dora"):
        assert f'href="{address}"' in row
        assert admin.get(address).context["form"]["person"].value() == "dora"
    (grant,) = forms(row, "role.grant")
    assert admin.get(grant).context["form"]["person"].value() == "dora"
    assert "form-back=%2Fpeople%23person-dora" in grant
    assert "/people/do/" not in source(at("paul"), "/people")


def test_the_cage_and_accounting_read_names(door: InProcessDoor) -> None:
    """The auditor reads ids, as the auditor also reads documents for strangers."""
    staff_list_and_name_lookup.add("d-7", "Dora Galani")
    for role in ("cage", "accountant", "pit boss", "surveillance"):
        assert staff_list_and_name_lookup.names_for(Reader("x", frozenset({role}))).get("d-7") == "Dora Galani", role
    for role in ("count", "dealer", "auditor"):
        assert staff_list_and_name_lookup.names_for(Reader("x", frozenset({role}))) == {}, role
