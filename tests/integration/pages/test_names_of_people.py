"""Readers who may know names read them on every page, and no bare id. Ids of others come after a word like "device"."""

import re

import pytest
from django.test import Client

from backoffice.models import Person
from backoffice.people.current_roles import read_people
from tests.support.houses.small_house import House
from tests.support.pages.addresses import ABSENT, READ
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

# Without the menu, forms, the title in the browser's tab, the event as JSON, and the directory's own column of ids.
ELSEWHERE = (
    r'(?s)<(title|script|style|header|nav|textarea|select|pre)\b.*?</\1>|<tr id="person-[^>]*><th.*?</th>|<[^>]+>'
)


@pytest.mark.parametrize("reader", ["sven", "paul", "anna", "cage"])
def test_no_page_shows_the_id_of_a_person_whose_name_the_reader_may_know(evening_house: House, reader: str) -> None:
    client, people = (
        signed_in(Client(), reader),
        sorted({*read_people().roles} - {"cage"}),
    )  # its id is a word of the trade
    for number, person in enumerate(people):
        Person.objects.update_or_create(id=person, defaults={"name": f"Name {number}"})
    bare, seen = {}, set()
    for address in sorted({address for address, _rule in READ} - {*ABSENT}):
        answer = client.get(address)
        if answer.streaming or not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        text = re.sub(ELSEWHERE, " ", answer.content.decode())
        seen.update(re.findall(r"Name \d+", text))
        if lines := re.findall(rf".*(?<![\w/.-])(?:{'|'.join(people)})(?![\w-]).*", text):
            bare[address] = lines
    assert bare == {}
    assert len(seen) >= 3, "names were shown"


def test_the_floor_says_who_is_the_dealer_and_who_the_inspector(evening_house: House) -> None:
    page = signed_in(Client(), "olga").get("/").content.decode()
    assert re.search(r'<span class="word">Dealer:</span>\s*dora', page)
    assert re.search(r"Inspector:\s*ines", page)
