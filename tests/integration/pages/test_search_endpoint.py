"""`GET /api/v1/search`: the grammar over HTTP, in pages, refused at its column."""

from typing import Any

import pytest
from django.test import Client

from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from tests.support.houses.small_house import House

pytestmark = pytest.mark.django_db


def _positions(answer: Any) -> list[int]:
    return [entry["position"] for entry in answer["events"]]


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_pages_of_a_search_join(client: Client, evening_house: House, order: str) -> None:
    parameters = {"q": "table:FR1 -type:bet.placed", "order": order, "limit": "40"}
    answer = client.get("/api/v1/search", parameters).json()
    seen = _positions(answer)
    while answer["next"] is not None:
        answer = client.get("/api/v1/search", parameters | {"after": answer["next"]}).json()
        seen += _positions(answer)
    assert seen == [event.position for event in all_matches(search(parameters["q"]), newest=order == "newest")]
    assert seen


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"q": "table:BJ1 tabel:BJ1"}, "Column 11"),
        ({"q": "", "order": "sideways"}, "newest or oldest"),
        ({"q": "", "limit": "0"}, "1 to 500"),
        ({"q": "", "after": "x"}, "is not a whole number"),
    ],
)
def test_what_cannot_be_understood_finds_nothing(
    client: Client, evening_house: House, parameters: dict[str, str], says: str
) -> None:
    answer = client.get("/api/v1/search", parameters)
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert says in answer.json()["detail"]
