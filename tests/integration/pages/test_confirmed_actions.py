"""A confirmed action that needs a recent second factor continues automatically, once, and returns to its row."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from backoffice.kit import unsent_forms
from tests.integration.pages.test_inbox import aged
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import InProcessDoor, at, complaints, filled_in, forms, open_door
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

URL = f"/days/{DAY}"
ADJUST = "/progressives/blazing/do/meter.adjust"
CORRECTION = {"level": "mega", "amount_minor": "-285.80", "reason": "malfunction"}


@pytest.fixture
def door(evening_house: object) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:  # type: ignore[arg-type]
        yield opened_door


def confirmed(client: Client, url: str, **fields: str) -> str:
    """Press the last button with an old second factor, and return the page after the new second factor."""
    sent = filled_in(client.get(url)) | fields | {"form-step": "send"}
    aged(client, 10_000)
    answer = client.post(url.partition("?")[0], sent)
    assert answer.status_code == 302, complaints(answer)
    asks, _, query = answer["Location"].partition("?")
    assert asks.endswith("/reauthenticate/")
    return parse_qs(query)["next"][0]


def asked_for(door: InProcessDoor) -> int:
    return sum(event.type == "approval.requested.v1" for event in door.house.store.after(0, 100_000))


def test_it_is_carried_out_as_soon_as_the_factor_is_shown(door: InProcessDoor) -> None:
    mark, before = at("mark"), asked_for(door)
    there = confirmed(mark, ADJUST, **CORRECTION)
    assert asked_for(door) == before, "nothing is done before the factor is shown"
    aged(mark, 0)
    answer = mark.get(there)
    assert (answer.status_code, answer["Location"]) == (302, "/progressives/blazing")
    assert asked_for(door) == before + 1
    mark.get(there)
    assert asked_for(door) == before + 1, "it is sent once"


def test_without_the_factor_it_is_shown_and_not_sent(door: InProcessDoor) -> None:
    mark, before = at("mark"), asked_for(door)
    there = confirmed(mark, ADJUST, **CORRECTION)
    page = mark.get(there)
    assert page.status_code == 200
    assert "285.80" in page.content.decode()
    assert mark.head(there).status_code == 200
    assert asked_for(door) == before


def test_a_form_that_nobody_confirmed_is_shown_again_and_not_sent(door: InProcessDoor) -> None:
    """The form was sent when its sender was signed out, so the server never accepted it as theirs."""
    mark, before = at("mark"), asked_for(door)
    sent = filled_in(mark.get(ADJUST)) | CORRECTION | {"form-step": "send"}
    session = mark.session
    session["seen_at"] = 0
    session.save()
    there = parse_qs(urlsplit(mark.post(ADJUST, sent)["Location"]).query)["next"][0]
    again = at("mark")
    forms_kept = {unsent_forms.IN_SESSION: mark.session[unsent_forms.IN_SESSION]}
    session = again.session
    session.update(forms_kept)
    session.save()
    assert "285.80" in words(again, there)
    assert asked_for(door) == before


def test_an_explanation_leads_back_to_its_row_which_shows_it(db: None) -> None:
    house = WorkedDay()
    with serving(house):
        house.play()
        evening_with_everything.project(house)
        with open_door(house):
            anna = at("anna")
            url = forms(source(anna, f"{URL}/discrepancies"), "discrepancy.explain")[0]
            there = confirmed(anna, url, reason="a chip fell under the table")
            aged(anna, 0)
            answer = anna.get(there)
            path, _, row = answer["Location"].partition("#")
            assert path == f"{URL}/discrepancies"
            text = source(anna, path)
            assert f'<tr id="{row}"' in text
            shown = text.partition(f'<tr id="{row}"')[2].partition("</tr>")[0]
            assert "a chip fell under the table" in shown
            assert not forms(shown, "discrepancy.explain")
    house.close()


def test_a_row_says_that_a_request_waits_instead_of_offering_it_again(db: None) -> None:
    house = WorkedDay()
    with serving(house):
        house.play()
        evening_with_everything.project(house)
        with open_door(house):
            anna = at("anna")
            offered = forms(source(anna, "/house"), "setting.change")
            assert not [url for url in offered if "setting=currency" in url], "it cannot change any more"
            change = next(url for url in offered if "setting=business_year_begins" in url)
            sent = filled_in(anna.get(change)) | {"value": "4", "form-step": "send"}
            answer = anna.post(change.partition("?")[0], sent)
            assert answer.status_code == 302, complaints(answer)
            evening_with_everything.project(house)
            page = source(anna, "/house")
            assert set(offered) - set(forms(page, "setting.change")) == {change}
            assert "waiting for approval" in page
    house.close()
