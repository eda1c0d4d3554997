"""Pages in other languages than English: every word that people read is translated, on every page."""

import re
from pathlib import Path

import pytest
from django.test import Client, override_settings

from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.models import Person
from events.fields import CURRENCIES
from tests.integration.pages.test_access_log_line_per_address import page_content
from tests.support.houses.small_house import DAY, House
from tests.support.pages.addresses import READS, ROLES
from tests.support.pages.pseudo_language import CODE, spoken, untranslated
from tests.support.pages.sign_in import signed_in
from tools.translations import LANGUAGES

# People of the evening, parts of the house, the shift called "day", formats of files, the clause "house payment".
NAMES = {*CURRENCIES, "Pitledger", "UTC", "XLSX", "JSON", "PDF", "day", "blazing", "reconciler", "house", "payment"}
NAMES |= {"ada", "adam", "anna", "cage", "cora", "dora", "ines", "mark", "olga", "paul", "sid", "sven"}
NAMES |= {"projector", "eventlog", "tables", "progressives", "floor", "accounts", "alerts", "cases", "CTR"}

pytestmark = pytest.mark.django_db

MACHINE_FORM = re.compile(
    r"/api/|/metrics|/(health|live|ready)z|/places|/sw\.js|webmanifest|\.(csv|pdf|xlsx|jsonl?|beancount)$|/(pdf|csv|xlsx|json)$"
)


def reader_of_role(role: str) -> str:
    return f"r{ROLES.index(role)}"


def reader_of(rule: ReadRule) -> str:
    """Return a person who may read the page."""
    return reader_of_role("auditor" if rule.known or "auditor" in rule.roles else min(rule.roles))


def test_every_word_of_every_page_is_translated(evening_house: House, tmp_path: Path) -> None:
    for role in ROLES:
        evening_house.grant(reader_of_role(role), role)
    clients = {reader_of_role(role): signed_in(Client(), reader_of_role(role)) for role in ROLES}
    left: dict[str, list[str]] = {}
    with spoken(tmp_path):
        for address, rule in READS:
            if not MACHINE_FORM.search(address):
                client = Client() if rule.public else clients[reader_of(rule)]
                words = [word for word in untranslated(page_content(client, address)) if word not in NAMES]
                left |= {address: words} if words else {}
    assert left == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_opens_in_each_language(evening_house: House, language: str) -> None:
    client = signed_in(Client(), "olga")
    with override_settings(PITLEDGER_LANGUAGE=language):
        for address, rule in READS:
            if not MACHINE_FORM.search(address) and (rule.known or rule.public or "auditor" in rule.roles):
                answer = client.get(address)
                assert answer.status_code < 500, address
                page = answer.content.decode() if "text/html" in answer.headers.get("Content-Type", "") else ""
                assert "<html" not in page or f'<html lang="{language}"' in page, address
                if not rule.public and answer.status_code == 200:
                    assert answer.headers["Content-Language"] == language
        for address in ("/", "/nothing/here", "/tables/FR1/2020-01-01"):
            assert f'<html lang="{language}"' in client.get(address).content.decode()
        assert f'<html lang="{language}"' in Client().get("/sign-in").content.decode()


def test_programs_get_english_in_every_language(evening_house: House, tmp_path: Path) -> None:
    client = signed_in(Client(), "olga")
    files = (f"/days/{DAY}.csv", f"/days/{DAY}/reports/slips.csv", f"/api/v1/tables/FR1/{DAY}", "/api/v1/hold")
    before = {address: page_content(client, address) for address in files}
    assert all(before.values())
    with spoken(tmp_path):
        after = {address: page_content(client, address) for address in files}
    assert [*map(without_clock, after.values())] == [*map(without_clock, before.values())]


def without_clock(text: str) -> list[str]:
    """Return the lines of a file but those that say when it was made."""
    return [line for line in text.splitlines() if not line.startswith(("made,", "SHA-256"))]


def test_a_choice_comes_before_the_property_and_that_before_the_browser(house: House, tmp_path: Path) -> None:
    with spoken(tmp_path), override_settings(PITLEDGER_LANGUAGE=""):
        assert language_of(Client(), CODE) == CODE
        assert language_of(Client(), "fr, de;q=0.5") == "en"
        with override_settings(PITLEDGER_LANGUAGE="en"):
            assert language_of(Client(), CODE) == "en"
            client = signed_in(Client(), "olga")
            client.post("/account/language", {"language": CODE})
            assert language_of(client, "en") == CODE
            assert Person.objects.get(pk="olga").language == CODE
            client.post("/account/language", {"language": ""})
            assert language_of(client, CODE) == "en"


def test_a_choice_goes_with_the_person_to_another_browser(house: House, tmp_path: Path) -> None:
    signed_in(Client(), "olga")
    Person.objects.filter(pk="olga").update(language=CODE)
    with spoken(tmp_path), override_settings(PITLEDGER_LANGUAGE="en"):
        client = Client()
        client.force_login(Person.objects.get(pk="olga"), "allauth.account.auth_backends.AuthenticationBackend")
        assert client.session["language"] == CODE


def language_of(client: Client, accepted: str) -> str:
    answer = client.get("/account/language", headers={"Accept-Language": accepted}, follow=True)
    return str(answer.headers["Content-Language"])
