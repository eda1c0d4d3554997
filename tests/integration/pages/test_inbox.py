"""The inbox: open requests by role, with values before and after, with buttons, and with their results."""

import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

CHANGE = {"level": "mega", "feed_millionths": "9.5"}


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def aged(client: Client, seconds: int) -> None:
    """The second factor was shown so long ago."""
    session = client.session
    methods = session["account_authentication_methods"]
    session["account_authentication_methods"] = [{**method, "at": time.time() - seconds} for method in methods]
    session.save()


def types(house: House) -> list[str]:
    return [event.type for event in house.store.after(0, 100_000)]


def test_a_request_stands_there_as_before_and_after_until_somebody_agrees(door: InProcessDoor) -> None:
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    text = words(at("anna"), "/inbox")
    assert "Change parameters blazing requested by mark" in text
    assert "Contribution rate 10 % → 9.5 %" in text
    (agree,) = forms(source(at("anna"), "/inbox"), "approval.give")
    answer, _sent = done(at("anna"), agree)
    assert answer["Location"] == "/inbox", complaints(answer)
    assert "parameters.changed.v1" in types(door.house)
    assert "No open items" in words(at("paul"), "/inbox") or "Change parameters" not in words(at("paul"), "/inbox")
    became = words(at("mark"), "/inbox").partition("Recent decisions")[2]
    assert "Level mega" in became, "of two changes he sees which is which"
    assert "approved" in became


def test_who_asked_withdraws_and_cannot_agree(door: InProcessDoor) -> None:
    mark = at("mark")
    done(mark, "/progressives/blazing/do/parameters.change", **CHANGE)
    page = source(mark, "/inbox")
    assert forms(page, "approval.give") == []
    (withdraw,) = forms(page, "approval.withdraw")
    answer, _sent = done(mark, withdraw)
    assert answer["Location"] == "/inbox", complaints(answer)
    assert "approval.withdrawn.v1" in types(door.house)
    assert "withdrawn" in words(mark, "/inbox")


def test_who_agrees_with_an_old_second_factor_comes_back_to_what_he_agrees_to(door: InProcessDoor) -> None:
    """This holds also for a form without fields, whose address has all values."""
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    anna = at("anna")
    (agree,) = forms(source(anna, "/inbox"), "approval.give")
    aged(anna, 10_000)
    next_address = parse_qs(urlsplit(anna.get(agree)["Location"]).query)["next"][0]
    aged(anna, 0)
    text = words(anna, next_address)
    assert "Contribution rate 10 % 9.5 %" in text
    assert "Back to edit" not in text, "there is nothing to be filled in"
    answer, _sent = done(anna, next_address)
    assert answer["Location"] == "/inbox", complaints(answer)
    assert "parameters.changed.v1" in types(door.house)


def test_who_refuses_says_why_and_who_asked_reads_it(door: InProcessDoor) -> None:
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    anna = at("anna")
    (refuse,) = forms(source(anna, "/inbox"), "approval.decline")
    assert "Requested by mark" in words(anna, refuse), "what is refused stands above the reason"
    assert "Contribution rate 10 % → 9.5 %" in words(anna, refuse)
    assert "Request form:" not in words(anna, refuse), "whose number nobody needs"
    answer, _sent = done(anna, refuse, reason="not before the audit")
    assert answer["Location"] == "/inbox", complaints(answer)
    assert "declined anna: not before the audit" in words(at("mark"), "/inbox")


def test_who_agrees_too_late_is_told_so_and_led_back(door: InProcessDoor) -> None:
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    anna, ines = at("anna"), at("ines")
    (agree,) = forms(source(anna, "/inbox"), "approval.give")
    _looked, sent = preview_of(ines, agree)
    done(anna, agree)
    late = ines.post(agree.partition("?")[0], sent | {"form-step": "send"})
    assert late.status_code == 422
    text = late.content.decode()
    assert "This request was decided already. Reload and try again." in text
    assert '<a class="button" href="/inbox">Back</a>' in text
    assert "Review" not in text


def test_what_is_asked_of_the_floor_waits_there_too(door: InProcessDoor) -> None:
    install = {"pit": "B", "table": "FR9", "game": "roulette", "ruleset": "roulette-french", "currency": "EUR"}
    done(at("paul"), "/do/table.install", **install)
    (agree,) = forms(source(at("ines"), "/inbox"), "approval.give")
    done(at("ines"), agree)
    assert types(door.house)[-1] == "table.installed.v1"


def test_a_share_waits_for_who_may_authorise_it_with_what_is_at_stake(door: InProcessDoor) -> None:
    evening_with_everything.finish_blackjack(door.house)
    evening_with_everything.project(door.house)
    assert "1,200.75" in words(at("ines"), "/inbox")
    assert forms(source(at("ines"), "/inbox"), "hit.authorise")
    assert forms(source(at("anna"), "/inbox"), "hit.authorise") == []


def test_the_header_counts_what_waits(door: InProcessDoor) -> None:
    paul = at("paul")
    before = paul.get("/inbox/count").content
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    assert paul.get("/inbox/count").content != before
    assert 'hx-get="/inbox/count?seen="' in source(paul, "/")


def test_an_auditor_reads_all_of_it_and_does_nothing(door: InProcessDoor) -> None:
    done(at("mark"), "/progressives/blazing/do/parameters.change", **CHANGE)
    page = source(at("olga"), "/inbox")
    assert "Change parameters" in page
    assert "/do/" not in page


def test_nobody_else_comes_in(door: InProcessDoor) -> None:
    assert at("dora").get("/inbox").status_code == 403
