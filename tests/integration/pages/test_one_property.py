"""An installation is one property: no address shows data of another property to any reader.

The addresses come from the resolver, so that new addresses are tested too.
"""

import re
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from backoffice.people import badge_and_key_authentication
from backoffice.urls import addresses
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import DAY, House
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

OTHERS = ("corfu", quote("corfu/tables/FR1", safe=""), quote(f"corfu/tables/FR1/{DAY}", safe=""), "..%2Fcorfu")
ROLES = ("inspector", "pit boss", "cage", "accountant", "progressive manager", "security", "surveillance", "count")
SHELLS = ("table-screen", "table-manifest")  # the same for every name, and nothing of any house
NAMED = [
    where
    for where, pattern in addresses(get_resolver().url_patterns)
    if {"name", "hit"} & set(pattern.pattern.converters) and pattern.name not in SHELLS
]


def addressed(where: str, other: str) -> str:
    """Return the address with ids of another property in its variable parts."""
    where = re.sub(r"<(\w+:)?gaming_day>", DAY, where)
    where = re.sub(r"<(\w+:)?kind>|<named-kind:kind>", "tables", where)
    where = re.sub(r"<(\w+:)?hit>", f"{other}-{DAY}-1-1", where)
    return re.sub(r"<([\w-]+:)?\w+>", other, where)


@pytest.fixture
def maria(evening_house: House) -> Client:
    """Return the browser of a person who may read all pages of this property."""
    for role in ROLES:
        evening_house.grant("maria", role)
    return signed_in(Client(), "maria")


def test_there_are_such_addresses() -> None:
    assert len(NAMED) > 30
    assert any("/live" in address for address in NAMED)
    assert any(address.startswith("/api/v1/") for address in NAMED)


@pytest.mark.parametrize("other", OTHERS)
def test_what_is_another_property_s_is_not_found(maria: Client, other: str) -> None:
    badge = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('maria')}"}
    for where in NAMED:
        address = addressed(where, other)
        answer = maria.get(address, headers=badge if address.startswith("/api/") else {})
        assert answer.status_code in (404, 405), address
        if answer.status_code == 405:  # it takes actions
            body = {"type": "round.open", "key": f"k-{other}"}
            posted = maria.post(address, body, "application/json", headers=badge)
            assert posted.status_code == 404, (address, posted.content)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_of_a_table_screen_tells_no_table_from_another(maria: Client, shell: str) -> None:
    ours, other = (maria.get(reverse(shell, args=[name])).content for name in ("FR1", "corfu"))
    csrf = re.compile(rb'"csrf":\s*"\w+"')
    assert csrf.sub(b"", ours).replace(b"FR1", b"corfu") == csrf.sub(b"", other)


@pytest.mark.parametrize("address", ["/events", "/api/v1/events", "/events/total", "/events/export.jsonl"])
def test_the_log_has_no_stream_of_another_property(maria: Client, address: str) -> None:
    assert maria.get(f"{address}?stream=athens/people").status_code == 200, address
    assert maria.get(f"{address}?stream=corfu/people").status_code == 404, address


def test_an_event_of_another_property_is_none_of_this_log(maria: Client) -> None:
    row = EventLog.objects.get(position=9)
    row.position, row.stream = 1_000_000, "corfu/people"
    row.save(force_insert=True)
    assert maria.get("/events/9").status_code == 200
    assert maria.get("/events/1000000").status_code == 404


def test_a_badge_of_this_directory_acts_in_no_other_property(evening_house: House) -> None:
    badge = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('dora')}"}
    body = {"type": "round.open", "key": "k-elsewhere"}
    before = evening_house.store.position()
    for name in OTHERS:
        answer = Client().post(f"/api/v1/tables/{name}/actions", body, "application/json", headers=badge)
        assert answer.status_code == 404, name
    assert evening_house.store.position() == before
