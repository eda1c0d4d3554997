"""The access log: the house writes each line before it shows a page, and the auditor reads it."""

import json

import pytest
from django.db import DatabaseError
from django.test import Client

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import EVENT, EXPORT, EXPORTED, LOOKS, PERSON, SEARCH, add
from events.errors import Retry
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import without_form_secrets, words

pytestmark = pytest.mark.django_db


def lines() -> list[tuple[int, str, str, str, str, int | None]]:
    return [*Look.objects.order_by("number").values_list("number", "person", "source", "kind", "what", "entry_count")]


def test_searches_exports_and_people_leave_a_line_each(client: Client, evening_house: House) -> None:
    answer = client.get("/api/v1/search", {"q": "table:FR1", "limit": "7"}).json()
    words(client, "/events?table=FR1")
    exported = b"".join(client.get("/events/export.jsonl?table=FR1"))
    client.get(f"/days/{DAY}/cash")
    client.get(f"/days/{DAY}/cash.csv?all=1")
    client.get("/api/v1/search", {"q": "tabel:x"})  # refused: nothing was shown
    client.get("/events/1")
    assert len(answer["events"]) == 7
    assert [line[1:] for line in lines()] == [
        ("olga", "127.0.0.1", SEARCH, "/api/v1/search?q=table:FR1&limit=7", 7),
        ("olga", "127.0.0.1", SEARCH, "/events?table=FR1", 50),
        ("olga", "127.0.0.1", EXPORT, "/events/export.jsonl?table=FR1", None),
        ("olga", "127.0.0.1", EXPORTED, "/events/export.jsonl?table=FR1", exported.count(b"\n")),
        ("olga", "127.0.0.1", PERSON, f"/days/{DAY}/cash", 1),
        ("olga", "127.0.0.1", EXPORT, f"/days/{DAY}/cash.csv?all=1", 5),
        ("olga", "127.0.0.1", EVENT, "/events/1", 1),
    ]


def test_what_cannot_be_written_down_is_not_shown(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(Look, "save", full)
    for address in ("/api/v1/search?q=table:FR1", "/events", "/events/export.jsonl"):
        answer = client.get(address)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1"), address
        assert "FR1" not in without_form_secrets(answer.content.decode())
    with pytest.raises(Retry, match="Nothing is shown that the access log cannot record"):
        add(SEARCH, "x")
    assert client.get("/").status_code == 200, "who looks at the floor leaves no line"


def test_the_auditor_sees_who_looked_and_nobody_else_does(client: Client, evening_house: House) -> None:
    at("sven").get("/api/v1/search", {"q": "player:P9"})
    page = words(client, "/integrity/looks")
    assert "sven" in page
    assert "/api/v1/search?q=player:P9" in page
    assert "No entries" in words(client, "/integrity/looks?kind=certificate")
    assert "Access log" in words(client, "/integrity")
    answer = client.get("/api/v1/looks?kind=search").json()
    assert [look["person"] for look in answer["looks"]] == ["sven"]
    assert client.get("/api/v1/looks?kind=gossip").status_code == 400
    lines_of_export = b"".join(client.get("/integrity/looks/export.jsonl?kind=search")).splitlines()
    assert [json.loads(line)["person"] for line in lines_of_export] == ["sven"]
    for person in ("sven", "anna", "mark"):
        assert at(person).get("/integrity/looks").status_code == 403
        assert at(person).get("/api/v1/looks").status_code == 403
    assert "Access log" not in words(at("sven"), "/integrity")
    kinds = {line[3] for line in lines() if line[1] == "olga"}
    assert kinds == {LOOKS, EXPORT, EXPORTED}, "who looks at that leaves a line too"
