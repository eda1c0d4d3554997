"""Saved searches, for a person or for a role: they have no names, and only their author deletes them."""

import pytest
from django.test import Client

from backoffice.models import Person, SavedSearch
from backoffice.surveillance.search.saved_searches import AT_MOST
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source

pytestmark = pytest.mark.django_db


def save(client: Client, query: str, name: str, role: str = "", status: int = 302) -> str:
    answer = client.post("/events/save", {"query": query, "name": name, "role": role})
    assert answer.status_code == status, answer.content[:2_000]
    return answer.headers.get("Location", "") if status == 302 else answer.content.decode()


def saved_searches(client: Client) -> list[tuple[str, str, str, str, bool]]:
    searches = client.get("/api/v1/search/saved").json()["searches"]
    return [
        (search["name"], search["query"], search["person"], search["role"], search["is_mine"]) for search in searches
    ]


def test_a_search_is_kept_under_a_name_and_leads_to_what_it_finds(evening_house: House) -> None:
    sven = at("sven")
    query = "q=table%3AFR1+irregularity%3Amispay&sum=event-win&order=oldest"
    assert save(sven, query, "  Mispays of \n FR1 ") == f"/events?{query}"
    assert saved_searches(sven) == [("Mispays of FR1", query, "sven", "", True)]
    assert 'hx-get="/events/saved?q=table%3AFR1"' in source(sven, "/events?q=table:FR1")
    page = source(sven, "/events/saved?q=table:FR1")
    assert 'name="query" value="q=table%3AFR1"' in page
    assert f'href="/events?{query.replace("&", "&amp;")}">Mispays of FR1</a>' in page
    assert sven.get(f"/events?{query}").status_code == 200
    save(sven, "q=table%3AFR2&before=90", "Mispays of FR1")
    assert saved_searches(sven) == [("Mispays of FR1", "q=table%3AFR2", "sven", "", True)], (
        "the same name, another search"
    )


def test_what_is_shared_is_read_by_that_role_and_kept_by_who_saved_it(evening_house: House) -> None:
    sven, olga, ines = at("sven"), at("olga"), at("ines")
    save(sven, "q=table%3AFR1", "One table", "inspector")
    save(sven, "q=table%3AFR2", "Mine")
    assert [search[0] for search in saved_searches(sven)] == ["Mine", "One table"]
    assert saved_searches(ines) == [("One table", "q=table%3AFR1", "sven", "inspector", False)]
    assert saved_searches(olga) == []
    assert "Forget One table" not in source(ines, "/events/saved")
    number = SavedSearch.objects.get(name="One table").id
    ines.post("/events/forget", {"id": number})
    assert len(saved_searches(ines)) == 1, "it is not theirs to let go"
    back = sven.post("/events/forget", {"id": number, "back": "q=table%3ABJ1"})
    assert back.headers["Location"] == "/events?q=table%3ABJ1"
    assert saved_searches(ines) == []
    assert [search[0] for search in saved_searches(sven)] == ["Mine"]
    assert sven.post("/events/forget", {"id": "all"}).status_code == 302
    assert len(saved_searches(sven)) == 1


@pytest.mark.parametrize(
    ("query", "name", "role", "says"),
    [
        ("q=tabel%3Ax", "A", "", "there is no field"),
        ("sum=nothing", "A", "", "There is no sum"),
        ("q=x", " ", "", "has 1 to 80 characters"),
        ("q=x", "n" * 81, "", "has 1 to 80 characters"),
        ("q=x", "\x00", "", "has 1 to 80 characters"),
        ("q=x", "A", "dealer", "cannot read the event log"),
    ],
)
def test_what_cannot_be_kept_is_refused(evening_house: House, query: str, name: str, role: str, says: str) -> None:
    assert says in save(at("sven"), query, name, role, status=400)
    assert not SavedSearch.objects.exists()


def test_everything_is_no_search_to_keep(evening_house: House) -> None:
    assert save(at("sven"), "", "All") == "/events"
    assert "save-as" not in source(at("sven"), "/events/saved")
    assert at("sven").get("/events/saved?sum=nothing").status_code == 400
    assert not SavedSearch.objects.exists()


def test_names_are_not_kept(evening_house: House) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara"})
    save(at("sven"), "q=dealer%3A%22Dora+Samara%22", "Her rounds")
    assert saved_searches(at("sven"))[0][1] == "q=dealer%3Adora"
    assert "This is a person&#x27;s name" in save(at("olga"), "q=samara", "Hers", status=400)
    assert SavedSearch.objects.count() == 1


def test_nobody_keeps_more_than_fifty(evening_house: House) -> None:
    sven = at("sven")
    some = [SavedSearch(person="sven", name=f"n{number}", query="q=x") for number in range(AT_MOST)]
    SavedSearch.objects.bulk_create(some)
    assert "Delete one first" in save(sven, "q=y", "one more", status=400)
    save(sven, "q=y", "n7")
    assert SavedSearch.objects.get(name="n7").query == "q=y"


def test_who_does_not_read_the_log_keeps_no_searches(evening_house: House) -> None:
    dora = at("dora")
    assert save(dora, "q=x", "A", status=403)
    assert dora.get("/api/v1/search/saved").status_code == 403
    assert not SavedSearch.objects.exists()
