"""`GET /api/v1/search`: the grammar over HTTP, in pages, refused at its column."""

import json
from typing import Any

import pytest
from django.test import Client

from backoffice.running import django_settings
from backoffice.surveillance.search.query import search
from backoffice.surveillance.search.result_pages import everything
from tests.support.house import House

pytestmark = pytest.mark.django_db


def _positions(answer: Any) -> list[int]:
    return [one["position"] for one in answer["events"]]


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_pages_of_a_search_join(client: Client, evening_house: House, order: str) -> None:
    asked = {"q": "table:FR1 -type:bet.placed", "order": order, "limit": "40"}
    answer = client.get("/api/v1/search", asked).json()
    seen = _positions(answer)
    while answer["next"] is not None:
        answer = client.get("/api/v1/search", asked | {"after": answer["next"]}).json()
        seen += _positions(answer)
    assert seen == [one.position for one in everything(search(asked["q"]), newest=order == "newest")]
    assert seen


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"q": "table:BJ1 tabel:BJ1"}, "Column 11"),
        ({"q": "", "order": "sideways"}, "newest or oldest"),
        ({"q": "", "limit": "0"}, "1 to 500"),
        ({"q": "", "after": "x"}, "is not a whole number"),
    ],
)
def test_what_cannot_be_understood_finds_nothing(
    client: Client, evening_house: House, asked: dict[str, str], says: str
) -> None:
    answer = client.get("/api/v1/search", asked)
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert says in answer.json()["detail"]


def _scalar_parameters() -> list[tuple[str, str]]:
    paths = json.loads((django_settings.ROOT / "docs" / "openapi.json").read_text())["paths"]
    return [
        (path, parameter["name"])
        for path, methods in paths.items()
        for parameter in methods.get("get", {}).get("parameters", ())
        if parameter.get("in") == "query" and parameter["schema"].get("type") != "array" and "{" not in path
    ]


def test_a_parameter_that_appears_twice_is_refused_at_every_address(client: Client, evening_house: House) -> None:
    """Earlier, an address with two searches was answered as if it had only the last one."""
    parameters = _scalar_parameters()
    assert ("/search", "q") in parameters
    answers = {(path, name): client.get(f"/api/v1{path}", {name: ["a", "b"]}) for path, name in parameters}
    wrong = {key: answer.content[:80] for key, answer in answers.items() if answer.status_code != 400}
    assert not wrong
    assert answers["/search", "q"].json()["field"] == "q"
    assert client.get("/api/v1/search", {"after": "x"}).json()["field"] == "after"


@pytest.mark.parametrize("query", ["q=a&q=b", "q=5&q=7", "table=FR1&table=FR1", "order=oldest&order=newest"])
def test_the_pages_of_a_search_refuse_a_parameter_that_appears_twice(
    client: Client, evening_house: House, query: str
) -> None:
    for address in ("/events", "/events/live", "/events/saved"):
        assert client.get(f"{address}?{query}").status_code == 400, address
    assert client.get("/events?type=bet.placed&type=round.opened").status_code == 200
